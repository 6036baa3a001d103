"""The firm in an answer's value: the ticker where one is given, else the name as it stands."""

from __future__ import annotations

import re

_TICKER = r"[A-Z]{1,5}(?:[.\-/][A-Z]{1,2})?"
_EXCHANGE = r"(?:NASDAQ(?:GS|GM|CM)?|NYSE(?:[ ]?(?:American|Arca|MKT))?|AMEX|OTC\w*|CBOE|TSX|LSE|BATS|NMS)"
# The more surely something is a ticker, the earlier it is tried.
_TICKERS = (
    re.compile(rf"\b{_EXCHANGE}\s*[:\-]\s*\$?({_TICKER})\b"),
    re.compile(rf"\$({_TICKER})\b"),
    re.compile(rf"(?i:\b(?:ticker|symbol)(?: symbol)?)\W{{1,4}}\$?({_TICKER})\b"),
    re.compile(rf"\(\s*({_TICKER})\s*\)"),
    re.compile(rf"^\W*({_TICKER})\s*(?:[(\-–—:]|$)"),
)
#: Capitals in brackets that are no tickers.
_NO_TICKERS = frozenset(
    {"US", "U.S", "USA", "UK", "EU", "NYSE", "AMEX", "OTC", "TIK", "N/A", "NA", "FY", "CEO"}
)
_ABBREVIATIONS = frozenset(
    {"inc", "corp", "co", "ltd", "st", "mr", "dr", "cos", "bros", "mt", "ft", "plc", "intl"}
)
_SENTENCE_END = re.compile(r"(\w+)\.\s+(?=[A-Z])")
_LONGEST_NAME = 8


def firm_of(value: str) -> str | None:
    """The ticker in ``value``, or the firm's name, or None where it is a sentence without either.

    >>> firm_of("Apple Inc. (NASDAQ: AAPL)"), firm_of("$brk.b"), firm_of("General Electric")
    ('AAPL', 'BRK.B', 'General Electric')
    """
    value = value.strip(" \t*_`\"'“”‘’,;|[]{}<>")
    for pattern in _TICKERS:
        found = pattern.search(value)
        if found and found[1] not in _NO_TICKERS:
            return found[1]
    lone = re.fullmatch(r"\$?([A-Za-z]{1,5}(?:[.\-/][A-Za-z]{1,2})?)\.?", value)
    if lone and (lone[1].islower() or value.startswith("$")):
        return lone[1].upper()
    return _name(value)


def _name(value: str) -> str | None:
    name = _first_sentence(re.sub(r"\s*\([^()]*\)?", "", value)).strip(" \t*_`\"'“”,;:")
    name = name if _ends_abbreviated(name) else name.rstrip(".")
    words = name.split()
    if not 1 <= len(words) <= _LONGEST_NAME or not any(character.isalpha() for character in name):
        return None
    return " ".join(words)


def _first_sentence(value: str) -> str:
    for end in _SENTENCE_END.finditer(value):
        if len(end[1]) > 2 and end[1].lower() not in _ABBREVIATIONS:
            return value[: end.end(1)]
    return value


def _ends_abbreviated(name: str) -> bool:
    last = name.rstrip(".").rpartition(" ")[2].lower()
    return last in _ABBREVIATIONS or len(last) == 1
