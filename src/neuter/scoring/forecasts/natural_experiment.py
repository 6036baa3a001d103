"""The cross-model natural experiment (Table 3): questions that one model may know and another cannot.

What was resolved between two models' cutoffs is simulated ignorance for the one and true ignorance for the other, and
as hard for both.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np

from neuter.scoring.forecasts.averaged import Averaged, Bools, Floats
from neuter.scoring.forecasts.brier_rows import UNINFORMED
from neuter.scoring.forecasts.how import ForecastScoring
from neuter.scoring.forecasts.intervals import Clusters, Estimate
from neuter.scoring.forecasts.own_cutoffs import own_cutoff
from neuter.scoring.forecasts.partition import days_since_1970
from neuter.scoring.forecasts.row import Row

PANEL = "natural_experiment"
#: Pairs with fewer questions between their cutoffs are left out.
FEWEST = 10


def natural_experiment_rows(a: Averaged, how: ForecastScoring, clusters: Clusters) -> list[Row]:
    """Rows of each pair of models with different cutoffs: ``A and B``, A's being the earlier one.

    ``between`` their cutoffs, ``pre`` both and ``post`` both (the control: neither difference is of knowledge), each
    model's Brier score and ``brier_difference`` = B(A) − B(B). ``brier_difference_adjusted`` is the difference between
    less that after both cutoffs.
    """
    return [row for first, second in _pairs(a, how) for row in _pair(a, how, clusters, first, second)]


def _pairs(a: Averaged, how: ForecastScoring) -> Iterator[tuple[int, int]]:
    for first, second in permutations(range(len(a.models)), 2):
        early, late = (days_since_1970(own_cutoff(how, a.models[m])) for m in (first, second))
        if early < late and ((a.resolved >= early) & (a.resolved < late)).sum() >= FEWEST:
            yield first, second


def _pair(a: Averaged, how: ForecastScoring, clusters: Clusters, first: int, second: int) -> Iterator[Row]:
    early, late = (days_since_1970(own_cutoff(how, a.models[m])) for m in (first, second))
    splits = {
        "between": (a.resolved >= early) & (a.resolved < late),
        "pre": a.resolved < early,
        "post": a.resolved >= late,
    }
    series = f"{a.models[first]} and {a.models[second]}"
    for condition, name in enumerate(a.conditions):
        brier = a.brier[[first, second], condition]
        # Both models on the same questions, or on none.
        values = np.where(np.isfinite(brier).all(axis=0), brier, np.nan)
        for split, inside in splits.items():
            n = int((inside & np.isfinite(values[0])).sum())
            if not n:
                continue
            shared: dict[str, Any] = {"series": series, "condition": name, "split": split, "n": n}
            for which, m in enumerate((first, second)):
                found = clusters.share(clusters.side(values[which], inside))
                yield _row("brier", found, group=a.models[m], baseline=UNINFORMED, **shared)
            difference = clusters.mean(clusters.side(values[0] - values[1], inside))
            yield _row("brier_difference", difference, group="difference", **shared)
        yield from _adjusted(clusters, values, splits, {"series": series, "condition": name})


def _adjusted(
    clusters: Clusters, values: Floats, splits: dict[str, Bools], names: dict[str, Any]
) -> Iterator[Row]:
    difference = values[0] - values[1]
    sides = [clusters.side(difference, splits[split]) for split in ("between", "post")]
    if all(side.n for side in sides):
        found = clusters.difference(*sides)
        n = round(sum(side.n for side in sides))
        yield _row("brier_difference_adjusted", found, group="difference", split="between", n=n, **names)


def _row(metric: str, found: Estimate, **names: Any) -> Row:
    return Row(
        panel=PANEL,
        metric=metric,
        unit="brier",
        value=found.value,
        ci_low=found.low,
        ci_high=found.high,
        group_by="model",
        caveat=found.caveat,
        **names,
    )
