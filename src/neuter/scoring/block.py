"""The rows of one metric for every group of a grouping at once: values, baselines, intervals and counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from neuter.scoring import baselines
from neuter.scoring.caveats import CAVEATS_SCHEMA, ONE_FIRM, about_assumptions, about_intervals, caveats
from neuter.scoring.groups import Grouping
from neuter.scoring.judging import Judged
from neuter.scoring.measures import KINDS, Bools, Floats, Ints, Measure
from neuter.scoring.statistics import Interval, Weights, mean_intervals, share_intervals
from neuter.types import Outcome

#: The value that an unanswered document is given in METRIC_all, METRIC_low and METRIC_high.
FAILURES = {"_all": 0.0, "_low": 0.0, "_high": 1.0}
#: Groupings whose rows also say what chance would score.
CHANCE_SHOWN = frozenset({"all", "size"})
_UNDATED = np.iinfo(np.int64).min
_OUTCOMES = [outcome.value for outcome in Outcome]


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of scores for one measure and grouping, with what to know about them."""

    SCHEMA: ClassVar[dict[str, type[pl.DataType]]] = {
        **dict.fromkeys(("_group_at", "_measure_at", "_variant_at"), pl.Int64),
        **dict.fromkeys(("group_by", "group", "metric", "unit"), pl.String),
        **dict.fromkeys(("value", "ci_low", "ci_high", "baseline"), pl.Float64),
        "n": pl.Int64,
        **dict.fromkeys(_OUTCOMES, pl.Int64),
        **dict.fromkeys(("first_date", "last_date"), pl.Date),
    }

    frame: pl.DataFrame
    caveats: pl.DataFrame

    @classmethod
    def of(
        cls, judged: Judged, grouping: Grouping, measure: Measure, weights: Weights, *, first: int, place: int
    ) -> Block:
        """The block of ``measure`` in ``grouping``; ``first`` and ``place`` are where its rows go in the table."""
        known = np.flatnonzero(measure.known & (grouping.codes >= 0))
        rows = _Rows(judged, grouping, measure, weights, known)
        parts = list(rows.parts()) if known.size else []
        if not parts:
            return cls(pl.DataFrame(schema=cls.SCHEMA), caveats([]))
        frame = pl.concat(parts).with_columns(
            (pl.col("_group_at") + first).alias("_group_at"), pl.lit(place, pl.Int64).alias("_measure_at")
        )
        told = pl.concat([pl.DataFrame(schema=CAVEATS_SCHEMA), *rows.told])
        return cls(frame.select(list(cls.SCHEMA)), told)


@dataclass(frozen=True, slots=True)
class _Figures:
    """By group: the number of documents, the mean of their values, its baseline and its interval."""

    n: Ints
    value: Floats
    baseline: Floats
    low: Floats
    high: Floats


class _Rows:
    """Makes the rows: a part for METRIC, for each of its endings, for chance and for skill."""

    def __init__(
        self, judged: Judged, grouping: Grouping, measure: Measure, weights: Weights, known: Ints
    ) -> None:
        self._judged, self._grouping, self._measure, self._weights = judged, grouping, measure, weights
        self._known, self._codes = known, grouping.codes
        self._groups = len(grouping.names)
        self._present = np.unique(grouping.codes[known])
        self._common = self._counts() | self._dates()
        self.told: list[pl.DataFrame] = []

    def parts(self) -> Iterator[pl.DataFrame]:
        measure, usable = self._measure, self._measure.usable(self._judged.answered)
        answered = self._known[usable[self._known]]
        measured = answered[np.isfinite(measure.values[answered])]
        own = self._figures(measured, measure.values[measured], tell=True)
        yield self._part(measure.metric, own, 0)
        if KINDS[measure.kind].bounded:
            yield from self._endings(usable, own)
        if measure.skill and self._grouping.by != "firm":
            yield self._part(measure.skill, _skill(own, own.baseline), 4, unit="share", factor=1.0)
        if self._grouping.by in CHANCE_SHOWN and measure.kind in baselines.HITS and measure.said is not None:
            yield from self._chance(measured, own)

    def _endings(self, usable: Bools, own: _Figures) -> Iterator[pl.DataFrame]:
        """METRIC_all, METRIC_low and METRIC_high; with every document answered all are METRIC."""
        complete = bool(usable[self._known].all())
        done: dict[float, _Figures] = {}
        for place, (ending, failure) in enumerate(FAILURES.items(), 1):
            if failure not in done:
                values = np.where(usable[self._known], self._measure.values[self._known], failure)
                done[failure] = own if complete else self._figures(self._known, values)
            yield self._part(self._measure.metric + ending, done[failure], place)

    def _chance(self, measured: Ints, own: _Figures) -> Iterator[pl.DataFrame]:
        """What a guess at random, and the guess made of another firm's text, would score on the same documents."""
        measure, codes = self._measure, self._codes[measured]
        assert measure.said is not None
        universe = np.unique(measure.truth[measure.known])
        if measure.truth is not self._judged.firms and universe.size:
            universe = np.arange(universe[0], universe[-1] + 1)
        truth, firms = measure.truth[measured], self._judged.firms[measured]
        swapped = baselines.another_firms_text(measure.kind, firms, truth, measure.said[measured])
        chances = {
            "uniform": baselines.uniform(measure.kind, codes, truth, self._groups, universe),
            "permutation": _group_means(swapped, codes, self._groups),
        }
        nothing = np.full(self._groups, np.nan)
        for place, (name, value) in enumerate(chances.items(), 5):
            figures = _Figures(own.n, value, nothing, nothing, nothing)
            yield self._part(f"{measure.metric}_{name}", figures, place)
            if measure.skill:
                skill = _skill(own, value)
                yield self._part(f"{measure.skill}_{name}", skill, place + 2, unit="share", factor=1.0)

    def _figures(self, at: Ints, values: Floats, *, tell: bool = False) -> _Figures:
        codes = self._codes[at]
        n = np.bincount(codes, minlength=self._groups)
        sums = np.bincount(codes, weights=values, minlength=self._groups)
        value = np.divide(sums, n, out=np.full(self._groups, np.nan), where=n > 0)
        base = baselines.best_constant(self._measure.kind, codes, self._measure.truth[at], self._groups)
        low, high = self._intervals(at, values, tell=tell)
        return _Figures(n, value, base, low, high)

    def _intervals(self, at: Ints, values: Floats, *, tell: bool) -> tuple[Floats, Floats]:
        low, high = np.full(self._groups, np.nan), np.full(self._groups, np.nan)
        if self._grouping.by == "firm":
            if tell:
                self.told.append(caveats([("firm", "", self._measure.metric, ONE_FIRM)]))
                self.told.append(about_assumptions(self._grouping, self._measure, at))
            return low, high
        intervals = self._over_firms(at, values)
        for group, interval in zip(self._present, intervals, strict=True):
            low[group] = np.nan if interval.low is None else interval.low
            high[group] = np.nan if interval.high is None else interval.high
        if tell:
            self.told.append(about_intervals(self._grouping, self._present, self._measure.metric, intervals))
            self.told.append(about_assumptions(self._grouping, self._measure, at))
        return low, high

    def _over_firms(self, at: Ints, values: Floats) -> list[Interval]:
        """An interval for each group that is present, from the groups' sums by firm."""
        firms, shape = len(self._judged.firm_labels), (self._present.size, -1)
        place = np.searchsorted(self._present, self._codes[at])
        cell = place * firms + self._judged.firms[at]
        size = self._present.size * firms
        sums = np.bincount(cell, weights=values, minlength=size).reshape(shape).T.astype(np.float64)
        counts = np.bincount(cell, minlength=size).reshape(shape).T.astype(np.float64)
        intervals = share_intervals if KINDS[self._measure.kind].bounded else mean_intervals
        return intervals(sums, counts, self._weights)

    def _part(
        self, metric: str, figures: _Figures, place: int, *, unit: str = "", factor: float = 0.0
    ) -> pl.DataFrame:
        kind, here = KINDS[self._measure.kind], self._present
        factor = factor or kind.factor
        columns: dict[str, Any] = {
            "_group_at": here,
            "_variant_at": np.full(here.size, place),
            "group_by": [self._grouping.by] * here.size,
            "group": [self._grouping.names[g] for g in here],
            "metric": [metric] * here.size,
            "unit": [unit or kind.unit] * here.size,
            "value": figures.value[here] * factor,
            "ci_low": figures.low[here] * factor,
            "ci_high": figures.high[here] * factor,
            "baseline": figures.baseline[here] * factor,
            "n": figures.n[here],
            **{name: counts[here] for name, counts in self._common.items()},
        }
        schema = {name: kind for name, kind in Block.SCHEMA.items() if name in columns}
        frame = pl.DataFrame(columns, schema_overrides=schema)
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

    def _counts(self) -> dict[str, Ints]:
        """By outcome, the documents of each group; an answer to this question that cannot be read is unparsed."""
        outcomes = self._judged.outcomes[self._known]
        if self._measure.unparsed is not None:
            places = {outcome: place for place, outcome in enumerate(Outcome)}
            lost = self._measure.unparsed[self._known] & (outcomes == places[Outcome.ANSWERED])
            outcomes = np.where(lost, places[Outcome.UNPARSED], outcomes)
        cells = self._codes[self._known] * len(Outcome) + outcomes
        table = np.bincount(cells, minlength=self._groups * len(Outcome)).reshape(-1, len(Outcome))
        return {name: table[:, place] for place, name in enumerate(_OUTCOMES)}

    def _dates(self) -> dict[str, Any]:
        days = self._judged.days[self._known].astype(np.int64)
        dated = days != _UNDATED
        codes, days = self._codes[self._known][dated], days[dated]
        first = np.full(self._groups, np.iinfo(np.int64).max)
        last = np.full(self._groups, _UNDATED)
        np.minimum.at(first, codes, days)
        np.maximum.at(last, codes, days)
        first[last == _UNDATED] = _UNDATED
        return {"first_date": first.astype("datetime64[D]"), "last_date": last.astype("datetime64[D]")}


def _skill(figures: _Figures, chance: Floats) -> _Figures:
    """(accuracy − chance) / (1 − chance), with the interval's ends alike; nothing where chance is always right."""
    room = np.where(chance < 1, 1 - chance, np.nan)
    value, low, high = ((v - chance) / room for v in (figures.value, figures.low, figures.high))
    return _Figures(figures.n, value, np.where(np.isfinite(value), 0.0, np.nan), low, high)


def _group_means(values: Floats, codes: Ints, n: int) -> Floats:
    """Mean by group of the values that are there."""
    there = np.isfinite(values)
    counts = np.bincount(codes[there], minlength=n)
    sums = np.bincount(codes[there], weights=values[there], minlength=n)
    return np.asarray(np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0))
