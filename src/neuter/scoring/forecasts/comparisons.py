"""Paired tests: conditions, models and groups on the same questions, with Holm's correction within each family."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from scipy.special import ndtri, stdtr, stdtrit

from neuter.scoring.forecasts.averaged import Bools, Floats
from neuter.scoring.forecasts.gap_rows import gap, group_contrast
from neuter.scoring.forecasts.intervals import MANY_CLUSTERS, Estimate, Side
from neuter.scoring.forecasts.schema import WITHOUT_CUTOFF, WITHOUT_REASONING
from neuter.scoring.forecasts.selecting import Panel, Whose, models_of
from neuter.scoring.significance import holm, sign_flip

#: A row a comparison. ``difference`` is of the second named less the first (a gap: after less before), ``smallest`` is
#: the smallest difference that would have been seen in 80 of 100 such samples, at the level of the intervals.
TEST_SCHEMA = {
    **dict.fromkeys(("panel", "split", "condition", "comparison", "model", "metric"), pl.String),
    **dict.fromkeys(("difference", "ci_low", "ci_high", "p", "p_holm"), pl.Float64),
    "n": pl.Int64,
    "smallest": pl.Float64,
}
_POWER = 0.8


@dataclass(frozen=True, slots=True)
class Comparison:
    """One test before Holm's correction; tests of one ``family`` are corrected together."""

    family: str
    split: str
    condition: str
    comparison: str
    model: str
    metric: str
    estimate: Estimate
    p: float | None
    n: int
    freedom: float


def seen(level: float, freedom: float = math.inf) -> float:
    """Standard errors from 0 that a two-sided test finds in 80 of 100 samples; ``freedom`` is that of the errors.

    The usual approximation: Student's t for the level and for the power, added (Bloom 1995, "Minimum detectable
    effects").
    """
    tail, power = 0.5 + level / 2, _POWER
    if math.isinf(freedom):
        return float(ndtri(tail) + ndtri(power))
    return float(stdtrit(max(freedom, 1.0), tail) + stdtrit(max(freedom, 1.0), power))


def comparison_frame(panel: Panel, further: Iterable[Comparison]) -> pl.DataFrame:
    """All comparisons of a panel (TEST_SCHEMA)."""
    every = [*_of_conditions(panel), *_of_models(panel), *_of_groups(panel), *_of_gaps(panel), *further]
    corrected: dict[int, float] = {}
    for family in dict.fromkeys(one.family for one in every):
        places = [at for at, one in enumerate(every) if one.family == family and one.p is not None]
        corrected |= dict(zip(places, holm([float(every[at].p or 0.0) for at in places]), strict=True))
    rows = [
        (
            *(panel.name, one.split, one.condition, one.comparison, one.model, one.metric),
            *(one.estimate.value, one.estimate.low, one.estimate.high, one.p, corrected.get(at)),
            *(one.n, _smallest(one, panel.how.level)),
        )
        for at, one in enumerate(every)
    ]
    return pl.DataFrame(rows, schema=TEST_SCHEMA, orient="row")


def _smallest(one: Comparison, level: float) -> float | None:
    return None if one.estimate.error is None else seen(level, one.freedom) * one.estimate.error


def _of_conditions(panel: Panel) -> Iterator[Comparison]:
    """Without and with the instruction, direct and chain of thought."""
    a = panel.a
    pairs = [*WITHOUT_CUTOFF.items(), *WITHOUT_REASONING.items()]
    for later, earlier in pairs:
        second, first = a.condition(later), a.condition(earlier)
        if second is None or first is None:
            continue
        values = a.brier[:, second] - a.brier[:, first]
        for model, places in models_of(a):
            for split in ("pre", "post"):
                named = (f"{earlier} with {later}", model)
                yield from _paired(panel, values, split, "", named, places=places, family="conditions")


def _of_models(panel: Panel) -> Iterator[Comparison]:
    """Each two models under each condition with an instruction."""
    a = panel.a
    for name in WITHOUT_CUTOFF:
        condition = a.condition(name)
        if condition is None:
            continue
        for first, second in combinations(range(len(a.models)), 2):
            values = np.broadcast_to(
                a.brier[second, condition] - a.brier[first, condition], a.brier[:, 0].shape
            )
            for split in ("pre", "post"):
                named = (f"{a.models[first]} with {a.models[second]}", "")
                yield from _paired(
                    panel, values, split, name, named, places=(first,), family=f"models {name}"
                )


def _of_groups(panel: Panel) -> Iterator[Comparison]:
    """Models not trained to reason against those that are."""
    for condition, name in enumerate(panel.a.conditions):
        values = group_contrast(panel, condition)
        if values is None:
            return
        for split in ("pre", "post"):
            named = ("non_reasoning with reasoning", "")
            yield from _paired(panel, values, split, name, named, places=(0,), family="groups")


def _of_gaps(panel: Panel) -> Iterator[Comparison]:
    """Before the cutoff against after it."""
    a = panel.a
    for condition, name in enumerate(a.conditions):
        for model, places in models_of(a):
            whose = Whose(model, places, np.ones(a.ids.size, dtype=np.bool_))
            found = gap(panel, a.brier[:, condition], whose)
            if found.value is None:
                continue
            sides = [panel.side(a.brier[:, condition], split, whose) for split in ("pre", "post")]
            freedom = min(side.clusters for side in sides) - 1
            n = round(sum(side.n for side in sides))
            told = ("gaps", "all", name, "pre with post", model, "si_ti_gap")
            yield Comparison(*told, found, by_t(found, freedom), n, freedom)


def _paired(
    panel: Panel,
    values: Floats,
    split: str,
    condition: str,
    named: tuple[str, str],
    *,
    places: tuple[int, ...],
    family: str,
) -> Iterator[Comparison]:
    comparison, model = named
    every: Bools = np.ones(panel.a.ids.size, dtype=np.bool_)
    side = panel.side(np.asarray(values), split, Whose(model, places, every))
    found = panel.clusters.mean(side)
    if found.value is not None:
        yield Comparison(
            family,
            split,
            condition,
            comparison,
            model,
            "brier",
            found,
            by_signs(panel, side, found),
            round(side.n),
            side.clusters - 1,
        )


def by_signs(panel: Panel, side: Side, found: Estimate) -> float | None:
    """Signs tossed by cluster; with many clusters Student's t, which is the same then."""
    sums = side.sums[side.counts > 0]
    if sums.size < 2:
        return None
    if sums.size >= MANY_CLUSTERS:
        return by_t(found, side.clusters - 1)
    return sign_flip(sums, seed=panel.how.seed)


def by_t(found: Estimate, freedom: float) -> float | None:
    if found.error is None or found.value is None:
        return None
    return float(2 * stdtr(max(freedom, 1.0), -abs(found.value) / found.error))
