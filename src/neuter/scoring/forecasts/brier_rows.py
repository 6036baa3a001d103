"""Brier scores by condition and split, with their bounds, and those of crowd and base rate on the same questions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neuter.scoring.forecasts.averaged import OUTCOMES, Averaged, Floats
from neuter.scoring.forecasts.intervals import Estimate
from neuter.scoring.forecasts.row import Row
from neuter.scoring.forecasts.selecting import Panel, Whose

#: The Brier score of always saying one half (Simulated Ignorance Fails, section 3.5).
UNINFORMED = 0.25
REFERENCES = ("crowd", "base_rate")


def brier_rows(panel: Panel, condition: int, whose: Whose) -> Iterator[Row]:
    """Rows of one condition and group: each split's Brier score, over answered ones and with the others each way."""
    a, name = panel.a, panel.a.conditions[condition]
    every = {
        "brier": a.brier[:, condition],
        "brier_all": squared(a, a.neutral[:, condition]),
        "brier_low": squared(a, a.best[:, condition]),
        "brier_high": squared(a, a.worst[:, condition]),
    }
    for split in panel.splits:
        counts = panel.counts(split, condition, whose)
        if not sum(
            counts[name] for name in ("answered", "refused", "filtered", "truncated", "unparsed", "failed")
        ):
            continue
        failures = sum(counts[name] for name in OUTCOMES) > counts["answered"]
        found = panel.clusters.share(panel.side(every["brier"], split, whose))
        for metric, values in every.items():
            # Where every call was answered the bounds are the score itself.
            if failures and metric != "brier":
                found = panel.clusters.share(panel.side(values, split, whose))
            baseline = UNINFORMED if metric == "brier" else None
            yield row(
                panel, metric, found, condition=name, split=split, baseline=baseline, **whose.names, **counts
            )
        yield from _references(panel, condition, split, whose, name)


def squared(a: Averaged, forecast: Floats) -> Floats:
    """The squared distance of forecasts (.., Q) from the outcomes."""
    return np.asarray((forecast - a.outcome) ** 2)


def reference(a: Averaged, name: str) -> Floats:
    """The Brier score of a reference on each question (Q), NaN where there is none.

    ``crowd``, ``base_rate``, or ``crowd_or_base_rate``: the crowd's where there is one.
    """
    known = {
        "crowd": a.crowd,
        "base_rate": a.base_rate,
        "crowd_or_base_rate": np.where(np.isfinite(a.crowd), a.crowd, a.base_rate),
    }
    return squared(a, known[name])


def row(panel: Panel, metric: str, found: Estimate, **names: object) -> Row:
    """An estimate as a row of the panel, in Brier points unless ``names`` has another unit."""
    return Row.of(found, panel=panel.name, metric=metric, **{"unit": "brier", **names})


def _references(panel: Panel, condition: int, split: str, whose: Whose, name: str) -> Iterator[Row]:
    a = panel.a
    answered = np.isfinite(a.forecast[:, condition])
    for which in REFERENCES:
        known = reference(a, which)
        values = np.where(answered, known, np.nan)
        side = panel.side(values, split, whose)
        if side.n:
            found = panel.clusters.share(side)
            there = panel.questions(split, whose, answered) & np.isfinite(known)
            yield row(
                panel,
                "brier",
                found,
                condition=name,
                split=split,
                attacker=which,
                baseline=UNINFORMED,
                n=int(there.sum()),
                **whose.names,
            )
