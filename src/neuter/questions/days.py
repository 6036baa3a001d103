"""Days as question sets write them: ISO dates and times, seconds since 1970, and dates with slashes."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})(?:\s.*)?")
#: Seconds since 1970 are above this (in 1973), and milliseconds above the second.
_SECONDS, _MILLISECONDS = 1e8, 1e11
_DIGITS = re.compile(r"\d{9,13}(?:\.\d+)?")
_EPOCH = date(1970, 1, 1).toordinal()


#: Milliseconds of the year 9999.
_LATEST = 253_402_300_800_000


def day_of(given: Any, *, day_first: bool | None = None) -> date | None:
    """The day (UTC) that is meant; None where it is none.

    03/04/2019 is only read where ``day_first`` says which is the day, or one of the numbers is above 12.

    >>> day_of("2024-07-12T00:00:00+00:00"), day_of(1720742400), day_of("13/02/2024"), day_of("03/04/2024")
    (datetime.date(2024, 7, 12), datetime.date(2024, 7, 12), datetime.date(2024, 2, 13), None)
    """
    if isinstance(given, date):
        return _of_time(given) if isinstance(given, datetime) else given
    if isinstance(given, bool) or given is None:
        return None
    if isinstance(given, int | float):
        return _of_seconds(given)
    return _of_text(str(given).strip(), day_first)


def _of_text(text: str, day_first: bool | None) -> date | None:
    if slashed := _SLASHED.fullmatch(text):
        first, second, year = (int(part) for part in slashed.groups())
        return _of_slashed(first, second, year, day_first=day_first)
    if _DIGITS.fullmatch(text):
        return _of_seconds(float(text))
    try:
        return _of_time(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=65_536)
def day_number(given: str | int | float | date, day_first: bool | None) -> int | None:
    """The same in days since 1970, kept: a series of a hundred predictions repeats the days of the next."""
    day = day_of(given, day_first=day_first)
    return None if day is None else day.toordinal() - _EPOCH


def _of_time(time: datetime) -> date:
    return (time.astimezone(UTC) if time.tzinfo else time).date()


def _of_seconds(seconds: int | float) -> date | None:
    if abs(seconds) > _LATEST:  # a whole number may be larger than any float
        return None
    if not math.isfinite(seconds) or seconds < _SECONDS:
        return None
    try:
        return datetime.fromtimestamp(seconds / 1000 if seconds > _MILLISECONDS else seconds, UTC).date()
    except (OverflowError, ValueError, OSError):
        return None


def _of_slashed(first: int, second: int, year: int, *, day_first: bool | None) -> date | None:
    if day_first is None and first <= 12 and second <= 12 and first != second:
        return None
    is_day_first = first > 12 or (bool(day_first) and second <= 12)
    day, month = (first, second) if is_day_first else (second, first)
    try:
        return date(year, month, day)
    except ValueError:
        return None
