"""The rows of one panel, series and condition: each figure in each split, with its interval and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any

import numpy as np

from neuter.scoring.calibration import confidence_calibration
from neuter.scoring.recall.directions import first_of_each
from neuter.scoring.recall.figure import Figure
from neuter.scoring.recall.intervals import Intervals
from neuter.scoring.recall.points import OUTCOMES, Bools, Floats, Ints, Points
from neuter.scoring.recall.sample import Sample
from neuter.scoring.statistics import Interval

#: A caveat of more figures than this is said once.
_MANY = 3
_EPOCH = date(1970, 1, 1)
#: Figures of fewer points than this have no interval, and a correlation has no value.
FEWEST = 3


@dataclass(frozen=True, slots=True)
class Caveat:
    """What to know about one figure."""

    panel: str
    series: str
    condition: str
    split: str
    metric: str
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """One figure in one split: its points ``at``, their sample, its value (or ``why`` there is none) and baseline."""

    figure: Figure
    split: str
    sample: Sample
    value: float
    why: str
    base: float
    at: Ints

    @property
    def has_interval(self) -> bool:
        return bool(np.isfinite(self.value)) and self.figure.kind != "count"


@dataclass(slots=True)
class Rows:
    """Rows and caveats as they are made."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    caveats: list[Caveat] = field(default_factory=list)


def rows_of(
    points: Points, figures: list[Figure], splits: Mapping[str, Bools], model: str, intervals: Intervals
) -> Rows:
    """All rows of one series: for each split that has a question, every figure, with its interval."""
    asked = [
        _asked(points, figure, split, in_it)
        for split, in_it in splits.items()
        if in_it.any()
        for figure in figures
    ]
    wanted = [one for one in asked if one.has_interval]
    found = dict(zip(map(id, wanted), intervals([one.sample for one in wanted]), strict=True))
    counts = {split: counts_of(points, in_it) for split, in_it in splits.items()}
    made = Rows()
    for one in asked:
        interval = found.get(id(one), Interval(None, None, "none"))
        made.rows.append(_row(points, one, interval, counts[one.split], model))
        told = one.figure.attacker == "llm" and one.figure.metric != "refusal_share"
        if told and (why := one.why or interval.caveat):
            named = (points.panel, points.series, points.condition, one.split)
            made.caveats.append(Caveat(*named, one.figure.metric, why))
    made.caveats = _joined(made.caveats)
    return made


def splits_of(day: Ints, cutoff: date, recent_from: date | None) -> dict[str, Bools]:
    """Which points are in each split: ``pre`` is before the cutoff, ``recent`` its part from ``recent_from`` on."""
    pre = day < (cutoff - _EPOCH).days
    found = {"all": np.ones(day.size, dtype=np.bool_), "pre": pre}
    if recent_from is not None:
        found["recent"] = pre & (day >= (recent_from - _EPOCH).days)
    return found | {"post": ~pre}


def fake_splits_of(day: Ints, cutoff: date, fake_from: date) -> dict[str, Bools]:
    """Which points are in each split where a prompt names a cutoff: what may be known, what is known and may not, and
    what cannot be known.
    """
    pre, post = day < (fake_from - _EPOCH).days, day >= (cutoff - _EPOCH).days
    return {
        "all": np.ones(day.size, dtype=np.bool_),
        "pre_fake": pre,
        "post_fake": ~pre & ~post,
        "post": post,
    }


def counts_of(points: Points, inside: Bools) -> dict[str, int]:
    """How many questions came to which outcome."""
    counts = np.bincount(points.outcome[inside], minlength=len(OUTCOMES))
    return {name: int(n) for name, n in zip(OUTCOMES, counts, strict=True)}


def _asked(points: Points, figure: Figure, split: str, inside: Bools) -> _Asked:
    """The points of a figure in a split, and its value."""
    part = inside & figure.measured
    if figure.first_out is not None:
        part &= ~first_of_each(inside & figure.first_out, points.firm)
    at = np.flatnonzero(part)
    beside = None if figure.beside is None else figure.beside[at]
    sample = Sample(figure.kind, figure.values[at], beside, points.firm[at], positive=figure.least >= 0)
    value, why = _value(sample)
    base = figure.constant(part) if figure.constant is not None and at.size else float("nan")
    return _Asked(figure, split, sample, value, why, base, at)


def _row(
    points: Points, one: _Asked, interval: Interval, counts: dict[str, int], model: str
) -> dict[str, Any]:
    figure, at = one.figure, one.at
    factor = 100.0 if figure.unit == "percent" and figure.kind == "share" else 1.0
    return counts | {
        "panel": points.panel,
        "series": points.series,
        "condition": points.condition,
        "split": one.split,
        "attacker": figure.attacker,
        "model": model,
        "metric": figure.metric,
        "unit": figure.unit,
        "value": _number(one.value, factor),
        "ci_low": _number(interval.low, factor),
        "ci_high": _number(interval.high, factor),
        "baseline": _number(one.base, factor),
        "n": int(at.size),
        "first_date": day_of(points.date[at], 0),
        "last_date": day_of(points.date[at], -1),
    }


def _joined(caveats: list[Caveat]) -> list[Caveat]:
    """What holds for many figures of a split is said once, of all of them; bounds repeat nothing of their metric."""
    own = [one for one in caveats if not one.metric.endswith(("_all", "_low", "_high"))]
    times = Counter((one.split, one.text) for one in own)
    found = [replace(one, metric="") if times[one.split, one.text] > _MANY else one for one in own]
    return list(dict.fromkeys(found))


def _value(sample: Sample) -> tuple[float, str]:
    """The figure, and why there is none."""
    kind, values, beside = sample.kind, sample.values, sample.beside
    if not values.size:
        return (0.0, "") if kind == "count" else (float("nan"), "")
    if kind == "correlation" and beside is not None:
        return _correlation(values, beside)
    if kind in {"skill", "share_skill"} and beside is not None:
        base = float(beside.mean())
        none = "the baseline makes no error: no skill over it"
        return (1 - float(values.mean()) / base, "") if base > 0 else (float("nan"), none)
    return float(values.sum() if kind == "count" else values.mean()), ""


def _correlation(stated: Floats, came: Floats) -> tuple[float, str]:
    if stated.size < FEWEST:
        return float(
            "nan"
        ), f"only {stated.size} answer{'s' * (stated.size != 1)} with a confidence: no correlation"
    if np.ptp(stated) == 0:
        return float("nan"), f"the confidence is {stated[0]:g} throughout: no correlation"
    found = confidence_calibration(stated, came, scale="percent")
    return (float("nan"), "all answers are equally right: no correlation") if found is None else (found, "")


def _number(value: float | None, factor: float) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value) * factor


def day_of(days: Ints, at: int) -> date | None:
    return _EPOCH + timedelta(days=int(days[at])) if days.size else None


def caveats_about(points: Points, zeros: int, *, strange_history: bool) -> Iterator[Caveat]:
    """What to know about the points themselves: zeros, answers of no use, values that are not those asked about."""
    named = (points.panel, points.series, points.condition, "all")
    if zeros:
        text = f"left out because the actual value is 0: {zeros} answers"
        yield from (
            Caveat(*named, name, text) for name in ("mean_percent_error", "mean_absolute_percent_error")
        )
    unread = int(((points.outcome == OUTCOMES.index("answered")) & ~points.answered).sum())
    if unread:
        yield Caveat(
            *named, "", f"left out because their value is not of the kind asked for: {unread} answers"
        )
    if strange_history:
        yield Caveat(*named, "", "the history is not of the values asked about: no baselines mean and ar1")
