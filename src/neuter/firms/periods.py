"""Fiscal and calendar periods: when a fiscal quarter ends, and the date assumed where there is none."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from functools import lru_cache

#: A document without a date is taken to be of this many days after its fiscal period's end (paper-decisions).
DAYS_AFTER_PERIOD = 30


def period_end(fiscal_year: int, fiscal_quarter: int | None = None, fiscal_year_end: int = 12) -> date:
    """The last day of a fiscal quarter, or of the fiscal year where the quarter is None.

    Args:
        fiscal_year: named by the calendar year in which it ends (the SEC's usage).
        fiscal_quarter: 1 to 4.
        fiscal_year_end: the month in which the fiscal year ends, 1 to 12; December unless known.

    Raises:
        ValueError: a quarter or a month that is none.

    >>> period_end(2021, 3)
    datetime.date(2021, 9, 30)
    >>> period_end(2021, 1, fiscal_year_end=9)
    datetime.date(2020, 12, 31)
    """
    quarter = 4 if fiscal_quarter is None else fiscal_quarter
    if not 1 <= quarter <= 4 or not 1 <= fiscal_year_end <= 12:
        raise ValueError(f"no such period: quarter {fiscal_quarter}, year end in month {fiscal_year_end}")
    months = fiscal_year * 12 + (fiscal_year_end - 1) - 3 * (4 - quarter)
    year, month = divmod(months, 12)
    return date(year, month + 1, calendar.monthrange(year, month + 1)[1])


@lru_cache(maxsize=4096)
def assumed_date(
    fiscal_year: int | None, fiscal_quarter: int | None = None, fiscal_year_end: int = 12
) -> date | None:
    """The date assumed for a document that has none: its period's end + 30 days; None without a fiscal year.

    >>> assumed_date(2021, 2)
    datetime.date(2021, 7, 30)
    """
    if fiscal_year is None or not 1 < fiscal_year < 9999:
        return None
    if fiscal_quarter is not None and not 1 <= fiscal_quarter <= 4:
        return None
    return period_end(fiscal_year, fiscal_quarter, fiscal_year_end) + timedelta(days=DAYS_AFTER_PERIOD)


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
