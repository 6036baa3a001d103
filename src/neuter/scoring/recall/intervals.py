"""Which interval a figure gets: over firms where points belong to firms, over time where they are one series."""

from __future__ import annotations

from collections.abc import Callable

from neuter.scoring.recall.firm_intervals import FirmIntervals
from neuter.scoring.recall.points import Points
from neuter.scoring.recall.sample import Sample
from neuter.scoring.recall.series_intervals import (
    correlation_interval,
    mean_interval,
    share_interval,
    skill_interval,
)
from neuter.scoring.statistics import Interval

#: From samples to their intervals, in the same order.
Intervals = Callable[[list[Sample]], list[Interval]]


def intervals_of(points: Points, level: float, seed: int, draws: int) -> Intervals:
    """The intervals for the figures of one series; shares and means as they are, not in percent.

    Raises:
        UsageError: firms are drawn, and the level is not 95%.
    """
    if points.by_firm:
        return FirmIntervals(points.firms, level, seed, draws)
    return lambda samples: [over_time(sample, level) for sample in samples]


def over_time(sample: Sample, level: float) -> Interval:
    """The interval of one figure of one series."""
    if sample.kind == "share":
        return share_interval(sample.values, level)
    if sample.kind == "mean":
        return mean_interval(sample.values, level, positive=sample.positive)
    if sample.kind == "correlation" and sample.beside is not None:
        return correlation_interval(sample.values, sample.beside, level)
    if sample.kind == "skill" and sample.beside is not None:
        return skill_interval(sample.values, sample.beside, level)
    return Interval(None, None, "none")
