"""One pass over the tables of a corpus: rows become documents, ids are unique, problems are told apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from neuter.corpus.columns import ColumnMap
from neuter.corpus.fields import Problem, Row, document_of
from neuter.corpus.sources import Table
from neuter.types import Document


@dataclass(frozen=True, slots=True)
class Mapped:
    """A table, the map of its columns, and the kinds of its documents (as in ``document_of``)."""

    table: Table
    columns: ColumnMap
    kind: str | None
    default_kind: str

    def read(self, row: Row | Problem) -> Document | Problem:
        """The document of a row."""
        if isinstance(row, Problem):
            return row
        return document_of(row, self.columns, kind=self.kind, default_kind=self.default_kind)


def read_rows(tables: Sequence[Mapped], opening: int | None = None) -> Iterator[Document | Problem]:
    """Every row of every table in order, with the first ``opening`` characters of its text.

    A row whose id came before is a problem that names both rows; so is one whose opening is blank.
    """
    seen: dict[str, tuple[int, int]] = {}
    for at, mapped in enumerate(tables):
        for row in mapped.table.rows():
            made = mapped.read(row)
            if isinstance(made, Document) and isinstance(row, Row):
                if made.id in seen:
                    made = _twice(row, mapped, made.id, tables[seen[made.id][0]], seen[made.id][1])
                else:
                    seen[made.id] = at, row.line
                    made = made if opening is None else _opening(made, row, mapped, opening)
            yield made


def _opening(made: Document, row: Row, mapped: Mapped, length: int) -> Document | Problem:
    """The document shortened. A blank text could be written, but not read again."""
    text = made.text[:length]
    if text.strip():
        return replace(made, text=text)
    what = f"the first {length} characters are blank"
    todo = "Give a larger --opening"
    return Problem(row.file, row.line, mapped.columns.fields["text"], made.id, what, row.unit, todo)


def _twice(row: Row, mapped: Mapped, name: str, earlier: Mapped, line: int) -> Problem:
    other = "" if earlier is mapped else f"{earlier.table.shown}: "
    what = f"the id is there already, on {other}{row.unit} {line}"
    todo = "Give each document an id of its own, or name another column with --column id=NAME"
    return Problem(row.file, row.line, mapped.columns.fields.get("id", "id"), name, what, row.unit, todo)
