"""One figure to be scored: its name and unit, a value a point, and which points take part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from neuter.scoring.recall.points import Bools, Floats

#: ``mean`` and ``share`` (of values 0 and 1) are averages; ``correlation`` is Pearson's of values and ``beside``;
#: ``skill`` is 1 − the mean of values / the mean of ``beside``, ``share_skill`` the same of wrong answers (0 and 1);
#: ``count`` is a sum.
Kind = Literal["mean", "share", "correlation", "skill", "share_skill", "count"]
#: From the points that take part to what the best constant answer scores on them.
Constant = Callable[[Bools], float]


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric of all points; NaN in ``values`` (or ``beside``) takes no part.

    Args:
        attacker: ``llm``, or the baseline whose figure it is.
        known: for shares that are also given over all questions: those that have the truth in question.
        first_out: for changes from the period before: among these, the first point of each firm is left out.
        least: the least that a mean can be.
    """

    metric: str
    unit: str
    kind: Kind
    values: Floats
    attacker: str = "llm"
    beside: Floats | None = None
    known: Bools | None = None
    first_out: Bools | None = None
    least: float = -np.inf
    constant: Constant | None = None

    @property
    def measured(self) -> Bools:
        """Points with a value."""
        there = np.isfinite(self.values)
        return there if self.beside is None else there & np.isfinite(self.beside)


def endings(figure: Figure) -> list[Figure]:
    """METRIC_all, METRIC_low and METRIC_high: over all questions, unanswered ones wrong, wrong and right.

    The same definition as of identification scores (docs/scores.md).
    """
    if figure.known is None:
        return []
    filled = {"_all": 0.0, "_low": 0.0, "_high": 1.0}
    there = np.isfinite(figure.values)
    return [
        replace(
            figure,
            metric=figure.metric + ending,
            values=np.where(figure.known & ~there, value, np.where(figure.known, figure.values, np.nan)),
            known=None,
            first_out=None if figure.first_out is None else np.ones_like(figure.first_out),
        )
        for ending, value in filled.items()
    ]
