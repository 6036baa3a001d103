"""Patterns of `rules`: numbers with their units, dates and periods, tickers, links, in digits and in words.

The words come from ``lexicon.toml``; the ticker forms are those that the anonymization prompt lists
(The Memorization Problem, appendix B.6).

Every repetition of words is bounded, and a run of letters is read from its start alone: a hostile text takes
time in proportion to its length. What is beyond a bound is found as a second span.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from neuter.masking.spans import Span

#: A pattern outweighs the neural tagger when the two name different kinds for one place.
WEIGHT = 10


@cache
def lexicon() -> Mapping[str, Any]:
    """The word lists, as the file has them."""
    return tomllib.loads((files("neuter.masking") / "lexicon.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled expression and the kind of what it finds; ``group`` is the part that is replaced."""

    kind: str
    expression: re.Pattern[str]
    group: int | str = 0
    weight: int = WEIGHT

    def spans(self, text: str) -> Iterator[Span]:
        for match in self.expression.finditer(text):
            start, end = match.span(self.group)
            yield Span(start, end, self.kind, self.weight)


def find(text: str) -> list[Span]:
    """Everything that the patterns find in ``text``; spans may overlap."""
    return [*(span for pattern in all_patterns() for span in pattern.spans(text)), *_words_with_digits(text)]


@cache
def all_patterns() -> tuple[Pattern, ...]:
    """The patterns, compiled once."""
    return (*_link_patterns(), *_ticker_patterns(), *_time_patterns(), *_number_patterns())


def _any(alternatives: Iterable[str]) -> str:
    return "(?:" + "|".join(sorted(alternatives, key=len, reverse=True)) + ")"


def _pattern(
    kind: str, expression: str, *, cased: bool = False, group: int | str = 0, weight: int = WEIGHT
) -> Pattern:
    return Pattern(kind, re.compile(expression, 0 if cased else re.IGNORECASE), group, weight)


# --- numbers -----------------------------------------------------------------------------------------------


@cache
def digits() -> str:
    """A number in digits: 1,234.5, .75, 3/4, 2:1, 10-K's 10 stays whole with its letters elsewhere."""
    return r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:/\d+)?|\.\d+)"


@cache
def spelled() -> str:
    """A cardinal in words: twenty-one, two hundred and five thousand, three quarters."""
    numbers = lexicon()["numbers"]
    atom = _any(
        [*numbers["ones"], *numbers["tens"], "a hundred", "a thousand", "a million", "a billion", "a dozen"]
    )
    more = _any([*numbers["ones"], *numbers["tens"], *numbers["scales"], *numbers["fractions"]])
    return rf"(?:{atom}(?:(?:[ -]|\s+and\s+(?:a\s+)?|\s+point\s+){more}){{0,12}})"


def _number_patterns() -> list[Pattern]:
    numbers, units = lexicon()["numbers"], lexicon()["units"]
    sign = _any(units["currency_signs"])
    word_scale = rf"(?:[ -]?{_any(numbers['scales'])})\b"
    letter_scale = rf"(?-i:{_any(numbers['scale_letters'])})\b"
    unit_words = _any(
        [*(u for u in units["percent"] if u != "%"), *units["currency_words"], *units["measures"]]
    )
    unit = rf"(?:\s?%|[ -]?(?:u\.?s\.? )?{unit_words}\b)"
    duration = rf"(?:[ -]{_any(units['durations'])}(?:[ -]old)?\b)"
    value = rf"(?:{digits()}|{spelled()})"
    quantity = (
        rf"(?:[+−–-]\s?)?(?:{sign}\s?)?(?:[+−-]\s?)?{value}"
        rf"(?:{letter_scale}|(?:{word_scale}){{0,2}})(?:{duration}|{unit}{{0,2}})"
    )
    approximate = rf"(?:(?:{_any(numbers['approximators'])})\s+){{0,3}}"
    between = r"(?:between\s+)?"
    start = r"(?<![\w.,/])"
    counted = (
        rf"{start}{approximate}{between}{approximate}{quantity}"
        rf"(?:\s?(?:to|through|-|–|—)\s?{approximate}{quantity})?(?!\w)"
    )
    ordinals = _any(numbers["ordinals"])
    # "a quarter of our customers" is a share; "a quarter of fiscal 2021" is a time.
    fraction = (
        r"\b(?:(?:a|one|the)[ -](?:half|third|quarter|fourth|fifth|tenth)"
        rf"|(?:two|three|four)[ -]{_any(numbers['fractions'])})\b"
        r"(?= (?:of|as|to|that) (?!(?:fiscal|calendar|the year|\d)))"
    )
    bare = _any(numbers["scales"][:4])
    return [
        _pattern("number", counted),
        _pattern("number", rf"(?<![\w]){sign}\s?{digits()}"),
        _pattern(
            "number", rf"\b(?:{spelled()}[ -])?(?:\d+(?:st|nd|rd|th)|{ordinals})s?\b(?![- ](?:quarter|half))"
        ),
        _pattern("number", fraction, weight=WEIGHT + 3),
        _pattern(
            "number",
            rf"\b(?:{bare}|dozens)(?: of {bare})?(?:\s{unit_words})?\b",
        ),
        _pattern(
            "number",
            r"\b(?:double|triple|single|mid|low|high|upper|lower)[- ](?:single|double|triple)?[- ]?digits?\b",
        ),
        _pattern("number", r"(?<![\w])(?:\+?1[-. ])?\(?\d{3}\)?[-. ]\d{3}[-. ]\d{4}\b", weight=WEIGHT + 1),
        _pattern("number", r"\b(?:19|20)?\d{2}s\b"),
        _pattern("product", r"\b[A-Z][A-Za-z]*-\d+\w*(?:-\w+)*\b", cased=True, weight=2),
    ]


_RUN_WITH_A_DIGIT = re.compile(r"(?<![\w-])[\w-]*\d[\w-]*")
_UP_TO_LAST_LETTER = re.compile(r"[\w-]*[A-Za-z]")
_UP_TO_LAST_DIGIT = re.compile(r"[\w-]*\d")
_HYPHENATED = re.compile(r"\w+(?:-\w+)*")


def _words_with_digits(text: str) -> Iterator[Span]:
    """Letters and digits in one word name a product, a model or a measure: keep them from being half masked."""
    for run in _RUN_WITH_A_DIGIT.finditer(text):
        letter, digit = (
            _UP_TO_LAST_LETTER.match(text, *run.span()),
            _UP_TO_LAST_DIGIT.match(text, *run.span()),
        )
        if letter is None or digit is None:
            continue
        for word in _HYPHENATED.finditer(text, *run.span()):
            # Hyphens in a row part two words, and the first counts as mixed with what follows it ("X--5").
            if word.start() < min(letter.end(), digit.end()):
                yield Span(word.start(), word.end(), "product", 1)


# --- times -------------------------------------------------------------------------------------------------


def _time_patterns() -> list[Pattern]:
    time = lexicon()["time"]
    year = r"(?:(?:19|20)\d{2})"
    short_year = rf"(?:{year}|['’]?\d{{2}})"
    spelled_year = rf"(?:(?:20|19)\d{{2}}|['’]\d{{2}}|(?:twenty|nineteen)[ -]{spelled()}|{spelled()})"
    fiscal = rf"(?:(?:fiscal|calendar)(?:[ -]year)?|FY|CY)\s?(?:{short_year}|{spelled_year})"
    a_year = rf"(?:{fiscal}|{year}|(?:this|last|next|the|our) (?:fiscal |calendar )?year)"
    of_year = rf"(?:,?\s(?:of\s|in\s|for\s)?(?:the\s)?{a_year}|\s?['’]\d{{2}}|\s?-?\s?FY\s?['’]?\d{{2,4}})?"
    order = r"(?:first|second|third|fourth|last|final|1st|2nd|3rd|4th)"
    quarter = (
        rf"(?:the\s|our\s|this\s)?(?:fiscal(?:\s(?:year\s)?\d{{4}}'?s?)?[ -]|calendar\s)?"
        rf"(?:{order}[- ](?:fiscal[- ])?(?:quarter|half)(?:'s|’s|s)?|Q[1-4]|[1-4]Q|[1-2]H|H[1-2]){of_year}"
    )
    compact = r"(?:Q[1-4]|[1-4]Q|[12]H|H[12])[- ]?(?:FY)?['’]?\d{2}(?:\d{2})?"
    months, unclear = _any(time["months"]), _any(time["ambiguous_months"])
    clear = _any(set(time["months"]) - set(time["ambiguous_months"]))
    part = r"(?:(?:the\s)?(?:end|beginning|middle|start|first half|second half) of\s|mid[- ]|late\s|early\s|later in\s)"
    day = r"(?:\d{1,2}(?:st|nd|rd|th)?)"
    dated = (
        rf"{months}\s(?:the\s)?{day}(?:\s?(?:-|–|to|through|and)\s?{day})?(?:,?\s(?:of\s)?{year})?"
        rf"|{day}(?:\sof)?\s{months}(?:,?\s{year})?|{months},?\s(?:of\s)?{a_year}"
    )
    determiner, unit = _any(time["determiners"]), _any(time["units"])
    relative = (
        rf"(?:{determiner}[- ]){{1,5}}(?:{spelled()}[- ]|\d+[- ])?(?:{determiner}[- ]){{0,3}}{unit}(?:'s|’s|')?"
        rf"(?:\s(?:of|in)\s(?:the\s|this\s|last\s|next\s|our\s)?(?:{fiscal}|{year}|year|quarter|month))?"
    )
    before = "|".join(
        rf"(?<=\b{re.escape(word)}\s)" for word in time["before_month"] if not word.endswith("-")
    )
    return [
        _pattern("quarter", rf"\b{compact}\b", weight=WEIGHT + 2),
        _pattern("quarter", rf"\b{quarter}\b", weight=WEIGHT + 2),
        _pattern("year", rf"\b{fiscal}\b", weight=WEIGHT + 1),
        _pattern(
            "year", rf"(?<![\w$€£.,]){year}s?(?:\s?[-–/]\s?{short_year})?(?![\w%]|[.,]\d)", weight=WEIGHT + 1
        ),
        _pattern("year", r"(?<!\w)['’]\d{2}\b", weight=WEIGHT + 1),
        _pattern("date", rf"\b{part}?(?:{dated})\b", weight=WEIGHT + 2),
        _pattern("date", rf"(?i:\b{part})?\b(?-i:{clear})(?:[-/](?-i:{months}))?(?!\w)", weight=WEIGHT),
        _pattern("date", rf"(?:{before})(?i:{part})?(?-i:{unclear})(?!\w)", weight=WEIGHT),
        _pattern("date", r"\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b|\b\d{4}-\d{2}-\d{2}\b", weight=WEIGHT + 2),
        _pattern("time", rf"\b(?:the\s)?(?:{_any(time['words'])})(?:'s|’s)?\b"),
        _pattern("time", r"\b\d{1,2}(?::\d{2})?\s?(?:a\.?m\b\.?|p\.?m\b\.?)", weight=WEIGHT + 2),
        _pattern("time", r"\b\d{1,2}:\d{2}\b"),
        _pattern("time", rf"\b{relative}\b"),
        _pattern("time", rf"\b(?-i:{_any(time['weekdays'])})(?:s|'s)?\b"),
        _pattern("time", rf"\b(?-i:{_any(time['holidays'])})\b"),
        _pattern("time", rf"\b(?:the\s|this\s|last\s|next\s|early\s|late\s)?{_any(time['seasons'])}\b"),
        _pattern("time", rf"\b(?:the|this|last|next|early|late)\s{_any(time['seasons_after_determiner'])}\b"),
        _pattern("time", r"\b(?:years?|quarters?|months?|weeks?|days?|decades?)[- ](?:long|end|old)\b"),
        _pattern("event", rf"\b(?:the\s)?{_any(lexicon()['identifiers']['period_events'])}\b"),
    ]


# --- identifiers -------------------------------------------------------------------------------------------


def _ticker_patterns() -> list[Pattern]:
    exchange = _any(lexicon()["identifiers"]["exchanges"])
    symbol = r"(?P<symbol>[A-Z]{1,5}(?:[.\-/][A-Z]{1,2})?)\b"
    return [
        _pattern("market", rf"\b(?i:{exchange})(?!\w)", cased=True),
        _pattern(
            "ticker", rf"\b(?i:{exchange})\s?[:\-]\s?{symbol}", cased=True, group="symbol", weight=WEIGHT + 3
        ),
        _pattern(
            "ticker",
            rf"\b(?i:symbols?|tickers?)(?i:\s(?:is|are|symbol))?\s?:?\s?[\"“‘']?{symbol}",
            cased=True,
            group="symbol",
            weight=WEIGHT + 3,
        ),
        _pattern("ticker", rf"(?<![\w<>])(?:\$\s?>|>|\$)\s?{symbol}", cased=True, weight=WEIGHT + 3),
    ]


def _link_patterns() -> list[Pattern]:
    domains = _any(lexicon()["identifiers"]["top_level_domains"])
    label = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
    server = rf"@{label}(?:\.{label})+"
    short_label = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"  # 63 at most, as in any address (RFC 1035, 2.3.4)
    return [
        _pattern("link", r"\b(?:https?://|ftp://|www\.)[^\s<>\"“”]*[^\s<>\"“”.,;:!?)\]']", weight=WEIGHT + 5),
        _pattern("link", rf"(?<![\w.+-])[\w.+-]+{server}(?:[\w.+-]*{server})*", weight=WEIGHT + 5),
        _pattern(
            "link",
            rf"\b(?:{short_label}\.){{1,20}}{domains}\b(?:/[^\s<>\"“”]*[^\s<>\"“”.,;:!?)\]'])?",
            weight=WEIGHT + 4,
        ),
        _pattern("link", rf"\b(?:\w+ dot ){{1,20}}{domains}\b", weight=WEIGHT + 4),
        _pattern("link", r"(?<!\w)@[A-Za-z_]\w{1,30}\b", weight=WEIGHT + 4),
    ]
