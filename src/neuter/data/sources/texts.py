"""Files of numbers as rows of text with the line of each, so that a message can name it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from neuter.errors import DataError

#: What files write where there is no value.
MISSING = ("", ".", "#N/A", "N/A", "NA", "NaN", "nan", "null", "NULL", "None", "NaT")
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
#: A column of line numbers; no file has one of that name.
LINE = "line of the file"
_LARGEST = 50 * 1024 * 1024


def read_texts(path: str) -> pl.DataFrame:
    """A CSV or Parquet file's columns as text, their names stripped and in lower case, with ``LINE``.

    The line is that of a CSV file; for Parquet it is the row, from 1. Fields are parted by commas, semicolons or tabs.

    Raises:
        DataError: no such file, empty, not UTF-8, a row with too many or too few fields, a column twice.
    """
    file = Path(path).expanduser()
    if not file.is_file():
        raise DataError("no such file", where=path, todo="Check the path")
    if file.stat().st_size > _LARGEST:
        raise DataError("is larger than 50 MB", where=path, todo="Give a file of this one series")
    held = _parquet(file) if file.suffix.lower() in {".parquet", ".pq"} else _csv(file)
    if held.is_empty():
        raise DataError("is empty", where=path, todo="Give a header and rows")
    return held


def numbers_of(rows: pl.DataFrame, column: str, path: str) -> pl.Series:
    """A column of text as Float64, null where a value is missing.

    Raises:
        DataError: a text is no finite number; the message names line and column.
    """
    text = rows[column].str.strip_chars()
    text = pl.select(pl.when(~text.is_in(MISSING)).then(text)).to_series()
    value = (
        pl.select(pl.when(text.str.contains(_NUMBER)).then(text)).to_series().cast(pl.Float64, strict=False)
    )
    wrong = rows.filter(text.is_not_null() & (value.is_null() | ~value.is_finite()))
    if wrong.height:
        raise DataError(
            f"{wrong[column][0][:40]!r} is no number",
            where=place(path, wrong[LINE][0], column),
            todo=_advice(wrong[column][0]),
        )
    return value.alias(column)


def place(path: str, line: int, column: str = "") -> str:
    """Where something is: file, line (row of a Parquet file) and column.

    >>> place("mine.csv", 3, "value")
    'mine.csv: line 3, column value'
    """
    word = "row" if Path(path).suffix.lower() in {".parquet", ".pq"} else "line"
    return f"{path}: {word} {line}" + (f", column {column}" if column else "")


def _advice(text: str) -> str:
    if "," in text:
        return "Write 8776.39: a point before the decimals, and nothing between thousands"
    return "Write a number, or nothing where there is none"


def _parquet(file: Path) -> pl.DataFrame:
    try:
        held = pl.read_parquet(file)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError("is no Parquet file that can be read", where=str(file)) from error
    names = _names(held.columns, str(file))
    for name, kind in zip(names, held.dtypes, strict=True):
        if kind.is_nested() or kind in {pl.Binary, pl.Object}:
            what = f"column {name} is of type {kind}, and no text or number"
            raise DataError(what, where=str(file), todo="Give columns of dates and numbers alone")
    texts = [_text_of(held[column]).alias(name) for column, name in zip(held.columns, names, strict=True)]
    return pl.DataFrame(texts).with_row_index(LINE, offset=1).cast({LINE: pl.Int64})


def _text_of(column: pl.Series) -> pl.Series:
    if column.dtype in {pl.Float32, pl.Float64}:
        # Python's shortest form: 903.25 and not 903.250000; 32-bit numbers are rounded to what they can hold.
        return pl.Series([_shortest(value, column.dtype == pl.Float32) for value in column], dtype=pl.String)
    if column.dtype in {pl.Datetime, pl.Date}:
        return column.cast(pl.Date).cast(pl.String)
    return column.cast(pl.String, strict=False)


def _shortest(value: float | None, narrow: bool) -> str | None:
    if value is None:
        return None
    return f"{value:.7g}" if narrow else repr(value)


def _csv(file: Path) -> pl.DataFrame:
    rows = _rows(file)
    names = _names(next(rows, (0, []))[1], str(file))
    lines: list[int] = []
    cells: list[list[str]] = []
    for line, row in rows:
        if len(row) != len(names):
            what = f"has {len(row)} fields where the header has {len(names)}"
            raise DataError(what, where=place(str(file), line), todo="Quote fields that hold a comma")
        lines.append(line)
        cells.append(row)
    held = pl.DataFrame(cells, schema=dict.fromkeys(names, pl.String), orient="row")
    return held.with_columns(pl.Series(LINE, lines, dtype=pl.Int64))


def _rows(file: Path) -> Iterator[tuple[int, list[str]]]:
    """Line and fields of every row that is not blank."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as held:
            reader = csv.reader(held, delimiter=_delimiter(held.readline()), strict=True)
            held.seek(0)
            for row in reader:
                if any(cell.strip() for cell in row):
                    yield reader.line_num, row
    except UnicodeDecodeError as error:
        raise DataError("is not UTF-8", where=str(file), todo="Save it as UTF-8") from error
    except csv.Error as error:
        raise DataError(
            f"cannot be read as CSV ({error})", where=place(str(file), reader.line_num)
        ) from error
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", where=str(file)) from error


def _delimiter(header: str) -> str:
    return max(",;\t", key=header.count)


def _names(header: list[str], shown: str) -> list[str]:
    names = [name.strip().lower() or f"column_{at}" for at, name in enumerate(header, 1)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"has more than one column {twice[0]!r}", where=shown, todo="Rename one of them")
    return names
