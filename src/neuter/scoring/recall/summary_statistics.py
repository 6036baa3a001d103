"""The statistics of Table A1: what a series is like, and how far off one is with its average as every estimate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from neuter.data.series import Frequency

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A figure (None where there is too little to compute it from), and of how many values it is."""

    value: float | None
    n: int


def simple_returns(values: pl.DataFrame, frequency: Frequency) -> pl.DataFrame:
    """The return of each period that follows the one before it: 100 · (vₜ / vₜ₋₁ − 1), in percent.

    Source: Table A1, panels A and B. The paper does not say which returns; simple ones give its means.

    Args:
        values: ``date`` and ``value``, in order. A period after a gap has no return, nor one after a value of 0.

    Returns:
        ``date`` and ``value``; the date is that of the later value.
    """
    pairs = _neighbours(values, frequency).filter(pl.col("before") != 0)
    return pairs.select("date", value=100 * (pl.col("value") / pl.col("before") - 1))


def changes(values: pl.DataFrame, frequency: Frequency) -> pl.DataFrame:
    """The change of each period on the one before it, vₜ − vₜ₋₁, as :func:`simple_returns` pairs them."""
    return _neighbours(values, frequency).select("date", value=pl.col("value") - pl.col("before"))


def mean(values: Floats) -> Statistic:
    """Σx / n.

    >>> mean(np.array([1.0, 2.0, 6.0]))
    Statistic(value=3.0, n=3)
    """
    return Statistic(float(values.mean()) if values.size else None, values.size)


def standard_deviation(values: Floats) -> Statistic:
    """√(Σ(x − x̄)² / (n − 1)): the sample's. The paper does not say which; n is so large that both print the same.

    >>> standard_deviation(np.array([1.0, 3.0]))
    Statistic(value=1.4142135623730951, n=2)
    """
    return Statistic(float(values.std(ddof=1)) if values.size > 1 else None, values.size)


def share_above(values: Floats, threshold: float) -> Statistic:
    """100 · (number of x > threshold) / n: "Direction" of Table A1. A value that equals the threshold is not above.

    So unemployment above 4 is 84.16% of 423 months, as the paper prints; with "at least 4" it would be 87.23%.

    >>> share_above(np.array([2.0, 3.0, 4.0, 5.0]), 3.0)
    Statistic(value=50.0, n=4)
    """
    return Statistic(100 * float((values > threshold).mean()) if values.size else None, values.size)


def share_rising(steps: Floats) -> Statistic:
    """100 · (number of steps > 0) / (number of steps): "Directional Change" of Table A1.

    A step of 0 is no rise and stays in the denominator: that gives the 53.59% of the S&P 500's days.

    Args:
        steps: returns or changes of periods that have a period before them; n values that follow one another give
            n − 1 of them.

    >>> share_rising(np.array([0.5, 0.0, -1.0, 2.0]))
    Statistic(value=50.0, n=4)
    """
    return share_above(steps, 0.0)


def mean_error(values: Floats) -> Statistic:
    """Σ(x̄ − x) / n, estimate less actual with the average as the estimate: 0 but for rounding (panel C)."""
    return mean(_errors(values))


def mean_absolute_error(values: Floats) -> Statistic:
    """Σ|x̄ − x| / n, in the values' unit (panel C)."""
    return mean(np.abs(_errors(values)))


def mean_percent_error(values: Floats) -> Statistic:
    """100 · Σ((x̄ − x) / x) / m over the m values that are not 0 (panel D). The average is over all values.

    ``n`` is m; with an actual of 0 there is no percent error (paper-decisions).
    """
    return mean(_percent_errors(values))


def mean_absolute_percent_error(values: Floats) -> Statistic:
    """100 · Σ|(x̄ − x) / x| / m over the m values that are not 0 (panel D)."""
    return mean(np.abs(_percent_errors(values)))


def _errors(values: Floats) -> Floats:
    return values.mean() - values if values.size else values


def _percent_errors(values: Floats) -> Floats:
    known = values != 0
    errors: Floats = 100 * _errors(values)[known] / values[known]
    return errors


def _neighbours(values: pl.DataFrame, frequency: Frequency) -> pl.DataFrame:
    """``date``, ``value`` and ``before``, the value one period before; a period after a gap is left out.

    Trading days are taken as they come: the one before a day is the one before it in the data.
    """
    pairs = values.sort("date").with_columns(before=pl.col("value").shift(1))
    if frequency != "daily":
        place = pl.col("date").dt.year() * 12 + pl.col("date").dt.month()
        step = {"monthly": 1, "quarterly": 3}[frequency]
        pairs = pairs.filter(place.diff() == step)
    return pairs.drop_nulls("before")
