"""A corpus: documents in files or frames, read anew at each pass and never all in memory."""

from __future__ import annotations

import hashlib
import html
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from neuter.corpus.columns import CANONICAL, METADATA, ColumnMap, map_columns
from neuter.corpus.fields import Problem, document_of
from neuter.corpus.sampling import stratified
from neuter.corpus.sources import Source, Table
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


class Corpus:
    """Documents in their order. Made by :func:`neuter.read_corpus`, which reads no more than the header."""

    def __init__(self, source: Source, options: Options) -> None:
        self.source, self.options = source, options
        self._maps = tuple(
            map_columns(
                table.columns(), columns=options.columns, preset=options.preset, where=table.shown
            )
            for table in source.tables
        )
        self._problems: dict[Problem, None] = {}
        self._chosen: frozenset[int] | None = None
        self._count: int | None = None

    @property
    def name(self) -> str:
        """The file's stem, the folder's name, the glob, ``corpora:NAME``, ``frame`` or ``documents``."""
        return self.source.name

    @property
    def problems(self) -> list[Problem]:
        """The rows that were left out, as far as the corpus has been read (with ``skip_invalid``)."""
        return list(self._problems)

    @property
    def columns(self) -> list[str]:
        """Canonical columns that the corpus has, ``text`` last, in the order in which they are written."""
        have = {"kind", *(name for mapping in self._maps for name in mapping.fields)}
        return [name for name in CANONICAL if name in have]

    @property
    def extra_columns(self) -> list[str]:
        """Names in ``Document.extra``: the columns that are carried along."""
        return list(dict.fromkeys(name for mapping in self._maps for name in mapping.carried.values()))

    @property
    def mappings(self) -> tuple[tuple[Table, ColumnMap], ...]:
        """Each table with the map of its columns."""
        return tuple(zip(self.source.tables, self._maps, strict=True))

    def documents(self) -> Iterator[Document]:
        """Every document once, read as it is asked for.

        Raises:
            CorpusError: at a bad row (unless ``skip_invalid``), naming file, line and field.
        """
        opening = self.options.opening
        for document in self._picked():
            yield replace(document, text=document.text[:opening]) if opening else document

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
        """The same corpus whole: every document with all its text, whatever ``opening``, ``limit``, ``sample``."""
        return Corpus(self.source, replace(self.options, opening=None, limit=None, sample=None))

    def data_hash(self) -> str:
        """sha256 (hexadecimal) over the files' bytes, or the frame's rows, and the options that change documents."""
        digest = hashlib.sha256(json.dumps(_told(self.options), sort_keys=True).encode())
        for path in self.source.files:
            digest.update(f"\0{path.name}\0{path.stat().st_size}\0".encode())
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
        if not self.source.files:
            for row in self._rows():
                values = row if isinstance(row, Problem) else row.values
                digest.update(json.dumps(values, sort_keys=True, default=str).encode() + b"\n")
        return digest.hexdigest()

    def metadata(self) -> pl.DataFrame:
        """What is known of each document, without its text: one row each, columns as in ``METADATA``, typed."""
        from neuter.corpus.schema import metadata_frame

        return metadata_frame(self.documents())

    def to_polars(self) -> pl.DataFrame:
        """All documents with all columns as one frame, in memory."""
        from neuter.corpus.schema import frame_of, output_schema, row_of

        schema = output_schema(self)
        return frame_of((row_of(document, self) for document in self.documents()), schema)

    def to_pandas(self) -> pd.DataFrame:
        """The same for pandas.

        Raises:
            MissingExtra: pandas or pyarrow is not installed.
        """
        try:
            import pandas  # noqa: F401, ICN001
            import pyarrow  # noqa: F401, ICN001
        except ImportError as error:
            raise MissingExtra(
                f"{error.name} is not installed", todo='python -m pip install "neuter[pandas]"'
            ) from error
        return self.to_polars().to_pandas()

    def _picked(self) -> Iterator[Document]:
        documents = islice(self._valid(), self.options.limit)
        if self.options.sample is None:
            return documents
        if self._chosen is None:
            known = [(document.size, document.market_cap) for document in islice(self._valid(), self.options.limit)]
            self._chosen = stratified(known, self.options.sample, self.options.seed)
        chosen = self._chosen
        return (document for at, document in enumerate(documents) if at in chosen)

    def _valid(self) -> Iterator[Document]:
        seen: dict[str, tuple[int, int]] = {}
        for at, (table, mapping) in enumerate(self.mappings):
            for row in table.rows():
                made = (
                    row
                    if isinstance(row, Problem)
                    else document_of(
                        row, mapping, kind=self.options.kind, default_kind=self.source.default_kind
                    )
                )
                if isinstance(made, Document) and not isinstance(row, Problem):
                    if made.id in seen:
                        made = self._duplicate(row.file, row.line, row.unit, made.id, mapping, seen[made.id])
                    else:
                        seen[made.id] = (at, row.line)
                if isinstance(made, Problem):
                    self._refuse(made)
                else:
                    yield made
        if not seen:
            raise self._nothing()
