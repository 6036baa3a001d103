"""What somebody without the model's memory would say: the mean so far, the last value, last year's, an AR(1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neuter.scoring.recall.directions import in_same_shares
from neuter.scoring.recall.points import Floats, Ints, Points

#: Baselines that give a number, in the order of their rows.
NAIVE = ("mean", "previous", "year_ago", "ar1")
#: Values that must be known before a date for a mean or an AR(1) to be had.
LEAST_HISTORY = 12
#: A history is of the values asked about if so many of the values at the dates asked are the same.
_SAME_VALUES = 0.9


@dataclass(frozen=True, slots=True)
class History:
    """Actual values by rising date; ``other`` is the second reading (split-adjusted closes), or the same again."""

    date: Ints
    value: Floats
    other: Floats


def estimates(points: Points, history: History | None) -> dict[str, Floats]:
    """By name, a number a point from what was known before its date; NaN where there is none.

    ``previous`` and ``year_ago`` are the questions' own columns, put into the shares of the date asked about where a
    split lies between. ``mean`` and ``ar1`` need a history; closes are then taken split-adjusted, and put into the
    shares of the date (a split is announced before it takes effect).
    """
    previous = points.previous
    if points.other_reading == "split_adjusted":
        previous = in_same_shares(previous, points.previous_other, points.truth, points.other)[0]
    found = {"previous": previous, "year_ago": points.year_ago}
    if history is not None and not points.by_firm:
        adjusted = points.other_reading == "split_adjusted" and bool(np.isfinite(history.other).any())
        values = history.other if adjusted else history.value
        known = np.isfinite(values)
        date, values = history.date[known], values[known]
        factor = points.truth / points.other if adjusted else 1.0
        before = np.searchsorted(date, points.date, side="left")
        found["mean"] = mean_so_far(values, before) * factor
        found["ar1"] = ar1_forecast(values, before) * factor
    return {name: found[name] for name in NAIVE if name in found}


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
    at = np.clip(np.searchsorted(history.date, points.date), 0, max(history.date.size - 1, 0))
    if not history.date.size:
        return False
    both = (history.date[at] == points.date) & np.isfinite(points.truth) & np.isfinite(history.value[at])
    if not both.any():
        return False
    there, true = history.value[at][both], points.truth[both]
    same = np.abs(there - true) <= 1e-6 * np.maximum(np.abs(true), 1e-3)
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
    if history is None or points.task not in {"rate", "level", "return"} or points.by_firm:
        return None
    tried = [history]
    if points.task == "return" and history.date.size > 1:
        tried += monthly_returns(history)
    return next((one for one in tried if agrees(points, one)), None)
