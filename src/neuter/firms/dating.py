"""Whether the month matters to what a guess names: most tickers and names have only ever been one firm's."""

from __future__ import annotations

from functools import lru_cache

from neuter.firms.guesses import Reading, alternatives
from neuter.firms.index import Claim, Universe
from neuter.firms.matching import is_label
from neuter.firms.names import full_form, names_nobody
from neuter.firms.steps import LONGEST, SHORTEST
from neuter.firms.universe import keyed_on_universe, universe


@keyed_on_universe
@lru_cache(maxsize=200_000)
def depends_on_month(guess: str) -> bool:
    """False only where ``resolve(guess, on)`` is the same for every day ``on``.

    That is so where every claim that the guess may be held against, of tickers and of names, is the same firm's and
    holds without end. Where the guess has no exact claim (a short form, a misspelling) the answer is True, since it is
    not looked into.
    """
    if is_label(guess):
        return guess.startswith("ticker:")
    if len(guess) > LONGEST:
        return False
    index = universe()
    return any(_varies(index, part) for one in alternatives(guess) for part in one.parts)


def _varies(index: Universe, part: Reading) -> bool:
    claims: list[Claim] = []
    for symbol in part.tickers:
        claims += [*index.tickers.get(symbol, ()), *index.capitals.get(symbol, ())]
    if part.name and not names_nobody(part.name):
        exact = _exact(index, part.name)
        if not exact and not (claims and (part.capitals or part.marked)):
            return True
        claims += exact
    return len({claim.firm for claim in claims}) > 1 or any(claim.strict for claim in claims)


def _exact(index: Universe, name: str) -> list[Claim]:
    words = full_form(name)
    together = "".join(words)
    run_together = index.together.get(together, ()) if len(together) >= SHORTEST else ()
    return [*index.full.get(words, ()), *run_together]
