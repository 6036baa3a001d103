"""How far a number is from the truth: errors in points, in percent, and of returns (notes of Tables 1, 2, 4 and 5)."""

from __future__ import annotations

import numpy as np

from neuter.scoring.recall.points import Floats


def error(estimate: Floats, actual: Floats) -> Floats:
    """Estimated − actual, in the unit of both (percentage points for rates). Source: Table 1, note ("For Rates").

    >>> error(np.array([3.5]), np.array([3.25]))
    array([0.25])
    """
    return np.asarray(estimate - actual)


def percent_error(estimate: Floats, actual: Floats) -> Floats:
    """100 · (estimated − actual) / actual. Source: Tables 1, 2, 4 and 5, notes.

    The actual value keeps its sign, as the paper has it: −90 for −100 is −10%. An actual value of 0 gives NaN: such
    points are left out and counted (../shared/paper-decisions.md).

    >>> percent_error(np.array([101.0, -90.0, 5.0]), np.array([100.0, -100.0, 0.0]))
    array([  1., -10.,  nan])
    """
    apart = estimate - actual
    return np.asarray(np.divide(100 * apart, actual, out=np.full(apart.shape, np.nan), where=actual != 0))


def mean_as_estimate(errors_of: str, actual: Floats) -> Floats:
    """Errors of the mean of the actual values, had it been the estimate for each. Source: Table A1, note.

    Args:
        errors_of: ``points`` or ``percent``.
    """
    mean = np.full(actual.shape, actual.mean() if actual.size else np.nan)
    return error(mean, actual) if errors_of == "points" else percent_error(mean, actual)
