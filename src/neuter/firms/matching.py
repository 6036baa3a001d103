"""Which firm a guess names: the public questions, each distinct string answered once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from neuter.firms.claims import Firms
from neuter.firms.guesses import readings
from neuter.firms.labels import firm_label
from neuter.firms.names import full_form, names_nobody, weak_form
from neuter.firms.steps import firms_named
from neuter.firms.universe import keyed_on_universe, month_number, ticker_key, universe
from neuter.types import Document

Labels = tuple[str, ...]


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
    wanted = resolve(truth, on)
    if wanted:
        return guess in wanted or bool(set(resolve(guess, on)) & set(wanted))
    return not names_nobody_at_all(truth) and matches(guess, "", truth, truth, on)


def matches(guess: str, label: str, ticker: str | None, firm: str | None, on: date | None) -> bool:
    """``same_firm`` from fields: the truth's label, its own ticker, then its own name (not in the universe)."""
    if is_label(guess) and guess == label:
        return True
    named = resolve(guess, on)
    if (label and label in named) or (ticker and is_own_ticker(guess, ticker)):
        return True
    if label in universe().by_label or is_label(guess):
        return False
    return not named and _equal_as_written(guess, ticker, firm)


def resolve(guess: str | None, on: date | None = None) -> Labels:
    """Labels of the firms that ``guess`` names, best first; empty where it names none.

    A ticker that is marked as such (or in capitals) comes before an exact name, an alias, a weak or short form
    and a misspelling; only firms of the first step that finds any are given. More than one label is returned
    only for a ticker or a full name that several firms bear at ``on``: a firm's own name comes before another's
    alias, then the larger firm first. A label is returned as it is.
    """
    if not guess:
        return ()
    return _answer(guess, None if on is None else month_number(on))


def resolve_many(
    guesses: Sequence[str | None], on: date | Sequence[date | None] | None = None
) -> list[Labels]:
    """``resolve`` for many guesses, each distinct pair of string and month looked up once.

    Args:
        guesses: strings, or None where nothing was said.
        on: one day for all of them, a day (or None) for each, or None.

    Raises:
        ValueError: ``on`` is a sequence of another length than ``guesses``.
    """
    if on is None or isinstance(on, date):
        months: list[int | None] = [None if on is None else month_number(on)] * len(guesses)
    else:
        months = [None if day is None else month_number(day) for day in on]
    known: dict[tuple[str | None, int | None], Labels] = {(None, month): () for month in set(months)}
    labels: list[Labels] = []
    for asked in zip(guesses, months, strict=True):
        answer = known.get(asked)
        if answer is None:
            known[asked] = answer = _look_up(asked[0] or "", asked[1])
        labels.append(answer)
    return labels


def is_label(text: str) -> bool:
    return text.startswith(("cik:", "ticker:", "name:")) and not text.startswith(("ticker: ", "name: "))


def names_nobody_at_all(text: str) -> bool:
    """True for an empty, generic or legal-form-only string that is no marked ticker either."""
    return not any(r.marked for r in readings(text)) and names_nobody(text)


@keyed_on_universe
@lru_cache(maxsize=100_000)
def _answer(guess: str, month: int | None) -> Labels:
    return _look_up(guess, month)


def _look_up(guess: str, month: int | None) -> Labels:
    index = universe()
    if is_label(guess):
        # A model may write "ticker:AAPL" too; as a label, that is only given to firms without a CIK.
        meant = guess.startswith("ticker:") and guess not in index.by_label
        return (_labels(firms_named(index, guess, month)) if meant else ()) or (guess,)
    return _labels(firms_named(index, guess, month))


def _labels(numbers: Firms) -> Labels:
    firms = universe().firms
    return tuple([firms[number].label for number in numbers])


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


def is_own_ticker(guess: str, ticker: str) -> bool:
    """True where ``guess`` is the document's own ticker, in capitals or marked as one, whoever else has held it.

    >>> is_own_ticker("NYSE:VIA", "via"), is_own_ticker("Coke", "COKE")
    (True, False)
    """
    own = ticker_key(ticker)
    return any(own in said.tickers and (said.marked or said.capitals) for said in readings(guess))


def _day_of(document: Document) -> date | None:
    from neuter.firms.periods import day_of

    return day_of(document.date, document.fiscal_year, document.fiscal_quarter, document.fiscal_year_end)
