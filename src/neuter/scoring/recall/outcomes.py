"""What became of the questions: how many were refused, which share, and which share was given exactly."""

from __future__ import annotations

import numpy as np

from neuter.scoring.recall.exactness import exact
from neuter.scoring.recall.figure import Figure
from neuter.scoring.recall.points import OUTCOMES, Points


def outcome_figures(points: Points) -> list[Figure]:
    """``refusals``, a number of questions, and ``refusal_share`` in percent, both of all questions asked.

    A refusal is an answer of "null" or 0 (Tables 1, 4 and 5, notes), which is decided where answers are read.
    """
    refused = (points.outcome == OUTCOMES.index("refused")).astype(np.float64)
    return [
        Figure("refusals", "count", "count", refused),
        Figure("refusal_share", "percent", "share", refused),
    ]


def exact_with_refusals(points: Points) -> Figure:
    """``exact_share_with_refusals``: right to the last printed digit, of the numbers that were answered or refused.

    Ours: where a model is told to forget, refusing is one way to do so, so that a refusal counts as giving nothing.
    Calls that failed and answers that could not be read say nothing of memory, and are left out.
    """
    said = np.where(points.answered, points.number, np.nan)
    right = exact(said, points.truth, points.digits)
    known = np.isfinite(points.truth) & np.isfinite(points.digits)
    refused = points.outcome == OUTCOMES.index("refused")
    return Figure("exact_share_with_refusals", "percent", "share", np.where(known & refused, 0.0, right))
