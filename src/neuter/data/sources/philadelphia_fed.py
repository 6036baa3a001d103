"""Files of the Philadelphia Fed's Real-Time Data Set, as they come: sheets of vintages, and of first releases."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import polars as pl

from neuter.data.series import DataSeries
from neuter.data.sources.dates import day_of, grain_of
from neuter.data.sources.known import Known, known_series
from neuter.data.sources.points import series_of
from neuter.data.sources.texts import MISSING
from neuter.data.sources.vintages import VINTAGES_SCHEMA, first_prints, values_of
from neuter.errors import DataError

_VINTAGE = re.compile(r"([A-Z]+)(\d{2})(?:M(\d{1,2})|Q([1-4]))")
#: Days from the first of a period to the first of the vintage that holds its first print, if it came on time: a vintage
#: is of the middle of its month or quarter, and GDP comes out at the end of the month after the quarter.
_PROMPT_DAYS = {("monthly", "M"): 31, ("quarterly", "Q"): 92, ("quarterly", "M"): 124}
#: From 1986 on levels are above 3,600 billion, printed to 0.1: growth is known to 400 * 0.1 / 3,600 points.
_SURE_FROM, _SLACK = pl.date(1986, 1, 1), 0.012
_TODO = "Give it as it comes: ROUTPUTQvQd, employMvMd, hstartsMvMd, pcpi(x)MvMd or routput_first_second_third"


@dataclass(frozen=True, slots=True)
class RealTimeFile:
    """What a file holds: its variable (``ROUTPUT``), the series it gives, and first and latest values by period."""

    variable: str
    known: Known
    values: pl.DataFrame


def philadelphia_series(known: Known, path: str) -> DataSeries | None:
    """The series in a file, or None where the file is of another variable.

    Raises:
        DataError: the file is none of the Real-Time Data Set, or of a variable that no series is made of.
    """
    held = real_time_file(path)
    if held.known.name != known.name:
        return None
    return series_of(known, held.values, source=f"Philadelphia Fed {Path(path).name}")


def real_time_file(path: str) -> RealTimeFile:
    """A file of the Real-Time Data Set, xlsx or CSV; one that did not change is not read twice.

    Raises:
        DataError: as above.
    """
    file = Path(path).expanduser()
    try:
        told = file.stat()
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", where=path, todo="Check the path") from error
    return _read(file, told.st_mtime_ns, told.st_size)


@lru_cache(maxsize=16)
def _read(file: Path, changed: int, size: int) -> RealTimeFile:  # noqa: ARG001 (they tell a changed file)
    for cells in _sheets(file):
        for at, row in enumerate(cells[:20]):
            header = [(cell or "").strip() for cell in row]
            if header[:1] == ["DATE"] and len(header) > 1 and _VINTAGE.fullmatch(header[1].upper()):
                return _of_vintages(file, header, cells[at + 1 :])
            if [cell.lower() for cell in header[:2]] == ["date", "first"]:
                return _of_releases(file, header, cells[:at], cells[at + 1 :])
    raise DataError("is no file of the Real-Time Data Set", where=str(file), todo=_TODO)


def _sheets(file: Path) -> list[list[Sequence[str | None]]]:
    """The rows of each sheet, as text; of a CSV file there is one."""
    if file.suffix.lower() == ".csv":
        try:
            with file.open(encoding="utf-8-sig", newline="") as held:
                return [list(csv.reader(held))]
        except (UnicodeDecodeError, csv.Error, OSError) as error:
            raise DataError("cannot be read as CSV", where=str(file), todo="Save it as UTF-8") from error
    import fastexcel

    try:
        book = fastexcel.read_excel(file)
        frames = [
            book.load_sheet(name, header_row=None, dtypes="string").to_polars() for name in book.sheet_names
        ]
    except (fastexcel.FastExcelError, OSError, ValueError) as error:
        raise DataError("is no Excel file that can be read", where=str(file), todo=_TODO) from error
    return [list(frame.iter_rows()) for frame in frames]


def _of_vintages(file: Path, header: list[str], rows: list[Sequence[str | None]]) -> RealTimeFile:
    """A sheet with a row for each period and a column for each vintage, ``HSTARTS68M2``."""
    marks = [_VINTAGE.fullmatch(name.upper()) for name in header[1:]]
    for at, mark in enumerate(marks, 2):
        if mark is None:
            raise DataError(
                f"{header[at - 1][:30]!r} is no vintage", where=f"{file}: column {at}", todo=_TODO
            )
    vintages = [_vintage(mark) for mark in marks if mark]
    series = _series_of_variable(marks[0][1] if marks[0] else "", file)
    long = _long(file, vintages, rows, series)
    prompt = _PROMPT_DAYS.get((series.frequency, "M" if marks[0] and marks[0][3] else "Q"), 0)
    prints = first_prints(long, prompt_days=prompt, late=series.frequency == "monthly")
    return RealTimeFile(marks[0][1] if marks[0] else "", series, values_of(series, long, prints))


def _vintage(mark: re.Match[str]) -> str:
    """The first day of a vintage's month or quarter; years from 40 on are of the 20th century."""
    year = int(mark[2]) + (1900 if int(mark[2]) >= 40 else 2000)
    month = int(mark[3]) if mark[3] else int(mark[4]) * 3 - 2
    return f"{year}-{month:02d}-01"


def _series_of_variable(variable: str, file: Path) -> Known:
    for series in known_series().values():
        if variable in series.philadelphia_fed:
            return series
    told = ", ".join(name for row in known_series().values() for name in row.philadelphia_fed)
    raise DataError(f"{variable} makes none of our series", where=str(file), todo=f"Known variables: {told}")


def _long(file: Path, vintages: list[str], rows: list[Sequence[str | None]], series: Known) -> pl.DataFrame:
    """A row a period and vintage, as ``VINTAGES_SCHEMA``."""
    schema = dict.fromkeys(("label", *vintages), pl.String)
    wide = _frame(file, schema, rows)
    long = (
        _dated(file, wide, series)
        .drop("label")
        .unpivot(index="period", variable_name="since", value_name="text")
    )
    told = long.with_columns(pl.col("since").str.to_date(), pl.col("text").str.strip_chars())
    told = told.filter(~pl.col("text").is_in(MISSING))
    return told.select(
        "period",
        "since",
        until="since",
        level=_numbers(file, told),
        decimals=pl.col("text").str.extract(r"\.(\d+)$").str.len_chars().fill_null(0),
    ).cast(VINTAGES_SCHEMA)  # type: ignore[arg-type]


def _of_releases(
    file: Path, header: list[str], title: list[Sequence[str | None]], rows: list[Sequence[str | None]]
) -> RealTimeFile:
    """A sheet with the first, second, third and most recent release of growth in columns; of GDP alone, for that of
    other variables is no figure that anybody asks for."""
    named = re.search(r"\(([A-Z]+)\)", " ".join(str(cell) for row in title for cell in row if cell))
    series = _series_of_variable(named[1] if named else "its variable", file)
    if series.made != "annualized":
        what = f"gives growth of {series.name} where a {series.made} is asked for"
        raise DataError(what, where=str(file), todo="Give the file of vintages (MvMd)")
    columns = [name.lower() for name in header if name]
    wide = _frame(file, dict.fromkeys(("label", *columns[1:]), pl.String), rows)
    dated = _dated(file, wide, series).rename({"most_recent": "latest"}, strict=False)
    values = dated.select(
        "period",
        *(_cells(file, dated, name).alias(name) for name in ("first", "latest") if name in dated.columns),
    )
    return RealTimeFile(
        named[1] if named else "",
        series,
        values.select(pl.exclude("period"), day="period", digits=_digits_of_growth(series)),
    )


def _digits_of_growth(series: Known) -> pl.Expr:
    """One where growth from rounded levels cannot be another print than BEA's, which has one decimal."""
    to_the_middle = ((pl.col("first").abs() * 10).mod(1.0) - 0.5).abs() / 10
    sure = (to_the_middle > _SLACK) & (pl.col("period") >= _SURE_FROM)
    return pl.when(sure).then(pl.lit(series.digits, pl.Int8))


def _frame(
    file: Path, schema: Mapping[str, type[pl.DataType]], rows: list[Sequence[str | None]]
) -> pl.DataFrame:
    """The rows that have a label, each as wide as the header."""
    width = len(schema)
    held = [list(row[:width]) + [None] * (width - len(row)) for row in rows if row and (row[0] or "").strip()]
    frame = pl.DataFrame(held, schema=schema, orient="row")
    if frame.is_empty():
        raise DataError("has no rows", where=str(file), todo=_TODO)
    return frame


def _dated(file: Path, wide: pl.DataFrame, series: Known) -> pl.DataFrame:
    """With ``period``, the first day of what the label names.

    Raises:
        DataError: a label is no month or quarter as the series has them, or is there twice.
    """
    dated = wide.with_columns(period=day_of(pl.col("label")))
    wanted = "quarter" if series.frequency == "quarterly" else "month"
    wrong = dated.filter(
        (grain_of(pl.col("label")) != wanted).fill_null(True) | pl.col("period").is_duplicated()
    )
    if wrong.height:
        what = f"{wrong['label'][0][:30]!r} is no {wanted}, or is there twice"
        raise DataError(what, where=f"{file}: column DATE", todo=_TODO)
    return dated


def _cells(file: Path, frame: pl.DataFrame, column: str) -> pl.Series:
    """A column's numbers, null where one is missing."""
    text = pl.col(column).str.strip_chars()
    told = frame.select("period", since=pl.lit(column), text=pl.when(~text.is_in(MISSING)).then(text))
    return _numbers(file, told)


def _numbers(file: Path, told: pl.DataFrame) -> pl.Series:
    value = told["text"].cast(pl.Float64, strict=False)
    wrong = told.filter(told["text"].is_not_null() & (value.is_null() | ~value.is_finite()))
    if wrong.height:
        text, period, since = wrong["text"][0], wrong["period"][0], wrong["since"][0]
        raise DataError(
            f"{text[:30]!r} of {period} is no number", where=f"{file}: column {since}", todo=_TODO
        )
    return value
