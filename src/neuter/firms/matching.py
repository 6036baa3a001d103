"""Which firm a guess names: tickers and exact names first, short forms next, misspellings last."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from neuter.firms.claims import NOBODY, chosen
from neuter.firms.guesses import Reading, readings
from neuter.firms.labels import firm_label
from neuter.firms.names import Words, formal_name, full_form, lexicon, names_nobody, weak_form
from neuter.firms.universe import month_number, ticker_key, universe
from neuter.types import Document

#: A short form or a run-together spelling must have this many letters before it may name a firm.
SHORTEST = 3


def same_firm(guess: str | None, truth: Document | str, on: date | None = None) -> bool:
    """True where ``guess`` names the firm of ``truth``.

    Args:
        guess: a ticker in any form, a name, or a label ("cik:0000320193"), as an attacker gave it.
        truth: a document, or a ticker, name or label.
        on: the day that decides between firms which held the same ticker or name at different times;
            by default the document's own date (assumed from its fiscal period if need be).
    """
    if not guess:
        return False
    if isinstance(truth, Document):
        return matches(guess, firm_label(truth), truth.ticker, truth.firm, on or _day_of(truth))
    if not is_label(truth) and names_nobody_at_all(truth):
        return False
    wanted = resolve(truth, on)
    if wanted:
        return guess in wanted or bool(set(resolve(guess, on)) & set(wanted))
    return matches(guess, "", truth, truth, on)


def matches(guess: str, label: str, ticker: str | None, firm: str | None, on: date | None) -> bool:
    """``same_firm`` from fields: the truth's label, then its own ticker and name (not in the universe)."""
    if is_label(guess) and guess == label:
        return True
    named = resolve(guess, on)
    if label and label in named:
        return True
    if label in universe().by_label or is_label(guess):
        return False
    return not named and _equal_as_written(guess, ticker, firm)


def resolve(guess: str | None, on: date | None = None) -> tuple[str, ...]:
    """Labels of the firms that ``guess`` names, in the universe's order; empty where it names none.

    More than one label is returned only for a ticker or a full name that several firms bear at ``on``.
    """
    if not guess:
        return ()
    month = None if on is None else month_number(on)
    if is_label(guess):
        # A model may write "ticker:AAPL" too; as a label, that is only given to firms without a CIK.
        meant = (
            _resolve(guess, month) if guess.startswith("ticker:") and guess not in universe().by_label else ()
        )
        return meant or (guess,)
    return _resolve(guess, month)


def is_label(text: str) -> bool:
    return text.startswith(("cik:", "ticker:", "name:")) and not text.startswith(("ticker: ", "name: "))


def names_nobody_at_all(text: str) -> bool:
    """True for an empty, generic or legal-form-only string that is no marked ticker either."""
    return not any(r.marked for r in readings(text)) and names_nobody(text)


@lru_cache(maxsize=500_000)
def _resolve(guess: str, month: int | None) -> tuple[str, ...]:
    parts = [found for reading in readings(guess) if (found := _firms_of(reading, month))]
    if not parts:
        return ()
    # "Apple Inc. (MSFT)": a name and a ticker that disagree name nobody.
    agreed = frozenset.intersection(*parts)
    firms = universe().firms
    return tuple(firms[number].label for number in sorted(agreed))


def _firms_of(reading: Reading, month: int | None) -> frozenset[int]:
    by_ticker = _by_ticker(reading, month)
    if by_ticker and (reading.marked or reading.capitals):
        return by_ticker
    if not reading.name or names_nobody(reading.name):
        return NOBODY
    named = by_name(full_form(reading.name), month)
    return (_by_legal_form(reading.name, named) if len(named) > 1 else named) or by_ticker


def _by_legal_form(name: str, firms: frozenset[int]) -> frozenset[int]:
    """Of firms that differ by their legal form alone, those with the one that the guess gives."""
    said = formal_name(name)
    if said == full_form(name):
        return firms
    own = {number for number in firms for s in universe().firms[number].names if formal_name(s.value) == said}
    return frozenset(own) or firms


def _by_ticker(reading: Reading, month: int | None) -> frozenset[int]:
    index = universe()
    for symbol in reading.tickers:
        if not reading.marked and symbol.lower() in lexicon().nobody:
            continue
        # FORD is one firm's ticker and, as a guess, another's name: the hand-kept list says where both count.
        named = () if reading.marked else index.capitals.get(symbol, ())
        found = chosen(index.tickers.get(symbol, ()), month) | chosen(named, month)
        if found:
            return found
    return NOBODY


def by_name(words: Words, month: int | None) -> frozenset[int]:
    """Firms that a name's words mean: exact, run together, weak, short, and misspelt, in this order."""
    from neuter.firms.spelling import corrected

    if not words:
        return NOBODY
    exact = by_exact_name(words, month)
    if exact:
        return exact
    near = by_shortened_name(words)
    if near:
        return near
    fixed = corrected(words)
    if not fixed:
        return NOBODY
    # A lone word that is both misspelt and short of the full name says too little.
    return by_exact_name(fixed, month) or (by_shortened_name(fixed) if len(fixed) > 1 else NOBODY)


def by_exact_name(words: Words, month: int | None) -> frozenset[int]:
    """Firms whose full name or alias has these words, or these letters run together."""
    index = universe()
    claims = index.full.get(words)
    if not claims:
        together = "".join(words)
        claims = index.together.get(together) if len(together) >= SHORTEST else None
    return chosen(claims or (), month)


def by_shortened_name(words: Words) -> frozenset[int]:
    """The one firm whose name is ``words`` up to "holdings" or a word for what it does; else none."""
    index = universe()
    weak = weak_form(words)
    found = index.weak.get(weak, set())
    if len(found) == 1:
        return frozenset(found)
    if found or len("".join(words)) < SHORTEST:
        return NOBODY
    short = index.short.get(words, set())
    if len(short) == 1 and index.beginnings.get(words, set()) <= short:
        return frozenset(short)
    return NOBODY


def _equal_as_written(guess: str, ticker: str | None, firm: str | None) -> bool:
    """For a firm outside the universe: the guess is the document's own ticker or name, as far as words go."""
    for reading in readings(guess):
        if ticker and ticker_key(ticker) in reading.tickers:
            return True
        if firm and reading.name and not names_nobody(reading.name):
            own, said = full_form(firm), full_form(reading.name)
            if own and (own == said or weak_form(own) == weak_form(said) or "".join(own) == "".join(said)):
                return True
    return False


def _day_of(document: Document) -> date | None:
    from neuter.firms.periods import day_of

    return day_of(document.date, document.fiscal_year, document.fiscal_quarter, document.fiscal_year_end)
