"""What an interval is of: a mean as sums and counts by cluster, and the estimate that comes of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from neuter.scoring.forecasts.averaged import Floats


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval and standard error; None where there is none, ``caveat`` says why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    error: float | None = None
    caveat: str = ""

    def within(self, low: float, high: float) -> Estimate:
        """The same with the interval's ends held within what the figure can be."""
        if self.low is None or self.high is None:
            return self
        return replace(self, low=max(low, self.low), high=min(high, self.high))


NOTHING = Estimate(None)


@dataclass(frozen=True, eq=False)
class Side:
    """One mean: by cluster the sum of its values and their number."""

    sums: Floats
    counts: Floats

    @cached_property
    def n(self) -> float:
        """How many values the mean is over."""
        return float(self.counts.sum())

    @cached_property
    def mean(self) -> float:
        return float(self.sums.sum()) / self.n if self.n else math.nan

    @cached_property
    def clusters(self) -> float:
        """The effective number of clusters: (sum of n)² / sum of n² (Carter, Schnepel and Steigerwald 2017)."""
        squares = float(np.dot(self.counts, self.counts))
        return self.n**2 / squares if squares else 0.0

    @cached_property
    def residuals(self) -> Floats:
        """By cluster, what it adds to the mean's error."""
        return np.asarray((self.sums - self.counts * self.mean) / self.n)

    @property
    def variance(self) -> float:
        """The square of the mean's error, before the correction for few clusters."""
        return float(np.dot(self.residuals, self.residuals))

    @property
    def freedom(self) -> float:
        """Degrees of freedom of that variance: 2 / (2 / (G - 1) + excess kurtosis / G), at most G - 1.

        A variance that a few clusters make up is less sure than G - 1 says. Source: the variance of a sample variance
        (Cramér 1946, section 27.4), matched with that of a chi-squared variable (Satterthwaite 1946).
        """
        g = max(self.clusters, 1.0 + 1e-9)
        squares = self.residuals * self.residuals
        variance = float(squares.sum())
        excess = g * float(np.dot(squares, squares)) / variance**2 - 3 if variance else 0.0
        return 2 / (2 / (g - 1) + max(excess, 0.0) / g)


def averaged_sides(sides: Sequence[Side]) -> Side:
    """The mean of several means of equal weight as one side, exact in value and to first order in its error.

    The models are fixed: the interval says what other questions would have given, not other models.
    """
    told = [side for side in sides if side.n]
    if not told:
        return sides[0] if sides else Side(np.zeros(0), np.zeros(0))
    # Scaled so that a question that every model answered counts once.
    size = sum(side.n for side in told) / len(told)
    return Side(
        np.asarray(sum(size * side.sums / side.n for side in told) / len(told)),
        np.asarray(sum(size * side.counts / side.n for side in told) / len(told)),
    )
