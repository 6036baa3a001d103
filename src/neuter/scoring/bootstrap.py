"""The bootstrap over firms: one matrix of random weights, and what it says of many columns of sums at once."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from neuter.errors import UsageError

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]

#: Two-sided level of every interval.
LEVEL = 0.95
Z = float(ndtri(0.5 + LEVEL / 2))
TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
#: Where a resample has no standard error of its own.
BEYOND = 1e6
#: Firms whose weights are held in double precision at a time: 2,000 draws of them are 8 MB.
_FIRMS_AT_A_TIME = 512


def firm_weights(labels: Sequence[str], *, seed: int, draws: int) -> Weights:
    """Bootstrap weights, draws x firms: independent Poisson(1) counts from a stream of the firm's own.

    A firm's weights depend on ``seed`` and its label alone: another row, metric, scheme or firm never changes
    them, and two scores of the same firms are drawn together. To first order a ratio of weighted sums varies
    as under multinomial resampling of the firms (a Poisson bootstrap; Hanley and MacGibbon 2006).

    Raises:
        UsageError: less than one draw.
    """
    if draws < 1:
        raise UsageError(f"{draws} bootstrap draws", todo="Take at least 1; 2000 are usual")
    weights = np.empty((len(labels), draws), dtype=np.float32)
    table = _poisson_table()
    for row, label in zip(weights, labels, strict=True):
        key = hashlib.blake2b(f"{seed}\x00{label}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
        raw = np.random.Philox(key=int.from_bytes(key, "little")).random_raw(-(-draws // 4))
        np.take(table, raw.astype("<u8").view("<u2")[:draws], out=row)
    return weights.T


def percentile_ends(sums: Floats, counts: Floats, weights: Weights) -> tuple[Floats, Floats]:
    """Ends of the widened percentile interval of sum / count, by column (firms x columns; two firms or more each).

    The distances of the percentiles from the estimate are multiplied by ``widening`` for the column's effective
    number of firms.
    """
    estimate = sums.sum(axis=0) / counts.sum(axis=0)
    drawn_sums, drawn_counts = _totals(sums, weights), _totals(counts, weights)
    # A resample that drew none of the column's firms says nothing; its share is taken to be the estimate.
    empty = drawn_counts <= 0
    ratios = np.where(empty, estimate[:, None], drawn_sums / np.where(empty, 1, drawn_counts))
    low, high = np.quantile(ratios, TAILS, axis=1)
    factor = np.array([widening(effective_firms(column)) for column in counts.T])
    return estimate - (estimate - low) * factor, estimate + (high - estimate) * factor


def studentised_quantiles(sums: Floats, counts: Floats, weights: Weights) -> tuple[Floats, Floats]:
    """Quantiles of (drawn ratio - estimate) / its own standard error: the bootstrap-t, by column.

    The interval is estimate - upper quantile * error to estimate - lower quantile * error, with the error of
    ``linearised_error``. Source: Efron and Tibshirani (1993), section 12.5. A resample of firms that are all
    alike has no error of its own; it counts as infinitely far (``BEYOND``) on its side of the estimate.
    """
    # Without a large common part nothing cancels below; taking off whole numbers keeps whole sums exact.
    sums = sums - counts * np.round(sums.sum(axis=0) / counts.sum(axis=0))
    n, counted = _totals(counts, weights), _totals(counts**2, weights)
    drawn = np.maximum(n, 1.0)
    ratio = _totals(sums, weights) / drawn
    squares = _totals(sums**2, weights)
    variance = squares - 2 * ratio * _totals(sums * counts, weights) + ratio**2 * counted
    firms = (counts > 0).sum(axis=0)[:, None]
    error = np.sqrt(np.maximum(variance, 0) * firms / np.maximum(firms - 1, 1)) / drawn
    shift = np.where(n > 0, ratio - (sums.sum(axis=0) / counts.sum(axis=0))[:, None], 0)
    alike = variance <= 1e-12 * squares
    far = BEYOND * np.sign(np.where(np.abs(shift) <= 1e-12, 0, shift))
    low, high = np.quantile(np.where(alike, far, shift / np.where(alike, 1, error)), TAILS, axis=1)
    return low, high


def linearised_error(sums: Floats, counts: Floats) -> float:
    """The standard error of sum / count over firms (one column, every count above 0, two firms or more).

    Residuals are divided by the square root of 1 - the firm's share of the documents; where firms have equally
    many, that is the usual G/(G-1) on the variance. Source: Bell and McCaffrey (2002), for a mean.
    """
    n = float(counts.sum())
    residuals = sums - counts * (float(sums.sum()) / n)
    return math.sqrt(float((residuals**2 / (1 - counts / n)).sum())) / n


def effective_firms(counts: Floats) -> float:
    """(sum of n)^2 / sum of n^2: as many firms of equal size would say as much, where documents of a firm are alike.

    Source: Carter, Schnepel and Steigerwald (2017), for the same use: the degrees of freedom.
    """
    return float(counts.sum()) ** 2 / float((counts**2).sum())


def widening(firms: float) -> float:
    """sqrt(G/(G-1)) * t/z: a percentile interval of G firms is too narrow by about this factor.

    Source: Hesterberg (2015), "What teachers should know about the Bootstrap" (narrowness bias).
    """
    held = max(firms, 2.0)
    return math.sqrt(held / (held - 1)) * t_quantile(held) / Z


def t_quantile(firms: float) -> float:
    """Student's t for so many (effective) firms, two-sided at ``LEVEL``; for fewer than two as for two."""
    return float(stdtrit(max(firms - 1, 1.0), 0.5 + LEVEL / 2))


def _totals(columns: Floats, weights: Weights) -> Floats:
    """Weighted sums over firms, columns x draws.

    Whole numbers are exact in any order, in single precision up to 2^24 (twice as fast) and in double beyond, so
    that neither another column nor the number of threads changes a bit of the result.
    """
    if _exact_in_single(columns, weights):
        return (columns.T.astype(np.float32) @ weights.T).astype(np.float64)
    total = np.zeros((columns.shape[1], weights.shape[0]))
    for start in range(0, columns.shape[0], _FIRMS_AT_A_TIME):
        some = slice(start, start + _FIRMS_AT_A_TIME)
        total += columns[some].T @ weights[:, some].T.astype(np.float64)
    return total


def _exact_in_single(columns: Floats, weights: Weights) -> bool:
    """Whether every sum on the way is a whole number that single precision holds."""
    most = float(np.abs(columns).sum(axis=0).max(initial=0)) * float(weights.max(initial=0))
    return most < 2**24 and bool((columns == np.round(columns)).all())


@cache
def _poisson_table() -> NDArray[np.float32]:
    """Poisson(1) counts for each of the 65,536 values of two random bytes."""
    shares = np.cumsum([math.exp(-1) / math.factorial(k) for k in range(12)])
    return np.searchsorted(shares, (np.arange(65536) + 0.5) / 65536, side="right").astype(np.float32)
