"""The series that ship: index closes and macro series from ``corpora/``, and the stocks by their tickers."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from neuter.data.series import DataSeries, Frequency
from neuter.errors import DataError
from neuter.shipped import shipped_path

if TYPE_CHECKING:
    import polars as pl

#: Indices by their column in ``corpora/indices/closes.csv``.
_INDICES = {"sp500": "S&P 500", "djia": "Dow Jones Industrial Average", "nasdaq": "Nasdaq Composite"}
#: Macro series: frequency and readings, the default one first; the files are ``corpora/macro/NAME.csv``.
_MACRO: dict[str, tuple[Frequency, tuple[str, ...]]] = {
    "gdp_growth": ("quarterly", ("first", "latest")),
    "inflation": ("monthly", ("first", "latest")),
    "inflation_core": ("monthly", ("latest", "first")),
    "inflation_annualized": ("monthly", ("latest",)),
    "unemployment_rate": ("monthly", ("latest", "first")),
    "treasury_10y": ("monthly", ("close",)),
    "housing_starts": ("monthly", ("first", "latest")),
    "nonfarm_payrolls": ("monthly", ("first", "latest")),
}
_SOURCES = {
    "gdp_growth": "Philadelphia Fed, real-time data set: real GDP, quarterly growth at an annual rate",
    "inflation": "BLS, CPI-U not seasonally adjusted: change over 12 months",
    "inflation_core": "Philadelphia Fed, real-time data set: CPI without food and energy, change over 12 months",
    "inflation_annualized": "FRED-MD 2026-02: CPIAUCSL, change on the month before at an annual rate",
    "unemployment_rate": "FRED-MD, vintages 1999-08 to 2026-02: UNRATE",
    "treasury_10y": "FRED, DGS10 at month ends",
    "housing_starts": "Philadelphia Fed to 2024-02, then FRED-MD vintages; latest: FRED-MD 2026-02",
    "nonfarm_payrolls": "Philadelphia Fed to 2024-02, then FRED-MD vintages; latest: FRED-MD 2026-02",
}
#: Every series that ships, but for the stocks (``neuter.data.stocks.STOCKS``).
SERIES = (
    "gdp_growth",
    "inflation",
    "unemployment_rate",
    "treasury_10y",
    "vix",
    "housing_starts",
    "nonfarm_payrolls",
    "sp500",
    "djia",
    "nasdaq",
    "vix_daily",
    "inflation_core",
    "inflation_annualized",
)
_TICKER = re.compile(r"[A-Z][A-Z0-9.\-]{0,9}")


@cache
def shipped_series(name: str) -> DataSeries:
    """A series that ships; :data:`SERIES` and the tickers of the seven stocks are the names.

    Args:
        name: ``vix`` is the VIX at month ends, ``vix_daily`` each trading day's. A word in capitals that is none of
            :data:`SERIES` is a ticker.

    Raises:
        DataError: no series of that name ships (the nearest names are listed), or its file is damaged.
        CorpusError: the shipped data is missing altogether.
    """
    if name in _INDICES:
        return _daily(name, name, f"{_INDICES[name]}, daily closes")
    if name == "vix_daily":
        return _daily(name, "vix", "Cboe VIX, daily closes")
    if name == "vix":
        return _at_month_ends(shipped_series("vix_daily"), name, "Cboe VIX at month ends")
    if name in _MACRO:
        return _macro(name)
    if _TICKER.fullmatch(name):
        from neuter.data.stocks import stock_series

        return stock_series(name)
    raise _unknown(name)


def _daily(name: str, column: str, source: str) -> DataSeries:
    """A column of the closes: as many digits as its text has, and trading days without a text as gaps."""
    import polars as pl

    from neuter.data.calendar import trading_days

    path = shipped_path("indices", "closes.csv")
    told = _read(path, {"date": pl.Date, column: pl.String}).drop_nulls()
    if not told.height:
        raise DataError(f"no {column}", where=str(path), todo=_REPAIR)
    decimals = pl.col(column).str.split(".").list.get(1, null_on_oob=True).str.len_bytes().fill_null(0)
    points = told.select(
        "date",
        _number(column).alias("close"),
        decimals.cast(pl.Int8).alias("digits"),
        pl.lit(source).alias("source"),
    )
    _see_numbers(points, told, path, column, "close")
    due = trading_days(points["date"][0], points["date"][-1])
    return DataSeries(name, "daily", ("close",), points, _gaps(points["date"], due), source)


def _at_month_ends(daily: DataSeries, name: str, source: str) -> DataSeries:
    """The values on the last trading day of each month; a month end without a value is a gap."""
    import polars as pl

    from neuter.data.calendar import month_ends

    due = month_ends(daily.points["date"][0], daily.points["date"][-1])
    points = daily.points.filter(pl.col("date").is_in(due))
    return DataSeries(name, "monthly", daily.readings, points, _gaps(points["date"], due), source)


def _macro(name: str) -> DataSeries:
    """A file of ``corpora/macro``: periods without the default reading are gaps."""
    import polars as pl

    frequency, readings = _MACRO[name]
    path = shipped_path("macro", f"{name}.csv")
    texts = dict.fromkeys((*readings, "digits"), pl.String)
    told = _read(path, {"date": pl.Date, **texts, "source": pl.String})
    digits = pl.col("digits").cast(pl.Int8, strict=False)
    points = told.select("date", *map(_number, readings), digits, "source")
    for column in (*readings, "digits"):
        _see_numbers(points, told, path, column, column)
    known = points.drop_nulls(readings[0])["date"]
    gaps = _gaps(known, _due(points["date"], frequency, readings))
    return DataSeries(name, frequency, readings, points, gaps, _SOURCES[name])


def _due(dates: pl.Series, frequency: Frequency, readings: Sequence[str]) -> list[date]:
    """The dates at which a value is due, from the first point to the last."""
    import polars as pl

    from neuter.data.calendar import month_ends

    if readings == ("close",):
        return month_ends(dates[0], dates[-1])
    step = "3mo" if frequency == "quarterly" else "1mo"
    return pl.date_range(dates[0], dates[-1], step, eager=True).to_list()


def _gaps(known: pl.Series, due: Sequence[date]) -> tuple[date, ...]:
    """The dates due that are not known."""
    have = set(known)
    return tuple(day for day in due if day not in have)


def _read(path: Path, schema: dict[str, type[pl.DataType]]) -> pl.DataFrame:
    """Columns of a shipped CSV.

    Raises:
        DataError: it cannot be read, lacks a column, has a date that is none, or no row.
    """
    import polars as pl

    try:
        frame = pl.read_csv(path, infer_schema_length=0).select(list(schema))
        frame = frame.with_columns(pl.col("date").str.to_date("%Y-%m-%d"))
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"cannot be read ({reason})", where=str(path), todo=_REPAIR) from error
    if not frame.height:
        raise DataError("no rows", where=str(path), todo=_REPAIR)
    return frame


def _number(column: str) -> pl.Expr:
    import polars as pl

    return pl.col(column).cast(pl.Float64, strict=False)


def _see_numbers(points: pl.DataFrame, told: pl.DataFrame, path: Path, column: str, read_as: str) -> None:
    """See that each text was a number.

    Raises:
        DataError: one was not; file and date are named.
    """
    wrong = told.filter(told[column].is_not_null() & points[read_as].is_null())
    if wrong.height:
        text, day = wrong[column][0], wrong["date"][0]
        raise DataError(f"{column} of {day} is {text!r}, no number", where=str(path), todo=_REPAIR)


def _unknown(name: str) -> DataError:
    from neuter.data.stocks import STOCKS

    known = (*SERIES, *STOCKS)
    near = difflib.get_close_matches(name.lower(), [one.lower() for one in known], n=3, cutoff=0.5)
    listed = [one for one in known if one.lower() in near] or known
    return DataError("no series of this name ships", where=name or "''", todo=f"Known: {', '.join(listed)}")


_REPAIR = "Install neuter again, or correct the folder that NEUTER_CORPORA names"
