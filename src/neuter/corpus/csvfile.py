"""CSV and TSV, by Python's csv reader rather than polars'.

It alone tells on which line a row with quotes and line breaks inside its fields begins, and it is fed line by
line, so that no more than a row is in memory.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from neuter.corpus.fields import MAX_TEXT_BYTES, Problem, Row
from neuter.corpus.lines import NOT_UTF8, numbered_lines
from neuter.errors import CorpusError

#: The csv module stops at 131,072 characters a field by default; a document may have 20 MB. A little more, so
#: that a text over the limit is named as such; beyond it a quote that is never closed would swallow the file.
_MAX_FIELD = MAX_TEXT_BYTES + 5_000_000


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A ``.csv`` or ``.tsv`` file with a header; ``limited`` is False where a field may be of any length."""

    path: Path
    shown: str
    limited: bool = True

    def columns(self) -> list[str]:
        """The header's names; one without a name is called ``column_N``.

        Raises:
            CorpusError: the file is empty, the header cannot be read, or has a name twice.
        """
        header = _Reading(self).header()
        names = [name.strip() or f"column_{at}" for at, name in enumerate(header, 1)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise CorpusError(
                f"has more than one column {twice[0]!r}",
                where=f"{self.shown}: line 1",
                todo="Rename one of them",
            )
        return names

    def rows(self) -> Iterator[Row | Problem]:
        """Every row after the header; blank lines are skipped."""
        names = self.columns()
        reading = _Reading(self)
        reading.header()
        return reading.rows(names)


@dataclass(slots=True)
class _Reading:
    """One pass over a CSV file, and the bytes in the present row that are not UTF-8."""

    table: CsvTable
    bad: list[tuple[int, str]] = field(default_factory=list)
    reader: Iterator[list[str]] = field(init=False)
    lines_read: int = 0

    def __post_init__(self) -> None:
        # The only way to accept long fields is the whole module's; it is never lowered for other users.
        csv.field_size_limit(max(csv.field_size_limit(), _longest_field(self.table)))
        self.reader = csv.reader(self._text(), delimiter=_delimiter(self.table), strict=True)

    def header(self) -> list[str]:
        for row in self._cells():
            if self.bad:
                number, what = self.bad[0]
                raise CorpusError(what, where=f"{self.table.shown}: line {number}", todo=NOT_UTF8)
            if any(name.strip() for name in row):
                return row
        raise CorpusError("is empty", where=self.table.shown, todo="Give a header with id and text, and rows")

    def _cells(self) -> Iterator[list[str]]:
        try:
            yield from self.reader
        except csv.Error as error:
            raise self._broken(1, error).error() from error

    def rows(self, names: list[str]) -> Iterator[Row | Problem]:
        while True:
            start = self.lines_read + 1
            try:
                cells = next(self.reader, None)
            except csv.Error as error:
                yield self._broken(start, error)
                continue
            if cells is None:
                return
            if row := self._row(start, cells, names):
                yield row

    def _row(self, start: int, cells: list[str], names: list[str]) -> Row | Problem | None:
        if self.bad:
            number, what = self.bad[0]
            self.bad.clear()
            return Problem(self.table.shown, number, "", "", what, todo=NOT_UTF8)
        if not cells:
            return None
        if len(cells) != len(names):
            what = f"has {len(cells)} fields where the header has {len(names)}"
            todo = 'Quote texts with commas or line breaks, and double the quotes inside: "He said ""yes"""'
            return Problem(self.table.shown, start, "", "", what, todo=todo)
        return Row(self.table.shown, start, dict(zip(names, cells, strict=True)))

    def _broken(self, start: int, error: csv.Error) -> Problem:
        self.bad.clear()
        if "end of data" in str(error) or "field limit" in str(error):
            size = MAX_TEXT_BYTES // 1_000_000
            what = f"opens a quote that is not closed within {size} MB or by the end of the file"
            todo = 'Close it, or double it if it belongs to the text: ""'
        elif "new-line character" in str(error):
            what, todo = "has a carriage return outside quotes", "End lines with a line feed"
        else:
            what, todo = f"is not CSV ({error})", 'Double quotes inside a quoted field: "He said ""yes"""'
        return Problem(self.table.shown, start, "", "", what, todo=todo)

    def _text(self) -> Iterator[str]:
        """Lines as text. One that is not UTF-8 is noted and passed on, for the row to end where it ends."""
        for line in numbered_lines(self.table.path, self.table.shown, limited=self.table.limited):
            self.lines_read = line.number
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                self.bad.append((line.number, line.bad_bytes(error)))
                yield line.data.decode("utf-8", "surrogateescape")


def _longest_field(table: CsvTable) -> int:
    """In characters. No field is longer than its file; the csv module holds the number in a C long."""
    if table.limited or not table.path.is_file():
        return _MAX_FIELD
    return min(max(table.path.stat().st_size, _MAX_FIELD), 2**31 - 1)


def _delimiter(table: CsvTable) -> str:
    """Tab for ``.tsv``; else a comma, or what a spreadsheet put into a header without one."""
    if table.path.suffix.lower() == ".tsv":
        return "\t"
    first = next(islice(numbered_lines(table.path, table.shown), 1), None)
    head = first.data if first else b""
    return next((mark for mark in (",", ";", "\t") if mark.encode() in head), ",")
