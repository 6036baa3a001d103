"""Files of the Philadelphia Fed's Real-Time Data Set, as they come: sheets of vintages, and of first releases."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import polars as pl

from neuter.data.series import DataSeries
from neuter.data.sources.dates import day_of, grain_of
from neuter.data.sources.known import Known, known_series
from neuter.data.sources.points import series_of
from neuter.data.sources.signs import is_impossible
from neuter.data.sources.texts import MISSING
from neuter.data.sources.vintage_headers import is_vintage, vintages_of
from neuter.data.sources.vintages import VINTAGES_SCHEMA, first_prints, values_of
from neuter.errors import DataError

_Rows = list[Sequence[str | None]]
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
            if header[:1] == ["DATE"] and len(header) > 1 and is_vintage(header[1]):
                return _of_vintages(file, header, cells[at + 1 :])
            if [cell.lower() for cell in header[:2]] == ["date", "first"]:
                return _of_releases(file, header, cells[:at], cells[at + 1 :])
    raise DataError("is no file of the Real-Time Data Set", where=str(file), todo=_TODO)


def _sheets(file: Path) -> list[_Rows]:
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


def _of_vintages(file: Path, header: list[str], rows: _Rows) -> RealTimeFile:
    """A sheet with a row for each period and a column for each vintage, ``HSTARTS68M2``."""
    variable, taken, vintages = vintages_of(header[1:], str(file))
    series = _series_of_variable(variable, file)
    long = _long(file, vintages, rows, series)
    prompt = _PROMPT_DAYS.get((series.frequency, taken), 0)
    prints = first_prints(long, prompt_days=prompt, late=series.frequency == "monthly")
    return RealTimeFile(variable, series, values_of(series, long, prints))


def _series_of_variable(variable: str, file: Path) -> Known:
    for series in known_series().values():
        if variable in series.philadelphia_fed:
            return series
    told = ", ".join(name for row in known_series().values() for name in row.philadelphia_fed)
    raise DataError(f"{variable} makes none of our series", where=str(file), todo=f"Known variables: {told}")


def _long(file: Path, vintages: list[str], rows: _Rows, series: Known) -> pl.DataFrame:
    """A row a period and vintage, as ``VINTAGES_SCHEMA``."""
    wide = _frame(file, vintages, rows)
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
        level=_numbers(file, told, series),
        decimals=pl.col("text").str.extract(r"\.(\d+)$").str.len_chars().fill_null(0),
    ).cast(VINTAGES_SCHEMA)  # type: ignore[arg-type]


def _of_releases(file: Path, header: list[str], title: _Rows, rows: _Rows) -> RealTimeFile:
    """A sheet with the first, second, third and most recent release of growth in columns; of GDP alone, for that of
    other variables is no figure that anybody asks for."""
    named = re.search(r"\(([A-Z]+)\)", " ".join(str(cell) for row in title for cell in row if cell))
    series = _series_of_variable(named[1] if named else "its variable", file)
    if series.made != "annualized":
        what = f"gives growth of {series.name} where a {series.made} is asked for"
        raise DataError(what, where=str(file), todo="Give the file of vintages (MvMd)")
    dated = _dated(file, _frame(file, _release_names(file, header), rows), series)
    values = dated.select(
        "period",
        *(_cells(file, dated, name).alias(name) for name in ("first", "latest") if name in dated.columns),
    )
    return RealTimeFile(
        named[1] if named else "",
        series,
        values.select(pl.exclude("period"), day="period", digits=_digits_of_growth(series)),
    )


def _release_names(file: Path, header: list[str]) -> list[str]:
    """The columns beside ``Date``: what is read in our words, and any other by its place.

    Raises:
        DataError: two columns are of one release.
    """
    words = {"first": "first", "latest": "latest", "most_recent": "latest"}
    names = [words.get(cell.lower(), f"column {at}") for at, cell in enumerate(header[1:], 2)]
    for at, name in enumerate(names, 2):
        if name in names[: at - 2]:
            what = f"{header[at - 1][:30]!r} is there a second time (first in column {names.index(name) + 2})"
            raise DataError(what, where=f"{file}: column {at}", todo="Leave one of them out")
    return names


def _digits_of_growth(series: Known) -> pl.Expr:
    """One where growth from rounded levels cannot be another print than BEA's, which has one decimal."""
    to_the_middle = ((pl.col("first").abs() * 10).mod(1.0) - 0.5).abs() / 10
    sure = (to_the_middle > _SLACK) & (pl.col("period") >= _SURE_FROM)
    return pl.when(sure).then(pl.lit(series.digits, pl.Int8))


def _frame(file: Path, names: Sequence[str], rows: _Rows) -> pl.DataFrame:
    """The rows that have a label, each as wide as the header: ``label`` and a column for each of ``names``.

    Raises:
        DataError: there is none, or one is wider or narrower than the header.
    """
    held = [row for row in rows if row and (row[0] or "").strip()]
    for row in held:
        if len(row) <= len(names) or any((cell or "").strip() for cell in row[len(names) + 1 :]):
            what = f"the row of {(row[0] or '')[:30]!r} has {len(row)} fields where the header has {len(names) + 1}"
            raise DataError(what, where=str(file), todo=_TODO)
    schema = dict.fromkeys(("label", *names), pl.String)
    frame = pl.DataFrame([list(row[: len(names) + 1]) for row in held], schema=schema, orient="row")
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


def _numbers(file: Path, told: pl.DataFrame, levels_of: Known | None = None) -> pl.Series:
    """The column ``text`` as Float64; as levels of a series, those that it cannot have are refused."""
    value = told["text"].cast(pl.Float64, strict=False)
    sign = levels_of.sign_of_level if levels_of else "any"
    below = told.filter(is_impossible(pl.lit(value), sign))
    if below.height:
        what = f"{below['text'][0]} of {below['period'][0]} cannot be a level"
        raise DataError(what, where=f"{file}: column {below['since'][0]}", todo=_TODO)
    wrong = told.filter(told["text"].is_not_null() & (value.is_null() | ~value.is_finite()))
    if wrong.height:
        text, period, since = wrong["text"][0], wrong["period"][0], wrong["since"][0]
        raise DataError(
            f"{text[:30]!r} of {period} is no number", where=f"{file}: column {since}", todo=_TODO
        )
    return value
