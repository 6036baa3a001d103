"""What somebody without the model's memory would say: the mean so far, the last value, last year's, an AR(1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neuter.scoring.recall.directions import in_same_shares
from neuter.scoring.recall.points import Floats, Ints, Points

#: Baselines that give a number, in the order of their rows.
NAIVE = ("mean", "previous", "year_ago", "ar1")
#: Tasks that a history gives baselines for.
HISTORICAL = ("rate", "level", "return")
#: Values that must be known before a date for a mean or an AR(1) to be had.
LEAST_HISTORY = 12
#: A history is of the values asked about if so many of the values at the dates asked are the same.
_SAME_VALUES = 0.9


@dataclass(frozen=True, slots=True)
class History:
    """Actual values by rising date; ``other`` is the second reading (split-adjusted closes), or the same again.

    ``firm`` has a name an entry where the series is one of firms (portfolios), and is None elsewhere.
    """

    date: Ints
    value: Floats
    other: Floats
    firm: NDArray[np.str_] | None = None

    def of(self, firm: str) -> History:
        """The values of one firm."""
        if self.firm is None:
            return self
        mine = self.firm == firm
        return History(self.date[mine], self.value[mine], self.other[mine])


def estimates(points: Points, history: History | None) -> dict[str, Floats]:
    """By name, a number a point from what was known before its date; NaN where there is none.

    ``previous`` and ``year_ago`` are the questions' own columns. ``mean`` and ``ar1`` need a history. Closes are put
    into the shares of the date asked about (a split is announced before it takes effect): for last year's that needs
    a history too.
    """
    previous, year_ago = points.previous, points.year_ago
    if points.other_reading == "split_adjusted":
        previous = in_same_shares(previous, points.previous_other, points.truth, points.other)[0]
        if history is not None:
            year_ago = _year_ago_in_same_shares(points, history)
    found = {"previous": previous, "year_ago": year_ago}
    if history is not None:
        found |= _from_history(points, history)
    return {name: found[name] for name in NAIVE if name in found}


def _year_ago_in_same_shares(points: Points, history: History) -> Floats:
    """Last year's close in the shares of today, by the ratio that traded and adjusted closes had then."""
    then = np.full(points.size, np.nan)
    for code, firm in enumerate(points.firms):
        mine, own = np.flatnonzero(points.firm == code), history.of(firm)
        # The last close up to a year before; three days more, as years and month ends differ by that.
        at = np.searchsorted(own.date, points.date[mine] - 362, side="right") - 1
        with np.errstate(all="ignore"):
            ratio = own.other / own.value
        then[mine] = np.where(at >= 0, ratio[np.maximum(at, 0)], np.nan) if own.date.size else np.nan
    return in_same_shares(points.year_ago, points.year_ago * then, points.truth, points.other)[0]


def _from_history(points: Points, history: History) -> dict[str, Floats]:
    adjusted = points.other_reading == "split_adjusted" and bool(np.isfinite(history.other).any())
    mean, ar1 = np.full(points.size, np.nan), np.full(points.size, np.nan)
    for code, firm in enumerate(points.firms):
        mine, own = points.firm == code, history.of(firm)
        values = own.other if adjusted else own.value
        known = np.isfinite(values)
        before = np.searchsorted(own.date[known], points.date[mine], side="left")
        mean[mine], ar1[mine] = mean_so_far(values[known], before), ar1_forecast(values[known], before)
    factor = points.truth / points.other if adjusted else 1.0
    return {"mean": mean * factor, "ar1": ar1 * factor}


def mean_so_far(values: Floats, before: Ints) -> Floats:
    """The mean of the first ``before`` values, for each entry; NaN for fewer than ``LEAST_HISTORY``."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    enough = before >= LEAST_HISTORY
    return np.where(enough, total[before] / np.maximum(before, 1), np.nan)


def ar1_forecast(values: Floats, before: Ints) -> Floats:
    """a + b · the last known value, with a and b by least squares on the pairs known until then.

    y[t] = a + b y[t−1] on the first ``before`` values, anew for each entry, so that nothing later is used. Where all
    of them are the same, the last value. NaN for fewer than ``LEAST_HISTORY`` values.
    """
    if values.size < 2:
        return np.full(before.shape, np.nan)
    # Sums of squares about a value near all of them lose fewer digits; the forecast does not depend on it.
    centre = float(values.mean())
    x, y = values[:-1] - centre, values[1:] - centre
    sums = [np.concatenate([[0.0], np.cumsum(column)]) for column in (x, y, x * x, x * y)]
    pairs = np.clip(before - 1, 0, None)
    n = np.maximum(pairs, 1)
    mean_x, mean_y, squares, products = (column[pairs] / n for column in sums)
    spread, joint = squares - mean_x**2, products - mean_x * mean_y
    flat = spread <= 1e-12 * np.maximum(squares, 1e-300)
    slope = np.where(flat, 1.0, joint / np.where(flat, 1.0, spread))
    last = values[np.clip(before - 1, 0, None)] - centre
    found = centre + np.where(flat, last, mean_y + slope * (last - mean_x))
    return np.where(before >= LEAST_HISTORY, found, np.nan)


def agrees(points: Points, history: History) -> bool:
    """Whether the history holds the very values asked about, at the dates that both have.

    Closes in place of returns, or another reading, would give baselines of something else.
    """
    there = np.full(points.size, np.nan)
    for code, firm in enumerate(points.firms):
        mine, own = np.flatnonzero(points.firm == code), history.of(firm)
        if own.date.size:
            at = np.minimum(np.searchsorted(own.date, points.date[mine]), own.date.size - 1)
            there[mine] = np.where(own.date[at] == points.date[mine], own.value[at], np.nan)
    both = np.isfinite(there) & np.isfinite(points.truth)
    if not both.any():
        return False
    same = np.abs(there - points.truth)[both] <= 1e-6 * np.maximum(np.abs(points.truth[both]), 1e-3)
    return bool(same.mean() >= _SAME_VALUES)


def monthly_returns(history: History) -> tuple[History, History]:
    """Returns in percent from the last close of one month to that of the next.

    Dated at the first day of their months, and again at the last day of which there is a close.
    """
    month = history.date.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    ends = np.flatnonzero(np.diff(month, append=month[-1:] + 1))
    months, next_to = month[ends][1:], np.diff(month[ends]) == 1
    value, other = (
        np.where(next_to, 100 * (column[ends][1:] / column[ends][:-1] - 1), np.nan)
        for column in (history.value, history.other)
    )
    firsts = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return History(firsts, value, other), History(history.date[ends][1:], value, other)


def fitting(points: Points, history: History | None) -> History | None:
    """The history if it is of the values asked about; for returns, also those that its closes give; else None."""
    if history is None or points.task not in HISTORICAL:
        return None
    if points.by_firm and history.firm is None:
        return None
    tried = [history]
    if points.task == "return" and history.date.size > 1 and history.firm is None:
        tried += monthly_returns(history)
    return next((one for one in tried if agrees(points, one)), None)
