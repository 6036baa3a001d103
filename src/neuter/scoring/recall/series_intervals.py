"""Intervals for one series over time, whose errors are not independent: Student's t on cosine-weighted errors.

Nothing is drawn: the long-run variance comes from the series' first cosine coefficients (EWC; Lazarus, Lewis, Stock
and Watson 2018), so that an interval depends on its own series alone and costs one transform.
docs/recall-scores.md has how often these intervals hold the truth, beside block bootstraps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.fft import dct
from scipy.special import stdtrit

from neuter.scoring.recall.points import Floats
from neuter.scoring.statistics import Interval

#: Figures of fewer points have no interval.
FEWEST = 3
#: Cosine coefficients as a share of n^(2/3): Lazarus et al. (2018), equation 4 (0.41 minimises their loss).
_COSINES = 0.41
#: Hall's transformation is for moderate skewness of the mean; beyond this it says less than it seems to.
_MOST_SKEW = 1.5
#: An autocorrelation of more is as this one: the values are then few draws of something else.
_MOST_CORRELATION = 0.9
_METHOD = "t on cosine coefficients"


class Spread(NamedTuple):
    """The standard error of a mean, and Student's degrees of freedom for it."""

    error: float
    freedom: float


def spread(values: Floats, *, tails: bool = True) -> Spread:
    """The standard error of the mean of values that follow each other in time, and what it is worth.

    The largest of three variances: by the first B cosine coefficients, of an AR(1) with the values' own correlation
    (corrected by +(1 + 3r)/n; Kendall 1954), and of independent values: the first has no model but is too small where
    n is, and none is surer than independence. B coefficients make for B degrees of freedom. With an excess kurtosis k
    the estimate has a relative variance of 2/B + k/n, as chi-squared with 2 / (2/B + k/n) degrees has: few values far
    from the others are worth less than B (``tails``; ours, after Satterthwaite 1946).
    """
    n = values.size
    apart = values - values.mean()
    square = float(apart @ apart)
    cosines = cosines_of(n)
    coefficients = dct(apart, type=2, norm="ortho")[1 : cosines + 1]
    variance = max(
        float(coefficients @ coefficients) / cosines, _ar1_inflation(apart, square) * square / (n - 1)
    )
    worth = 2 / cosines
    if tails and square > 0:
        fourth = apart * apart
        worth += max(0.0, n * float(fourth @ fourth) / square**2 - 3) / n
    return Spread(math.sqrt(variance / n), max(1.0, 2 / worth))


def cosines_of(n: int) -> int:
    """How many cosine coefficients are taken of n values: 0.41 n^(2/3), from 2 to n − 1."""
    return int(min(n - 1, max(2, round(_COSINES * n ** (2 / 3)))))


def _ar1_inflation(apart: Floats, square: float) -> float:
    """(1 + r) / (1 − r), how many times the variance of a mean grows by an AR(1); never below 1."""
    if square <= 0:
        return 1.0
    raw = float(apart[1:] @ apart[:-1]) / square
    r = min(max(raw + (1 + 3 * raw) / apart.size, 0.0), _MOST_CORRELATION)
    return (1 + r) / (1 - r)


def mean_interval(values: Floats, level: float, *, positive: bool) -> Interval:
    """The interval of a mean; ``positive`` for values that cannot be below 0, such as absolute errors.

    Signed: mean ± t · error. Positive: exp(log mean ± t · error / mean), as most errors are small and a few large;
    its upper end is at most that of Hall's (1992) transformation for skewness, which stays finite where few differ.
    """
    if short := _too_few(values):
        return short
    mean = float(values.mean())
    if np.ptp(values) <= 1e-12 * max(1.0, abs(mean)):
        return Interval(None, None, "none", "all values are the same: no interval")
    error, freedom = spread(values)
    t = _t(freedom, level)
    if not positive or mean <= 0:
        return Interval(mean - t * error, mean + t * error, _METHOD)
    reach = t * error / mean
    high = _hall_upper(values, mean, error, t)
    if reach < 30:
        high = min(high, mean * math.exp(reach))
    return Interval(mean * math.exp(-reach), max(high, mean + t * error), _METHOD + ", on the log scale")


def _hall_upper(values: Floats, mean: float, error: float, t: float) -> float:
    """The upper end by Hall's (1992) cubic transformation of the mean's t, whose skewness it takes out."""
    apart = values - mean
    deviation = math.sqrt(float(apart @ apart) / values.size)
    skewness = float((apart / deviation) ** 2 @ (apart / deviation)) / values.size
    # Long runs of large errors make the mean as skew as fewer independent values would.
    skew = skewness * error / deviation
    skew = min(max(skew, -_MOST_SKEW), _MOST_SKEW)
    if abs(skew) < 1e-8:
        return mean + t * error
    shift = 3 / skew * (math.cbrt(1 - skew * (t + skew / 6)) - 1)
    return mean - shift * error


def share_interval(right: Floats, level: float) -> Interval:
    """Wilson's interval with as many independent answers as the long-run variance is worth, and t for z.

    Never of no width: where all answers are right, or all wrong, it is Wilson's of the number of answers, with t for
    as many cosine coefficients, since few answers say little of how they hang together.
    """
    if short := _too_few(right):
        return short
    n, share = right.size, float(right.mean())
    if share in {0.0, 1.0}:
        return _wilson(share, float(n), _t(float(cosines_of(n)), level))
    error, freedom = spread(right, tails=False)
    return _wilson(share, share * (1 - share) / error**2, _t(freedom, level))


def _wilson(share: float, n: float, z: float) -> Interval:
    scale = 1 + z**2 / n
    centre = (share + z**2 / (2 * n)) / scale
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / scale
    low = 0.0 if share == 0 else max(0.0, centre - half)
    return Interval(low, 1.0 if share == 1 else min(1.0, centre + half), "wilson, effective n")


def correlation_interval(first: Floats, second: Floats, level: float) -> Interval:
    """The interval of Pearson's correlation: Fisher's z ± t · error, the error from each point's influence on z.

    A point's influence on r is ab − r (a² + b²) / 2, with a and b in standard deviations (Devlin et al. 1975).
    """
    if short := _too_few(first):
        return short
    a, b = ((x - x.mean()) / x.std() for x in (first, second))
    r = float(a @ b) / first.size
    if abs(r) > 1 - 1e-9:
        return Interval(None, None, "none", "confidence and error lie on a line: no interval")
    influence = (a * b - r * (a * a + b * b) / 2) / (1 - r * r)
    error, freedom = spread(influence)
    middle, reach = math.atanh(r), _t(freedom, level) * error
    return Interval(math.tanh(middle - reach), math.tanh(middle + reach), "t on Fisher's z")


def skill_interval(errors: Floats, baseline: Floats, level: float) -> Interval:
    """The interval of 1 − mean error / mean baseline error: the logarithm of the ratio ± t · error (delta method)."""
    if short := _too_few(errors):
        return short
    mean, base = float(errors.mean()), float(baseline.mean())
    if mean <= 0 or base <= 0:
        return Interval(None, None, "none", "no error at all: no interval of the skill")
    influence = errors / mean - baseline / base
    if np.ptp(influence) <= 1e-12:
        return Interval(None, None, "none", "errors are as those of the baseline throughout: no interval")
    error, freedom = spread(influence)
    reach = min(_t(freedom, level) * error, 700.0)
    ratio = mean / base
    return Interval(1 - ratio * math.exp(reach), 1 - ratio * math.exp(-reach), "t on the log of the ratio")


def share_skill(wrong: Interval, base: float) -> Interval:
    """The interval of 1 − share wrong / the baseline's, from that of the share wrong.

    The baseline is taken as given, as in the skill of identification: what always saying "up" scores on these dates is
    a fact of these dates.
    """
    if wrong.low is None or wrong.high is None:
        return wrong
    return Interval(1 - wrong.high / base, 1 - wrong.low / base, wrong.method, wrong.caveat)


def _t(freedom: float, level: float) -> float:
    return float(stdtrit(min(freedom, 1e9), 0.5 + level / 2))


def _too_few(values: Floats) -> Interval | None:
    n = values.size
    return (
        Interval(None, None, "none", f"only {n} answer{'s' * (n != 1)}: no interval") if n < FEWEST else None
    )
