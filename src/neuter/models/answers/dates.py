"""The date in an answer's value, in the forms that models give it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

#: Dates outside of these years are misreadings (a price, a count).
EARLIEST_YEAR, LATEST_YEAR = 1900, 2100
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"([0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR = r"([12][0-9]{3})(?![0-9])"
_ISO = re.compile(rf"(?<![0-9./\-]){_YEAR}([-/.])([0-9]{{1,2}})\2([0-9]{{1,2}})(?![0-9]|[-/.][0-9])")
_NUMBERS = re.compile(
    r"(?<![0-9./\-])([0-9]{1,2})([-/.])([0-9]{1,2})\2([12][0-9]{3}|[0-9]{2})(?![0-9]|[-/.][0-9])"
)
_MONTH_FIRST = re.compile(rf"\b{_MONTH}\s*{_DAY}[\s,]{{0,4}}{_YEAR}", re.IGNORECASE)
_DAY_FIRST = re.compile(rf"(?<![0-9]){_DAY}[\s-]*(?:of\s+)?{_MONTH}[\s,-]{{0,4}}{_YEAR}", re.IGNORECASE)


def date_of(value: str) -> date | None:
    """The first date in ``value``; None where there is none, only a month, or a day that no month has.

    Two numbers that may both be the month follow the prompt, which asks for mm/dd/yyyy: 03/04/2023 is the fourth of
    March. A first number above twelve can only be the day. Two digits of a year are of 1950 to 2049.

    >>> date_of("03/04/2023"), date_of("14.3.23"), date_of("on March 14th, 2023")
    (datetime.date(2023, 3, 4), datetime.date(2023, 3, 14), datetime.date(2023, 3, 14))
    """
    found = dates_in(value)
    return found[0][2] if found else None


def dates_in(text: str) -> list[tuple[int, int, date]]:
    """Every date in ``text`` with its start and end, in order, read as :func:`date_of` says.

    >>> dates_in("from 03/04/2023 to 5 March 2023")
    [(5, 15, datetime.date(2023, 3, 4)), (19, 31, datetime.date(2023, 3, 5))]
    """
    found = [
        (match.start(), match.end(), made)
        for pattern, read in _FORMS
        for match in pattern.finditer(text)
        if (made := read(match)) is not None
    ]
    return sorted(found, key=lambda one: one[0])


def _iso(match: re.Match[str]) -> date | None:
    return _made(match[1], int(match[3]), match[4])


def _numbers(match: re.Match[str]) -> date | None:
    first, second = int(match[1]), int(match[3])
    month, day = (second, first) if first > 12 else (first, second)
    return _made(match[4], month, str(day))


def _month_first(match: re.Match[str]) -> date | None:
    return _made(match[3], _month(match[1]), match[2])


def _day_first(match: re.Match[str]) -> date | None:
    return _made(match[3], _month(match[2]), match[1])


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], date | None]], ...] = (
    (_ISO, _iso),
    (_NUMBERS, _numbers),
    (_MONTH_FIRST, _month_first),
    (_DAY_FIRST, _day_first),
)


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _made(year: str, month: int, day: str) -> date | None:
    number = int(year)
    if len(year) == 2:
        number += 2000 if number < 50 else 1900
    try:
        made = date(number, month, int(day))
    except ValueError:
        return None
    return made if EARLIEST_YEAR <= number <= LATEST_YEAR else None
