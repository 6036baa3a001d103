"""The jump of a regression discontinuity: local lines on both sides of a day, and an interval that allows for bias.

The estimate is local linear with a triangular kernel and the bandwidth of Imbens and Kalyanaraman (2012). Its
interval is the robust bias-corrected one of Calonico, Cattaneo and Titiunik (2014) with the pilot bandwidth equal to
the main one, which is the local quadratic estimate with its own standard error; ours is over clusters of questions.
So the interval is about another estimate than the one shown, and need not have it in its middle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from neuter.scoring.forecasts.averaged import Floats, Ints
from neuter.scoring.forecasts.intervals import Estimate
from neuter.scoring.forecasts.linear import Fit, fitted

#: Of the triangular kernel (Imbens and Kalyanaraman 2012, section 4.2).
_KERNEL = 3.4375
#: Fewer questions on a side within the bandwidth tell nothing: it is widened to hold them, or there is no jump.
FEWEST = 15


@dataclass(frozen=True, slots=True)
class Jump:
    """``estimate`` holds the local linear jump and the bias-corrected interval; ``bandwidth`` is in days."""

    estimate: Estimate
    bandwidth: float | None
    n: int


def jump_at(x: Floats, y: Floats, cluster: Ints, level: float) -> Jump:
    """The jump of ``y`` at ``x`` = 0 (days from the cutoff; 0 is after it)."""
    left, right = int((x < 0).sum()), int((x >= 0).sum())
    if min(left, right) < FEWEST:
        return Jump(
            Estimate(None, caveat=f"{left} questions before and {right} after: no jump"), None, left + right
        )
    bandwidth = held(x, imbens_kalyanaraman(x, y))
    near = np.abs(x) < bandwidth
    x, y, cluster = x[near], y[near], cluster[near]
    weights = 1 - np.abs(x) / bandwidth
    line, bow = (_local(x / bandwidth, y, cluster, weights, degree) for degree in (1, 2))
    n = x.size
    if line is None:
        return Jump(
            Estimate(None, caveat="the days or clusters are too few to fit a line on each side"), bandwidth, n
        )
    value = float(line.coefficients[1])
    if bow is None:
        return Jump(Estimate(value, caveat="the days or clusters are too few for an interval"), bandwidth, n)
    return Jump(_about(value, bow.estimate(1, level)), bandwidth, n)


def _about(value: float, robust: Estimate) -> Estimate:
    """The jump with the interval of the estimate that is free of bias, and a word where that leaves it out."""
    found, caveat = replace(robust, value=value), robust.caveat
    if robust.low is not None and robust.high is not None and not robust.low <= value <= robust.high:
        caveat = f"the jump free of bias, {robust.value:.3f}, is in the interval and this one is not"
    return replace(found, caveat=caveat).within(-1.0, 1.0)


def held(x: Floats, bandwidth: float) -> float:
    """The bandwidth, no longer than the days reach, and wide enough for :data:`FEWEST` questions on each side."""
    nearest = [np.sort(side)[FEWEST - 1] for side in (-x[x < 0], x[x >= 0])]
    return float(max(min(bandwidth, float(np.abs(x).max())), 1.05 * max(nearest), 1.0))


def imbens_kalyanaraman(x: Floats, y: Floats) -> float:
    """The bandwidth of Imbens and Kalyanaraman (2012), "Optimal bandwidth choice for the regression discontinuity
    estimator", section 4.2, with a cutoff at 0; infinite where nothing is near it, or the data show no curvature.
    The paper's floor of the squared third derivative, 0.01, is in units of ours, so that the days may be weeks.
    """
    n, spread = x.size, float(np.std(x, ddof=1))
    if spread == 0:
        return math.inf
    pilot = 1.84 * spread * n ** (-1 / 5)
    left, right = (x < 0) & (x >= -pilot), (x >= 0) & (x <= pilot)
    density = float(left.sum() + right.sum()) / (2 * n * pilot)
    if density == 0 or np.ptp(y) == 0:
        return math.inf
    noise = [float(np.var(y[side], ddof=1)) if side.sum() > 1 else float(np.var(y)) for side in (left, right)]
    cubic = np.column_stack([np.ones(n), x >= 0, x, x**2, x**3])
    third = 6 * float(np.linalg.lstsq(cubic, y, rcond=None)[0][4])
    curvature, regular = [], []
    for side, variance in zip((x < 0, x >= 0), noise, strict=True):
        count = int(side.sum())
        width = 3.56 * (variance / (density * max(third**2, 0.01 * float(np.var(y)) / spread**6))) ** (1 / 7)
        width *= count ** (-1 / 7)
        near = side & (np.abs(x) <= width)
        near = near if near.sum() > 3 else side
        bow = np.column_stack([np.ones(near.sum()), x[near], x[near] ** 2])
        curvature.append(2 * float(np.linalg.lstsq(bow, y[near], rcond=None)[0][2]))
        reach = min(width, float(np.abs(x[side]).max()))
        regular.append(2160 * variance / (near.sum() * reach**4) if reach > 0 else 0.0)
    bias = (curvature[1] - curvature[0]) ** 2 + sum(regular)
    if bias <= 0:
        return math.inf
    return float(_KERNEL * (sum(noise) / (density * bias)) ** (1 / 5) * n ** (-1 / 5))


def _local(x: Floats, y: Floats, cluster: Ints, weights: Floats, degree: int) -> Fit | None:
    """A polynomial on each side; the second coefficient is the jump at 0."""
    after = (x >= 0).astype(np.float64)
    powers = [x**k for k in range(1, degree + 1)]
    columns = np.column_stack([np.ones(x.size), after, *powers, *(after * power for power in powers)])
    return fitted(y, columns, cluster, weights)
