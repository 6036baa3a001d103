"""Importers: files of other programs and databases, read into frames. Names load when they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.corpus.importers.headlines import ImportedHeadlines as ImportedHeadlines
    from neuter.corpus.importers.headlines import import_headlines as import_headlines
    from neuter.corpus.importers.headlines import read_headlines as read_headlines

_HOME = {"read_headlines": "headlines", "import_headlines": "headlines", "ImportedHeadlines": "headlines"}

__all__ = list(_HOME)

__getattr__, __dir__ = lazily(__name__, _HOME)
