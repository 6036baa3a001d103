"""A corpus: documents in files or frames, read anew at each pass and never all in memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from neuter.corpus.columns import CANONICAL, map_columns
from neuter.corpus.fields import Problem, Row
from neuter.corpus.folder import TextFiles
from neuter.corpus.passes import Mapped, read_rows
from neuter.corpus.sampling import stratified
from neuter.corpus.sources import Source
from neuter.corpus.unpaired import without_unpaired
from neuter.errors import CorpusError, MissingExtra
from neuter.types import Document

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from rich.table import Table as RichTable


@dataclass(frozen=True, slots=True)
class Options:
    """How a corpus is read. ``opening`` is in characters; ``columns`` maps fields to the file's names."""

    columns: Mapping[str, str] = field(default_factory=dict)
    preset: str | None = None
    kind: str | None = None
    skip_invalid: bool = False
    opening: int | None = None
    limit: int | None = None
    sample: int | None = None
    seed: int = 0


class NoValidRow(CorpusError):
    """A corpus that has rows, and all of them are bad."""


class Corpus:
    """Documents in their order. Made by :func:`neuter.read_corpus`, which reads no more than the header."""

    def __init__(self, source: Source, options: Options) -> None:
        self.source, self.options = source, options
        self._tables = tuple(
            Mapped(
                table,
                map_columns(
                    table.columns(), columns=options.columns, preset=options.preset, where=table.shown
                ),
                options.kind,
                source.default_kind,
            )
            for table in source.tables
        )
        self._problems: dict[Problem, None] = {}
        self._chosen: frozenset[int] | None = None
        self._count: int | None = None

    @property
    def name(self) -> str:
        """The file's stem, the folder's name, the glob, ``corpora:NAME``, ``frame`` or ``documents``."""
        return without_unpaired(self.source.name)

    @property
    def problems(self) -> list[Problem]:
        """The rows that were left out, as far as the corpus has been read (with ``skip_invalid``)."""
        return list(self._problems)

    @property
    def columns(self) -> list[str]:
        """Canonical columns that the corpus has, ``text`` last, in the order in which they are written."""
        have = {"kind", *(name for mapped in self._tables for name in mapped.columns.fields)}
        return [name for name in CANONICAL if name in have]

    @property
    def extra_columns(self) -> list[str]:
        """Names in ``Document.extra``: the columns that are carried along."""
        carried = (mapped.columns.carried.values() for mapped in self._tables)
        return list(dict.fromkeys(name for names in carried for name in names))

    @property
    def tables(self) -> tuple[Mapped, ...]:
        """The files or frames, each with the map of its columns."""
        return self._tables

    def documents(self) -> Iterator[Document]:
        """Every document once, read as it is asked for.

        Raises:
            CorpusError: at a bad row (unless ``skip_invalid``), naming file, line and field.
        """
        documents = islice(self._valid(), self.options.limit)
        if self.options.sample is None:
            return documents
        if self._chosen is None:
            known = [(one.size, one.market_cap) for one in islice(self._valid(), self.options.limit)]
            self._chosen = stratified(known, self.options.sample, self.options.seed)
        chosen = self._chosen
        return (document for at, document in enumerate(documents) if at in chosen)

    def __iter__(self) -> Iterator[Document]:
        return self.documents()

    def chunks(self, size: int = 256) -> Iterator[list[Document]]:
        """The documents in lists of ``size``."""
        documents = self.documents()
        while chunk := list(islice(documents, size)):
            yield chunk

    def count(self) -> int:
        """How many documents there are; the first call reads the corpus."""
        if self._count is None:
            self._count = sum(1 for _ in self.documents())
        return self._count

    def full(self) -> Corpus:
        """The corpus whole, without ``opening``, ``limit`` and ``sample``: a reference to attack with."""
        return Corpus(self.source, replace(self.options, opening=None, limit=None, sample=None))

    def data_hash(self) -> str:
        """sha256 (hexadecimal) over the files' bytes, or the frame's rows, and the options of reading."""
        digest = hashlib.sha256(json.dumps(_told(self.options), sort_keys=True).encode())
        for part in self._bytes():
            digest.update(len(part).to_bytes(8, "big") + part)
        return digest.hexdigest()

    def _bytes(self) -> Iterator[bytes]:
        """The files block by block, with the ids that their names make; a frame row by row."""
        for mapped in self._tables:
            if isinstance(mapped.table, TextFiles):
                yield from (name.encode("utf-8", "surrogateescape") for name in mapped.table.ids())
        for path in self.source.files:
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    yield block
        if not self.source.files:
            rows = (row for mapped in self._tables for row in mapped.table.rows() if isinstance(row, Row))
            yield from (json.dumps(row.values, sort_keys=True, default=str).encode() for row in rows)

    def metadata(self) -> pl.DataFrame:
        """What is known of each document, without its text: the columns of ``METADATA``, typed."""
        from neuter.corpus.schema import metadata_frame

        return metadata_frame(self.documents())

    def to_polars(self) -> pl.DataFrame:
        """All documents with all columns as one frame, in memory."""
        import polars as pl

        from neuter.corpus.schema import corpus_row, corpus_schema, frames_of

        columns, extra = self.columns, self.extra_columns
        rows = (corpus_row(document, columns, extra) for document in self.documents())
        return pl.concat(frames_of(rows, corpus_schema(columns, self.tables)))

    def to_pandas(self) -> pd.DataFrame:
        """The same for pandas.

        Raises:
            MissingExtra: pandas or pyarrow is not installed.
        """
        try:
            import pandas  # noqa: F401
            import pyarrow  # type: ignore[import-untyped]  # noqa: F401
        except ImportError as error:
            raise MissingExtra(
                f"{error.name} is not installed", todo='python -m pip install "neuter[pandas]"'
            ) from error
        return self.to_polars().to_pandas()

    def _valid(self) -> Iterator[Document]:
        empty, problem = True, None
        for made in read_rows(self._tables, self.options.opening):
            if isinstance(made, Document):
                empty = False
                yield made
            elif self.options.skip_invalid:
                problem = made
                self._problems[made] = None
            else:
                raise made.error()
        if empty:
            raise self._nothing(problem)

    def _nothing(self, problem: Problem | None) -> CorpusError:
        shown = ", ".join(mapped.table.shown for mapped in self._tables[:3])
        if problem is None:
            return CorpusError(
                "holds no documents", where=shown, todo="There are columns, but no rows below them"
            )
        return NoValidRow(
            "has no valid row",
            where=shown,
            todo=f"The last problem: {problem.where}: {problem.what}",
        )

    def __repr__(self) -> str:
        told = ", ".join(f"{key}={value!r}" for key, value in _told(self.options).items())
        return f"Corpus({self.name!r}{', ' if told else ''}{told}; columns: {', '.join(self.columns)})"

    def table(self, rows: int = 5) -> RichTable:
        """The first rows as a table for a terminal."""
        from neuter.corpus.showing import corpus_table

        return corpus_table(self, rows)

    def __rich__(self) -> RichTable:
        return self.table()

    def _repr_html_(self) -> str:
        from neuter.corpus.showing import corpus_html

        return corpus_html(self)


def _told(options: Options) -> dict[str, Any]:
    """The options that are set; a seed counts only where a sample is drawn."""
    told = {key: value for key, value in asdict(options).items() if value not in (None, False, {})}
    if options.sample is None:
        told.pop("seed", None)
    return told
