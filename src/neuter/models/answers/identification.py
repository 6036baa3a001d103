"""Parsing what models answer to the identification prompts (appendix B.6, and ours for headlines), in all forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import zip_longest
from typing import Any

from neuter.models.answers.dates import EARLIEST_YEAR, LATEST_YEAR, date_of
from neuter.models.answers.extract import find_objects, is_refusal, strip_reasoning
from neuter.models.answers.firm_names import firm_of
from neuter.models.answers.periods_said import one_period
from neuter.models.answers.words import pattern
from neuter.types import Outcome

#: What stands around a value without belonging to it.
_AROUND = " \t\r*_`\"'“”‘,;|#>•-–—[]{}<>"
#: Some models answer with the punctuation of Chinese text.
_FULL_WIDTH = str.maketrans("：，；＝（）", ":,;=()")


@dataclass(frozen=True, slots=True)
class Identification:
    """What a model takes a text to be. ``firm`` is a ticker where the answer held one, else a name.

    With any outcome but ANSWERED all fields are None; ANSWERED has a firm, a quarter, a year or a date.
    """

    firm: str | None = None
    industry: str | None = None
    quarter: int | None = None
    year: int | None = None
    outcome: Outcome = Outcome.UNPARSED
    date: date | None = None


#: Which field a label or a JSON name means, by the first of these words that it holds.
_FIELDS = (
    ("quarter", "quarter"),
    ("industry", "industry"),
    ("sector", "industry"),
    ("year", "year"),
    ("company", "firm"),
    ("ticker", "firm"),
    ("firm", "firm"),
    ("stock", "firm"),
    ("date", "date"),
)
_WORDS = "|".join(word for word, _ in _FIELDS)
_MARK = r"[\s*_`\"'“”’\])]*"
_SEPARATOR = rf"{_MARK}(?:[:=|–—]|-(?=\s)|is\b){_MARK}"
# "Company Estimate:", "**Estimated year** -", "quarter_estimate" ...
_STRONG = re.compile(
    rf"(?<![A-Za-z])(?:(?P<a>(?:{_WORDS})[\w \t/&()]{{0,20}}?)[ \t_]*(?:estimate|estimation|guess|prediction)"
    rf"|(?:estimated|predicted|guessed)[ \t_]+(?P<b>(?:fiscal |calendar )?(?:{_WORDS})[\w \t]{{0,10}}?))"
    rf"{_SEPARATOR}",
    re.IGNORECASE,
)
# "Ticker: AAPL" at the start of a line or of a part of it.
_WEAK = re.compile(
    rf"(?:^|[\n,;|{{(])[\s*_`\"'#>•\-–0-9.)]{{0,24}}(?P<a>(?:fiscal |calendar |likely |company )?(?:{_WORDS})"
    rf"(?:[ _](?:name|symbol|ticker))?)[*_`\"'\s]*[:=|]{_MARK}",
    re.IGNORECASE,
)
_BARE = re.compile(r"^\W*([A-Z.$]{1,7}),\s*([^\n]+),\s*(Q?[1-4]),\s*((?:19|20)[0-9]{2})\W*$")

# "TSLA, Automobiles, 03/14/2023": the headline prompt's answer without its labels.
_BARE_DATE = re.compile(r"^\W*([A-Z.$]{1,7}),\s*([^\n]+?),\s*([0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{2,4})\W*$")

_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_QUARTER = re.compile(
    r"\bQ(?:uarter)?[ \t.\-]?([1-4])(?![0-9])|(?<![0-9A-Za-z.])([1-4])[ \t\-]?Q(?![a-z])"
    rf"|\b({'|'.join(_ORDINALS)})\b",
    re.IGNORECASE,
)
_LONE_QUARTER = re.compile(r"^\W*(?<![-−.])([1-4])(?:\.0)?(?![0-9.,%/])\b")
_YEAR = re.compile(r"(?<![0-9.,])(1[0-9]{3}|2[0-9]{3})(?![0-9%]|[.,][0-9])")
_SHORT_YEAR = re.compile(
    r"(?:['’‘]|\bFY[ \t]?['’‘]?|[1-4]Q['’‘]?|\bQ[1-4][ \t]?['’‘]?)([0-9]{2})(?![0-9])", re.IGNORECASE
)
_LONE_SHORT_YEAR = re.compile(r"^\W*([0-9]{2})\W*$")
_FLOAT_YEAR = re.compile(r"^\W*([12][0-9]{3})\.0\W*$")
_UNKNOWN = re.compile(
    r"^\W*(?:n\.?/?a\.?|none|null|nil|unknown|undetermined|unidentified|unidentifiable|unspecified|undisclosed"
    r"|unknown \w+|tbd|not \w+.*|(?:cannot|can't|unable) .*|no (?:estimate|answer|guess|idea)"
    r"|insufficient .*|anonymi[sz]ed)?\W*$",
    re.IGNORECASE | re.DOTALL,
)
_TEMPLATE = re.compile(
    r"^\W*(?:tik|q|y|(?:the )?(?:industry|company|ticker|quarter|year|sector)(?: name| symbol)?"
    r"|(?:company|industry|ticker|name|product|location|time|year|quarter|date|number)_\w+)\W*$",
    re.IGNORECASE,
)


def parse_identification(text: str) -> Identification:
    """The identification in a model's answer: labels or JSON, with other text around it or none.

    Of several answers the fullest counts, and among equals the last. A year lies in 1900 to 2100 and a
    quarter in 1 to 4, or the field is None; the prompt's own template, handed back, is no answer. A date is read
    as :func:`neuter.models.dates.date_of` says; of one that names no day, the year is kept.

    >>> found = parse_identification("Company Estimate: AAPL, Quarter Estimate: Q3, Year Estimate: FY2018")
    >>> found.firm, found.quarter, found.year
    ('AAPL', 3, 2018)
    >>> parse_identification("I'm sorry, I can't identify this company.").outcome
    <Outcome.REFUSED: 'refused'>
    """
    answer = strip_reasoning(text).translate(_FULL_WIDTH)
    best = Identification()
    for values in _groups(answer):
        found = _identified(values)
        if found.outcome is Outcome.ANSWERED and _fullness(found) >= _fullness(best):
            best = found
    if best.outcome is Outcome.ANSWERED:
        return best
    refused = is_refusal(answer) or _withheld(answer)
    return Identification(outcome=Outcome.REFUSED if refused else Outcome.UNPARSED)


def _withheld(answer: str) -> bool:
    """ "null" or 0 and nothing else: a prediction withheld (The Memorization Problem, notes of Tables 1, 4 and 5)."""
    alone = answer.strip(f"{_AROUND}\n.!()")
    return alone == "0" or pattern("null").fullmatch(alone) is not None


def _groups(text: str) -> Iterator[Mapping[str, str]]:
    """Each set of values that may be an answer; looser readings only where stricter ones find nothing."""
    objects = [values for found in find_objects(text) if (values := _of_object(found))]
    strong = list(_labelled(text, _STRONG))
    yield from objects
    yield from strong
    if any(_identified(values).outcome is Outcome.ANSWERED for values in (*objects, *strong)):
        return
    yield from _labelled(text, _WEAK)
    if bare := _BARE.match(text.strip()):
        yield dict(zip(("firm", "industry", "quarter", "year"), bare.groups(), strict=True))
    if bare := _BARE_DATE.match(text.strip()):
        yield dict(zip(("firm", "industry", "date"), bare.groups(), strict=True))


def _of_object(found: Mapping[str, Any], depth: int = 0) -> dict[str, str]:
    values: dict[str, str] = {}
    for name, value in found.items():
        if isinstance(value, dict) and depth < 3:
            values = {**_of_object(value, depth + 1), **values}
            continue
        label = _field(name)
        ranked = isinstance(value, list) and (label in {"firm", "industry"} or len(value) == 1)
        item = value[0] if ranked and value else value
        if label and isinstance(item, str | int | float) and not isinstance(item, bool):
            values.setdefault(label, str(item))
    return values


def _labelled(text: str, labels: re.Pattern[str]) -> Iterator[dict[str, str]]:
    """Values behind labels; a label that comes again begins another answer."""
    matches = list(labels.finditer(text))
    group: dict[str, str] = {}
    for match, following in zip_longest(matches, matches[1:]):
        name = match["a"] or match.groupdict().get("b")
        label = _field(name or "")
        if label in group:
            yield group
            group = {}
        if label:
            group[label] = _value(text[match.end() : following.start() if following else None])
    if group:
        yield group


def _value(text: str) -> str:
    """The first line that holds something, without list marks, quotes and emphasis around it."""
    lines: Iterable[str] = (line.strip(_AROUND) for line in text.splitlines())
    return next((line for line in lines if line), "")


def _field(label: str) -> str | None:
    # "date" as a word of its own: an update is none.
    lowered = re.sub(r"(?<=[a-z])date", "", label.lower())
    return next((name for word, name in _FIELDS if word in lowered), None)


def _identified(values: Mapping[str, str]) -> Identification:
    period, written, dated = (one_period(values.get(name, "")) for name in ("quarter", "year", "date"))
    quarter = _quarter(period) or _named_quarter(written)
    year = _year(written)
    if year is None:
        year = _full_year(period) or _short_year(period)
    day = date_of(dated)
    if day is None and year is None:
        year = _full_year(dated)
    firm = None if _says_nothing(values.get("firm", "")) else firm_of(values["firm"])
    if firm is None and quarter is None and year is None and day is None:
        return Identification()
    return Identification(firm, _industry(values.get("industry", "")), quarter, year, Outcome.ANSWERED, day)


def _fullness(found: Identification) -> int:
    return sum(
        value is not None for value in (found.firm, found.industry, found.quarter, found.year, found.date)
    )


def _says_nothing(value: str) -> bool:
    return bool(_UNKNOWN.match(value) or _TEMPLATE.match(value) or is_refusal(value))


def _industry(value: str) -> str | None:
    value = value.strip(" *_`\"'“”,;|.[]{}<>\t")
    return None if _says_nothing(value) or len(value) > 120 else value


def _quarter(value: str) -> int | None:
    lone = _LONE_QUARTER.match(value)
    return int(lone[1]) if lone else _named_quarter(value)


def _named_quarter(value: str) -> int | None:
    found = _QUARTER.search(value)
    if not found:
        return None
    return int(found[1] or found[2]) if found[1] or found[2] else _ORDINALS[found[3].lower()]


def _year(value: str) -> int | None:
    lone = _LONE_SHORT_YEAR.match(value) or _FLOAT_YEAR.match(value)
    if lone:
        return _century(int(lone[1])) if len(lone[1]) == 2 else _within(int(lone[1]))
    return _full_year(value) or _short_year(value)


def _full_year(value: str) -> int | None:
    years = (_within(int(found)) for found in _YEAR.findall(value))
    return next((year for year in years if year), None)


def _short_year(value: str) -> int | None:
    found = _SHORT_YEAR.search(value)
    return _century(int(found[1])) if found else None


def _century(two_digits: int) -> int:
    """'18 is 2018 and '98 is 1998: calls are not older than 1950, nor from after 2049."""
    return two_digits + (2000 if two_digits < 50 else 1900)


def _within(year: int) -> int | None:
    return year if EARLIEST_YEAR <= year <= LATEST_YEAR else None
