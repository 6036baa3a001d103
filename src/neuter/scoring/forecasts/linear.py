"""Weighted least squares with standard errors over clusters, for the checks that are regressions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from neuter.scoring.forecasts.averaged import Floats, Ints
from neuter.scoring.forecasts.intervals import Estimate

#: A direction with less than this of the largest is none: the columns say the same.
_RANK = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Coefficients, their covariance over clusters (CR1), and how many clusters there are."""

    coefficients: Floats
    covariance: Floats
    clusters: int

    def estimate(self, place: int, level: float, *, caveat: str = "") -> Estimate:
        """One coefficient with Student's t interval, of clusters − 1 degrees of freedom."""
        value, error = (
            float(self.coefficients[place]),
            math.sqrt(max(0.0, float(self.covariance[place, place]))),
        )
        if error == 0 or self.clusters < 2:
            return Estimate(value, caveat=caveat or "nothing says how uncertain the figure is")
        t = float(stdtrit(self.clusters - 1, 0.5 + level / 2))
        return Estimate(value, value - t * error, value + t * error, error, caveat)


def fitted(
    y: Floats, columns: Floats, cluster: Ints, weights: Floats | None = None, *, absorbed: int = 0
) -> Fit | None:
    """Least squares of ``y`` (N) on ``columns`` (N, P); None where they do not determine it.

    The covariance is Liang and Zeger's with the correction G/(G−1) · (N−1)/(N−K) of Stata and statsmodels (CR1), K
    being P and what was ``absorbed`` before.
    """
    w = np.ones(y.size) if weights is None else weights
    here = w > 0
    y, columns, cluster, w = y[here], columns[here], cluster[here], w[here]
    n, p = columns.shape
    groups = np.unique(cluster, return_inverse=True)[1]
    count = int(groups.max(initial=-1)) + 1
    if n <= p + absorbed or count < 2:
        return None
    cross = columns.T @ (w[:, None] * columns)
    size = np.sqrt(np.diag(cross))
    if (size == 0).any() or np.linalg.cond(cross / np.outer(size, size)) > 1 / _RANK:
        return None
    inverse = np.linalg.inv(cross)
    coefficients = inverse @ (columns.T @ (w * y))
    scores = columns * (w * (y - columns @ coefficients))[:, None]
    summed = np.zeros((count, p))
    np.add.at(summed, groups, scores)
    correction = count / (count - 1) * (n - 1) / (n - p - absorbed)
    return Fit(coefficients, np.asarray(correction * inverse @ (summed.T @ summed) @ inverse), count)
