"""Reading a guess as it was given: ``NASDAQ:AAPL``, ``$aapl``, ``Apple Inc. (AAPL)``, ``BRK/B``, a name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from neuter.firms.names import lexicon
from neuter.firms.universe import ticker_key

# Exchanges of other countries are left out on purpose: LSE:PRU is not the NYSE's PRU.
_EXCHANGE = (
    r"(?:nasdaq(?:\s?g[sm]|\s?cm)?|nyse(?:\s?(?:american|arca|mkt))?|amex|cboe|bats"
    r"|otc(?:qx|qb|mkts)?|us|symbol|ticker|tik)"
)
_MARKED = re.compile(
    rf"^\s*(?:{_EXCHANGE}\s*[:=]\s*\$?|[$>]+\s*|{_EXCHANGE}\s+(?=[A-Z]{{1,5}}\s*$))", re.IGNORECASE
)
_TICKER = re.compile(r"^[A-Za-z]{1,5}(?:[./\- ][A-Za-z])?$")
#: Endings that data vendors add: Bloomberg's "US Equity", Reuters' ".O".
_VENDOR = re.compile(r"(?:\s+U[SNQW](?:\s+equity)?|\s+equity|\.(?:US|OQ|O|N|K|Q))$", re.IGNORECASE)
_IN_PARENTHESES = re.compile(r"^(?P<name>.+?)\s*[\(\[](?P<inside>[^()\[\]]{1,30})[\)\]]\s*$")
_DASHED = re.compile(r"^(?P<name>.+?)\s+[-–—|:]\s+(?P<inside>\S{1,16})$")
_TRIM = " \t\r\n*_`'\"“”.,;:"


@dataclass(frozen=True, slots=True)
class Reading:
    """``tickers`` to be tried in order, ``marked`` when the guess says that it is one; ``name`` else."""

    tickers: tuple[str, ...]
    marked: bool
    name: str
    capitals: bool


def readings(guess: str) -> tuple[Reading, ...]:
    """The readings of ``guess``: one, or two where a name carries its ticker: "Apple Inc. (AAPL)"."""
    text = guess.strip().strip(_TRIM if not guess.strip().startswith("$") else " \t\r\n")
    pair = _IN_PARENTHESES.match(text) or _DASHED.match(text)
    if pair:
        inside, outside = _read(pair["inside"]), _read(pair["name"])
        place = pair["inside"].lower() in lexicon().register
        if not place and inside.tickers and (inside.marked or inside.capitals):
            return (Reading(inside.tickers, True, "", True), outside)
        if outside.tickers and outside.capitals and len(pair["name"]) <= 6:
            return (outside, Reading((), False, pair["inside"], False))
    return (_read(text),)


def _read(text: str) -> Reading:
    bare = _MARKED.sub("", text).strip()
    marked = bare != text
    forms = []
    for form in (bare, _VENDOR.sub("", bare)):
        if _TICKER.match(form) and ticker_key(form) not in forms:
            forms.append(ticker_key(form))
    capitals = bare.isupper()
    if not marked and not capitals and (len(bare) < 2 or bare.casefold() in lexicon().small_words):
        forms = []
    return Reading(tuple(forms), marked, "" if marked and forms else bare, capitals)
