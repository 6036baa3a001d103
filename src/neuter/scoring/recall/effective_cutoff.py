"""The month at which recall breaks, with an interval, beside the cutoff that the model's maker states."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from neuter.scoring.recall.change_point import Break, Evidence, bayes_factor, evidence, pooled, posterior
from neuter.scoring.recall.points import OUTCOMES, Floats, Points
from neuter.scoring.recall.rows import Caveat, Rows, counts_of, day_of

METRIC = "effective_cutoff"
#: A break is given if the answers are so many times likelier with one ("substantial"; Jeffreys 1961, Kass and
#: Raftery 1995: "positive"), and how often that finds one where there is none is in docs/recall-scores.md.
LEAST_FACTOR = 3.0
#: Of fewer questions no break is looked for.
LEAST_QUESTIONS = 20
#: Outcomes by which a model says that it does not know; a failed call says nothing of it.
_NOT_KNOWING = tuple(OUTCOMES.index(name) for name in ("refused", "unparsed"))


@dataclass(frozen=True, slots=True)
class Broken:
    """One series (or all of a panel) and the evidence for a break in it."""

    points: tuple[Points, ...]
    found: Evidence
    n: int

    @property
    def series(self) -> str:
        return self.points[0].series if len(self.points) == 1 else "all"


def broken(points: Points, errors: Floats) -> Broken:
    """The evidence of one series, from absolute errors (or wrong words)."""
    refused = np.isin(points.outcome, _NOT_KNOWING) & ~np.isfinite(errors)
    used = np.isfinite(errors) | refused
    month = points.date.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return Broken((points,), evidence(month[used], errors[used], refused[used]), int(used.sum()))


def effective_cutoffs(series: list[Broken], model: str, cutoff: date, level: float) -> Rows:
    """A row a series, and one for all series of a panel and condition together where there are several."""
    made = Rows()
    for one in [*series, *_together(series)]:
        found, why = _break(one, level)
        made.rows.append(_row(one, found, model, cutoff))
        if why:
            named = (one.points[0].panel, one.series, one.points[0].condition, "all")
            made.caveats.append(Caveat(*named, METRIC, why))
    return made


def decimal_year(month: int) -> float:
    """The start of a month (counted from January 1970) as a decimal year.

    >>> decimal_year((2023 - 1970) * 12 + 9)
    2023.75
    """
    return 1970 + month / 12


def _together(series: list[Broken]) -> Iterator[Broken]:
    by_panel: dict[tuple[str, str], list[Broken]] = {}
    for one in series:
        by_panel.setdefault((one.points[0].panel, one.points[0].condition), []).append(one)
    for several in by_panel.values():
        if len(several) > 1:
            points = tuple(one.points[0] for one in several)
            used = [one.found for one in several if one.n]
            if used:
                yield Broken(points, pooled(used), sum(one.n for one in several))


def _break(one: Broken, level: float) -> tuple[Break | None, str]:
    """The break, or why there is none."""
    if one.n < LEAST_QUESTIONS:
        return (
            None,
            f"only {one.n} question{'s' * (one.n != 1)}: no break is looked for under {LEAST_QUESTIONS}",
        )
    factor = bayes_factor(one.found)
    if factor >= LEAST_FACTOR:
        return posterior(one.found, level), ""
    if factor <= 1 / LEAST_FACTOR:
        return None, f"recall breaks in no month: Bayes factor {factor:.2g} for a break"
    return None, f"whether recall breaks cannot be told: Bayes factor {factor:.2g} for a break"


def _row(one: Broken, found: Break | None, model: str, cutoff: date) -> dict[str, Any]:
    first = one.points[0]
    asked = np.sort(np.concatenate([points.date for points in one.points]))
    counts = [counts_of(points, np.ones(points.size, dtype=np.bool_)) for points in one.points]
    return {name: sum(part[name] for part in counts) for name in OUTCOMES} | {
        "panel": first.panel,
        "series": one.series,
        "condition": first.condition,
        "split": "all",
        "attacker": "llm",
        "model": model,
        "metric": METRIC,
        "unit": "years",
        "value": None if found is None else decimal_year(found.month),
        # Outwards: a table of six decimals must not cut off the month that an interval ends with.
        "ci_low": None if found is None else math.floor(decimal_year(found.low) * 1e6) / 1e6,
        "ci_high": None if found is None else math.ceil(decimal_year(found.high) * 1e6) / 1e6,
        "baseline": decimal_year((cutoff.year - 1970) * 12 + cutoff.month - 1),
        "n": one.n,
        "first_date": day_of(asked, 0),
        "last_date": day_of(asked, -1),
    }
