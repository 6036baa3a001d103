"""The scheme ``none``: the text as it is, the reference that every other scheme is measured against."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Self

from neuter.types import Document, MaskedDocument


class Unmasked:
    """Leaves every text as it is."""

    name: ClassVar[str] = "none"
    reversible: ClassVar[bool] = True

    def fit(self, documents: Iterable[Document]) -> Self:  # noqa: ARG002
        return self

    def mask(self, documents: Iterable[Document]) -> Iterator[MaskedDocument]:
        for document in documents:
            yield MaskedDocument(document.id, document.text, self.name, document.kind)
