"""What people said of chains of thought, as a CSV file: read with its mistakes named, written whole."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import polars as pl

from neuter.errors import DataError
from neuter.traces.schema import LABEL_SCHEMA
from neuter.whole_files import write_whole

YES, NO = "yes", "no"
_NEEDED = ("key", "logic", "clean", "by")
_KEY = re.compile(r"[0-9a-f]{16}")
#: What a spreadsheet would take for a formula.
_FORMULA = re.compile(r"\A[=+\-@\t\r]")
_AGAIN = "Label with neuter traces label, or fill in what neuter traces sample wrote"


def read_labels(path: Path, known: Collection[str] | None = None) -> pl.DataFrame:
    """The labels in a CSV file (LABEL_SCHEMA), in their order. Other columns, such as the text, are left out.

    Args:
        known: keys of the traces that labels may be of; None takes every key.

    Raises:
        DataError: the file cannot be read, lacks a column, or a label has an unknown key, comes twice, is empty or
            other than yes and no; the message names the line.
    """
    rows = list(_rows(path))
    seen: dict[tuple[str, str], int] = {}
    for line, row in rows:
        _check(path, line, row, known)
        place = (row["key"], row["by"])
        if place in seen:
            raise _wrong(path, line, "key", f"{row['by']} labelled {row['key']} on line {seen[place]} too")
        seen[place] = line
    return pl.DataFrame(
        [{name: row.get(name, "") for name in LABEL_SCHEMA} for _, row in rows], schema=LABEL_SCHEMA
    )


def write_labels(path: Path, labels: pl.DataFrame) -> None:
    """Write labels (LABEL_SCHEMA) as CSV, whole or not at all.

    Raises:
        RunError: the file cannot be written.
    """
    write_whole(path, labels.select(list(LABEL_SCHEMA)).write_csv())


def write_to_label(path: Path, sample: pl.DataFrame, questions: Mapping[str, str]) -> None:
    """Write a sample (of :func:`neuter.traces.stratified`) for people to fill in: no model, condition or verdict.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.

    Raises:
        RunError: the file cannot be written.
    """
    rows = [
        (row["key"], _plain(questions.get(row["id"], "")), _plain(row["trace"]), None, None, None, None)
        for row in sample.iter_rows(named=True)
    ]
    names = ("key", "question", "trace", "logic", "clean", "by", "note")
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    write_whole(path, frame.write_csv())


def _plain(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) else text


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row that holds anything, with the line on which it ends; yes and no in lower case."""
    text = _text(path)
    head = text.partition("\n")[0]
    delimiter = ";" if head.count(";") > head.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        _check_header(path, header)
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, _row(path, reader.line_num, header, cells)
    except csv.Error as error:
        raise _wrong(path, reader.line_num, "", f"no CSV ({error})") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"labels cannot be read ({error})", where=str(path), todo=_AGAIN) from error


def _check_header(path: Path, header: list[str]) -> None:
    if missing := [name for name in _NEEDED if name not in header]:
        raise DataError(
            f"labels without the column {', '.join(missing)}", where=f"{path}, line 1", todo=_AGAIN
        )
    if twice := [name for name in LABEL_SCHEMA if header.count(name) > 1]:
        raise DataError(f"the column {twice[0]} comes twice", where=f"{path}, line 1", todo=_AGAIN)


def _row(path: Path, line: int, header: list[str], cells: list[str]) -> dict[str, str]:
    if len(cells) != len(header):
        raise _wrong(path, line, "", f"{len(cells)} fields and not {len(header)}")
    row = {name: cell.strip() for name, cell in zip(header, cells, strict=True)}
    return row | {name: row[name].lower() for name in ("key", "logic", "clean")}


def _check(path: Path, line: int, row: Mapping[str, str], known: Collection[str] | None) -> None:
    for name in _NEEDED:
        if not row[name]:
            raise _wrong(path, line, name, "is empty")
    if not _KEY.fullmatch(row["key"]):
        raise _wrong(path, line, "key", f"{row['key'][:40]!r} is no key of a trace")
    if known is not None and row["key"] not in known:
        raise _wrong(path, line, "key", f"{row['key']} is of no trace of this run")
    for name in ("logic", "clean"):
        if row[name] not in {YES, NO}:
            raise _wrong(path, line, name, f"{row[name][:40]!r} is neither yes nor no")


def _wrong(path: Path, line: int, field: str, what: str) -> DataError:
    return DataError(what, where=f"{path}, line {line}" + (f", {field}" if field else ""), todo=_AGAIN)
