"""The gap between simulated and true ignorance, what the instruction closes of it, and what it costs.

Source of the formulas: Simulated Ignorance Fails, equation 1 and sections 4.1 to 4.3; docs/ignorance-scores.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from neuter.scoring.forecasts.averaged import OUTCOMES, Floats
from neuter.scoring.forecasts.brier_rows import REFERENCES, reference, row, squared
from neuter.scoring.forecasts.intervals import Estimate, Side
from neuter.scoring.forecasts.row import Row
from neuter.scoring.forecasts.schema import WITHOUT_CUTOFF, WITHOUT_REASONING
from neuter.scoring.forecasts.selecting import Panel, Whose, group_places

#: The paper compares no chain of thought by domain.
_COT_GROUPS = ("all", "model_group")
#: What a gap may be adjusted by: the gap of these on the same questions.
ADJUSTED_BY = (*REFERENCES, "crowd_or_base_rate")


def gap_rows(panel: Panel, condition: int, whose: Whose) -> Iterator[Row]:
    """Δ = mean Brier over post − mean Brier over pre, bounded by the failures, and less that of a reference."""
    a, name = panel.a, panel.a.conditions[condition]
    names: dict[str, Any] = {"condition": name, **whose.names}
    found = gap(panel, a.brier[:, condition], whose)
    if found.value is None:
        return
    counts = panel.counts(None, condition, whose)
    yield row(panel, "si_ti_gap", found, **names, **counts)
    answered = sum(counts[outcome] for outcome in OUTCOMES) == counts["answered"]
    bounds = (found, found) if answered else bounded_gap(panel, condition, whose)
    for metric, bound in zip(("si_ti_gap_low", "si_ti_gap_high"), bounds, strict=True):
        yield row(panel, metric, bound, **names)
    for which in ADJUSTED_BY:
        adjusted = gap(panel, a.brier[:, condition] - reference(a, which), whose)
        if adjusted.value is not None:
            n = _with_reference(panel, condition, whose, which)
            yield row(panel, "si_ti_gap_adjusted", adjusted, series=which, n=n, **names)


def gap(panel: Panel, values: Floats, whose: Whose) -> Estimate:
    """Mean over post − mean over pre of values (M, Q)."""
    return panel.clusters.difference(panel.side(values, "post", whose), panel.side(values, "pre", whose))


def bounded_gap(panel: Panel, condition: int, whose: Whose) -> tuple[Estimate, Estimate]:
    """The smallest and the largest that the gap could be, had every unanswered call been right, or wrong."""
    best, worst = (squared(panel.a, bound[:, condition]) for bound in (panel.a.best, panel.a.worst))
    low, high = (
        panel.clusters.difference(panel.side(post, "post", whose), panel.side(pre, "pre", whose))
        for post, pre in ((best, worst), (worst, best))
    )
    return low, high


def closed_rows(panel: Panel, condition: int, whose: Whose) -> Iterator[Row]:
    """The share of the gap that the instruction closes, what remains, and the cutoff penalty."""
    name = panel.a.conditions[condition]
    without = panel.a.condition(WITHOUT_CUTOFF.get(name, ""))
    if without is None:
        return
    sides = sides_of_closing(panel, condition, without, whose)
    if sides is None:
        return
    plain, told, ignorant = sides
    closed = panel.clusters.ratio((told, plain), (ignorant, plain))
    names: dict[str, Any] = {"condition": name, **whose.names, "n": round(plain.n + ignorant.n)}
    yield row(panel, "gap_closed", closed, unit="share", **names)
    yield row(panel, "gap_remaining", _rest(closed), unit="share", **names)
    penalty = panel.clusters.mean(panel.side(_paired(panel, condition, without), "pre", whose))
    yield row(panel, "cutoff_penalty", penalty, split="pre", **{**names, "n": round(plain.n)})


def sides_of_closing(
    panel: Panel, condition: int, without: int, whose: Whose
) -> tuple[Side, Side, Side] | None:
    """B_pre,G, B_pre,G′ and B_post,G′, the first two on the same questions; None where one is empty."""
    both = np.isfinite(panel.a.brier[:, condition]) & np.isfinite(panel.a.brier[:, without])
    plain, told = (
        panel.side(np.where(both, panel.a.brier[:, which], np.nan), "pre", whose)
        for which in (without, condition)
    )
    ignorant = panel.side(panel.a.brier[:, condition], "post", whose)
    return (plain, told, ignorant) if plain.n and ignorant.n else None


def reasoning_rows(panel: Panel, condition: int, whose: Whose) -> Iterator[Row]:
    """What a chain of thought changes: B(chain of thought) − B(direct), on the same questions."""
    name = panel.a.conditions[condition]
    direct = panel.a.condition(WITHOUT_REASONING.get(name, ""))
    if direct is None or whose.group_by not in _COT_GROUPS:
        return
    for split in ("pre", "post"):
        side = panel.side(_paired(panel, condition, direct), split, whose)
        found = panel.clusters.mean(side)
        if found.value is not None:
            yield row(panel, "cot_effect", found, condition=name, split=split, n=round(side.n), **whose.names)


def group_difference(panel: Panel, condition: int) -> Iterator[Row]:
    """The gap of the models trained to reason less that of the others, on the questions that both answered."""
    difference = group_contrast(panel, condition)
    if difference is None:
        return
    whose = Whose("", (0,), np.ones(panel.a.ids.size, dtype=np.bool_), "model_group", "difference")
    found = gap(panel, difference, whose)
    if found.value is not None:
        there = np.isfinite(difference[0]) & (panel.splits["pre"][0] | panel.splits["post"][0])
        name = panel.a.conditions[condition]
        yield row(panel, "si_ti_gap", found, condition=name, n=int(there.sum()), **whose.names)


def group_contrast(panel: Panel, condition: int) -> Floats | None:
    """By question, the mean Brier score of the models trained to reason less that of the others.

    The same for all models (M, Q), NaN where a group has no answer; None where a group has no model.
    """
    places = group_places(panel.a, panel.how)
    if not all(places.values()):
        return None
    brier = panel.a.brier[:, condition]
    reasoning, others = (mean_of_answered(brier[list(some)]) for some in places.values())
    return np.broadcast_to(reasoning - others, brier.shape)


def mean_of_answered(values: Floats) -> Floats:
    """The mean over models of those that answered a question; NaN where none did."""
    there = np.isfinite(values)
    counts = there.sum(axis=0)
    total = np.where(there, values, 0).sum(axis=0)
    return np.asarray(np.where(counts > 0, total / np.maximum(counts, 1), np.nan))


def _paired(panel: Panel, condition: int, other: int) -> Floats:
    """The Brier score under one condition less that under another, question by question (M, Q)."""
    return np.asarray(panel.a.brier[:, condition] - panel.a.brier[:, other])


def _rest(closed: Estimate) -> Estimate:
    """1 − the share closed."""
    if closed.value is None:
        return closed
    low, high = (None if end is None else 1 - end for end in (closed.high, closed.low))
    return replace(closed, value=1 - closed.value, low=low, high=high)


def _with_reference(panel: Panel, condition: int, whose: Whose, which: str) -> int:
    answered = np.isfinite(panel.a.forecast[:, condition])
    there = np.zeros(panel.a.ids.size, dtype=np.bool_)
    for split in ("pre", "post"):
        there |= panel.questions(split, whose, answered)
    return int((there & np.isfinite(reference(panel.a, which))).sum())
