"""The rows of one metric for every group of a grouping at once: values, baselines, intervals and counts.

In two steps: ``Block`` sums by group and asks for intervals; when all blocks have asked, the intervals are computed
together, and ``frame`` gives the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from neuter.scoring import baselines
from neuter.scoring.calibration import confidence_calibration, expected_calibration_error
from neuter.scoring.caveats import ONE_FIRM, about_assumptions, about_intervals, caveats
from neuter.scoring.groups import Grouping
from neuter.scoring.interval_queue import IntervalQueue
from neuter.scoring.judging import Judged
from neuter.scoring.known import OUTCOMES, KnownDocuments
from neuter.scoring.measures import KINDS, Floats, Ints, Measure

#: Groups × firms up to which intervals are computed: beyond, a column holds names and no groups.
MOST_CELLS = 20_000_000
#: Groupings whose rows also say what chance would score.
CHANCE_SHOWN = frozenset({"all", "size"})


#: Columns of a block's rows; the first three say where a row goes in the table.
ROWS_SCHEMA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("_group_at", "_measure_at", "_variant_at"), pl.Int64),
    **dict.fromkeys(("group_by", "group", "metric", "unit"), pl.String),
    **dict.fromkeys(("value", "ci_low", "ci_high", "baseline"), pl.Float64),
    "n": pl.Int64,
    **dict.fromkeys(OUTCOMES, pl.Int64),
    **dict.fromkeys(("first_date", "last_date"), pl.Date),
}


@dataclass(frozen=True, slots=True)
class _Figures:
    """By group: the number of documents, the mean of their values and its baseline; and the intervals asked for.

    ``intervals`` are tickets of the queue, one for each group that is present; none where there are no intervals.
    """

    n: Ints
    value: Floats
    baseline: Floats
    intervals: range = range(0)


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums of values and numbers of documents, groups × firms (or × 1 where firms are not told apart)."""

    sums: Floats
    counts: Floats


@dataclass(frozen=True, slots=True)
class _Part:
    """One row a group: its metric and figures; ``chance`` by group makes skill of them."""

    metric: str
    place: int
    figures: _Figures
    chance: Floats | None = None
    unit: str = ""


class Block:
    """Rows of scores for one measure in one grouping, with what to know about them.

    Args:
        documents: tells which documents have the truth in question.
        queue: takes the block's questions for intervals; ``frame`` and ``caveats`` are to be read after all asked.
        first, place: where the block's rows go in the table: the number of its first group, and of its measure.
    """

    def __init__(
        self,
        judged: Judged,
        grouping: Grouping,
        measure: Measure,
        documents: KnownDocuments,
        queue: IntervalQueue,
        *,
        first: int,
        place: int,
    ) -> None:
        self._grouping, self._queue, self._metric = grouping, queue, measure.metric
        self._kind, self._most = KINDS[measure.kind], measure.most
        asked = _Asked(judged, grouping, measure, documents, queue)
        self._present, self._parts = asked.present, asked.parts
        # Only what is as short as the list of groups is kept: there are many blocks, and documents are a million.
        self._common = pl.DataFrame(asked.common(first, place), schema_overrides=ROWS_SCHEMA)
        self._assumed = asked.assumed() if self._parts else caveats([])

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The rows, with the columns of ``ROWS_SCHEMA``."""
        if not self._parts:
            return pl.DataFrame(schema=ROWS_SCHEMA)
        rows = [self._common.with_columns(*self._columns(part)) for part in self._parts]
        return pl.concat(rows).select(list(ROWS_SCHEMA)).with_columns(pl.col(pl.Float64).fill_nan(None))

    @cached_property
    def caveats(self) -> pl.DataFrame:
        """What to know about the rows of METRIC: of its intervals and of truths that were assumed."""
        if not self._parts:
            return caveats([])
        grouping, tickets = self._grouping, self._parts[0].figures.intervals
        if not tickets:
            text = (
                ONE_FIRM if grouping.by == "firm" else f"{len(grouping.names)} groups: too many for intervals"
            )
            return pl.concat([caveats([(grouping.by, "", self._metric, text)]), self._assumed])
        intervals = [self._queue[ticket] for ticket in tickets]
        return pl.concat([about_intervals(grouping, self._present, self._metric, intervals), self._assumed])

    def _columns(self, part: _Part) -> list[pl.Series]:
        kind, here, figures = self._kind, self._present, part.figures
        low, high = self._ends(figures.intervals)
        value, base = figures.value[here], figures.baseline[here]
        unit, factor = part.unit or kind.unit, kind.factor
        if part.chance is not None:
            chance, unit, factor = part.chance[here], "share", 1.0
            value, low, high = (_skill(ends, chance) for ends in (value, low, high))
            base = np.where(np.isfinite(value), 0.0, np.nan)
        floats = {"value": value, "ci_low": low, "ci_high": high, "baseline": base}
        return [
            pl.Series("_variant_at", [part.place], dtype=pl.Int64).new_from_index(0, here.size),
            pl.Series("metric", [part.metric]).new_from_index(0, here.size),
            pl.Series("unit", [unit]).new_from_index(0, here.size),
            *(pl.Series(name, ends * factor) for name, ends in floats.items()),
            pl.Series("n", figures.n[here].astype(np.int64)),
        ]

    def _ends(self, tickets: range) -> tuple[Floats, Floats]:
        if not tickets:
            nothing = np.full(self._present.size, np.nan)
            return nothing, nothing
        found = [self._queue[ticket] for ticket in tickets]
        low = [np.nan if i.low is None else i.low for i in found]
        high = [np.nan if i.high is None else i.high for i in found]
        # A mean that cannot be less than 0 has no interval that reaches below, whatever its bootstrap says.
        return np.maximum(low, self._kind.least), np.minimum(high, self._most)


class _Asked:
    """The sums of one measure by group, and what is asked of the queue; it is dropped when its rows are made."""

    def __init__(
        self,
        judged: Judged,
        grouping: Grouping,
        measure: Measure,
        documents: KnownDocuments,
        queue: IntervalQueue,
    ) -> None:
        self._judged, self._grouping, self._measure, self._queue = judged, grouping, measure, queue
        self._codes, self._groups = grouping.codes, len(grouping.names)
        known = documents.of(grouping, measure)
        self._known, self.present, self._shared = known.at, known.present, known.shared
        self.parts: list[_Part] = self._ask() if self._known.size else []

    def _ask(self) -> list[_Part]:
        measure, usable = self._measure, self._measure.usable(self._judged.answered)[self._known]
        answered = self._known if usable.all() else self._known[usable]
        finite = np.isfinite(measure.values[answered])
        self._measured = answered if finite.all() else answered[finite]
        sums = self._summed(self._measured, measure.values[self._measured])
        own = self._own = self._figures(self._measured, sums)
        parts = [_Part(measure.metric, 0, own)]
        if KINDS[measure.kind].bounded:
            parts += self._endings(sums, own, complete=bool(usable.all()))
        if measure.confidence is not None and self._grouping.by != "firm":
            parts += self._sureness(measure.confidence)
        if measure.skill and self._grouping.by != "firm":
            parts.append(_Part(measure.skill, 4, own, chance=own.baseline))
        if self._grouping.by in CHANCE_SHOWN and measure.said is not None:
            parts += self._chances()
        return parts

    def _endings(self, sums: _Sums, own: _Figures, *, complete: bool) -> list[_Part]:
        """METRIC_all, METRIC_low and METRIC_high; with every document answered all are METRIC."""
        least = most = own
        if not complete:
            counts = self._summed(self._known).counts
            least = self._figures(self._known, _Sums(sums.sums, counts))
            right = _Sums(sums.sums + (counts - sums.counts), counts)
            most = self._figures(self._known, right, least.baseline)
        named = {"_all": least, "_low": least, "_high": most}
        return [_Part(self._measure.metric + end, at, fig) for at, (end, fig) in enumerate(named.items(), 1)]

    def _sureness(self, confidence: Floats) -> list[_Part]:
        """Expected calibration error (ten bins of equal width) and the correlation of confidence with being right."""
        stated, right = confidence[self._measured], self._measure.truth[self._measured].astype(np.float64)
        codes, nothing = self._codes[self._measured], np.full(self._groups, np.nan)
        error, correlation = nothing.copy(), nothing.copy()
        for group in self.present:
            here = codes == group
            error[group] = _number(expected_calibration_error(stated[here], right[here]))
            correlation[group] = _number(confidence_calibration(stated[here], right[here]))
        n = self._own.n
        return [
            _Part("ece", 4, _Figures(n, error, nothing), unit="share"),
            _Part("confidence_calibration", 5, _Figures(n, correlation, nothing), unit="correlation"),
        ]

    def _chances(self) -> list[_Part]:
        """What a guess at random, another firm's text, and the model's prior would score on the same documents."""
        measure, own, codes = self._measure, self._own, self._codes[self._measured]
        everything = measure.truth[measure.known]
        if measure.kind == "membership":
            union = int(np.bitwise_or.reduce(everything))
            universe = np.array([bit for bit in range(union.bit_length()) if union >> bit & 1])
        elif measure.truth is self._judged.firms:
            universe = np.flatnonzero(np.bincount(everything))
        else:
            universe = np.arange(everything.min(), everything.max() + 1)
        truth = measure.truth[self._measured]
        chances = {
            "uniform": baselines.uniform(measure.kind, codes, truth, self._groups, universe),
        }
        for name, values in (("permutation", measure.swapped), ("prior", measure.prior)):
            if values is not None:
                there = np.isfinite(values[self._measured])
                chances[name] = baselines.group_means(
                    values[self._measured][there], codes[there], self._groups
                )
        parts = []
        for at, (name, value) in enumerate(chances.items()):
            alone = _Figures(own.n, value, np.full(self._groups, np.nan))
            parts.append(_Part(f"{measure.metric}_{name}", 5 + 2 * at, alone))
            if measure.skill:
                parts.append(_Part(f"{measure.skill}_{name}", 6 + 2 * at, own, chance=value))
        return parts

    def _figures(self, at: Ints, sums: _Sums, baseline: Floats | None = None) -> _Figures:
        measure = self._measure
        n, total = sums.counts.sum(axis=1), sums.sums.sum(axis=1)
        value = np.divide(total, n, out=np.full(self._groups, np.nan), where=n > 0)
        if baseline is None:
            one_class = self._grouping.by == "firm" and measure.truth is self._judged.firms
            truth = np.zeros(at.size, dtype=np.int64) if one_class else measure.truth[at]
            baseline = baselines.best_constant(measure.kind, self._codes[at], truth, self._groups)
        tickets = range(0)
        if self._over_firms:
            here, bounded = self.present, KINDS[measure.kind].bounded
            tickets = self._queue.ask(sums.sums[here], sums.counts[here], bounded=bounded)
        return _Figures(n.astype(np.int64), value, baseline, tickets)

    @property
    def _over_firms(self) -> bool:
        """Whether sums are kept by firm, so that there are intervals."""
        return self._grouping.by != "firm" and self._groups * len(self._judged.firm_labels) <= MOST_CELLS

    def _summed(self, at: Ints, values: Floats | None = None) -> _Sums:
        """Sums of values, and numbers of documents, by group and firm."""
        cell, width = self._codes[at], 1
        if self._over_firms:
            width = len(self._judged.firm_labels)
            cell = cell * width + self._judged.firms[at]
        size, shape = self._groups * width, (self._groups, width)
        counts = np.bincount(cell, minlength=size).astype(np.float64).reshape(shape)
        if values is None:
            return _Sums(counts, counts)
        return _Sums(
            np.bincount(cell, weights=values, minlength=size).astype(np.float64).reshape(shape), counts
        )

    def assumed(self) -> pl.DataFrame:
        """How many truths behind each figure are assumed."""
        return about_assumptions(self._grouping, self._measure, self._measured)

    def common(self, first: int, place: int) -> dict[str, Any]:
        """What all rows of a group share: its names, its place, what became of its documents, and their dates."""
        here = self.present
        places = {"_group_at": here + first, "_measure_at": np.full(here.size, place)}
        names = {
            "group_by": [self._grouping.by] * here.size,
            "group": [self._grouping.names[g] for g in here],
        }
        return places | names | self._shared


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _skill(accuracy: Floats, chance: Floats) -> Floats:
    """(accuracy − chance) / (1 − chance); nothing where chance is always right."""
    return np.asarray((accuracy - chance) / np.where(chance < 1, 1 - chance, np.nan))
