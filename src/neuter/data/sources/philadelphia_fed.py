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
from neuter.data.sources.texts import MISSING
from neuter.data.sources.vintages import VINTAGES_SCHEMA, first_prints, values_of
from neuter.errors import DataError

_VINTAGE = re.compile(r"([A-Z]+)(\d{2})(?:M(\d{1,2})|Q([1-4]))")
#: A vintage is of the middle of its month or quarter; a period that is in that of the next one came on time.
_PROMPT_DAYS = {"monthly": 31, "quarterly": 92}
#: From 1986 on levels are above 3,600 billion, printed to 0.1: growth is known to 400 * 0.1 / 3,600 points.
_SURE_FROM, _SLACK = pl.date(1986, 1, 1), 0.012
_TODO = "Give the file as it comes: ROUTPUTQvQd, employMvMd, hstartsMvMd, pcpiMvMd or routput_first_second_third"


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
        frames = [book.load_sheet(name, header_row=None, dtypes="string").to_polars() for name in book.sheet_names]
    except (fastexcel.FastExcelError, OSError, ValueError) as error:
        raise DataError("is no Excel file that can be read", where=str(file), todo=_TODO) from error
    return [list(frame.iter_rows()) for frame in frames]


def _of_vintages(file: Path, header: list[str], rows: list[Sequence[str | None]]) -> RealTimeFile:
    """A sheet with a row for each period and a column for each vintage, ``HSTARTS68M2``."""
    marks = [_VINTAGE.fullmatch(name.upper()) for name in header[1:]]
    for at, mark in enumerate(marks, 2):
        if mark is None:
            raise DataError(f"{header[at - 1][:30]!r} is no vintage", where=f"{file}: column {at}", todo=_TODO)
    vintages = [_vintage(mark) for mark in marks if mark]
    series = _series_of_variable(marks[0][1] if marks[0] else "", file)
    long = _long(file, vintages, rows, series)
    prints = first_prints(long, prompt_days=_PROMPT_DAYS[series.frequency])
    return RealTimeFile(header[1], series, values_of(series, long, prints))


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
    columns = list(zip(*rows, strict=False)) or [()]
    periods = _periods(file, pl.Series("period", columns[0], dtype=pl.String), series)
    cells = pl.DataFrame([pl.Series(vintage, column, dtype=pl.String) for vintage, column in zip(vintages, columns[1:], strict=False)])
    long = cells.with_columns(periods).unpivot(index="period", variable_name="since", value_name="text")
    return _levels(file, long.with_columns(pl.col("since").str.to_date()))


def _periods(file: Path, text: pl.Series, series: Known) -> pl.Series:
    told = pl.select(day=day_of(text.to_frame()["period"]), grain=grain_of(text.to_frame()["period"]))
    return told["day"]
