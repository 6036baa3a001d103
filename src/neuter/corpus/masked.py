"""Reading a masked corpus back: as an attacker sees it, and as a reference for one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.corpus.columns import MASKED, map_columns
from neuter.corpus.csvfile import CsvTable
from neuter.corpus.fields import Problem, Row, document_of
from neuter.corpus.jsonl import JsonLines
from neuter.corpus.parquet import ParquetTable
from neuter.corpus.passes import Mapped
from neuter.corpus.sources import Source, Table, open_source
from neuter.corpus.unpaired import without_unpaired
from neuter.errors import CorpusError, MaskingError
from neuter.types import Document, MaskedDocument, Outcome, Replacement

if TYPE_CHECKING:
    import polars as pl

#: Stands in for the text while the rest of a row is checked, because a masked text may be longer than one that is
#: read in (each placeholder than what it replaced); never leaves this module.
_NO_TEXT = "(no text)"


def read_masked(path: str | Path) -> MaskedCorpus:
    """The masked corpus that :func:`write_masked` wrote, read no further than its header.

    A text may have any length here: masking makes texts longer.

    Raises:
        CorpusError: it does not exist, or is not a masked corpus.
    """
    source = open_source(str(path))
    return MaskedCorpus(replace(source, tables=tuple(map(_written_by_us, source.tables))))


class MaskedCorpus:
    """Masked documents in their order, with what is known of them kept apart."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tables = tuple(_mapped(source, at) for at in range(len(source.tables)))
        self._scheme: str | None = None

    @property
    def name(self) -> str:
        """The file's stem."""
        return without_unpaired(self.source.name)

    @property
    def scheme(self) -> str:
        """The name of the scheme that made it (of its first row)."""
        if self._scheme is None:
            self._scheme = next((masked.scheme for masked in self.documents()), "")
        return self._scheme

    def documents(self) -> Iterator[MaskedDocument]:
        """Every row as an attacker sees it; ``text`` is None where masking failed.

        Raises:
            CorpusError: a row that cannot be read, naming file, line and field.
            MaskingError: its ``replacements`` are none, naming the document too.
        """
        return (masked for _, masked in self.pairs())

    def __iter__(self) -> Iterator[MaskedDocument]:
        return self.documents()

    def references(self) -> Iterator[Document]:
        """What is known of each document, with the masked text; documents that failed are left out."""
        return (
            replace(document, text=masked.text)
            for document, masked in self.pairs()
            if masked.text is not None
        )

    def count(self) -> int:
        """How many rows there are, those without text among them."""
        return sum(1 for _ in self.documents())

    def metadata(self) -> pl.DataFrame:
        """What is known of each document, as in :meth:`Corpus.metadata`; failed ones too."""
        from neuter.corpus.schema import metadata_frame

        return metadata_frame(document for document, _ in self.pairs())

    def pairs(self) -> Iterator[tuple[Document, MaskedDocument]]:
        """Each row twice: what is known of it (without text), and what an attacker sees."""
        for mapped in self.tables:
            for row in mapped.table.rows():
                if isinstance(row, Problem):
                    raise row.error()
                yield _pair(row, mapped)

    def __repr__(self) -> str:
        return f"MaskedCorpus({self.name!r}, scheme={self.scheme!r})"


def _written_by_us(table: Table) -> Table:
    """The table without the limits that guard against files gone wrong."""
    if isinstance(table, CsvTable | JsonLines):
        return replace(table, limited=False)
    if isinstance(table, ParquetTable):
        return replace(
            table,
            remedy="It was cut short or damaged: delete it and run the command that made it again",
        )
    return table


def _mapped(source: Source, at: int) -> Mapped:
    table = source.tables[at]
    found = table.columns()
    if "scheme" not in found or "replacements" not in found:
        raise CorpusError(
            "is not a masked corpus: it has no columns 'scheme' and 'replacements'",
            where=table.shown,
            todo="Make one with: neuter mask CORPUS --scheme NAME --out FILE",
        )
    columns = map_columns([name for name in found if name not in MASKED], where=table.shown)
    return Mapped(table, columns, None, source.default_kind)


def _pair(row: Row, mapped: Mapped) -> tuple[Document, MaskedDocument]:
    document = document_of(
        replace(row, values={**row.values, "text": _NO_TEXT}),
        mapped.columns,
        kind=None,
        default_kind=mapped.default_kind,
    )
    if isinstance(document, Problem):
        raise document.error()
    text = _text(row, document.id)
    masked = MaskedDocument(
        id=document.id,
        text=text,
        scheme=str(row.values.get("scheme") or ""),
        kind=document.kind,
        replacements=_replacements(row, document.id),
        outcome=_outcome(row, document.id, text),
        reason=str(row.values.get("reason") or ""),
    )
    return replace(document, text=""), masked


def _text(row: Row, name: str) -> str | None:
    text = row.values.get("text") or None
    if text is not None and (not isinstance(text, str) or not text.strip()):
        raise _bad(row, "text", name, "must be a text that is not blank")
    return text


def _outcome(row: Row, name: str, text: str | None) -> Outcome:
    given = row.values.get("outcome") or (Outcome.FAILED if text is None else Outcome.ANSWERED)
    try:
        return Outcome(given)
    except ValueError:
        raise _bad(row, "outcome", name, f"is no outcome: {given!r}") from None


def _replacements(row: Row, name: str) -> tuple[Replacement, ...] | None:
    value: Any = row.values.get("replacements")
    try:
        spans = json.loads(value or "null") if isinstance(value, str) else value
        return None if spans is None else _checked([Replacement(**span) for span in spans])
    except (ValueError, TypeError, RecursionError) as error:
        bad = _bad(row, "replacements", name, f"is not a list of start, end, placeholder, kind ({error})")
        todo = "The masked corpus was changed since it was written: take it from a copy, or mask again"
        raise MaskingError(bad.what, where=bad.where, todo=todo) from None


def _checked(spans: Sequence[Replacement]) -> tuple[Replacement, ...]:
    for one in spans:
        if type(one.start) is not int or type(one.end) is not int:
            raise TypeError(f"start and end are numbers, not {one.start!r} and {one.end!r}")
        if not isinstance(one.placeholder, str) or not isinstance(one.kind, str):
            raise TypeError(f"placeholder and kind are texts, not {one.placeholder!r} and {one.kind!r}")
    return tuple(spans)


def _bad(row: Row, field: str, name: str, what: str) -> CorpusError:
    return Problem(row.file, row.line, field, name, what, row.unit).error()
