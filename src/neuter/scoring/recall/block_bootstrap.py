"""The circular block bootstrap of a mean with blocks of automatic length: the other way to an interval over time.

``RecallScoring(intervals="blocks")`` takes it for means and shares. docs/recall-scores.md has how often it holds the
truth beside the default, which does so more often and draws nothing.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtrit

from neuter.scoring.bootstrap import BEYOND
from neuter.scoring.recall.points import Floats
from neuter.scoring.statistics import Interval

#: Studentised quantiles are held between Student's t and so many times it, as over firms.
_TIMES_T = 2.0
#: Numbers drawn at a time: 40 MB of them.
_DRAWN_AT_A_TIME = 5_000_000


def block_length(values: Floats) -> float:
    """The length of blocks that is best for the variance of a mean under a circular block bootstrap.

    (2 g² / d)^(1/3) · n^(1/3) with d = 4/3 s², where g and s are sums of |k| R(k) and of R(k), the autocovariances
    under a flat-top window up to twice the first of max(5, log10 n) successive lags whose autocorrelation is below
    2 √(log10 n / n). From 1 to min(3 √n, n/3). 1 where all values are the same. Source: Politis and White (2004),
    "Automatic block-length selection for the dependent bootstrap", with the correction of Patton, Politis and White
    (2009); the first of the lags, as in the authors' own program.
    """
    n = values.size
    apart = values - values.mean()
    if n < 6 or not float(apart @ apart) > 0:
        return 1.0
    successive = max(5, int(math.log10(n)))
    furthest = min(n - 1, math.ceil(math.sqrt(n)) + successive)
    most = math.ceil(min(3 * math.sqrt(n), n / 3))
    covariances = _autocovariances(apart, furthest)
    lags = min(2 * _first_small_lag(covariances, n, successive), furthest)
    k = np.arange(1, lags + 1)
    window = np.minimum(1.0, 2 * (1 - k / lags))
    weighted = window * covariances[1 : lags + 1]
    g, s = 2 * float(k @ weighted), float(covariances[0] + 2 * weighted.sum())
    if s == 0:
        return 1.0
    return float(min(max((2 * g**2 / (4 / 3 * s**2) * n) ** (1 / 3), 1.0), most))


def block_interval(values: Floats, *, seed: int, draws: int, level: float = 0.95) -> Interval:
    """The studentised interval of the mean over circular blocks; none for fewer than 3 values or no spread.

    Each draw joins random blocks, and its distance from the mean is in the standard error of its own blocks
    (Götze and Künsch 1996); the error of the mean is that of all n blocks.
    """
    n = values.size
    if n < 3 or np.ptp(values) <= 1e-12 * max(1.0, float(np.abs(values).max())):
        return Interval(None, None, "none", "fewer than 3 values, or all the same: no interval")
    mean, length = float(values.mean()), min(n // 2, max(1, round(block_length(values))))
    sums = np.concatenate([[0.0], np.cumsum(np.concatenate([values, values[: length - 1]]) - mean)])
    blocks = (sums[length:] - sums[:-length]) / length
    k = n / length
    error = math.sqrt(float(blocks @ blocks) / n / k * k / (k - 1))
    low, high = _quantiles(blocks, math.ceil(k), seed, draws, level)
    t = float(stdtrit(max(k - 1, 1.0), 0.5 + level / 2))
    below, above = (min(max(quantile, t), _TIMES_T * t) for quantile in (high, -low))
    return Interval(mean - below * error, mean + above * error, f"bootstrap-t over blocks of {length}")


def _quantiles(blocks: Floats, number: int, seed: int, draws: int, level: float) -> tuple[float, float]:
    """Quantiles of the drawn means in their own standard errors, about 0."""
    generator, found = np.random.Generator(np.random.Philox(seed)), []
    at_a_time = max(1, _DRAWN_AT_A_TIME // number)
    for start in range(0, draws, at_a_time):
        drawn = blocks[generator.integers(0, blocks.size, (min(at_a_time, draws - start), number))]
        mean, error = drawn.mean(axis=1), drawn.std(axis=1, ddof=1) / math.sqrt(number)
        alike = error <= 1e-12
        found.append(np.where(alike, BEYOND * np.sign(mean), mean / np.where(alike, 1.0, error)))
    low, high = np.quantile(np.concatenate(found), ((1 - level) / 2, (1 + level) / 2))
    return float(low), float(high)


def _autocovariances(apart: Floats, furthest: int) -> Floats:
    """R(0) to R(furthest), each a sum over n."""
    n = apart.size
    return np.array([float(apart[k:] @ apart[: n - k]) / n for k in range(furthest + 1)])


def _first_small_lag(covariances: Floats, n: int, successive: int) -> int:
    """The first of so many successive lags with a small autocorrelation; where there are none, the last lag."""
    small = np.abs(covariances[1:] / covariances[0]) < 2 * math.sqrt(math.log10(n) / n)
    runs = np.convolve(small, np.ones(successive), mode="valid") >= successive
    return int(np.argmax(runs)) + 1 if runs.any() else small.size
