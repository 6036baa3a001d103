"""The rows of one panel, series and condition: each figure in each split, with its interval and counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np

from neuter.scoring.calibration import confidence_calibration
from neuter.scoring.recall.directions import first_of_each
from neuter.scoring.recall.figure import Figure, Kind
from neuter.scoring.recall.points import OUTCOMES, Bools, Floats, Ints, Points
from neuter.scoring.statistics import Interval

#: From a figure's kind, values, second column and firms to its interval.
Intervals = Callable[[Kind, Floats, Floats | None, Ints], Interval]
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


@dataclass(slots=True)
class Rows:
    """Rows and caveats as they are made."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    caveats: list[Caveat] = field(default_factory=list)


def rows_of(
    points: Points, figures: list[Figure], splits: Mapping[str, Bools], model: str, intervals: Intervals
) -> Rows:
    """All rows of one series: for each split that has a question, every figure that has a point."""
    made = Rows()
    for split, inside in splits.items():
        if not inside.any():
            continue
        shared = _shared(points, split, inside)
        for figure in figures:
            _add(made, points, figure, inside, shared, model, intervals)
    return made


def splits_of(day: Ints, cutoff: date, recent_from: date | None) -> dict[str, Bools]:
    """Which points are in each split: ``pre`` is before the cutoff, ``recent`` its part from ``recent_from`` on."""
    pre = day < (cutoff - _EPOCH).days
    found = {"all": np.ones(day.size, dtype=np.bool_), "pre": pre}
    if recent_from is not None:
        found["recent"] = pre & (day >= (recent_from - _EPOCH).days)
    return found | {"post": ~pre}


def _shared(points: Points, split: str, inside: Bools) -> dict[str, Any]:
    counts = np.bincount(points.outcome[inside], minlength=len(OUTCOMES))
    named = {"panel": points.panel, "series": points.series, "condition": points.condition, "split": split}
    return named | {name: int(n) for name, n in zip(OUTCOMES, counts, strict=True)}


def _add(
    made: Rows,
    points: Points,
    figure: Figure,
    inside: Bools,
    shared: dict[str, Any],
    model: str,
    intervals: Intervals,
) -> None:
    part = inside & figure.measured
    if figure.first_out is not None:
        part &= ~first_of_each(inside & figure.first_out, points.firm)
    at = np.flatnonzero(part)
    values = figure.values[at]
    beside = None if figure.beside is None else figure.beside[at]
    value, why = _value(figure.kind, values, beside)
    interval = Interval(None, None, "none")
    if np.isfinite(value) and figure.kind != "count":
        interval = intervals(figure.kind, values, beside, points.firm[at])
        why = why or interval.caveat
    factor = 100.0 if figure.unit == "percent" and figure.kind == "share" else 1.0
    base = figure.constant(part) if figure.constant is not None and at.size else float("nan")
    row = shared | {
        "attacker": figure.attacker,
        "model": model if figure.attacker == "llm" else "",
        "metric": figure.metric,
        "unit": figure.unit,
        "value": _number(value * factor),
        "ci_low": _number(max(_end(interval.low) * factor, figure.least)),
        "ci_high": _number(_end(interval.high) * factor),
        "baseline": _number(base * factor),
        "n": int(at.size),
        "first_date": _day(points.date[at], 0),
        "last_date": _day(points.date[at], -1),
    }
    made.rows.append(row)
    if why:
        told = (shared["panel"], shared["series"], shared["condition"], shared["split"])
        made.caveats.append(Caveat(*told, _named(figure), why))


def _named(figure: Figure) -> str:
    return figure.metric if figure.attacker == "llm" else f"{figure.metric} of {figure.attacker}"


def _value(kind: Kind, values: Floats, beside: Floats | None) -> tuple[float, str]:
    """The figure, and why there is none."""
    if not values.size:
        return float("nan"), ""
    if kind == "correlation" and beside is not None:
        return _correlation(values, beside)
    if kind == "skill" and beside is not None:
        base = float(beside.mean())
        none = "the baseline makes no error: no skill over it"
        return (1 - float(values.mean()) / base, "") if base > 0 else (float("nan"), none)
    return float(values.sum() if kind == "count" else values.mean()), ""


def _correlation(stated: Floats, came: Floats) -> tuple[float, str]:
    if stated.size < FEWEST:
        return float("nan"), f"only {stated.size} answers with a confidence: no correlation"
    if np.ptp(stated) == 0:
        return float("nan"), f"the confidence is {stated[0]:g} throughout: no correlation"
    found = confidence_calibration(stated, came, scale="percent")
    return (float("nan"), "all answers are equally right: no correlation") if found is None else (found, "")


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _end(value: float | None) -> float:
    return float("nan") if value is None else value


def _day(days: Ints, at: int) -> date | None:
    return _EPOCH + timedelta(days=int(days[at])) if days.size else None


def caveats_about(points: Points, figures: list[Figure], errors_without: int) -> Iterator[Caveat]:
    """What to know about the points themselves."""
    named = (points.panel, points.series, points.condition, "all")
    if errors_without:
        yield Caveat(
            *named, "mean_percent_error", f"{errors_without} points with an actual value of 0 are left out"
        )
    unread = int(((points.outcome == 0) & ~points.answered).sum())
    if unread:
        yield Caveat(*named, "", f"{unread} answers have no value of the kind asked for, and are left out")
    if not figures:
        yield Caveat(*named, "", "nothing to score")
