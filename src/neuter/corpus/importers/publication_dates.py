"""The day on which a headline was published, from the ways in which files and news databases write it."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any

from neuter.corpus.fields import Invalid

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october"),
    *("november", "december", "sept"),
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_WEEKDAY = r"(?:(?P<weekday>[A-Za-z]{3,9})\.?,?\s+)?"
_MONTH = r"(?P<month>[^\W\d_]{3,12})\.?"
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:.*)?", re.DOTALL)
_SLASHED = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4})")
_WORDED = (
    re.compile(rf"{_WEEKDAY}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\.?[\s-]+{_MONTH},?[\s-]+(?P<year>\d{{4}})"),
    re.compile(rf"{_WEEKDAY}{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})"),
)
_TODO = "Write dates as YYYY-MM-DD, or as 15 March 2019"


def published_day(value: Any, *, day_first: bool | None = None) -> date:
    """The day in ``value``: 2019-03-15 (with or without a time), 15 March 2019, March 15, 2019, 03/15/2019.

    Months are English. A weekday in front must be that day's. Which of 03/04/2019 is the day is never guessed:
    ``day_first`` says it.

    Raises:
        Invalid: no date, not a day of the calendar, or one that can be read in two ways.

    >>> published_day("Friday, March 15, 2019")
    datetime.date(2019, 3, 15)
    """
    if isinstance(value, datetime):
        return _between(value.date())
    if isinstance(value, date):
        return _between(value)
    if not isinstance(value, str) or not value.strip():
        raise Invalid(f"is no date: {value!r}" if value else "has no date", _TODO)
    text = " ".join(value.split())
    if found := _ISO.fullmatch(text):
        return _day(int(found[1]), int(found[2]), int(found[3]), text)
    if found := _SLASHED.fullmatch(text):
        return _slashed(int(found[1]), int(found[3]), int(found[4]), text, day_first)
    for pattern in _WORDED:
        if found := pattern.fullmatch(text):
            return _worded(found, text)
    raise Invalid(f"is no date that can be read: {_shown(text)}", _TODO)


def is_day(text: str) -> bool:
    """Whether ``text`` is a date in words and nothing else, as in the head of an article."""
    return any(pattern.fullmatch(" ".join(text.split())) for pattern in _WORDED)


#: A date in words anywhere in a line.
IN_LINE = re.compile(r"\d{1,2} [^\W\d_]{3,12} \d{4}|[^\W\d_]{3,12} \d{1,2}, \d{4}")


def _slashed(first: int, second: int, year: int, text: str, day_first: bool | None) -> date:
    if day_first is None:
        if max(first, second) <= 12 and first != second:
            raise Invalid(
                f"can be read in two ways: {text}",
                "Say which comes first: --day-first or --month-first (day_first=True or False), or write YYYY-MM-DD",
            )
        day_first = first > 12
    return _day(year, second, first, text) if day_first else _day(year, first, second, text)


def _worded(found: re.Match[str], text: str) -> date:
    name = found["month"].lower()
    if name not in _MONTHS and name not in _NAMES:
        raise Invalid(
            f"has a month that is not English: {_shown(text)}",
            "Export again with English as the language of the interface, or write YYYY-MM-DD",
        )
    day = _day(int(found["year"]), _MONTHS.index(name[:3]) + 1, int(found["day"]), text)
    weekday = (found["weekday"] or "").lower()
    if weekday and not (_WEEKDAYS[day.weekday()].startswith(weekday)):
        raise Invalid(
            f"is a {_WEEKDAYS[day.weekday()].title()}: {_shown(text)}", "Correct the day or the weekday"
        )
    return day


def _day(year: int, month: int, day: int, text: str) -> date:
    try:
        return _between(date(year, month, day))
    except ValueError as bad:
        if isinstance(bad, Invalid):
            raise
        raise Invalid(f"is no day of the calendar: {_shown(text)}", _TODO) from None


def _between(day: date) -> date:
    if not 1850 <= day.year <= 2100:
        raise Invalid(f"must lie between 1850 and 2100, not {day.isoformat()}")
    return day


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
