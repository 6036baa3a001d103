"""The durable store of responses, and the ledger of attempts: one SQLite file."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neuter.models.store.file import Store as Store
    from neuter.models.store.file import default_path as default_path
    from neuter.models.store.file import open_store as open_store

_HOME = {"Store": "file", "default_path": "file", "open_store": "file"}

__all__ = [*_HOME]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'neuter.models.store' has no attribute {name!r}")
    return getattr(importlib.import_module(f"neuter.models.store.{_HOME[name]}"), name)
