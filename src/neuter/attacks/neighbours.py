"""From one text's similarities with the reference to firms, period and sector."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from neuter.attacks.index import NONE, Floats, Integers, ReferenceIndex
from neuter.attacks.knowledge import Found, Period


def read_off(index: ReferenceIndex, similarities: Floats, *, neighbours: int, candidates: int) -> Found:
    """What the documents nearest to a text say; ``similarities`` is its row, with at least one above zero."""
    best = index.best_of_firms(similarities)
    ranked = _ranked(best, best > 0)
    nearest = _ranked(similarities, similarities > 0)
    return Found(
        firms=tuple(index.firms[code] for code in ranked[:candidates]),
        scores=tuple(float(best[code]) for code in ranked[:candidates]),
        period=_voted_period(index, similarities, nearest, ranked[0] if len(ranked) else NONE, neighbours),
        sector=next((index.sectors[at] for at in nearest if index.sectors[at] is not None), None),
    )


def prior(index: ReferenceIndex, id_: str, *, candidates: int) -> Found:
    """What the reference says of a text that has nothing in common with it: most frequent firm and period.

    The document ``id_`` itself is not counted. Every score is 0, as every similarity is.
    """
    others = np.ones(len(index), dtype=bool)
    others[list(index.positions.get(id_, ()))] = False
    firms = _frequencies(index.firm[others], len(index.firms))
    periods = _frequencies(index.period[others], len(index.periods))
    ranked = _ranked(firms, firms > 0)[:candidates]
    return Found(
        firms=tuple(index.firms[code] for code in ranked),
        scores=(0.0,) * len(ranked),
        period=index.periods[int(periods.argmax())] if periods.any() else None,
        sector=None,
    )


def _voted_period(
    index: ReferenceIndex, similarities: Floats, nearest: Integers, firm: int, neighbours: int
) -> Period | None:
    """The period with the largest sum of similarities among the nearest documents of OTHER firms.

    The guessed firm's own documents do not vote: they are the nearest of all, and a firm speaks once a
    quarter, so each of them stands for a period that the text is not of.
    """
    dated = nearest[index.period[nearest] != NONE]
    voters = dated[index.firm[dated] != firm] if firm != NONE else dated
    voters = (voters if len(voters) else dated)[:neighbours]
    if not len(voters):
        return None
    # The first of equal sums is the earliest period, since periods are sorted.
    votes = np.bincount(index.period[voters], weights=similarities[voters])
    return index.periods[int(votes.argmax())]


def _ranked(values: npt.NDArray[np.number], kept: npt.NDArray[np.bool_]) -> Integers:
    """Positions of the kept values, largest first; equal ones in their own order, which is by label."""
    order = np.argsort(-values, kind="stable")
    ranked: Integers = order[kept[order]]
    return ranked


def _frequencies(codes: Integers, length: int) -> Integers:
    counts: Integers = np.bincount(codes[codes != NONE], minlength=length)
    return counts
