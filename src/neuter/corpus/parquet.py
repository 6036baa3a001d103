"""Parquet files, local or on a hub, read by polars a few rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from neuter.corpus.fields import Problem, Row
from neuter.errors import CorpusError

if TYPE_CHECKING:
    import polars as pl

_CHUNK_ROWS = 64


@dataclass(frozen=True, slots=True)
class ParquetTable:
    """A Parquet file: ``source`` is its path, or an ``hf://`` address (which may be a glob) for polars.

    ``remedy`` is what to do where it cannot be read, if that is known.
    """

    source: str
    shown: str
    remedy: str = ""

    def columns(self) -> list[str]:
        """The schema's names.

        Raises:
            CorpusError: it cannot be opened, or has no rows.
        """
        return list(self.schema())

    def schema(self) -> dict[str, pl.DataType]:
        """Names and types as the file declares them."""
        import polars as pl

        try:
            return dict(self._scan().collect_schema())
        except (pl.exceptions.PolarsError, OSError) as error:
            raise self._unreadable(error) from error

    @property
    def remote(self) -> bool:
        """Whether ``source`` is an address rather than a path."""
        return "://" in self.source

    def rows(self) -> Iterator[Row | Problem]:
        """Every row, numbered from 1."""
        import polars as pl

        number = 0
        try:
            for frame in self._frames():
                for values in frame.iter_rows(named=True):
                    number += 1
                    yield Row(self.shown, number, values, "row")
        except (pl.exceptions.PolarsError, OSError) as error:
            raise self._unreadable(error, after=number) from error

    def _frames(self) -> Iterator[pl.DataFrame]:
        # One query, which polars runs a few row groups ahead of the reader. Slices would hold a little less, but
        # each decodes its row group from the beginning: a file written as one group, which is what polars and
        # pandas do unless told otherwise, would take time by the square of its length.
        return self._scan().collect_batches(chunk_size=_CHUNK_ROWS, maintain_order=True, lazy=True)

    def _scan(self) -> pl.LazyFrame:
        import polars as pl

        # A local path is taken as it is: "[" in a folder's name is no glob here.
        return pl.scan_parquet(self.source, glob=self.remote)

    def _unreadable(self, error: Exception, after: int = 0) -> CorpusError:
        place = f"{self.shown}: after row {after}" if after else self.shown
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        if not self.remote and Path(self.source).is_file() and Path(self.source).stat().st_size == 0:
            return CorpusError("is empty", where=place, todo=self.remedy or "Write it again")
        todo = "Check the address and the network" if self.remote else "It may be damaged, or no Parquet file"
        todo = self.remedy or todo
        return CorpusError(f"cannot be read as Parquet: {reason}", where=place, todo=todo)
