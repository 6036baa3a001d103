"""Days as options and parameters give them: a day, a month, or a date of Python's."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime

from neuter.errors import UsageError


def read_day(given: object, option: str, *, last: bool = False) -> date:
    """``2023-10-15`` as that day; ``2023-10`` as the first day of the month, or its ``last``.

    >>> read_day("2023-10", "--cutoff"), read_day("2024-02", "--until", last=True)
    (datetime.date(2023, 10, 1), datetime.date(2024, 2, 29))

    Raises:
        UsageError: it is neither; ``option`` is named.
    """
    if isinstance(given, date):
        return given.date() if isinstance(given, datetime) else given
    said = given.strip() if isinstance(given, str) else ""
    try:
        if len(said) != len("2023-10"):
            return date.fromisoformat(said)
        first = date.fromisoformat(f"{said}-01")
    except ValueError:
        raise UsageError(
            f"{given!r} is no day", where=option, todo="Write YYYY-MM-DD, or YYYY-MM for a month"
        ) from None
    return first.replace(day=monthrange(first.year, first.month)[1]) if last else first


def years_before(day: date, years: int) -> date:
    """The same day so many years earlier; of 29 February the 28th, and no day before there are any.

    >>> years_before(date(2024, 2, 29), 10), years_before(date(2024, 2, 29), 5000)
    (datetime.date(2014, 2, 28), datetime.date(1, 1, 1))
    """
    if years >= day.year:
        return date.min
    try:
        return day.replace(year=day.year - years)
    except ValueError:
        return day.replace(year=day.year - years, day=28)
