"""Intervals for scores: a bootstrap over firms by their sums, Wilson where firms do not repeat."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]

#: Two-sided level of every interval.
LEVEL = 0.95
Z = float(ndtri(0.5 + LEVEL / 2))
#: Under this many firms (or firms with an outcome of the rarer kind) an interval is shown with a caveat.
FEW_FIRMS = 30
FEW_EVENTS = 10
#: Under this many of either, the bootstrap alone covers too little and is joined with a second interval.
ENOUGH = 30


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95% interval; both ends None where there is none to be had, with the reason in ``caveat``."""

    low: float | None
    high: float | None
    method: str
    caveat: str = ""


def firm_weights(labels: Sequence[str], *, seed: int, draws: int) -> Weights:
    """Bootstrap weights, draws x firms: independent Poisson(1) counts from a stream of the firm's own.

    A firm's weights depend on ``seed`` and its label alone: another row, metric, scheme or firm never changes
    them, and two scores of the same firms are drawn together. To first order a ratio of weighted sums varies
    as under multinomial resampling of the firms (a Poisson bootstrap; Hanley and MacGibbon 2006).
    """
    weights = np.empty((draws, len(labels)), dtype=np.float32)
    table = _poisson_table()
    for column, label in enumerate(labels):
        key = hashlib.blake2b(f"{seed}\x00{label}".encode(), digest_size=16).digest()
        raw = np.random.Philox(key=int.from_bytes(key, "little")).random_raw(-(-draws // 4))
        weights[:, column] = table[raw.astype("<u8").view("<u2")[:draws]]
    return weights


def wilson(successes: float, n: float) -> Interval:
    """Wilson's score interval for a share of ``n`` independent documents (or of as many effective ones).

    Source: Wilson (1927). Returns shares between 0 and 1; no interval for n = 0.
    """
    if n <= 0:
        return Interval(None, None, "wilson", "no documents")
    share = successes / n
    scale = 1 + Z**2 / n
    centre = (share + Z**2 / (2 * n)) / scale
    half = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2)) / scale
    low = 0.0 if successes <= 0 else max(0.0, centre - half)
    high = 1.0 if successes >= n else min(1.0, centre + half)
    return Interval(low, high, "wilson")


def share_interval(sums: Floats, counts: Floats, weights: Weights) -> Interval:
    """The interval of a share (or of a mean of values within 0 and 1) whose documents belong to firms.

    The widened percentile bootstrap; under 30 firms, or 30 firms with an outcome of the rarer kind, it is
    joined with a Wilson interval whose n is cut by the design effect, since the bootstrap alone then covers
    87 to 93% (simulated in tests/scoring). Where all are right, or all wrong: Wilson with the effective
    number of firms as n.

    Args:
        sums: by firm, the sum over its documents (the number of right ones).
        counts: by firm, the number of its documents; firms with none are left out.
        weights: draws x firms, of ``firm_weights``.
    """
    sums, counts, weights = _present(sums, counts, weights)
    firms, n = len(counts), float(counts.sum())
    if firms < 2:
        return _one_firm(firms)
    total = float(sums.sum())
    if np.all(counts == 1) and np.all((sums == 0) | (sums == 1)):
        return wilson(total, n)
    # With no document of the other kind a resample says nothing; what was seen are firms, not documents.
    effective = n**2 / float((counts**2).sum())
    if total <= 0 or total >= n:
        plain = wilson(effective * total / n, effective)
        return Interval(plain.low, plain.high, "wilson over firms", _caveat(firms, 0))
    low, high = _bootstrap(sums, counts, weights)
    rarer = min(int((sums > 0).sum()), int((sums < counts).sum()))
    method = "firm bootstrap"
    if min(firms, rarer) < ENOUGH:
        plain = _wilson_by_design_effect(sums, counts)
        low, high = min(low, plain.low or 0.0), max(high, 1.0 if plain.high is None else plain.high)
        method = "firm bootstrap and wilson by design effect"
    return Interval(max(0.0, low), min(1.0, high), method, _caveat(firms, rarer))


def mean_interval(sums: Floats, counts: Floats, weights: Weights) -> Interval:
    """The interval of a mean over documents that belong to firms; as ``share_interval``, without bounds."""
    sums, counts, weights = _present(sums, counts, weights)
    firms = len(counts)
    if firms < 2:
        return _one_firm(firms)
    if np.ptp(sums / counts) == 0:
        return Interval(None, None, "firm bootstrap", "no firm differs from another")
    low, high = _bootstrap(sums, counts, weights)
    if firms < ENOUGH:
        mean, half = float(sums.sum() / counts.sum()), _t(firms) * standard_error(sums, counts)
        low, high = min(low, mean - half), max(high, mean + half)
    return Interval(low, high, "firm bootstrap", _caveat(firms, FEW_EVENTS))


def firm_sums(values: Floats, firms: NDArray[np.int64], n_firms: int) -> tuple[Floats, Floats]:
    """By firm, the sum of its documents' values and their number."""
    return (
        np.bincount(firms, weights=values, minlength=n_firms).astype(np.float64),
        np.bincount(firms, minlength=n_firms).astype(np.float64),
    )


def standard_error(sums: Floats, counts: Floats) -> float:
    """The linearised standard error of sum / count over firms, with the G/(G-1) correction."""
    firms = len(counts)
    residuals = sums - counts * (sums.sum() / counts.sum())
    return math.sqrt(firms / (firms - 1) * float((residuals**2).sum())) / float(counts.sum())


def widening(firms: int) -> float:
    """sqrt(G/(G-1)) * t/z: a percentile interval of G firms is too narrow by about this factor.

    Source: Hesterberg (2015), "What teachers should know about the Bootstrap" (narrowness bias).
    """
    return math.sqrt(firms / (firms - 1)) * _t(firms) / Z


def _t(firms: int) -> float:
    return float(stdtrit(firms - 1, 0.5 + LEVEL / 2))


def _wilson_by_design_effect(sums: Floats, counts: Floats) -> Interval:
    """Wilson with the number of independent documents that would be as uncertain as these, and t for z."""
    n, share = float(counts.sum()), float(sums.sum() / counts.sum())
    error = standard_error(sums, counts)
    effective = n if error == 0 else min(n, share * (1 - share) / error**2)
    effective *= (Z / _t(len(counts))) ** 2
    return wilson(share * effective, effective)


def _bootstrap(sums: Floats, counts: Floats, weights: Weights) -> tuple[float, float]:
    estimate = float(sums.sum() / counts.sum())
    both = weights @ np.stack([sums, counts], axis=1).astype(np.float32)
    drawn = both[:, 1] > 0
    ratios = both[drawn, 0].astype(np.float64) / both[drawn, 1]
    low, high = np.quantile(ratios, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    factor = widening(len(counts))
    return estimate - (estimate - float(low)) * factor, estimate + (float(high) - estimate) * factor


def _present(sums: Floats, counts: Floats, weights: Weights) -> tuple[Floats, Floats, Weights]:
    here = counts > 0
    if here.all():
        return sums, counts, weights
    return sums[here], counts[here], weights[:, here]


def _one_firm(firms: int) -> Interval:
    return Interval(None, None, "none", "no documents" if firms == 0 else "one firm: no interval over firms")


def _caveat(firms: int, rarer: int) -> str:
    if firms < FEW_FIRMS:
        return f"only {firms} firms"
    return f"only {rarer} firms with an outcome of the rarer kind" if rarer < FEW_EVENTS else ""


@cache
def _poisson_table() -> NDArray[np.uint8]:
    """Poisson(1) counts for each of the 65,536 values of two random bytes."""
    shares = np.cumsum([math.exp(-1) / math.factorial(k) for k in range(12)])
    return np.searchsorted(shares, (np.arange(65536) + 0.5) / 65536, side="right").astype(np.uint8)
