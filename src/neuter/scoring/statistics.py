"""Intervals for scores: a bootstrap over firms by their sums, Wilson where firms do not repeat."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neuter.errors import UsageError
from neuter.scoring.bootstrap import (
    LEVEL,
    Floats,
    Weights,
    Z,
    firm_weights,
    percentile_ends,
    t_quantile,
    widening,
)

__all__ = [
    "LEVEL",
    "Floats",
    "Interval",
    "Weights",
    "firm_sums",
    "firm_weights",
    "mean_interval",
    "mean_intervals",
    "share_interval",
    "share_intervals",
    "standard_error",
    "widening",
    "wilson",
]

#: Under this many firms (or firms with an outcome of the rarer kind) an interval is shown with a caveat.
FEW_FIRMS = 30
FEW_EVENTS = 10
#: Under this many of either, the bootstrap alone covers too little and is joined with a second interval.
ENOUGH = 30
#: Columns that are resampled together: 2,000 draws of them take some 20 MB.
_COLUMNS_AT_A_TIME = 256


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95% interval; both ends None where there is none to be had, with the reason in ``caveat``."""

    low: float | None
    high: float | None
    method: str
    caveat: str = ""


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


def share_intervals(sums: Floats, counts: Floats, weights: Weights) -> list[Interval]:
    """The intervals of many shares (or means of values within 0 and 1) whose documents belong to firms.

    The widened percentile bootstrap; under 30 firms, or 30 firms with an outcome of the rarer kind, it is
    joined with a Wilson interval whose n is cut by the design effect, since the bootstrap alone then covers
    87 to 93% (simulated in tests/scoring). Where all are right, or all wrong: Wilson with the effective
    number of firms as n.

    Args:
        sums: firms x columns, the sum over the firm's documents (the number of right ones).
        counts: firms x columns, the number of its documents; a firm with none takes no part in that column.
        weights: draws x firms, of ``firm_weights``.

    Raises:
        UsageError: shapes that do not belong together, or a sum that is negative or above its count.
    """
    _check(sums, counts, weights)
    if sums.size and ((sums < 0) | (sums > counts + 1e-9)).any():
        raise UsageError(
            "a firm's sum is below 0 or above its number of documents", where="intervals of shares"
        )
    return _intervals(sums, counts, weights, _share_at_once, _joined_share)


def mean_intervals(sums: Floats, counts: Floats, weights: Weights) -> list[Interval]:
    """The intervals of many means over documents that belong to firms; as ``share_intervals``, without bounds."""
    _check(sums, counts, weights)
    return _intervals(sums, counts, weights, _mean_at_once, _joined_mean)


def share_interval(sums: Floats, counts: Floats, weights: Weights) -> Interval:
    """``share_intervals`` of one column: sums and counts by firm."""
    return share_intervals(np.asarray(sums)[:, None], np.asarray(counts)[:, None], weights)[0]


def mean_interval(sums: Floats, counts: Floats, weights: Weights) -> Interval:
    """``mean_intervals`` of one column: sums and counts by firm."""
    return mean_intervals(np.asarray(sums)[:, None], np.asarray(counts)[:, None], weights)[0]


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


def _check(sums: Floats, counts: Floats, weights: Weights) -> None:
    if sums.ndim != 2 or sums.shape != counts.shape or weights.ndim != 2 or weights.shape[1] != sums.shape[0]:
        raise UsageError(
            f"sums {sums.shape}, counts {counts.shape} and weights {weights.shape} do not belong together",
            todo="Give sums and counts as firms x columns and weights as draws x firms",
        )
    if not (np.isfinite(sums).all() and np.isfinite(counts).all() and (counts >= 0).all()):
        raise UsageError("sums and counts by firm must be finite, and counts not negative")


def _intervals(
    sums: Floats,
    counts: Floats,
    weights: Weights,
    at_once: Callable[[Floats, Floats], Interval | None],
    joined: Callable[[Floats, Floats, float, float], Interval],
) -> list[Interval]:
    """Columns that need no resampling are answered at once; the others share one matrix product."""
    known = [at_once(*_present(s, c)) for s, c in zip(sums.T, counts.T, strict=True)]
    open_ = [column for column, interval in enumerate(known) if interval is None]
    found = dict(enumerate(known))
    for start in range(0, len(open_), _COLUMNS_AT_A_TIME):
        some = open_[start : start + _COLUMNS_AT_A_TIME]
        ends = percentile_ends(sums[:, some], counts[:, some], weights)
        for column, low, high in zip(some, *ends, strict=True):
            here = _present(sums[:, column], counts[:, column])
            found[column] = joined(*here, float(low), float(high))
    return [interval for interval in found.values() if interval is not None]


def _share_at_once(sums: Floats, counts: Floats) -> Interval | None:
    firms, n, total = len(counts), float(counts.sum()), float(sums.sum())
    if firms < 2:
        return _one_firm(firms)
    if np.all(counts == 1) and np.all((sums == 0) | (sums == 1)):
        return wilson(total, n)
    if 0 < total < n:
        return None
    # With no document of the other kind a resample says nothing; what was seen are firms, not documents.
    effective = n**2 / float((counts**2).sum())
    plain = wilson(effective * total / n, effective)
    return Interval(plain.low, plain.high, "wilson over firms", _caveat(firms, 0))


def _joined_share(sums: Floats, counts: Floats, low: float, high: float) -> Interval:
    firms = len(counts)
    rarer = min(int((sums > 0).sum()), int((sums < counts).sum()))
    method = "firm bootstrap"
    if min(firms, rarer) < ENOUGH:
        plain = _wilson_by_design_effect(sums, counts)
        low, high = min(low, plain.low or 0.0), max(high, 1.0 if plain.high is None else plain.high)
        method = "firm bootstrap and wilson by design effect"
    return Interval(max(0.0, low), min(1.0, high), method, _caveat(firms, rarer))


def _mean_at_once(sums: Floats, counts: Floats) -> Interval | None:
    if len(counts) < 2:
        return _one_firm(len(counts))
    if np.ptp(sums / counts) == 0:
        return Interval(None, None, "firm bootstrap", "no firm differs from another")
    return None


def _joined_mean(sums: Floats, counts: Floats, low: float, high: float) -> Interval:
    firms = len(counts)
    if firms < ENOUGH:
        mean, half = float(sums.sum() / counts.sum()), t_quantile(firms - 1) * standard_error(sums, counts)
        low, high = min(low, mean - half), max(high, mean + half)
    return Interval(low, high, "firm bootstrap", _caveat(firms, FEW_EVENTS))


def _wilson_by_design_effect(sums: Floats, counts: Floats) -> Interval:
    """Wilson with the number of independent documents that would be as uncertain as these, and t for z."""
    n, share = float(counts.sum()), float(sums.sum() / counts.sum())
    error = standard_error(sums, counts)
    effective = n if error == 0 else min(n, share * (1 - share) / error**2)
    effective *= (Z / t_quantile(len(counts) - 1)) ** 2
    return wilson(share * effective, effective)


def _present(sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
    here = counts > 0
    return (sums, counts) if here.all() else (sums[here], counts[here])


def _one_firm(firms: int) -> Interval:
    return Interval(None, None, "none", "no documents" if firms == 0 else "one firm: no interval over firms")


def _caveat(firms: int, rarer: int) -> str:
    if firms < FEW_FIRMS:
        return f"only {firms} firms"
    return f"only {rarer} firms with an outcome of the rarer kind" if rarer < FEW_EVENTS else ""
