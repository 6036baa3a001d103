"""What the best constant answer scores on the same points: the column ``baseline`` of shares (Table A1's idea)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from neuter.scoring.recall.exactness import NEAR
from neuter.scoring.recall.points import Floats


def most_frequent_share(truth: NDArray[np.generic]) -> float:
    """The share of the commonest truth: what always giving it scores.

    With thresholds it is the larger of the share above and the share not above; with changes, of up, down and
    unchanged. Source: Table A1, "Direction" and "Directional Change", of which it is the better answer.

    >>> most_frequent_share(np.array([1, -1, 1, 0]))
    0.5
    """
    if not truth.size:
        return float("nan")
    return float(np.unique(truth, return_counts=True)[1].max() / truth.size)


def nearest_share(truth: Floats) -> float:
    """The largest share of truths that one number is within 1% of; ours, for ``within_1_percent``.

    A number c is within 1% of y > 0 where c/1.01 ≤ y ≤ c/0.99; the best c is 1.01 times one of the truths.

    >>> nearest_share(np.array([100.0, 101.0, 102.0, 150.0]))
    0.75
    """
    if not truth.size:
        return float("nan")
    most = 0
    for side in (truth[truth > 0], -truth[truth < 0]):
        rising = np.sort(side)
        last = np.searchsorted(rising, rising * (1 + NEAR) / (1 - NEAR) * (1 + 1e-9), side="right")
        most = max(most, int((last - np.arange(rising.size)).max(initial=0)))
    return most / truth.size
