"""Intervals for points of many firms, whose errors hang together within a firm: firms are drawn, not points."""

from __future__ import annotations

import numpy as np

from neuter.errors import UsageError
from neuter.scoring.bootstrap import LEVEL, TAILS, effective_firms, firm_weights, widening
from neuter.scoring.recall.points import Floats
from neuter.scoring.recall.sample import Sample
from neuter.scoring.recall.series_intervals import share_skill
from neuter.scoring.statistics import Interval, firm_sums, mean_intervals, share_intervals


class FirmIntervals:
    """Intervals by the bootstrap over firms of ``neuter.scoring.statistics`` (docs/scores.md).

    Raises:
        UsageError: another level than 95%.
    """

    def __init__(self, firms: tuple[str, ...], level: float, seed: int, draws: int) -> None:
        if level != LEVEL:
            raise UsageError(
                f"intervals over firms at a level of {level:g}", todo=f"They are made at {LEVEL:g}"
            )
        self._n = len(firms)
        self._weights = firm_weights(firms, seed=seed, draws=draws)

    def __call__(self, samples: list[Sample]) -> list[Interval]:
        found: list[Interval | None] = [None] * len(samples)
        for kinds, intervals in ((("share", "share_skill"), share_intervals), (("mean",), mean_intervals)):
            at = [place for place, sample in enumerate(samples) if sample.kind in kinds]
            if at:
                pairs = [firm_sums(samples[place].values, samples[place].firm, self._n) for place in at]
                sums, counts = (np.stack([pair[side] for pair in pairs], axis=1) for side in (0, 1))
                for place, interval in zip(at, intervals(sums, counts, self._weights), strict=True):
                    found[place] = _within(interval, samples[place])
        for place, sample in enumerate(samples):
            if sample.kind in {"correlation", "skill"}:
                found[place] = self._percentiles(sample)
        return [Interval(None, None, "none") if one is None else one for one in found]

    def _percentiles(self, sample: Sample) -> Interval:
        """Widened percentiles of Fisher's z, or of the log of a ratio, about its value."""
        counts = np.bincount(sample.firm, minlength=self._n).astype(np.float64)
        here = counts > 0
        if here.sum() < 2:
            return Interval(None, None, "none", "one firm: no interval over firms")
        correlation = sample.kind == "correlation"
        drawn_of = _correlations if correlation else _log_ratios
        columns = _columns(sample, self._n)
        value = drawn_of(columns.sum(axis=0, keepdims=True))[0]
        drawn = drawn_of(self._weights.astype(np.float64) @ columns)
        drawn = drawn[np.isfinite(drawn)]
        if not np.isfinite(value) or drawn.size < self._weights.shape[0] / 2:
            return Interval(None, None, "none", "no error at all, or no spread: no interval")
        factor = widening(effective_firms(counts[here]))
        low, high = value + (np.quantile(drawn, TAILS) - value) * factor
        if correlation:
            return Interval(float(np.tanh(low)), float(np.tanh(high)), "firm bootstrap of Fisher's z")
        return Interval(1 - float(np.exp(high)), 1 - float(np.exp(low)), "firm bootstrap of the log ratio")


def _within(interval: Interval, sample: Sample) -> Interval:
    """An interval of absolute errors never reaches below 0; one of the share wrong becomes that of the skill."""
    if sample.kind == "share_skill":
        return share_skill(interval, float(np.mean(sample.beside if sample.beside is not None else 0)))
    if interval.low is None or not sample.positive:
        return interval
    return Interval(max(0.0, interval.low), interval.high, interval.method, interval.caveat)


def _columns(sample: Sample, n: int) -> Floats:
    """Sums by firm of 1, a, b, a², b², ab, from which correlations and ratios follow; a and b near their means."""
    a, b = sample.values, np.asarray(sample.beside)
    if sample.kind == "correlation":
        a, b = a - a.mean(), b - b.mean()
    told = (np.ones_like(a), a, b, a * a, b * b, a * b)
    return np.stack([np.bincount(sample.firm, weights=column, minlength=n) for column in told], axis=1)


def _correlations(sums: Floats) -> Floats:
    """Fisher's z of Pearson's correlation, from sums."""
    n, a, b, aa, bb, ab = sums.T
    with np.errstate(all="ignore"):
        r = (ab - a * b / n) / np.sqrt((aa - a * a / n) * (bb - b * b / n))
        return np.asarray(np.arctanh(np.clip(r, -1, 1)))


def _log_ratios(sums: Floats) -> Floats:
    """The logarithm of the mean of a over the mean of b, from sums."""
    with np.errstate(all="ignore"):
        return np.asarray(np.log(sums[:, 1] / sums[:, 2]))
