"""Is the direction right: above or below a threshold, up or down from the period before, up or down in a word."""

from __future__ import annotations

import numpy as np

from neuter.scoring.recall.points import Bools, Floats, Ints

#: Two share units are the same where they differ by no more than this; between them lies no split.
SAME_SHARES = 0.04


def threshold_right(estimate: Floats, actual: Floats, threshold: Floats) -> Floats:
    """1 where estimate and actual are both strictly above the threshold, or both not; else 0; NaN where unknown.

    Source: Table 1, note ("Directional Accuracy"); strictness: ../shared/paper-decisions.md.

    >>> threshold_right(np.array([4.1, 4.0, 4.1]), np.array([4.2, 3.0, 4.0]), np.full(3, 4.0))
    array([1., 1., 0.])
    """
    return _where_known((estimate > threshold) == (actual > threshold), estimate, actual, threshold)


def change_right(estimate: Floats, actual: Floats, previous: Floats) -> Floats:
    """1 where sign(estimate − previous actual) = sign(actual − previous actual): up, down and unchanged are three.

    Source: Tables 1, 2, 4 and 5, notes ("Directional Accuracy Change"); ../shared/paper-decisions.md.

    >>> change_right(np.array([2.0, 2.0, 1.0]), np.array([3.0, 0.5, 1.0]), np.ones(3))
    array([1., 0., 1.])
    """
    same = np.sign(estimate - previous) == np.sign(actual - previous)
    return _where_known(same, estimate, actual, previous)


def change_right_by_estimates(estimate: Floats, actual: Floats, before: Ints) -> Floats:
    """The same against the previous ESTIMATE: sign(estimate − its predecessor) = sign(actual − its predecessor).

    Args:
        before: the place of the point's predecessor among the answered ones, −1 where it has none (of
            ``predecessors``). Estimates and actual values are compared over the same two dates.
    """
    at = np.where(before < 0, 0, before)
    rise, truly = estimate - estimate[at], actual - actual[at]
    found = _where_known(np.sign(rise) == np.sign(truly), rise, truly)
    return np.where(before < 0, np.nan, found)


def predecessors(answered: Bools, firm: Ints) -> Ints:
    """By point, the place of the answered point before it of the same firm, −1 where there is none.

    Points are in the order of their dates.

    >>> predecessors(np.array([True, False, True, True]), np.array([0, 0, 0, 1]))
    array([-1,  0,  0, -1])
    """
    found = np.full(answered.size, -1, dtype=np.int64)
    for code in np.unique(firm):
        mine = np.flatnonzero(firm == code)
        last = np.maximum.accumulate(np.where(answered[mine], mine, -1))
        found[mine[1:]] = last[:-1]
    return found


def first_of_each(part: Bools, firm: Ints) -> Bools:
    """The first point of each firm among those that take part: a change from the period before has one point less.

    >>> first_of_each(np.array([False, True, True, True]), np.array([0, 0, 1, 0]))
    array([False,  True,  True, False])
    """
    at = np.flatnonzero(part)
    found = np.zeros(part.size, dtype=np.bool_)
    found[at[np.unique(firm[at], return_index=True)[1]]] = True
    return found


def in_same_shares(
    previous: Floats, previous_other: Floats, actual: Floats, other: Floats
) -> tuple[Floats, Bools]:
    """The previous close in the shares of the date asked about, and where a split lies between the two.

    A close as traded falls by a split, which is no change of price: 500.04 before Apple's split of four for one is
    125.01 after it. Where traded and split-adjusted closes tell of a split between the two dates (their ratio moves
    by more than ``SAME_SHARES``), the previous close is taken from the split-adjusted ones.

    >>> in_same_shares(np.array([500.0]), np.array([125.0]), np.array([130.0]), np.array([130.0]))
    (array([125.]), array([ True]))
    """
    with np.errstate(all="ignore"):
        then, now = previous / previous_other, actual / other
        moved = np.abs(np.log(then / now)) > SAME_SHARES
        return np.where(moved, previous_other * now, previous), np.asarray(moved)


def sign_right(estimate: Floats, actual: Floats) -> Floats:
    """1 where a return has the sign of the true one (0 is a sign of its own). Source: Table 2, Monthly Returns."""
    return _where_known(np.sign(estimate) == np.sign(actual), estimate, actual)


def _where_known(right: Bools, *known: Floats) -> Floats:
    unknown = np.isnan(known).any(axis=0)
    return np.where(unknown, np.nan, right.astype(np.float64))
