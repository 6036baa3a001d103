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
_TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
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
        key = hashlib.blake2b(f"{seed}\x00{label}".encode(), digest_size=16).digest()
        raw = np.random.Philox(key=int.from_bytes(key, "little")).random_raw(-(-draws // 4))
        np.take(table, raw.astype("<u8").view("<u2")[:draws], out=row)
    return weights.T


def percentile_ends(sums: Floats, counts: Floats, weights: Weights) -> tuple[Floats, Floats]:
    """Ends of the widened percentile interval of sum / count, for each column (firms x columns; two firms or more).

    The distances of the percentiles from the estimate are multiplied by ``widening``.
    """
    estimate = sums.sum(axis=0) / counts.sum(axis=0)
    drawn_sums, drawn_counts = _totals(sums, weights), _totals(counts, weights)
    # A resample that drew none of the column's firms says nothing; its share is taken to be the estimate.
    ratios = np.where(drawn_counts > 0, drawn_sums, estimate[:, None]) / np.where(
        drawn_counts > 0, drawn_counts, 1
    )
    low, high = np.quantile(ratios, _TAILS, axis=1)
    factor = np.array([widening(int(firms)) for firms in (counts > 0).sum(axis=0)])
    return estimate - (estimate - low) * factor, estimate + (high - estimate) * factor


def widening(firms: int) -> float:
    """sqrt(G/(G-1)) * t/z: a percentile interval of G firms is too narrow by about this factor.

    Source: Hesterberg (2015), "What teachers should know about the Bootstrap" (narrowness bias).
    """
    return math.sqrt(firms / (firms - 1)) * t_quantile(firms - 1) / Z


def t_quantile(freedom: float) -> float:
    """The two-sided quantile of Student's t at ``LEVEL``."""
    return float(stdtrit(freedom, 0.5 + LEVEL / 2))


def _totals(columns: Floats, weights: Weights) -> Floats:
    """Weighted sums over firms, columns x draws.

    In double precision: whole numbers are then exact in any order, so that neither another column nor the
    number of threads changes a bit of the result.
    """
    total = np.zeros((columns.shape[1], weights.shape[0]))
    for start in range(0, columns.shape[0], _FIRMS_AT_A_TIME):
        some = slice(start, start + _FIRMS_AT_A_TIME)
        total += columns[some].T @ weights[:, some].T.astype(np.float64)
    return total


@cache
def _poisson_table() -> NDArray[np.float32]:
    """Poisson(1) counts for each of the 65,536 values of two random bytes."""
    shares = np.cumsum([math.exp(-1) / math.factorial(k) for k in range(12)])
    return np.searchsorted(shares, (np.arange(65536) + 0.5) / 65536, side="right").astype(np.float32)
