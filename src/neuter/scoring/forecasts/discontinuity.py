"""The break at each model's own cutoff (Figure 6): how large, whether at other dates too, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from neuter.scoring.forecasts.averaged import Averaged, Floats, Ints
from neuter.scoring.forecasts.how import ForecastScoring
from neuter.scoring.forecasts.intervals import Estimate
from neuter.scoring.forecasts.jumps import FEWEST, Jump, jump_at
from neuter.scoring.forecasts.own_cutoffs import own_cutoff
from neuter.scoring.forecasts.partition import day_of, days_since_1970
from neuter.scoring.forecasts.row import Row
from neuter.scoring.recall.change_point import bayes_factor, evidence, posterior
from neuter.scoring.recall.effective_cutoff import LEAST_FACTOR, LEAST_QUESTIONS

PANEL = "discontinuity"
#: Placebo dates are so many days apart.
STEP = 30


@dataclass(frozen=True, slots=True, eq=False)
class _Curve:
    """One model's Brier scores under one condition: days of resolution, scores and clusters."""

    day: Ints
    brier: Floats
    cluster: Ints


def discontinuity_rows(a: Averaged, how: ForecastScoring) -> list[Row]:
    """Of each model and condition: ``jump``, ``bandwidth``, placebo jumps and their share, ``break_date_error``."""
    return [
        row
        for m, model in enumerate(a.models)
        for condition, name in enumerate(a.conditions)
        for row in _rows(
            _curve(a, m, condition), own_cutoff(how, model), how.level, {"condition": name, "model": model}
        )
    ]


def _curve(a: Averaged, m: int, condition: int) -> _Curve:
    brier = a.brier[m, condition]
    there = np.isfinite(brier)
    return _Curve(a.resolved[there], brier[there], a.cluster[there])


def _rows(curve: _Curve, cutoff: date, level: float, names: dict[str, Any]) -> Iterator[Row]:
    if not curve.day.size:
        return
    at = days_since_1970(cutoff)
    found = jump_at((curve.day - at).astype(np.float64), curve.brier, curve.cluster, level)
    yield _row("jump", "brier", found.estimate, n=found.n, **names)
    if found.bandwidth is not None:
        yield _row("bandwidth", "days", Estimate(found.bandwidth), n=found.n, **names)
    yield from _placebos(curve, at, level, found, names)
    yield _break_row(curve, cutoff, level, names)


def _placebos(curve: _Curve, at: int, level: float, true: Jump, names: dict[str, Any]) -> Iterator[Row]:
    """Jumps at other dates, each from one side of the cutoff alone, so that the true one is in none of them."""
    jumps = []
    for side in (curve.day < at, curve.day >= at):
        if side.sum() < 2 * FEWEST:
            continue
        day, brier, cluster = curve.day[side], curve.brier[side], curve.cluster[side]
        order = np.sort(day)
        first, last = int(order[FEWEST]), int(order[-FEWEST])
        for place in range(first, last + 1, STEP):
            found = jump_at((day - place).astype(np.float64), brier, cluster, level)
            if found.estimate.value is not None:
                jumps.append(found.estimate.value)
                told = {"n": found.n, "group_by": "placebo", "group": str(day_of(place)), **names}
                yield _row("jump", "brier", found.estimate, **told)
    if jumps and true.estimate.value is not None:
        larger = sum(abs(one) >= abs(true.estimate.value) for one in jumps)
        share = Estimate((1 + larger) / (1 + len(jumps)))
        yield _row("placebo_p", "share", share, n=len(jumps), **names)


def _break_row(curve: _Curve, cutoff: date, level: float, names: dict[str, Any]) -> Row:
    """The month from which forecasts are worse, found from the scores alone, in days from the stated cutoff."""
    n = curve.day.size
    if n < LEAST_QUESTIONS:
        found = Estimate(None, caveat=f"only {n} questions: no break is looked for under {LEAST_QUESTIONS}")
        return _row("break_date_error", "days", found, n=n, **names)
    order = np.argsort(curve.day, kind="stable")
    month = curve.day[order].astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    seen = evidence(month, np.sqrt(curve.brier[order]), np.zeros(n, dtype=np.bool_))
    factor = bayes_factor(seen)
    if factor < LEAST_FACTOR:
        why = (
            "forecasts get worse in no month"
            if factor <= 1 / LEAST_FACTOR
            else "whether there is a break cannot be told"
        )
        return _row(
            "break_date_error",
            "days",
            Estimate(None, caveat=f"{why}: Bayes factor {factor:.2g}"),
            n=n,
            **names,
        )
    broken = posterior(seen, level)
    value, low, high = (_days_off(month_, cutoff) for month_ in (broken.month, broken.low, broken.high))
    return _row("break_date_error", "days", Estimate(value, low, high), n=n, **names)


def _days_off(month: int, cutoff: date) -> float:
    """From the cutoff's month to another, in days between their first days."""
    first = date(1970 + month // 12, month % 12 + 1, 1)
    return float((first - cutoff.replace(day=1)).days)


def _row(metric: str, unit: str, found: Estimate, **names: Any) -> Row:
    return Row.of(found, panel=PANEL, metric=metric, unit=unit, **names)
