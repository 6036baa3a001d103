"""From what was found in files to rows of QUESTION_SCHEMA: each field read and checked, each fault with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from neuter.errors import DataError
from neuter.questions.days import day_of
from neuter.questions.domains import domain_of
from neuter.questions.found import Fault, Found
from neuter.questions.probabilities import said, scale_of, share_of

#: A text longer than this is no question.
LONGEST_TEXT = 1_000_000
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]{0,2000}>|&(?:[a-zA-Z]{2,8}|#\d{1,6});")


@dataclass(frozen=True, slots=True)
class Scales:
    """What plain numbers mean: of the community's predictions, and of base rates."""

    community: str
    base_rate: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """A row, and how many of the crowd's predictions were left out because they came after the resolution."""

    row: dict[str, Any]
    late: int = 0


def scales_of(found: Sequence[Found]) -> Scales:
    """The scales of one file's columns.

    Raises:
        DataError: a column mixes shares and percent.
    """
    own = [one for one in found if not one.shares]
    community = (said(value, f"{one.where}, field community") for one in own for _, value in one.community)
    rates = (said(one.base_rate, f"{one.where}, field base_rate") for one in own)
    return Scales(*(scale_of(known for known in some if known is not None) for some in (community, rates)))


def accepted(found: Found, scales: Scales, day_first: bool | None, domain: str | None) -> Accepted | Fault:
    """The question as a row, or what is wrong with it."""
    try:
        return _accepted(found, scales, day_first, domain)
    except DataError as error:
        return Fault(error.where or found.where, error.what, error.todo or "")


def _accepted(found: Found, scales: Scales, day_first: bool | None, domain: str | None) -> Accepted:
    texts = {
        "id": _text(found, "id", found.id),
        "question": plain_text(_text(found, "question", found.question)),
        "background": plain_text(_text(found, "background", found.background, needed=False)),
        "resolution_criteria": plain_text(_text(found, "resolution_criteria", found.criteria, needed=False)),
    }
    resolved = _day(found, "resolution_date", found.resolution_date, day_first)
    if resolved is None:
        raise _wrong(
            found, "resolution_date", "no date", "A question needs the day on which its outcome was known"
        )
    opened, closed = (_day(found, name, getattr(found, name), day_first) for name in ("open", "close"))
    _see_order(found, opened, closed, resolved)
    predictions = list(_community(found, scales.community, day_first))
    kept = [one for one in predictions if one["date"] <= resolved]
    return Accepted(
        {
            **texts,
            "open": opened,
            "close": closed,
            "resolution_date": resolved,
            "resolution": int(found.outcome),
            "domain": domain or domain_of(found.categories),
            "source": str(found.source),
            "url": str(found.url),
            "cluster": str(found.cluster),
            "base_rate": _probability(found, "base_rate", found.base_rate, scales.base_rate),
            "community": sorted(kept, key=lambda one: one["date"]),
        },
        len(predictions) - len(kept),
    )


def _text(found: Found, field: str, value: Any, *, needed: bool = True) -> str:
    if value is None or (isinstance(value, str) and not value.strip()):
        if needed:
            raise _wrong(found, field, "is empty", "")
        return ""
    if isinstance(value, bool | float | list | dict):
        raise _wrong(found, field, f"is no text ({str(value)[:40]})", "")
    text = str(value).strip()
    if len(text) > LONGEST_TEXT:
        raise _wrong(found, field, f"has {len(text):,} characters", f"At most {LONGEST_TEXT:,} are read")
    return text


def plain_text(text: str) -> str:
    """A text without markup; line breaks stay, other runs of blanks become one.

    >>> plain_text("Will <b>it</b> rain?<br>Yes &amp; no")
    'Will it rain?\\nYes & no'
    """
    if _MARKUP.search(text):
        from selectolax.lexbor import LexborHTMLParser

        page = LexborHTMLParser(re.sub(r"<br\s*/?>|</(?:p|div|li)>", "\n", text, flags=re.IGNORECASE))
        text = page.body.text() if page.body else ""
    lines = (" ".join(line.split()) for line in text.replace("\r\n", "\n").split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _day(found: Found, field: str, value: Any, day_first: bool | None) -> date | None:
    if value is None or value == "":
        return None
    day = day_of(value, day_first=day_first)
    if day is None:
        todo = "Write YYYY-MM-DD; for dates with slashes say --day-first or --month-first"
        raise _wrong(found, field, f"{str(value)[:40]!r} is no date", todo)
    return day


def _see_order(found: Found, opened: date | None, closed: date | None, resolved: date) -> None:
    if opened and resolved < opened:
        raise _wrong(
            found, "resolution_date", f"{resolved} is before it opened ({opened})", "Correct one of them"
        )
    if opened and closed and closed < opened:
        raise _wrong(found, "close", f"{closed} is before it opened ({opened})", "Correct one of them")


def _community(found: Found, scale: str, day_first: bool | None) -> Iterator[dict[str, Any]]:
    for given, value in found.community:
        if value is None:
            continue
        day = _day(found, "community", given, day_first)
        if day is None:
            raise _wrong(found, "community", "a prediction without a date", "Give [date, probability] pairs")
        yield {"date": day, "probability": _probability(found, "community", value, scale)}


def _probability(found: Found, field: str, value: Any, scale: str) -> float | None:
    if value is None or value == "":
        return None
    known = said(value, found.where)
    if known is None:
        raise _wrong(found, field, f"{str(value)[:40]!r} is no probability", "Write 0.85, 85%, or 1 in 4")
    share = share_of(known, "share" if found.shares else scale)
    if share is None:
        raise _wrong(
            found, field, f"a probability of {known.as_written[:40]}", "It is within 0 and 1 (or 0% and 100%)"
        )
    return share


def _wrong(found: Found, field: str, what: str, todo: str) -> DataError:
    named = f" of {str(found.id)[:60]!r}" if found.id not in (None, "") and field != "id" else ""
    return DataError(f"{field}{named}: {what}", where=found.where, todo=todo)
