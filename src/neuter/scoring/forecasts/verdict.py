"""Whether simulated ignorance can stand for true ignorance with these questions and this model, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from neuter.scoring.forecasts.averaged import Floats
from neuter.scoring.forecasts.brier_rows import reference
from neuter.scoring.forecasts.gap_rows import gap, sides_of_closing
from neuter.scoring.forecasts.intervals import FEW_CLUSTERS, Estimate
from neuter.scoring.forecasts.schema import WITHOUT_CUTOFF
from neuter.scoring.forecasts.selecting import Panel, Whose, models_of
from neuter.scoring.forecasts.tests import SEEN

Kind = Literal["cannot_stand", "can_stand", "no_evidence", "reversed", "cannot_tell"]
#: A gap is adjusted for difficulty where a reference is known for such a share of the questions on each side; then it is
#: of these questions alone.
_KNOWN = 0.5


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run says of one model ("" is the mean over models) under one condition with an instruction.

    Attributes:
        kind: ``cannot_stand`` (SI is easier than TI), ``reversed`` (harder), ``can_stand`` (alike within the margin),
            ``no_evidence`` (no gap seen, and one of the margin's size could have gone unseen), ``cannot_tell``.
        gap, low, high: Δ in Brier points and its interval, less the reference's where ``adjusted_by`` names one.
        raw: Δ as it is.
        smallest: the smallest gap that would have been seen in 80 of 100 such samples.
        needed: questions (before and after together) that would show a gap of the margin's size with that chance.
        pre, post: questions on each side, of those that have the reference where the gap is adjusted.
        sentences: all that in words.
    """

    model: str
    condition: str
    kind: Kind
    gap: float | None
    low: float | None
    high: float | None
    raw: float | None
    adjusted_by: str
    margin: float
    smallest: float | None
    needed: int | None
    pre: int
    post: int
    sentences: tuple[str, ...]


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
    raw = gap(panel, values, whose)
    by = _reference(panel, values, whose)
    used = values if not by else values - reference(panel.a, by)
    found = gap(panel, used, whose)
    pre, post = (panel.side(used, split, whose) for split in ("pre", "post"))
    fewest = min(pre.clusters, post.clusters)
    kind, why = _kind(panel, condition, whose, found, fewest)
    smallest = None if found.error is None else SEEN * found.error
    size = pre.n + post.n
    margin = panel.how.margin
    needed = None if smallest is None else math.ceil(size * (smallest / margin) ** 2)
    made = Verdict(
        model=whose.model,
        condition=panel.a.conditions[condition],
        kind=kind,
        gap=found.value,
        low=found.low,
        high=found.high,
        raw=raw.value,
        adjusted_by=by,
        margin=margin,
        smallest=smallest,
        needed=needed,
        pre=round(pre.n),
        post=round(post.n),
        sentences=(),
    )
    return _said(made, why)


def _reference(panel: Panel, values: Floats, whose: Whose) -> str:
    """What the gap is adjusted by, "" where too few questions have any reference."""
    for name in ("crowd", "base_rate", "crowd_or_base_rate"):
        known = np.where(np.isfinite(reference(panel.a, name)), values, np.nan)
        shares = [
            panel.side(known, split, whose).n / max(panel.side(values, split, whose).n, 1)
            for split in ("pre", "post")
        ]
        if min(shares) >= _KNOWN:
            return name
    return ""


def _kind(panel: Panel, condition: int, whose: Whose, found: Estimate, fewest: float) -> tuple[Kind, str]:
    margin = panel.how.margin
    if found.value is None or found.error is None or found.low is None or found.high is None:
        return (
            "cannot_tell",
            "There are too few questions on one side of the cutoff, or all forecasts are alike.",
        )
    if fewest < FEW_CLUSTERS:
        return "cannot_tell", f"There are only {fewest:.0f} independent groups of questions on one side."
    # Two one-sided tests at 5%: the 90% interval lies within the margin.
    reach = float(stdtrit(fewest - 1, 0.95)) * found.error
    if found.value - reach > -margin and found.value + reach < margin:
        return "can_stand", ""
    if found.low > 0 or found.high < 0:
        return ("cannot_stand" if found.low > 0 else "reversed"), ""
    why = _nothing_to_forget(panel, condition, whose)
    return ("cannot_tell" if why else "no_evidence"), why


def _nothing_to_forget(panel: Panel, condition: int, whose: Whose) -> str:
    """Without an instruction, is the model better before its cutoff than after it? If not, nothing can be seen."""
    without = panel.a.condition(WITHOUT_CUTOFF[panel.a.conditions[condition]])
    sides = None if without is None else sides_of_closing(panel, condition, without, whose)
    if sides is None:
        return ""
    plain, _, ignorant = sides
    open_ = panel.clusters.difference(ignorant, plain)
    if open_.low is not None and open_.low <= 0:
        return (
            "Without the instruction it forecasts no better before its cutoff than after it "
            f"(gap {_points(open_.value)}), so that there is nothing it could be seen to forget."
        )
    return ""


def _said(verdict: Verdict, why: str) -> Verdict:
    from dataclasses import replace

    return replace(verdict, sentences=tuple(filter(None, _sentences(verdict, why))))


def _sentences(v: Verdict, why: str) -> Iterator[str]:
    by = v.adjusted_by.replace("_", " ")
    adjusted = f", less that of the {by} on the same questions" if by else ""
    interval = "" if v.low is None else f" (95% interval {_points(v.low)} to {_points(v.high)})"
    told = (
        f"The gap between true and simulated ignorance is {_points(v.gap)} Brier points{interval}{adjusted}"
    )
    of = f"from {v.pre:,} questions before and {v.post:,} after the cutoff."
    heads = {
        "cannot_stand": "Simulated ignorance cannot stand for true ignorance here.",
        "reversed": "Simulated ignorance cannot stand for true ignorance here: forecasts are worse under it.",
        "can_stand": f"Simulated ignorance can stand for true ignorance here within ±{v.margin:g} Brier points.",
        "no_evidence": "There is no evidence of leakage.",
        "cannot_tell": "Whether simulated ignorance can stand for true ignorance here cannot be told.",
    }
    yield heads[v.kind]
    yield why
    if v.gap is not None:
        yield f"{told}, {of}"
    if v.kind in {"no_evidence", "cannot_tell"} and v.smallest is not None:
        yield f"The smallest gap that would have been seen in 80 of 100 such samples is {_points(v.smallest)}."
        if v.needed is not None and v.needed > v.pre + v.post:
            yield f"To see one of {v.margin:g} it would take about {_round(v.needed):,} questions."
    if not v.adjusted_by and v.kind in {"cannot_stand", "reversed"}:
        yield "It is not adjusted for difficulty: too few of the questions have a crowd or a base rate."


def _points(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _round(count: int) -> int:
    """Two digits: more would say more than the variances do."""
    size = 10 ** max(0, len(str(count)) - 2)
    return int(math.ceil(count / size) * size)
