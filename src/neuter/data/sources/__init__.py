"""Users' own sources of actual values: files of their own, FRED, ALFRED, the Philadelphia Fed, Yahoo and CRSP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.data.sources.finding import check_sources as check_sources
    from neuter.data.sources.finding import find_panel as find_panel
    from neuter.data.sources.finding import find_series as find_series
    from neuter.data.sources.hashing import hash_of as hash_of
    from neuter.data.sources.sources import Sources as Sources
    from neuter.data.sources.unasked import unused as unused

_HOME = {
    "Sources": "sources",
    "check_sources": "finding",
    "find_panel": "finding",
    "find_series": "finding",
    "hash_of": "hashing",
    "unused": "unasked",
}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
