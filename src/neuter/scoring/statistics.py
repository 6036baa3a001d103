"""Intervals for scores over firms: a bootstrap by their sums, and what takes its place where they are few."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from neuter.errors import UsageError
from neuter.scoring.bootstrap import (
    LEVEL,
    Floats,
    Weights,
    Z,
    effective_firms,
    firm_weights,
    linearised_error,
    percentile_ends,
    studentised_quantiles,
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

#: Under this many effective firms (or firms with an outcome of the rarer kind) the percentiles of a bootstrap
#: cover too little (docs/scores.md), and what takes their place carries a caveat.
FEW_FIRMS = 30
#: Under this many firms with an outcome of the rarer kind, what they say of their own spread is not trusted.
FEW_EVENTS = 10
#: A studentised quantile is held between Student's t and so many times it: of few firms it may be infinite.
_TIMES_T = 2.0
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
    if not 0 <= successes <= n * (1 + 1e-9):
        raise UsageError(f"{successes} of {n} documents", todo="Give from 0 to all of them")
    share = min(1.0, successes / n)
    scale = 1 + Z**2 / n
    centre = (share + Z**2 / (2 * n)) / scale
    half = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2)) / scale
    low = 0.0 if successes <= 0 else max(0.0, centre - half)
    high = 1.0 if successes >= n else min(1.0, centre + half)
    return Interval(low, high, "wilson")


def share_intervals(sums: Floats, counts: Floats, weights: Weights) -> list[Interval]:
    """The intervals of many shares (or means of values within 0 and 1) whose documents belong to firms.

    * One document a firm: Wilson.
    * All right, or all wrong: Wilson with the effective number of firms for n.
    * 30 effective firms or more, 30 of them with an outcome of the rarer kind: the widened percentile bootstrap.
    * Fewer: estimate +- t * standard error on the logit scale (Korn and Graubard 1998), never surer than
      independent documents; under 10 firms of the rarer kind joined with Wilson over firms, since so few say
      little of their own spread.

    How often each covers the truth is in docs/scores.md, with the bootstrap-t, which covers no better and is wider.

    Args:
        sums: firms x columns, the sum over the firm's documents (the number of right ones).
        counts: firms x columns, the number of its documents; a firm with none takes no part in that column.
        weights: draws x firms, of ``firm_weights``.

    Raises:
        UsageError: shapes that do not belong together, or a sum that is negative or above its count.
    """
    sums, counts = _checked(sums, counts, weights)
    if sums.size and ((sums < 0) | (sums > counts + 1e-9)).any():
        raise UsageError(
            "a firm's sum is below 0 or above its number of documents", where="intervals of shares"
        )
    found = [_share_at_once(*_present(s, c)) for s, c in zip(sums.T, counts.T, strict=True)]
    for some in _batches([column for column, interval in enumerate(found) if interval is None]):
        _percentiles(found, some, sums, counts, weights, within=(0.0, 1.0))
    return _all(found)


def mean_intervals(sums: Floats, counts: Floats, weights: Weights) -> list[Interval]:
    """The intervals of many means over documents that belong to firms; arguments as of ``share_intervals``.

    The bootstrap-t, its quantiles held between Student's t and twice that (of few firms they may be infinite):
    it covers better than the percentiles where values are skewed, as years off are (docs/scores.md).
    """
    sums, counts = _checked(sums, counts, weights)
    found = [_mean_at_once(*_present(s, c)) for s, c in zip(sums.T, counts.T, strict=True)]
    for some in _batches([column for column, interval in enumerate(found) if interval is None]):
        quantiles = studentised_quantiles(sums[:, some], counts[:, some], weights)
        for column, low, high in zip(some, *quantiles, strict=True):
            here = _present(sums[:, column], counts[:, column])
            found[column] = _studentised(*here, float(low), float(high))
    return _all(found)


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
    """The linearised standard error of sum / count over two firms or more; firms without documents take no part."""
    return linearised_error(*_present(sums, counts))


def _checked(sums: Floats, counts: Floats, weights: Weights) -> tuple[Floats, Floats]:
    """Both with each column in one piece, so that it is added up in the same order alone and among others."""
    sums, counts = (np.asfortranarray(table, dtype=np.float64) for table in (sums, counts))
    if sums.ndim != 2 or sums.shape != counts.shape or weights.ndim != 2 or weights.shape[1] != sums.shape[0]:
        raise UsageError(
            f"sums {sums.shape}, counts {counts.shape} and weights {weights.shape} do not belong together",
            todo="Give sums and counts as firms x columns and weights as draws x firms",
        )
    if not (np.isfinite(sums).all() and np.isfinite(counts).all() and (counts >= 0).all()):
        raise UsageError("sums and counts by firm must be finite, and counts not negative")
    return sums, counts


def _batches(columns: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(columns), _COLUMNS_AT_A_TIME):
        yield columns[start : start + _COLUMNS_AT_A_TIME]


def _percentiles(
    found: list[Interval | None],
    some: list[int],
    sums: Floats,
    counts: Floats,
    weights: Weights,
    *,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> None:
    """Fills in the columns ``some`` by the widened percentile bootstrap."""
    ends = percentile_ends(sums[:, some], counts[:, some], weights)
    for column, low, high in zip(some, *ends, strict=True):
        found[column] = Interval(max(within[0], float(low)), min(within[1], float(high)), "firm bootstrap")


def _all(found: list[Interval | None]) -> list[Interval]:
    return [interval for interval in found if interval is not None]


def _share_at_once(sums: Floats, counts: Floats) -> Interval | None:
    """The interval where no resampling is needed."""
    firms, n, total = len(counts), float(counts.sum()), float(sums.sum())
    if firms < 2:
        return _one_firm(firms)
    if np.all(counts == 1) and np.all((sums == 0) | (sums == 1)):
        return wilson(total, n)
    rarer = min(int((sums > 0).sum()), int((sums < counts).sum()))
    if not 0 < total < n:
        plain = _wilson_over_firms(total / n, counts)
        return Interval(plain.low, plain.high, "wilson over firms", _rare(counts, rarer))
    error = linearised_error(sums, counts)
    if min(effective_firms(counts), rarer) >= FEW_FIRMS and error > 1e-12:
        return None
    low, high = _on_logit_scale(total / n, n, error, t_quantile(effective_firms(counts)))
    method = "t on the logit scale over firms"
    if rarer < FEW_EVENTS:
        plain = _wilson_over_firms(total / n, counts)
        low, high = min(low, plain.low or 0.0), max(high, 1.0 if plain.high is None else plain.high)
        method += ", joined with wilson over firms"
    return Interval(low, high, method, _rare(counts, rarer))


def _on_logit_scale(share: float, n: float, error: float, t: float) -> tuple[float, float]:
    spread = share * (1 - share)
    reach = t * max(error, math.sqrt(spread / n)) / spread
    middle = float(logit(share))
    return float(expit(middle - reach)), float(expit(middle + reach))


def _wilson_over_firms(share: float, counts: Floats) -> Interval:
    """As if each firm were one document: a resample of the same outcome says nothing, and what was seen are firms."""
    effective = effective_firms(counts)
    return wilson(share * effective, effective)


def _mean_at_once(sums: Floats, counts: Floats) -> Interval | None:
    if len(counts) < 2:
        return _one_firm(len(counts))
    means = sums / counts
    if np.ptp(means) <= 1e-12 * max(1.0, float(np.abs(means).max())):
        return Interval(None, None, "none", "no firm differs from another: no interval")
    return None


def _studentised(sums: Floats, counts: Floats, low: float, high: float) -> Interval:
    mean, error = float(sums.sum() / counts.sum()), linearised_error(sums, counts)
    t = t_quantile(effective_firms(counts))
    below, above = (min(max(quantile, t), _TIMES_T * t) for quantile in (high, -low))
    caveat = _few(counts)
    if not caveat and (differ := _differing(sums, counts)) < FEW_FIRMS:
        caveat = f"only {differ} firms differ from the others"
    return Interval(mean - below * error, mean + above * error, "bootstrap-t over firms", caveat)


def _differing(sums: Floats, counts: Floats) -> int:
    """Firms whose mean is not the middle one: where most are alike, the others alone say how sure it is."""
    means = sums / counts
    return int((means != np.quantile(means, 0.5, method="lower")).sum())


def _present(sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
    here = counts > 0
    return (sums, counts) if here.all() else (sums[here], counts[here])


def _one_firm(firms: int) -> Interval:
    return Interval(None, None, "none", "no documents" if firms == 0 else "one firm: no interval over firms")


def _few(counts: Floats) -> str:
    """The caveat of few firms, or of firms so uneven that they are worth few."""
    firms, effective = len(counts), effective_firms(counts)
    if firms < FEW_FIRMS:
        return f"only {firms} firms"
    return f"{firms} firms, but as uneven as {effective:.0f} equal ones" if effective < FEW_FIRMS else ""


def _rare(counts: Floats, rarer: int) -> str:
    few = _few(counts)
    return few or (f"only {rarer} firms with an outcome of the rarer kind" if rarer < FEW_FIRMS else "")
