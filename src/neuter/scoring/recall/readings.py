"""Which of two readings of a value does a model remember: the traded or the split-adjusted close, first or latest?"""

from __future__ import annotations

import numpy as np

from neuter.scoring.recall.points import Floats

#: Readings that differ by no more than this share of the larger one are not told apart.
TOLD_APART = 0.02


def closer_to_other(estimate: Floats, actual: Floats, other: Floats) -> Floats:
    """1 where the estimate is closer to the other reading than to the truth, 0 where it is farther; else NaN.

    Only points count whose readings differ by more than 2% of the larger one (so that rounding decides nothing), and
    no ties. Where all three are positive the distance is that of logarithms: of 280 and 10, 60 is closer to 280 (a
    factor of 4.7 against 6), as prices before and after splits are compared. Else it is the plain difference.
    Source: ours (issue 5, "which price does the model remember?", "vintage").

    >>> closer_to_other(np.array([10.5, 60.0, 100.0]), np.array([280.0, 280.0, 100.0]), np.array([10.0, 10.0, 101.0]))
    array([ 1.,  0., nan])
    """
    with np.errstate(all="ignore"):
        apart = np.abs(actual - other) > TOLD_APART * np.maximum(np.abs(actual), np.abs(other))
        ratios = (estimate > 0) & (actual > 0) & (other > 0)
        to_truth = np.where(ratios, np.abs(np.log(estimate / actual)), np.abs(estimate - actual))
        to_other = np.where(ratios, np.abs(np.log(estimate / other)), np.abs(estimate - other))
    # A negative estimate of a positive price cannot be compared by ratios; the plain difference still can.
    counts = apart & (to_truth != to_other) & np.isfinite(estimate)
    return np.where(counts, (to_other < to_truth).astype(np.float64), np.nan)
