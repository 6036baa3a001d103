"""CRSP's stock files, read lazily: only the rows and columns that are asked for are ever in memory."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from neuter.data.sources.crsp_faults import column_twice, csv_fault
from neuter.data.sources.dates import WAYS, day_of
from neuter.data.sources.texts import MISSING, place
from neuter.errors import DataError

_TODO = (
    "Download permno, date, ticker, prc, cfacpr, shrout, exchcd and shrcd (or their CIZ names) in WRDS' names"
)
#: Row numbers of the file, from 0.
ROW = "row of the file"


@dataclass(frozen=True, slots=True)
class Crsp:
    """One file: its rows, lazily, and the column that each of our words has in it."""

    path: str
    rows: pl.LazyFrame
    columns: dict[str, str]
    common: dict[str, str]

    def has(self, *words: str) -> bool:
        return all(word in self.columns for word in words)

    def needs(self, *words: str) -> None:
        """See that the file has columns for ``words``.

        Raises:
            DataError: it lacks one; the message names the columns that would do.
        """
        for word in words:
            if word not in self.columns:
                named = " or ".join(names()["columns"][word])
                raise DataError(f"has no column {named}", where=self.path, todo=_TODO)

    def text(self, word: str) -> pl.Expr:
        """A column as text, null where it is blank."""
        told = pl.col(self.columns[word]).cast(pl.String).str.strip_chars()
        return pl.when(~told.is_in(MISSING)).then(told).alias(word)

    def code(self, word: str) -> pl.Expr:
        """A column of codes as text: 10 and 10.0 are one."""
        return self.text(word).str.replace(r"\.0+$", "").alias(word)

    def number(self, word: str) -> pl.Expr:
        """A column as Float64, null where it is missing or no finite number."""
        value = self.text(word).cast(pl.Float64, strict=False)
        return pl.when(value.is_finite()).then(value).alias(word)

    def line(self, row: int, word: str = "") -> str:
        """Where a row is, by its line in a CSV file or its number in a Parquet file, and the column of a word."""
        column = self.columns.get(word, "").strip()
        return place(self.path, row + (1 if _is_parquet(self.path) else 2), column)

    def checked(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows with ``permno``, ``day`` and ``price text``, if they are sound.

        Raises:
            DataError: a price cannot be read or is that of a trade and below 0, a permno is missing, or has a day
                twice; the line is named.
        """
        wrong = rows.filter(pl.col("price text").is_not_null() & pl.col("price").is_null())
        if wrong.height:
            shown, where = wrong["price text"][0], self.line(wrong[ROW][0], "price")
            if _is_number(shown):
                raise DataError(f"price {shown} is flagged as a trade, and below 0", where=where, todo=_TODO)
            raise DataError(f"price {shown[:30]!r} is no number", where=where, todo=_TODO)
        none = rows.filter(pl.col("permno").is_null())
        if none.height:
            where = self.line(none[ROW][0], "permno")
            raise DataError("permno is no whole number", where=where, todo=_TODO)
        self._check_once(rows)
        return rows

    def _check_once(self, rows: pl.DataFrame) -> None:
        if not rows.select(pl.struct("permno", "day").is_duplicated().any()).item():
            return
        twice = rows.filter(pl.struct("permno", "day").is_duplicated()).sort("permno", "day", ROW)
        permno, day = twice["permno"][0], twice["day"][0]
        first = twice[ROW][0] + (1 if _is_parquet(self.path) else 2)
        raise DataError(
            f"permno {permno} has {day} a second time (first in {first})",
            where=self.line(twice[ROW][1]),
            todo="Download it without the columns of distributions and events, which repeat rows",
        )


@cache
def names() -> dict[str, Any]:
    """``crsp.toml``."""
    return tomllib.loads(Path(__file__).with_name("crsp.toml").read_text(encoding="utf-8"))


def crsp_file(path: str) -> Crsp:
    """A CSV or Parquet file in WRDS' column names.

    Raises:
        DataError: no such file, it cannot be read, it is empty, has a column twice (in whatever case), or lacks
            permno, a date or a price.
    """
    file = Path(path).expanduser()
    if not file.is_file():
        raise DataError("no such file", where=path, todo="Check the path")
    try:
        # Everything as text: types guessed from the first rows fail on the letters that come later.
        rows = pl.scan_parquet(file) if _is_parquet(path) else pl.scan_csv(file, infer_schema=False)
        present = rows.collect_schema().names()
        empty = rows.head(1).collect().is_empty()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _fault(path, DataError("cannot be read as CSV or Parquet", where=path, todo=_TODO)) from error
    if twice := column_twice(path, present):
        raise twice
    if empty:
        raise DataError("has no rows", where=path, todo=_TODO)
    by_lower = {name.strip().lower(): name for name in present}
    columns = {
        word: by_lower[held[0]]
        for word, known in names()["columns"].items()
        if (held := _in(known, by_lower))
    }
    common = {name: by_lower[name] for name in names()["common"] if name in by_lower}
    held_file = Crsp(path, rows.with_row_index(ROW), columns, common)
    held_file.needs("permno", "date", "price")
    return held_file


def collected(rows: pl.LazyFrame, path: str) -> pl.DataFrame:
    """The rows of a query, read piece by piece.

    Raises:
        DataError: a row has more fields than the header or is no UTF-8 (the line is named), or the file is damaged.
    """
    try:
        return rows.collect(engine="streaming")
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0][:120]
        what = f"cannot be read to its end ({reason})"
        raise _fault(path, DataError(what, where=path, todo="Download it again")) from error


def _fault(path: str, otherwise: DataError) -> DataError:
    return otherwise if _is_parquet(path) else csv_fault(path) or otherwise


def days_of(path: str) -> pl.DataFrame:
    """Every date of the file once: ``date text`` as it stands and ``day`` (Date), the earliest first.

    A file has millions of rows and some thousand dates: these are read, and the rows joined to them.

    Raises:
        DataError: one cannot be read; the first line with it is named.
    """
    told = Path(path).expanduser().stat()
    return _days(path, told.st_mtime_ns, told.st_size)


@lru_cache(maxsize=4)
def _days(path: str, changed: int, size: int) -> pl.DataFrame:  # noqa: ARG001 (they tell a changed file)
    file = crsp_file(path)
    text = pl.col(file.columns["date"]).cast(pl.String).alias("date text")
    days = collected(file.rows.select(text).unique(), path).with_columns(day=day_of(pl.col("date text")))
    wrong = days.filter(pl.col("day").is_null()).sort("date text")
    if wrong.height:
        shown = wrong["date text"][0]
        rows = file.rows.filter(text.eq_missing(pl.lit(shown, pl.String))).select(ROW).head(1)
        line = file.line(collected(rows, path).item())
        raise DataError(f"{shown or ''!r} is no date", where=line, todo=f"Write {WAYS}")
    return days.sort("day")


def with_days(file: Crsp, days: pl.DataFrame) -> pl.LazyFrame:
    """The rows that are of one of ``days``, with the columns that these have beside ``date text``."""
    text = pl.col(file.columns["date"]).cast(pl.String)
    return file.rows.join(days.lazy(), left_on=text, right_on="date text", how="inner")


def priced(file: Crsp) -> list[pl.Expr]:
    """``price text`` as it stands, ``price`` (Float64, null where there is none) and ``midpoint``.

    A negative price is the mean of bid and ask, for there was no trade; so is one with the flag BA. 0 is no price, and
    so is one with a flag of anything but a trade. A negative one that is flagged as a trade has a text and no price.
    """
    flags, number = names()["flags"], file.number("price")
    flag = file.text("flag") if file.has("flag") else pl.lit(None, pl.String)
    none = (number == 0) | (flag.is_not_null() & ~flag.is_in(list(flags.values())))
    midpoint = (number < 0) | (flag == flags["midpoint"]).fill_null(False)
    contradicts = ((number < 0) & (flag == flags["trade"])).fill_null(False)
    kept = pl.when(~none.fill_null(False) & ~contradicts).then(number.abs())
    # A price left out on purpose has no text that could be found unreadable.
    text = pl.when(~none.fill_null(False)).then(file.text("price")).alias("price text")
    return [text, kept.alias("price"), midpoint.fill_null(False).alias("midpoint")]


def _in(known: list[str], present: dict[str, str]) -> list[str]:
    return [name for name in known if name in present]


def _is_number(text: str) -> bool:
    return pl.Series([text]).cast(pl.Float64, strict=False).is_finite()[0] is True


def _is_parquet(path: str) -> bool:
    return Path(path).suffix.lower() in {".parquet", ".pq"}
