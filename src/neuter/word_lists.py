"""The words by which text is read, which a package keeps beside its code in ``words.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def word_list(package: str, *path: str) -> Any:
    """What the ``words.toml`` of a package holds under ``path``: a list, or a table of them."""
    found: Any = _table(package)
    for name in path:
        found = found[name]
    return found


@cache
def _table(package: str) -> dict[str, Any]:
    return tomllib.loads((files(package) / "words.toml").read_text(encoding="utf-8"))
