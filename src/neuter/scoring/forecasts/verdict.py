"""Whether simulated ignorance can stand for true ignorance with these questions and this model."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.special import stdtrit

from neuter.scoring.forecasts.averaged import OUTCOMES, Floats
from neuter.scoring.forecasts.brier_rows import REFERENCES, reference
from neuter.scoring.forecasts.comparisons import seen
from neuter.scoring.forecasts.gap_rows import ADJUSTED_BY, bounded_gap, gap
from neuter.scoring.forecasts.intervals import FEW_CLUSTERS
from neuter.scoring.forecasts.schema import WITHOUT_CUTOFF
from neuter.scoring.forecasts.selecting import Panel, Whose, models_of
from neuter.scoring.forecasts.sides import NOTHING, Estimate
from neuter.scoring.forecasts.verdict_words import sentences

Kind = Literal["cannot_stand", "can_stand", "no_evidence", "reversed", "cannot_tell"]
#: A gap is adjusted for difficulty where a reference is known for such a share of the questions on each side; then it
#: is of these questions alone.
_KNOWN = 0.5
#: So much more of the questions must be covered for two kinds of reference to be mixed.
_CLEARLY = 0.1
#: Two one-sided tests at 5% (Schuirmann 1987): the interval at 90% lies within the margin.
_ONE_SIDED = 0.95


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run says of one model ("" is the mean over models) under one condition with an instruction.

    Attributes:
        kind: ``cannot_stand`` (SI is easier than TI), ``reversed`` (harder), ``can_stand`` (alike within the margin),
            ``no_evidence`` (no gap seen, and one of the margin's size could have gone unseen), ``cannot_tell`` (too few
            questions, or the model has nothing to forget).
        gap, low, high: Δ in Brier points and its interval, less the reference's where ``adjusted_by`` names one.
        raw, raw_low, raw_high: Δ as it is, of all questions.
        without, without_low, without_high: the gap without the instruction, adjusted likewise.
        level: of the intervals.
        smallest: the smallest gap that would have been seen in 80 of 100 such samples.
        needed, needed_pre, needed_post: questions that would show a gap of the margin's size with that chance, with as
            many before for each after as now, and as much alike within their clusters.
        pre, post: questions on each side, of those that have the reference where the gap is adjusted.
        calls, unanswered: on both sides; ``worst_low`` and ``worst_high`` are what ``raw`` could have been had all
            unanswered ones been right, or wrong.
        sentences: all that in words.
    """

    model: str
    condition: str
    kind: Kind
    gap: float | None
    low: float | None
    high: float | None
    raw: float | None
    raw_low: float | None
    raw_high: float | None
    without: float | None
    without_low: float | None
    without_high: float | None
    adjusted_by: str
    level: float
    margin: float
    smallest: float | None
    needed: int | None
    needed_pre: int | None
    needed_post: int | None
    pre: int
    post: int
    calls: int
    unanswered: int
    worst_low: float | None
    worst_high: float | None
    sentences: tuple[str, ...] = ()


def verdicts(panel: Panel) -> Iterator[Verdict]:
    """A verdict for each model, and the mean over them, under each condition with an instruction."""
    for name in WITHOUT_CUTOFF:
        condition = panel.a.condition(name)
        if condition is None:
            continue
        for model, places in models_of(panel.a):
            whose = Whose(model, places, np.ones(panel.a.ids.size, dtype=np.bool_))
            yield _verdict(panel, condition, whose)


def _verdict(panel: Panel, condition: int, whose: Whose) -> Verdict:
    values = panel.a.brier[:, condition]
    by = _reference(panel, values, whose)
    used = _adjusted(panel, values, by)
    pre, post = (panel.side(used, split, whose) for split in ("pre", "post"))
    fewest = min(pre.clusters, post.clusters)
    found, raw = gap(panel, used, whose), gap(panel, values, whose)
    without = _without(panel, condition, by, whose)
    made = Verdict(
        model=whose.model,
        condition=panel.a.conditions[condition],
        kind=_kind(found, without, fewest, panel.how.margin),
        gap=found.value,
        low=found.low,
        high=found.high,
        raw=raw.value,
        raw_low=raw.low,
        raw_high=raw.high,
        without=without.value,
        without_low=without.low,
        without_high=without.high,
        adjusted_by=by,
        level=panel.how.level,
        margin=panel.how.margin,
        pre=round(pre.n),
        post=round(post.n),
        **_power(found, (pre.n, post.n), fewest, panel),
        **_failures(panel, condition, whose),
    )
    return replace(made, sentences=tuple(sentences(made, fewest)))


def _reference(panel: Panel, values: Floats, whose: Whose) -> str:
    """What the gap is adjusted by, "" where too few questions have any reference.

    The crowd or the base rate alone, unless the two together cover clearly more.
    """
    shares = {name: _share_known(panel, values, whose, name) for name in ADJUSTED_BY}
    both = shares["crowd_or_base_rate"]
    for name in REFERENCES:
        if shares[name] >= max(_KNOWN, both - _CLEARLY):
            return name
    return "crowd_or_base_rate" if both >= _KNOWN else ""


def _share_known(panel: Panel, values: Floats, whose: Whose, name: str) -> float:
    """The share of the questions that have a reference, on the side where it is smaller."""
    known = np.where(np.isfinite(reference(panel.a, name)), values, np.nan)
    sides = [
        (panel.side(known, split, whose).n, panel.side(values, split, whose).n) for split in ("pre", "post")
    ]
    return min(some / max(every, 1) for some, every in sides)


def _adjusted(panel: Panel, values: Floats, by: str) -> Floats:
    return values - reference(panel.a, by) if by else values


def _without(panel: Panel, condition: int, by: str, whose: Whose) -> Estimate:
    """The gap under the same condition without the instruction; of no value where that was not asked."""
    place = panel.a.condition(WITHOUT_CUTOFF[panel.a.conditions[condition]])
    return NOTHING if place is None else gap(panel, _adjusted(panel, panel.a.brier[:, place], by), whose)


def _kind(found: Estimate, without: Estimate, fewest: float, margin: float) -> Kind:
    """``fewest`` is the effective number of clusters on the smaller side."""
    if found.value is None or found.error is None or found.low is None or found.high is None:
        return "cannot_tell"
    if fewest < FEW_CLUSTERS:
        return "cannot_tell"
    reach = float(stdtrit(fewest - 1, _ONE_SIDED)) * found.error
    alike = found.value - reach > -margin and found.value + reach < margin
    if not alike and (found.low > 0 or found.high < 0):
        return "cannot_stand" if found.low > 0 else "reversed"
    # Where nothing is known, nothing is forgotten: that both are alike says nothing of the instruction.
    if without.value is not None and (without.low is None or without.low <= 0):
        return "cannot_tell"
    return "can_stand" if alike else "no_evidence"


def _power(found: Estimate, sizes: tuple[float, float], fewest: float, panel: Panel) -> dict[str, Any]:
    """The smallest gap that would have been seen, and the questions that one of the margin's size needs."""
    if found.error is None:
        return dict.fromkeys(("smallest", "needed", "needed_pre", "needed_post"))
    level, margin = panel.how.level, panel.how.margin
    # Of many questions: Student's t is the normal distribution then.
    times = (seen(level) * found.error / margin) ** 2
    before, after = (math.ceil(size * times) for size in sizes)
    return {
        "smallest": seen(level, fewest - 1) * found.error,
        "needed": before + after,
        "needed_pre": before,
        "needed_post": after,
    }


def _failures(panel: Panel, condition: int, whose: Whose) -> dict[str, Any]:
    counts = panel.counts(None, condition, whose)
    calls = sum(counts[name] for name in OUTCOMES)
    low, high = bounded_gap(panel, condition, whose)
    return {
        "calls": calls,
        "unanswered": calls - counts["answered"],
        "worst_low": low.value,
        "worst_high": high.value,
    }
