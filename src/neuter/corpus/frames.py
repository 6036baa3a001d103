"""Tables that are in memory already: polars and pandas frames, and lists of documents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neuter.corpus.columns import METADATA
from neuter.corpus.fields import Problem, Row
from neuter.types import Document

if TYPE_CHECKING:
    import polars as pl

_SLICE_ROWS = 1024


@dataclass(frozen=True, slots=True)
class PolarsTable:
    """A polars DataFrame."""

    frame: pl.DataFrame
    shown: str = "frame"

    def columns(self) -> list[str]:
        """The frame's names."""
        return self.frame.columns

    def schema(self) -> dict[str, pl.DataType]:
        """Names and types."""
        return dict(self.frame.schema)

    def rows(self) -> Iterator[Row | Problem]:
        """Every row, numbered from 1."""
        for number, values in enumerate(self.frame.iter_rows(named=True, buffer_size=_SLICE_ROWS), 1):
            yield Row(self.shown, number, values, "row")


@dataclass(frozen=True, slots=True)
class PandasTable:
    """A pandas DataFrame, read in slices without a conversion (which would need pyarrow)."""

    frame: Any
    shown: str = "frame"

    def columns(self) -> list[str]:
        """The frame's names as text; the index is not a column."""
        return [str(name) for name in self.frame.columns]

    def rows(self) -> Iterator[Row | Problem]:
        """Every row, numbered from 1; NaN, NaT and NA are missing values."""
        names = self.columns()
        number = 0
        for start in range(0, len(self.frame), _SLICE_ROWS):
            for values in self.frame.iloc[start : start + _SLICE_ROWS].itertuples(index=False, name=None):
                number += 1
                row = dict(zip(names, map(_plain, values), strict=True))
                yield Row(self.shown, number, row, "row")


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """Documents that somebody made in Python."""

    documents: Sequence[Document]
    shown: str = "documents"

    def columns(self) -> list[str]:
        """Fields that some document has, then the names in ``extra``."""
        always = {"id", "kind"}
        fields = [name for name in METADATA if name in always or any(map(_has(name), self.documents))]
        extra = dict.fromkeys(key for document in self.documents for key in document.extra)
        return [*fields, "text", *(key for key in extra if key not in fields)]

    def rows(self) -> Iterator[Row | Problem]:
        """Every document as a row, numbered from 1."""
        for number, document in enumerate(self.documents, 1):
            fields = {name: getattr(document, name) for name in METADATA}
            yield Row(self.shown, number, {**document.extra, **fields, "text": document.text}, "document")


def _has(name: str) -> Any:
    return lambda document: getattr(document, name) not in (None, False)


def _plain(value: Any) -> Any:
    """A pandas cell as a Python value, or None where it is missing."""
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return None
    return None if isinstance(value, float) and math.isnan(value) else value
