"""Is the number remembered to the last printed digit, and is it within 1 percent?"""

from __future__ import annotations

import numpy as np

from neuter.scoring.recall.points import Floats

#: The distance, as a share of the actual value, of ``within_1_percent``.
NEAR = 0.01
#: Room for what a decimal number loses when a computer holds it.
_ROOM = 1e-9


def exact(estimate: Floats, actual: Floats, digits: Floats) -> Floats:
    """1 where the estimate, rounded to ``digits`` decimals, is the printed value; NaN where no source prints it.

    Half a unit of the last printed digit is the reach: |rounded estimate − actual| ≤ 0.5 · 10^−digits. A price of an
    eighth (13.125), which vendors print as either neighbour, is both. Source: issue 5 (exact-recall share).

    >>> exact(np.array([903.2512, 903.2, 1.0]), np.array([903.25, 903.25, 1.0]), np.array([2.0, 2.0, np.nan]))
    array([ 1.,  0., nan])
    >>> exact(np.array([13.12, 13.13, 13.14]), np.full(3, 13.125), np.full(3, 2.0))
    array([1., 1., 0.])
    """
    found = np.full(estimate.shape, np.nan)
    for places in np.unique(digits[np.isfinite(digits)]):
        here = digits == places
        apart = np.abs(np.round(estimate[here], int(places)) - actual[here])
        found[here] = apart <= 0.5 * 10.0**-places + _ROOM
    return np.where(np.isnan(estimate) | np.isnan(actual), np.nan, found)


def within_1_percent(estimate: Floats, actual: Floats) -> Floats:
    """1 where |estimate − actual| ≤ 1% of |actual|; NaN for an actual value of 0, which has no percent.

    >>> within_1_percent(np.array([101.0, 98.9, 0.0]), np.array([100.0, 100.0, 0.0]))
    array([ 1.,  0., nan])
    """
    near = np.abs(estimate - actual) <= NEAR * np.abs(actual) * (1 + _ROOM)
    unknown = np.isnan(estimate) | np.isnan(actual) | (actual == 0)
    return np.where(unknown, np.nan, near.astype(np.float64))
