"""Every date, month, quarter and year that a text names, with the days that it spans."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Literal

from neuter.models.answers.dates import LATEST_YEAR, dates_in
from neuter.word_lists import word_list

Kind = Literal["date", "month", "quarter", "year", "event"]


@dataclass(frozen=True, slots=True)
class Mention:
    """``text[start:end]`` names the days ``first`` to ``last``; of what is vague, the widest that it can mean."""

    start: int
    end: int
    kind: Kind
    first: date
    last: date


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_NTH = r"(?P<nth>first|1st|second|2nd|third|3rd|fourth|4th|final|last)"
_FISCAL = r"(?P<fiscal>(?:FY|fiscal(?:\s+years?)?|financial\s+year)\s*['’]?)"
#: What may stand right before a year; the year itself is not in it. Texts of 40 characters at most.
_BEFORE = re.compile(
    rf"(?:\b{_MONTH}\.?(?:\s+of)?[\s,'’-]{{1,2}}"
    rf"|\b{_NTH}\s+(?P<part>quarter|half)\s+(?:of\s+)?(?:{_FISCAL}|the\s+year\s+)?"
    rf"|\b(?:Q(?P<quarter>[1-4])|(?P<quarter2>[1-4])Q|H(?P<half>[12])|(?P<half2>[12])H)(?:\s+of)?[\s,/'’-]{{0,2}}"
    r"(?P<fiscal2>FY\s?['’]?|fiscal\s)?"
    r"|\b(?P<season>early|mid|middle\s+of|late|end\s+of|beginning\s+of|start\s+of|spring|summer|autumn|fall|winter)"
    r"(?:\s+(?:of|in))?[\s-]+(?:the\s+year\s+)?"
    rf"|\b{_FISCAL.replace('fiscal>', 'fiscal3>')}"
    r"|(?<![0-9/.-])(?P<number>0?[1-9]|1[0-2])/)$",
    re.IGNORECASE,
)
#: What may stand right behind it: "-07" and "Q3" make it a month or a quarter, "–24" a span of years.
_BEHIND = re.compile(
    r"-(?P<month>0[1-9]|1[0-2])(?![0-9-])|[\s-]?Q(?P<quarter>[1-4])\b|[\s-]?H(?P<half>[12])\b"
    r"|\s?[-–—/]\s?(?P<until>(?:19|20)?[0-9]{2})(?![0-9/–—-])",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)[0-9]{2}(?![0-9])")
#: Right before a year that stands alone, and is none.
_GLUED = re.compile(r"(?:[\w$€£¥#@&/=+*.,:-]|[$€£¥#]\s)$")
_UNGLUED = re.compile(r"(?:[(\[\"'“‘—–]|\b[a-z]+[/-]|[,.:]\s|[a-z)][.,:])$", re.IGNORECASE)
_GLUED_BEHIND = re.compile(r"[\w%$€£°+]|[.,:/-][0-9]|\s?(?:%|x\b|USD|EUR)")
_SHORT = re.compile(
    r"(?<![\w.])(?:(?:(?P<q>[1-4])Q|Q(?P<q2>[1-4])|(?P<h>[12])H|H(?P<h2>[12])|(?P<fy>FY|CY))\s?['’]?)"
    r"(?P<year>[0-9]{2})(?![\w.]?[0-9]|[A-Za-z%])",
    re.IGNORECASE,
)
_SHORT_MONTH = re.compile(rf"\b{_MONTH}\.?\s?['’](?P<year>[0-9]{{2}})\b", re.IGNORECASE)
_MAY_BE_SHORT = re.compile(r"[QHYqhy'’][ '’]{0,2}[0-9]{2}(?![0-9])")
_LONGEST = 40
_MAY_BE_DAY = re.compile(r"[12][0-9]{3}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2}")
#: First and last month of what is said of a part of a year, as wide as it may be meant.
_SEASONS = {
    **{
        "early": (1, 4),
        "beginning": (1, 3),
        "start": (1, 3),
        "spring": (3, 6),
        "mid": (5, 8),
        "middle": (5, 8),
    },
    **{
        "summer": (6, 9),
        "autumn": (9, 12),
        "fall": (9, 12),
        "late": (9, 12),
        "end": (11, 12),
        "winter": (1, 12),
    },
}
_NUMBERED = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}


def mentions_in(text: str) -> list[Mention]:
    """Every date in ``text``, in order; of two that overlap, the more exact one.

    Relative ones ("last year") and those without a year ("in March") are left out. A fiscal year begins on 1 October
    of the year before, as that of the United States does, and its quarters one quarter early.

    >>> [(one.kind, str(one.first)) for one in mentions_in("3Q23, mid-2024 and 7/14/2023; 2024 units")]
    [('quarter', '2023-07-01'), ('quarter', '2024-05-01'), ('date', '2023-07-14')]
    """
    return _apart([*_days(text), *_short(text), *_years(text)])


def _days(text: str) -> Iterator[Mention]:
    """Whole dates, looked for only around what may be their year: most of a text has none."""
    for begin, end in _windows(text):
        for start, stop, day in dates_in(text[begin:end]):
            yield Mention(begin + start, begin + stop, "date", day, day)


def _windows(text: str) -> Iterator[tuple[int, int]]:
    begin = end = 0
    for match in _MAY_BE_DAY.finditer(text):
        if match.start() - _LONGEST > end:
            if end:
                yield begin, end
            begin = max(0, match.start() - _LONGEST)
        end = match.end() + _LONGEST
    if end:
        yield begin, end


def _apart(found: list[Mention]) -> list[Mention]:
    """Those that overlap no earlier one of the list, in the order of the text."""
    kept: list[Mention] = []
    for one in sorted(found, key=lambda mention: (mention.start, -mention.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _short(text: str) -> Iterator[Mention]:
    """ "3Q23", "FY24", "Jul '23"."""
    if not _MAY_BE_SHORT.search(text):
        return
    for match in _SHORT.finditer(text):
        year = 2000 + int(match["year"])
        if match["fy"]:
            span = _fiscal_year(year) if match["fy"].upper() == "FY" else _span(year, 1, 12)
            yield Mention(match.start(), match.end(), "year", *span)
        else:
            quarter, half = match["q"] or match["q2"], match["h"] or match["h2"]
            part = _quarter(year, int(quarter)) if quarter else _half(year, int(half))
            yield Mention(match.start(), match.end(), "quarter", *part)
    for match in _SHORT_MONTH.finditer(text):
        month = _month(match["month"])
        yield Mention(match.start(), match.end(), "month", *_span(2000 + int(match["year"]), month, month))


def _years(text: str) -> Iterator[Mention]:
    for match in _YEAR.finditer(text):
        start, end, year = match.start(), match.end(), int(match[0])
        if year > LATEST_YEAR:
            continue
        behind = _BEHIND.match(text, end)
        before = _BEFORE.search(text[max(0, start - _LONGEST) : start])
        if before is not None and (before.end() != before.start()):
            yield _with_before(before, start, end, year)
        elif behind is not None and not _is_glued(text, start):
            yield _with_behind(behind, start, year)
        elif not _is_glued(text, start) and not _counts(text, start, end):
            yield Mention(start, end, "year", *_span(year, 1, 12))


def _with_before(match: re.Match[str], start: int, end: int, year: int) -> Mention:
    said = match.groupdict()
    begin = start - len(match[0])
    fiscal = said["fiscal"] or said["fiscal2"]
    if said["month"] or said["number"]:
        month = _month(said["month"]) if said["month"] else int(said["number"])
        return Mention(begin, end, "month", *_span(year, month, month))
    quarter, half = said["quarter"] or said["quarter2"], said["half"] or said["half2"]
    if quarter:
        return Mention(begin, end, "quarter", *_quarter(year, int(quarter), fiscal=bool(fiscal)))
    if half:
        return Mention(begin, end, "quarter", *_half(year, int(half)))
    if said["part"]:
        return Mention(begin, end, "quarter", *_numbered(said["nth"], said["part"], year, bool(fiscal)))
    if said["season"]:
        first, last = _SEASONS[said["season"].split()[0].lower()]
        return Mention(begin, end, "quarter", *_span(year, first, last))
    return Mention(begin, end, "year", *_fiscal_year(year))


def _with_behind(match: re.Match[str], start: int, year: int) -> Mention:
    said = match.groupdict()
    if said["month"]:
        return Mention(start, match.end(), "month", *_span(year, int(said["month"]), int(said["month"])))
    if said["quarter"]:
        return Mention(start, match.end(), "quarter", *_quarter(year, int(said["quarter"])))
    if said["half"]:
        return Mention(start, match.end(), "quarter", *_half(year, int(said["half"])))
    until = int(said["until"]) if len(said["until"]) == 4 else year // 100 * 100 + int(said["until"])
    if not year < until <= year + 20:
        return Mention(start, start + 4, "year", *_span(year, 1, 12))
    return Mention(start, match.end(), "year", date(year, 1, 1), date(until, 12, 31))


def _numbered(nth: str, part: str, year: int, fiscal: bool) -> tuple[date, date]:
    half = part.lower() == "half"
    number = _NUMBERED.get(nth.lower(), 2 if half else 4)
    return _half(year, min(number, 2)) if half else _quarter(year, number, fiscal=fiscal)


def _is_glued(text: str, start: int) -> bool:
    """Whether a sign before it makes four digits a price, a part of a number or of a name."""
    before = text[max(0, start - 12) : start]
    return bool(_GLUED.search(before)) and not _UNGLUED.search(before)


def _counts(text: str, start: int, end: int) -> bool:
    """Whether four digits count things: "2024 units", "more than 2024", "no. 2024"."""
    if _GLUED_BEHIND.match(text, end) and not text.startswith(("'s", "’s"), end):
        return True
    behind, lead = _count_words()
    return bool(behind.match(text, end) or lead.search(text[max(0, start - 24) : start]))


@cache
def _count_words() -> tuple[re.Pattern[str], re.Pattern[str]]:
    counted, lead = (alternatives(words("numbers", name)) for name in ("counted", "lead"))
    return (
        re.compile(rf"\s(?:{counted})\b", re.IGNORECASE),
        re.compile(rf"(?:^|[^\w])(?:{lead})\s$", re.IGNORECASE),
    )


def words(*path: str) -> Any:
    """What ``words.toml`` holds under ``path``."""
    return word_list("neuter.traces", *path)


def alternatives(texts: list[str]) -> str:
    """A pattern's inside that matches any of ``texts``, the longest first; a blank is any white space."""
    ordered = sorted(texts, key=lambda text: (-len(text), text))
    return "|".join(r"\s+".join(map(re.escape, text.split())) for text in ordered)


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _span(year: int, first: int, last: int) -> tuple[date, date]:
    return date(year, first, 1), date(year, last, calendar.monthrange(year, last)[1])


def _quarter(year: int, number: int, *, fiscal: bool = False) -> tuple[date, date]:
    if not fiscal:
        return _span(year, 3 * number - 2, 3 * number)
    early, number = (year - 1, 4) if number == 1 else (year, number - 1)
    return _span(early, 3 * number - 2, 3 * number)


def _half(year: int, number: int) -> tuple[date, date]:
    return _span(year, 6 * number - 5, 6 * number)


def _fiscal_year(year: int) -> tuple[date, date]:
    return date(year - 1, 10, 1), date(year, 12, 31)
