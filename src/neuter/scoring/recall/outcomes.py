"""What became of the questions: how many were refused, and which share."""

from __future__ import annotations

import numpy as np

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
