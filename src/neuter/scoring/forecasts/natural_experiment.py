"""The cross-model natural experiment (Table 3): questions that one model may know and another cannot.

What was resolved between two models' cutoffs is simulated ignorance for the one and true ignorance for the other, and
as hard for both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from neuter.scoring.forecasts.averaged import Averaged, Bools, Floats
from neuter.scoring.forecasts.brier_rows import UNINFORMED
from neuter.scoring.forecasts.how import ForecastScoring
from neuter.scoring.forecasts.intervals import Clusters, Estimate
from neuter.scoring.forecasts.own_cutoffs import own_cutoff
from neuter.scoring.forecasts.partition import day_of, days_since_1970
from neuter.scoring.forecasts.row import Row

PANEL = "natural_experiment"
#: Pairs with fewer questions between their cutoffs are left out, and a caveat says so.
FEWEST = 10
#: Of fewer clusters between the cutoffs an interval holds the truth too seldom (docs/ignorance-robustness.md).
FEW_CLUSTERS = 30


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two models, the first with the earlier cutoff, and where questions lie by both cutoffs (days since 1970)."""

    a: Averaged
    first: int
    second: int
    early: int
    late: int

    @property
    def series(self) -> str:
        """As the rows name it."""
        return f"{self.a.models[self.first]} and {self.a.models[self.second]}"

    @property
    def splits(self) -> dict[str, Bools]:
        """``between`` the cutoffs, ``pre`` both and ``post`` both."""
        day = self.a.resolved
        between = (day >= self.early) & (day < self.late)
        return {"between": between, "pre": day < self.early, "post": day >= self.late}

    def brier(self, condition: int) -> Floats:
        """Both models' scores (2, Q) on the questions that both answered; NaN elsewhere."""
        scores = self.a.brier[[self.first, self.second], condition]
        return np.where(np.isfinite(scores).all(axis=0), scores, np.nan)


def pairs(a: Averaged, how: ForecastScoring) -> list[Pair]:
    """Every two models, in the order of their cutoffs."""
    cutoffs = [days_since_1970(own_cutoff(how, model)) for model in a.models]
    found = []
    for two in combinations(range(len(a.models)), 2):
        first, second = sorted(two, key=cutoffs.__getitem__)
        found.append(Pair(a, first, second, cutoffs[first], cutoffs[second]))
    return found


def usable(pair: Pair) -> bool:
    """Whether there are questions enough between the cutoffs."""
    return int(pair.splits["between"].sum()) >= FEWEST


def natural_experiment_rows(a: Averaged, how: ForecastScoring, clusters: Clusters) -> list[Row]:
    """Rows of each pair of models with different cutoffs: ``A and B``, A's being the earlier one.

    ``between`` their cutoffs, ``pre`` both and ``post`` both (the control: neither difference is of knowledge), each
    model's Brier score and ``brier_difference`` = B(A) − B(B). ``brier_difference_adjusted`` is the difference between
    less that after both cutoffs, ``horizon`` the mean distance of ``between`` from a model's cutoff in days. A pair
    without an experiment has one empty ``brier_difference`` with a caveat.
    """
    rows: list[Row] = []
    for pair in pairs(a, how):
        rows += _pair(pair, clusters) if usable(pair) else [_none(pair)]
    return rows


def difference(pair: Pair, clusters: Clusters, condition: int, split: str) -> Estimate:
    """B(A) − B(B) on the same questions of a split."""
    first, second = pair.brier(condition)
    inside = pair.splits[split]
    found = clusters.mean(clusters.side(first - second, inside))
    return _rough(pair, condition, found) if split == "between" else found


def adjusted(pair: Pair, clusters: Clusters, condition: int) -> tuple[Estimate, int]:
    """The difference between the cutoffs less that after both, and of how many questions."""
    first, second = pair.brier(condition)
    sides = [clusters.side(first - second, pair.splits[split]) for split in ("between", "post")]
    if not all(side.n for side in sides):
        return Estimate(None), 0
    return _rough(pair, condition, clusters.difference(*sides)), round(sum(side.n for side in sides))


def rough(found: Estimate, count: int) -> Estimate:
    """The estimate with a caveat where fewer than :data:`FEW_CLUSTERS` clusters lie between the cutoffs."""
    if found.low is None or found.caveat or count >= FEW_CLUSTERS:
        return found
    why = f"of {count} clusters of questions between the cutoffs: the interval is a rough one"
    return replace(found, caveat=why)


def _rough(pair: Pair, condition: int, found: Estimate) -> Estimate:
    used = pair.splits["between"] & np.isfinite(pair.brier(condition)[0])
    return rough(found, np.unique(pair.a.cluster[used]).size)


def _none(pair: Pair) -> Row:
    count = int(pair.splits["between"].sum())
    why = f"{count} questions between their cutoffs: no experiment under {FEWEST}"
    if pair.early == pair.late:
        why = f"both have the cutoff {day_of(pair.early)}: no question is after one's and before the other's"
    return _row("brier_difference", Estimate(None, caveat=why), _names(pair, "", "between"), "difference", 0)


def _pair(pair: Pair, clusters: Clusters) -> Iterator[Row]:
    for condition, name in enumerate(pair.a.conditions):
        brier = pair.brier(condition)
        for split, inside in pair.splits.items():
            used = inside & np.isfinite(brier[0])
            n = int(used.sum())
            if not n:
                continue
            names = {**_names(pair, name, split), **_span(pair, used)}
            for which, m in enumerate((pair.first, pair.second)):
                found = clusters.share(clusters.side(brier[which], inside))
                yield _row("brier", found, {**names, "baseline": UNINFORMED}, pair.a.models[m], n)
                if split == "between":
                    yield _horizon(pair, m, used, names)
            yield _row(
                "brier_difference", difference(pair, clusters, condition, split), names, "difference", n
            )
        found, n = adjusted(pair, clusters, condition)
        if n:
            yield _row("brier_difference_adjusted", found, _names(pair, name, "between"), "difference", n)


def _horizon(pair: Pair, m: int, used: Bools, names: dict[str, Any]) -> Row:
    """From the model's own cutoff to the resolution: below 0 where the model's data end after it."""
    cutoff = pair.early if m == pair.first else pair.late
    mean = Estimate(float((pair.a.resolved[used] - cutoff).mean()))
    return _row("horizon", mean, {**names, "unit": "days"}, pair.a.models[m], int(used.sum()))


def _names(pair: Pair, condition: str, split: str) -> dict[str, Any]:
    return {"series": pair.series, "condition": condition, "split": split}


def _span(pair: Pair, used: Bools) -> dict[str, Any]:
    days = pair.a.resolved[used]
    return {"first_date": day_of(days.min()), "last_date": day_of(days.max())}


def _row(metric: str, found: Estimate, names: dict[str, Any], group: str, n: int) -> Row:
    told = {"unit": "brier", **names}
    return Row.of(found, panel=PANEL, metric=metric, group_by="model", group=group, n=n, **told)
