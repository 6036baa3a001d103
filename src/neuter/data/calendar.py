"""The trading calendar of the New York Stock Exchange: which days closes exist for, and which comes next."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache

from neuter.errors import DataError

#: The first and last day that the calendar knows. Beyond them it would guess.
FIRST_DAY, LAST_DAY = date(1985, 1, 1), date(2030, 12, 31)


def trading_days(first: date, last: date) -> list[date]:
    """The exchange's trading days from ``first`` to ``last``, both included; early closings are trading days.

    Raises:
        DataError: a day before 1985 or after 2030.

    >>> [str(day) for day in trading_days(date(2001, 9, 10), date(2001, 9, 18))]
    ['2001-09-10', '2001-09-17', '2001-09-18']
    """
    days = _days()
    return list(days[bisect_left(days, _known(first)) : bisect_right(days, _known(last))])


def is_trading_day(day: date) -> bool:
    """Whether the exchange trades on that day.

    Raises:
        DataError: a day before 1985 or after 2030.
    """
    days = _days()
    place = bisect_left(days, _known(day))
    return place < len(days) and days[place] == day


def next_trading_day(day: date) -> date:
    """The first trading day after ``day``, whether or not ``day`` is one.

    Raises:
        DataError: a day that the calendar does not reach.

    >>> next_trading_day(date(2025, 1, 8))
    datetime.date(2025, 1, 10)
    """
    days = _days()
    return _at(days, bisect_right(days, _known(day)), day)


def previous_trading_day(day: date) -> date:
    """The last trading day before ``day``, whether or not ``day`` is one.

    Raises:
        DataError: a day that the calendar does not reach.
    """
    days = _days()
    return _at(days, bisect_left(days, _known(day)) - 1, day)


def month_ends(first: date, last: date) -> list[date]:
    """The last trading day of each month, those from ``first`` to ``last``, both included.

    A month that ``last`` cuts short has none: 2026-08-21 is no month end.

    Raises:
        DataError: a day before 1985 or after 2030.

    >>> [str(day) for day in month_ends(date(2023, 9, 1), date(2023, 10, 30))]
    ['2023-09-29']
    """
    return [day for day in trading_days(first, last) if day in _month_ends()]


@cache
def _days() -> Sequence[date]:
    # `holidays` and not exchange_calendars: the same 11,585 days from 1985 to 2030, without pandas and in a quarter of
    # the time (docs/data-series.md).
    import holidays

    closed = holidays.financial_holidays("NYSE", years=range(FIRST_DAY.year, LAST_DAY.year + 1))
    span = (FIRST_DAY + timedelta(days=step) for step in range((LAST_DAY - FIRST_DAY).days + 1))
    return tuple(day for day in span if day.weekday() < 5 and day not in closed)


@cache
def _month_ends() -> frozenset[date]:
    return frozenset({(day.year, day.month): day for day in _days()}.values())


def _known(day: date) -> date:
    if not FIRST_DAY <= day <= LAST_DAY:
        raise DataError(f"{day} is outside the calendar", where="trading days", todo=_REACH)
    return day


def _at(days: Sequence[date], place: int, day: date) -> date:
    if not 0 <= place < len(days):
        raise DataError(f"no trading day is known beyond {day}", where="trading days", todo=_REACH)
    return days[place]


_REACH = f"It reaches from {FIRST_DAY} to {LAST_DAY}"
