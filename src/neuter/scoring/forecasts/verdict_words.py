"""A verdict on simulated ignorance in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from neuter.scoring.forecasts.intervals import FEW_CLUSTERS

if TYPE_CHECKING:
    from neuter.scoring.forecasts.verdict import Verdict

_HEADS = {
    "cannot_stand": "Simulated ignorance cannot stand for true ignorance here.",
    "reversed": "Simulated ignorance cannot stand for true ignorance here: forecasts are worse under it.",
    "can_stand": "Simulated ignorance can stand for true ignorance here within ±{margin:g} Brier points.",
    "no_evidence": "There is no evidence of leakage, nor is it ruled out.",
    "cannot_tell": "Whether simulated ignorance can stand for true ignorance here cannot be told.",
}


def sentences(v: Verdict, fewest: float) -> Iterator[str]:
    """What it says, why, from how much, and what it would take to know more.

    ``fewest`` is the effective number of clusters on the smaller side.
    """
    yield _HEADS[v.kind].format(margin=v.margin)
    if v.kind == "cannot_tell":
        yield _why(v, fewest)
    if v.gap is not None:
        yield (
            f"The gap between true and simulated ignorance is {_points(v.gap)} Brier points"
            f"{_interval(v, v.low, v.high)}{_less(v)}, from {v.pre:,} questions before and {v.post:,} after the cutoff."
        )
        yield from _adjustment(v)
    if v.kind == "can_stand" and v.without is None:
        yield "It was not asked without the instruction: whether it had anything to forget is not known."
    if v.kind in {"no_evidence", "cannot_tell"}:
        yield from _power(v)
    if v.unanswered and v.worst_low is not None and v.worst_high is not None:
        yield (
            f"{v.unanswered:,} of {v.calls:,} calls gave no forecast: had all of these been right, or wrong, the gap"
            f"{' as it is' if v.adjusted_by else ''} could be anything from {_points(v.worst_low)} to "
            f"{_points(v.worst_high)}."
        )


def _why(v: Verdict, fewest: float) -> str:
    if not (v.pre and v.post):
        return f"There are no forecasts of questions {'after' if v.pre else 'before'} the cutoff."
    if fewest < FEW_CLUSTERS:
        return f"There are only {fewest:.0f} independent groups of questions on one side."
    if v.low is None:
        return "The forecasts say nothing of how uncertain the gap is: they are all alike."
    return (
        "Without the instruction no gap is seen either "
        f"({_points(v.without)}{_interval(v, v.without_low, v.without_high, bare=True)}), so that there is nothing it "
        "could be seen to forget."
    )


def _adjustment(v: Verdict) -> Iterator[str]:
    """What the gap is before it is adjusted, and whether that says something else."""
    if not v.adjusted_by:
        if v.kind in {"cannot_stand", "reversed"}:
            yield "It is not adjusted for difficulty: too few of the questions have a crowd or a base rate."
        return
    yield f"As it is, the gap is {_points(v.raw)}{_interval(v, v.raw_low, v.raw_high)}."
    if _sign(v.raw_low, v.raw_high) and not _sign(v.low, v.high):
        easier = "before" if _sign(v.raw_low, v.raw_high) > 0 else "after"
        yield f"Merely that one is clear of 0: the questions {easier} the cutoff may have been easier for anybody."


def _power(v: Verdict) -> Iterator[str]:
    if v.smallest is None or v.needed is None or v.needed_pre is None or v.needed_post is None:
        return
    yield f"The smallest gap that would have been seen in 80 of 100 such samples is {_points(v.smallest)}."
    if v.needed > v.pre + v.post:
        before, after = _round(v.needed_pre), _round(v.needed_post)
        yield (
            f"To see one of {v.margin:g} it would take about {_round(v.needed):,} such questions, {before:,} of them "
            f"before and {after:,} after the cutoff, in the proportion of these."
        )


def _sign(low: float | None, high: float | None) -> int:
    """1 or −1 where an interval lies above or below 0, else 0."""
    if low is None or high is None:
        return 0
    return int(low > 0) - int(high < 0)


def _interval(v: Verdict, low: float | None, high: float | None, *, bare: bool = False) -> str:
    if low is None or high is None:
        return ""
    told = f"{100 * v.level:g}% interval {_points(low)} to {_points(high)}"
    return f", {told}" if bare else f" ({told})"


def _less(v: Verdict) -> str:
    by = {"crowd_or_base_rate": "crowd (or of the base rate where there is none)"}
    told = by.get(v.adjusted_by, v.adjusted_by.replace("_", " "))
    return f", less that of the {told} on the same questions" if told else ""


def _points(value: float | None) -> str:
    """Three places; what is nearly 0 has no sign."""
    return "unknown" if value is None else f"{round(value, 3) + 0.0:.3f}"


def _round(count: int) -> int:
    """Two digits: more would say more than the variances do."""
    size = 10 ** max(0, len(str(count)) - 2)
    return int(math.ceil(count / size) * size)
