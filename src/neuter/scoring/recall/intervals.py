"""Which interval a figure gets: over firms where points belong to firms, over time where they are one series."""

from __future__ import annotations

from collections.abc import Callable

from neuter.scoring.recall.block_bootstrap import block_interval
from neuter.scoring.recall.firm_intervals import FirmIntervals
from neuter.scoring.recall.points import Points
from neuter.scoring.recall.sample import Sample
from neuter.scoring.recall.series_intervals import (
    correlation_interval,
    mean_interval,
    share_interval,
    share_skill,
    skill_interval,
)
from neuter.scoring.statistics import Interval

#: From samples to their intervals, in the same order.
Intervals = Callable[[list[Sample]], list[Interval]]


def intervals_of(points: Points, level: float, seed: int, draws: int, *, blocks: bool = False) -> Intervals:
    """The intervals for the figures of one series; shares and means as they are, not in percent.

    Args:
        blocks: take a block bootstrap for means and shares over time.

    Raises:
        UsageError: firms are drawn, and the level is not 95%.
    """
    if points.by_firm:
        return FirmIntervals(points.firms, level, seed, draws)
    if blocks:
        return lambda samples: [by_blocks(sample, level, seed, draws) for sample in samples]
    return lambda samples: [over_time(sample, level) for sample in samples]


def by_blocks(sample: Sample, level: float, seed: int, draws: int) -> Interval:
    """The same by a block bootstrap; correlations and skill, and shares of 0 or 100%, are as in ``over_time``."""
    if sample.kind not in {"mean", "share"} or sample.values.mean() in {0.0, 1.0}:
        return over_time(sample, level)
    found = block_interval(sample.values, seed=seed, draws=draws, level=level)
    if found.low is None or found.high is None or (sample.kind == "mean" and not sample.positive):
        return found
    high = min(1.0, found.high) if sample.kind == "share" else found.high
    return Interval(max(0.0, found.low), high, found.method)


def over_time(sample: Sample, level: float) -> Interval:
    """The interval of one figure of one series."""
    if sample.kind == "share":
        return share_interval(sample.values, level)
    if sample.kind == "mean":
        return mean_interval(sample.values, level, positive=sample.positive)
    if sample.kind == "correlation" and sample.beside is not None:
        return correlation_interval(sample.values, sample.beside, level)
    if sample.kind == "share_skill" and sample.beside is not None:
        return share_skill(share_interval(sample.values, level), float(sample.beside.mean()))
    if sample.kind == "skill" and sample.beside is not None:
        return skill_interval(sample.values, sample.beside, level)
    return Interval(None, None, "none")
