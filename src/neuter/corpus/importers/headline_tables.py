"""Headlines in CSV and JSON Lines: which columns hold date, title and content, and the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from neuter.corpus.columns import nearest
from neuter.corpus.csvfile import CsvTable
from neuter.corpus.fields import Problem
from neuter.corpus.importers.articles import Found
from neuter.corpus.importers.encodings import in_utf8
from neuter.corpus.jsonl import JsonLines
from neuter.errors import CorpusError, UsageError

#: What columns are often called; two of the same kind in one file have to be told apart by the user.
NAMES = {
    "date": ("date", "publication_date", "publication date", "published", "pd"),
    "title": ("title", "headline", "hd"),
    "content": ("content", "lead", "body", "lead_paragraph", "lp"),
    "source": ("source", "publication", "sn"),
}
_REQUIRED = ("date", "title")

TABLE_ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json")


def table_headlines(
    path: Path, shown: str, *, columns: Mapping[str, str], encoding: str | None
) -> Iterator[Found | Problem]:
    """The rows of a table, read one by one.

    Raises:
        CorpusError: the file cannot be read, is empty, or lacks a column that is needed.
    """
    with in_utf8(path, shown, encoding) as file:
        kind = CsvTable if path.suffix.lower() in (".csv", ".tsv") else JsonLines
        table = kind(file, shown)
        names = column_names(table.columns(), columns, shown)
        for row in table.rows():
            if isinstance(row, Problem):
                yield row
                continue
            held = {field: row.values.get(name) for field, name in names.items()}
            yield Found(shown, row.line, "line", **{"date": None, "title": None, **held})


def column_names(found: Sequence[str], given: Mapping[str, str], shown: str) -> dict[str, str]:
    """Field → the file's column: as given, else by its usual names whatever their case.

    Raises:
        UsageError: ``given`` names a field that headlines do not have.
        CorpusError: a column that is given or needed is not there, or two could be meant.
    """
    if strange := next((field for field in given if field not in NAMES), None):
        raise UsageError(
            f"headlines have no field {strange!r}", where="columns", todo=f"The fields are {', '.join(NAMES)}"
        )
    names = {field: given[field] if field in given else _usual(field, found, shown) for field in NAMES}
    for field, name in names.items():
        if name not in (*found, "") or (not name and field in _REQUIRED):
            raise _missing(field, name, found, shown)
    return {field: name for field, name in names.items() if name}


def _usual(field: str, found: Sequence[str], shown: str) -> str:
    meant = [name for name in found if name.strip().lower() in NAMES[field]]
    if len(meant) > 1:
        raise CorpusError(
            f"has {' and '.join(map(repr, meant))}, and either may be the {field}",
            where=shown,
            todo=f"Say which: --column {field}={meant[0]!r} (columns={{{field!r}: {meant[0]!r}}})",
        )
    return meant[0] if meant else ""


def _missing(field: str, name: str, found: Sequence[str], shown: str) -> CorpusError:
    near = nearest(name or field, found)
    hint = (
        f"Did you mean --column {field}={near!r} (columns={{{field!r}: {near!r}}})? "
        if near
        else f"Name it: --column {field}=NAME (columns={{{field!r}: ...}}). "
    )
    return CorpusError(
        f"has no column {name or field!r}",
        where=shown,
        todo=f"{hint}Columns found: {', '.join(map(repr, found))}",
    )
