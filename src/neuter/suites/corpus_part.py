"""A part of a corpus: some of its documents, read from where it is read."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from neuter.corpus import Corpus
from neuter.types import Document


class CorpusPart(Corpus):
    """The documents of ``whole`` with these ids, in its order.

    ``full`` and ``data_hash`` are the whole corpus's: what decides the part goes into a configuration beside it.
    """

    def __init__(self, whole: Corpus, ids: Collection[str], called: str) -> None:
        super().__init__(whole.source, whole.options)
        self._ids, self._called = frozenset(ids), called

    @property
    def name(self) -> str:
        """The corpus's name with the part's."""
        return f"{super().name} ({self._called})"

    def documents(self) -> Iterator[Document]:
        """As of the whole corpus, without the other documents."""
        return (document for document in super().documents() if document.id in self._ids)
