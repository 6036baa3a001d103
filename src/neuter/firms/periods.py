"""Fiscal and calendar periods: when a fiscal quarter ends, and the date assumed where there is none.

"The quarter of a call" has three readings, and they are three figures (paper-decisions):

* **fiscal**: the firm's own year and quarter, as the document's ``fiscal_year`` and ``fiscal_quarter`` give them;
* **calendar quarter of the period's end**: ``calendar_quarter(period_end(...))``, which needs the month in which
  the fiscal year ends (``neuter.firms.fiscal_years`` says where that comes from);
* **quarter of the call's date**: ``calendar_quarter(document.date)``, of a date that is given, never assumed.

Apple's call of 2022-01-27 is fiscal 2022 Q1, of the calendar quarter 2021 Q4, held in 2022 Q1.

The functions on one period and those on columns agree row by row; the latter give null where the former raise.
"""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from neuter.firms.fiscal_years import YearEnds

#: A document without a date is taken to be of this many days after its fiscal period's end (paper-decisions).
DAYS_AFTER_PERIOD = 30
#: Fiscal years between which (exclusively) a date is assumed: a period may begin a year before or end a year after.
YEARS = (1, 9998)


def period_end(
    fiscal_year: int,
    fiscal_quarter: int | None = None,
    fiscal_year_end: int = 12,
    *,
    named_by_start: bool = False,
) -> date:
    """The last day of a fiscal quarter, or of the fiscal year where the quarter is None.

    A year of 52 or 53 weeks is taken to end with the month whose end it lies nearest to.

    Args:
        fiscal_year: named by the calendar year in which it ends (the SEC's usage).
        fiscal_quarter: 1 to 4.
        fiscal_year_end: the month in which the fiscal year ends, 1 to 12; December unless known.
        named_by_start: the firm names a fiscal year by the calendar year in which it begins, as Target does; a
            year that ends in December begins and ends in the same one.

    Raises:
        ValueError: a quarter or a month that is none.

    >>> period_end(2021, 3)
    datetime.date(2021, 9, 30)
    >>> period_end(2021, 1, fiscal_year_end=9)
    datetime.date(2020, 12, 31)
    >>> period_end(2021, 4, fiscal_year_end=1, named_by_start=True)
    datetime.date(2022, 1, 31)
    """
    quarter = 4 if fiscal_quarter is None else fiscal_quarter
    if not 1 <= quarter <= 4 or not 1 <= fiscal_year_end <= 12:
        raise ValueError(f"no such period: quarter {fiscal_quarter}, year end in month {fiscal_year_end}")
    ends_in = fiscal_year + (named_by_start and fiscal_year_end < 12)
    months = ends_in * 12 + (fiscal_year_end - 1) - 3 * (4 - quarter)
    year, month = divmod(months, 12)
    return date(year, month + 1, calendar.monthrange(year, month + 1)[1])


@lru_cache(maxsize=4096)
def assumed_date(
    fiscal_year: int | None,
    fiscal_quarter: int | None = None,
    fiscal_year_end: int = 12,
    *,
    named_by_start: bool = False,
) -> date | None:
    """The date assumed for a document that has none: its period's end + 30 days; None without such a period.

    >>> assumed_date(2021, 2)
    datetime.date(2021, 7, 30)
    """
    if fiscal_year is None or not YEARS[0] < fiscal_year <= YEARS[1]:
        return None
    if fiscal_quarter is not None and not 1 <= fiscal_quarter <= 4:
        return None
    if not 1 <= fiscal_year_end <= 12:
        return None
    end = period_end(fiscal_year, fiscal_quarter, fiscal_year_end, named_by_start=named_by_start)
    return end + timedelta(days=DAYS_AFTER_PERIOD)


def day_of(
    day: date | None,
    fiscal_year: int | None,
    fiscal_quarter: int | None,
    fiscal_year_end: int | None = None,
) -> date | None:
    """A document's date, else the assumed one, else None; a fiscal year ends in December unless known."""
    return day if day is not None else assumed_date(fiscal_year, fiscal_quarter, fiscal_year_end or 12)


def calendar_quarter(day: date) -> tuple[int, int]:
    """(year, quarter) of a day.

    >>> calendar_quarter(date(2021, 10, 28))
    (2021, 4)
    """
    return day.year, (day.month - 1) // 3 + 1


def period_ends(
    fiscal_year: pl.Series, fiscal_quarter: pl.Series, month: pl.Series, by_start: pl.Series | None = None
) -> pl.Series:
    """``period_end`` of columns: dates, null where there is no such period.

    Args:
        fiscal_year: years; null where not in 2 to 9998.
        fiscal_quarter: 1 to 4; a missing one means the whole year, as in ``period_end``.
        month: the month in which the fiscal year ends, 1 to 12.
        by_start: True where the firm names a fiscal year by its beginning; by default nowhere.

    Returns:
        A Series of dates named ``period_end``, in the order of the rows.
    """
    import polars as pl

    frame = pl.DataFrame(
        {"year": _whole(fiscal_year), "quarter": _whole(fiscal_quarter), "month": _whole(month)}
    ).with_columns(pl.lit(None, pl.Boolean).alias("start") if by_start is None else by_start.alias("start"))
    year, quarter, last = pl.col("year"), pl.col("quarter").fill_null(4), pl.col("month")
    # A quarter that is given and cannot be read (a text) must not pass for a whole year.
    unread = pl.lit(fiscal_quarter.is_not_null() & frame["quarter"].is_null())
    known = year.is_between(YEARS[0] + 1, YEARS[1]) & quarter.is_between(1, 4) & last.is_between(1, 12)
    shift = (pl.col("start").fill_null(False) & (last < 12)).cast(pl.Int64)
    months = (year + shift) * 12 + last - 1 - 3 * (4 - quarter)
    safe = pl.when(known & ~unread).then(months).otherwise(24_000)
    end = pl.date(safe // 12, safe % 12 + 1, 1).dt.month_end()
    return frame.select(pl.when(known & ~unread).then(end).alias("period_end")).to_series()


def assumed_dates(
    fiscal_year: pl.Series, fiscal_quarter: pl.Series, month: pl.Series, by_start: pl.Series | None = None
) -> pl.Series:
    """``assumed_date`` of columns: ``period_ends`` + 30 days, null where there is no such period."""
    ends = period_ends(fiscal_year, fiscal_quarter, month, by_start)
    return ends.dt.offset_by(f"{DAYS_AFTER_PERIOD}d").alias("assumed_date")


def days_of(frame: pl.DataFrame, year_ends: YearEnds | None = None) -> tuple[pl.Series, pl.Series]:
    """``day_of`` of each row, and whether that day is assumed.

    Args:
        frame: any of the columns date, date_assumed, fiscal_year, fiscal_quarter, fiscal_year_end.
        year_ends: the months (and namings) to be used in place of fiscal_year_end, December where that is
            absent. Without it the days equal ``day_of``'s.

    Returns:
        Dates ("on"; null where there is neither a date nor a fiscal year), and a boolean Series ("assumed"): True
        where the day is worked out from the period, or the corpus says so in date_assumed.
    """
    import polars as pl

    height = frame.height
    given = _column(frame, "date", pl.Date).cast(pl.Date)
    if year_ends is None:
        months = _whole(_column(frame, "fiscal_year_end", pl.Int64))
        months, starts = months.replace(0, None).fill_null(12), None
    else:
        months, starts = year_ends.month, year_ends.by_start
    years, quarters = (_column(frame, name, pl.Int64) for name in ("fiscal_year", "fiscal_quarter"))
    worked_out = assumed_dates(years, quarters, months, starts)
    told = _column(frame, "date_assumed", pl.Boolean).cast(pl.Boolean).fill_null(False)
    picked = pl.DataFrame({"given": given, "worked_out": worked_out, "told": told}).select(
        pl.coalesce("given", "worked_out").alias("on"),
        ((pl.col("given").is_null() & pl.col("worked_out").is_not_null()) | pl.col("told")).alias("assumed"),
    )
    assert picked.height == height
    return picked["on"], picked["assumed"]


def _whole(series: pl.Series) -> pl.Series:
    import polars as pl

    return series.cast(pl.Int64, strict=False)


def _column(frame: pl.DataFrame, name: str, kind: type[pl.DataType]) -> pl.Series:
    import polars as pl

    return frame[name] if name in frame.columns else pl.Series(name, [None] * frame.height, dtype=kind)
