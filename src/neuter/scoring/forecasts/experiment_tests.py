"""Tests of the natural experiment, every pair of models corrected together (Holm)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neuter.scoring.forecasts.comparisons import Comparison, by_signs, by_t
from neuter.scoring.forecasts.intervals import Estimate
from neuter.scoring.forecasts.natural_experiment import PANEL, Pair, adjusted, difference, pairs, usable
from neuter.scoring.forecasts.selecting import Panel


def experiment_comparisons(panel: Panel) -> Iterator[Comparison]:
    """Of each pair and condition ``brier_difference`` in each split, and the adjusted difference.

    Each split of a condition is a family of its own, and so is the adjusted difference.
    """
    for pair in pairs(panel.a, panel.how):
        if not usable(pair):
            continue
        for condition in range(len(panel.a.conditions)):
            for split in pair.splits:
                yield from _plain(panel, pair, condition, split)
            yield from _adjusted(panel, pair, condition)


def _plain(panel: Panel, pair: Pair, condition: int, split: str) -> Iterator[Comparison]:
    first, second = pair.brier(condition)
    side = panel.clusters.side(first - second, pair.splits[split])
    found = difference(pair, panel.clusters, condition, split)
    if found.value is not None:
        p = by_signs(panel, side, found)
        yield _comparison(
            panel, pair, condition, split, "brier_difference", found, p, (round(side.n), side.clusters - 1)
        )


def _adjusted(panel: Panel, pair: Pair, condition: int) -> Iterator[Comparison]:
    found, n = adjusted(pair, panel.clusters, condition)
    if found.value is not None:
        values = np.isfinite(pair.brier(condition)[0])
        sides = [
            panel.clusters.side(np.where(values, 1.0, np.nan), pair.splits[s]) for s in ("between", "post")
        ]
        freedom = min(side.clusters for side in sides) - 1
        p = by_t(found, freedom)
        yield _comparison(
            panel, pair, condition, "between", "brier_difference_adjusted", found, p, (n, freedom)
        )


def _comparison(  # noqa: PLR0917
    panel: Panel,
    pair: Pair,
    condition: int,
    split: str,
    metric: str,
    found: Estimate,
    p: float | None,
    counts: tuple[int, float],
) -> Comparison:
    """In the rows' sense of the difference: the first named less the second."""
    n, freedom = counts
    name = panel.a.conditions[condition]
    family = f"{PANEL} {name} {split} {metric}"
    return Comparison(
        family=family,
        split=split,
        condition=name,
        comparison=f"{pair.series} (natural experiment)",
        model="",
        metric=metric,
        estimate=found,
        p=p,
        n=n,
        freedom=freedom,
    )
