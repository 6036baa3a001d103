"""The durable store of responses, and the ledger of attempts: one SQLite file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.models.store.file import Store as Store
    from neuter.models.store.file import default_path as default_path
    from neuter.models.store.file import open_store as open_store

_HOME = {"Store": "file", "default_path": "file", "open_store": "file"}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
