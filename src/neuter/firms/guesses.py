"""Reading a guess as it was given: ``NASDAQ:AAPL``, ``$aapl``, ``Apple Inc. (AAPL)``, ``BRK/B``, a name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from neuter.firms.index import ticker_key
from neuter.firms.names import LONGEST, full_form, lexicon

# Exchanges of other countries are left out on purpose: LSE:PRU is not the NYSE's PRU.
_EXCHANGE = (
    r"(?:nasdaq(?:\s?g[sm]|\s?cm)?|nyse(?:\s?(?:american|arca|mkt|am))?|amex|cboe|bats"
    r"|x(?:nas|nys|ase)|arcx|otc(?:qx|qb|mkts|pk)?|us|symbol|ticker|tik)"
)
_MARKED = re.compile(
    rf"^\s*(?:{_EXCHANGE}\s*[:=]\s*\$?|[$>#]+\s*|(?:nasdaq|nyse|amex)-(?=[A-Z]{{1,5}}\s*$)"
    # Without a mark between them, "Nasdaq Inc", "US Steel" and "Symbol Tech" are names.
    rf"|(?P<apart>(?!us\s){_EXCHANGE}\s+)(?=(?-i:[A-Z]{{1,5}}|[a-z]{{1,5}})\s*$))",
    re.IGNORECASE,
)
_TICKER = re.compile(r"^[A-Za-z]{1,5}(?:[./\- ][A-Za-z])?$")
#: Endings that data vendors add: Bloomberg's "US Equity", Reuters' ".O", FactSet's "-US".
_VENDOR = re.compile(r"(?:\s+U[SNQW](?:\s+equity)?|\s+equity|[:\-]US|\.(?:US|OQ|O|N|K|Q))$", re.IGNORECASE)
_SHARES = re.compile(r"(?<=\S)\s+(?:stocks?|shares|ticker|symbol)$", re.IGNORECASE)
_IN_PARENTHESES = re.compile(r"^(?P<name>.+?)\s*[\(\[](?P<inside>[^()\[\]]{1,60})[\)\]]\s*$")
_DASHED = re.compile(r"^(?P<name>.+?)\s+[-–—|:]\s+(?P<inside>\S.{0,60})$")
_WRAPPED = re.compile(r"^[\(\[]([^()\[\]]+)[\)\]]$")
_ONLY_EXCHANGE = re.compile(rf"^{_EXCHANGE}$", re.IGNORECASE)
_RENAMED = re.compile(
    r"^(?:(?:formerly|previously|once|now|also|currently)(?:\s+(?:known|trading|listed)\s+as)?"
    r"|f/?k/?a|a/?k/?a|n/?k/?a|d/?b/?a)[\s:.]+(?P<other>.+)$",
    re.IGNORECASE,
)
_TRIM = " \t\r\n*_`'\"“”.,;:"


@dataclass(frozen=True, slots=True)
class Reading:
    """``tickers`` to be tried in order, ``marked`` when the guess says that it is one; ``name`` else."""

    tickers: tuple[str, ...]
    marked: bool
    name: str
    capitals: bool


@dataclass(frozen=True, slots=True)
class Alternative:
    """Readings of one guess that must agree: those that name somebody, or, where ``every``, all of them."""

    parts: tuple[Reading, ...]
    every: bool = False


def alternatives(guess: str) -> tuple[Alternative, ...]:
    """Ways to read ``guess``, to be tried in order until one names somebody.

    One reading in most cases; two that must agree where a name carries its ticker, "Apple Inc. (AAPL)" or
    "Apple/AAPL"; the other name first where one is given, "X (formerly Twitter)".
    """
    text = guess.strip()[:LONGEST]
    text = text.strip(_TRIM if not text.startswith("$") else " \t\r\n")
    if text[:1] in ("(", "["):
        text = _WRAPPED.sub(r"\1", text)
    pair = _pair(text)
    if pair:
        return pair
    whole = Alternative((_read(text),))
    sides = text.split("/")
    if len(sides) == 2 and all(len(side.strip()) > 1 for side in sides):
        return (whole, Alternative(tuple(_read(side.strip()) for side in sides), every=True))
    return (whole,)


def readings(guess: str) -> tuple[Reading, ...]:
    """The readings of ``guess`` as it is mostly meant."""
    return alternatives(guess)[0].parts


def _pair(text: str) -> tuple[Alternative, ...]:
    """A name with its ticker, exchange, or other name beside it."""
    bracketed = _IN_PARENTHESES.match(text) if text.endswith((")", "]")) else None
    pair = bracketed or _DASHED.match(text)
    if not pair:
        return ()
    name, beside = pair["name"], pair["inside"].strip()
    renamed = _RENAMED.match(beside)
    if renamed:
        return (Alternative((_read(renamed["other"]),)), Alternative((_read(name),)))
    if bracketed and _ONLY_EXCHANGE.match(beside):
        return (Alternative((_read(name),)),)
    inside, outside = _read(beside), _read(name)
    if beside.lower() not in lexicon().register and inside.tickers and (inside.marked or inside.capitals):
        return (Alternative((Reading(inside.tickers, True, "", True), outside)),)
    if outside.tickers and outside.capitals and len(name) <= 6:
        return (Alternative((outside, Reading((), False, beside, False))),)
    return ()


def ticker_forms(text: str) -> tuple[str, ...]:
    """What a text that is known to be a ticker may stand for, as written first; none for other countries' exchanges.

    >>> ticker_forms("AAPL US Equity"), ticker_forms("BRK.B"), ticker_forms("LSE:PRU")
    (('AAPL',), ('BRK-B',), ())
    """
    return _forms(_MARKED.sub("", text).strip())


def _forms(bare: str) -> tuple[str, ...]:
    if len(bare) > 20:
        return ()
    forms = (bare, _VENDOR.sub("", bare))
    return tuple(dict.fromkeys(ticker_key(form) for form in forms if _TICKER.match(form)))


def _read(text: str) -> Reading:
    mark = _MARKED.match(text)
    if mark and mark["apart"] and " ".join(full_form(text)) in lexicon().nobody:
        return Reading((), False, text, False)  # "ticker x"
    bare = _SHARES.sub("", _MARKED.sub("", text)).strip()
    capitals = bare.isupper()
    forms = tuple(form for form in _forms(bare) if mark or _may_be_ticker(form, bare, capitals))
    # "Nasdaq OMX" is a name where no firm has the ticker OMX.
    name = (text if mark["apart"] else "") if mark and forms else bare
    return Reading(forms, bool(mark), name, capitals)


def _may_be_ticker(form: str, bare: str, capitals: bool) -> bool:
    """False for words that are seldom meant as the ticker that they are too: "na", "all"; but X is U.S. Steel."""
    if capitals:
        return len(form) == 1 or form.lower() not in lexicon().nobody
    small = len(bare) < 2 or bare.casefold() in lexicon().small_words
    return not small and form.lower() not in lexicon().nobody
