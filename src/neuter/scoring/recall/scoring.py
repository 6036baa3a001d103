"""Scores what a model remembers: answers and truths in, rows of the tidy scores table out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from datetime import date
from typing import Literal

import numpy as np
import polars as pl

from neuter.errors import UsageError
from neuter.scoring.recall.differences import difference_rows
from neuter.scoring.recall.effective_cutoff import Broken, broken, effective_cutoffs
from neuter.scoring.recall.figure import Figure
from neuter.scoring.recall.intervals import Intervals, intervals_of
from neuter.scoring.recall.naive import HISTORICAL, History, fitting
from neuter.scoring.recall.number_figures import NumberFigures
from neuter.scoring.recall.outcomes import exact_with_refusals, outcome_figures
from neuter.scoring.recall.points import Floats, Points, days_of, floats_of, points_of
from neuter.scoring.recall.rows import Caveat, caveats_about, fake_splits_of, rows_of, splits_of
from neuter.scoring.recall.word_and_date_figures import (
    date_figures,
    days_off,
    right_words,
    word_figures,
)
from neuter.scoring.table import SCORES_SCHEMA, validate

CAVEATS_SCHEMA = dict.fromkeys(("panel", "series", "condition", "split", "metric", "text"), pl.String)


_CHOICES = {
    "change": ("previous_actual", "previous_estimate"),
    "returns": ("points", "relative"),
    "intervals": ("cosines", "blocks"),
}


@dataclass(frozen=True, slots=True)
class RecallScoring:
    """How recall is scored.

    Attributes:
        suite, model: as they stand in the rows.
        cutoff: the first day that the model cannot know; earlier dates are ``pre``.
        recent_from: where the split ``recent`` of ``pre`` starts; None: there is none.
        seed, draws: of the bootstrap over firms (or blocks).
        level: of the intervals.
        change: what a change is from (directional accuracy of change).
        returns: errors of returns in percentage points, or relative to the return (in percent).
        fake_from: the first day that a prompt says is not to be known; then the splits are ``pre_fake``, ``post_fake``
            (from it to the cutoff) and ``post``, and differences between them stand beside
            (:func:`neuter.scoring.recall.differences.difference_rows`).
        intervals: of means and shares of one series: Student's t by cosine coefficients, or a block bootstrap.
    """

    suite: str
    model: str
    cutoff: date
    recent_from: date | None = None
    seed: int = 0
    draws: int = 2000
    level: float = 0.95
    change: Literal["previous_actual", "previous_estimate"] = "previous_actual"
    returns: Literal["points", "relative"] = "points"
    intervals: Literal["cosines", "blocks"] = "cosines"
    fake_from: date | None = None

    def __post_init__(self) -> None:
        for name, known in _CHOICES.items():
            if (given := getattr(self, name)) not in known:
                raise UsageError(
                    f"unknown {name} {given!r}", where="recall scores", todo=f"There are: {', '.join(known)}"
                )
        if not 0.5 <= self.level < 1:
            raise UsageError(f"intervals at a level of {self.level:g}", todo="Give a share such as 0.95")


@dataclass(frozen=True, slots=True)
class ScoredRecall:
    """``frame`` has the scores' columns; ``caveats`` says what to know about some of its rows.

    ``caveats`` has the columns panel, series, condition, split, metric, text; an empty metric means all of them.
    """

    frame: pl.DataFrame
    caveats: pl.DataFrame


def score_recall(
    asked: pl.DataFrame, how: RecallScoring, actual: Mapping[str, pl.DataFrame] | None = None
) -> ScoredRecall:
    """Scores one model's answers; a row a panel, series, condition, split, attacker and metric (docs/recall-scores.md).

    Args:
        asked: a row a question with its answer, the columns of ``QUESTIONS_SCHEMA`` and ``ANSWERS_SCHEMA``.
        how: cutoff, splits, and choices that the paper leaves open.
        actual: by series, its whole history (``date``, ``value``; for stocks also ``other``, the split-adjusted
            close), from which the baselines ``mean`` and ``ar1`` are made for each date without a look ahead. A
            key "panel/series" goes before the series' own name. Without a history these two are left out.

    Raises:
        UsageError: a column is missing, a question is there twice, or answers are of two models.
    """
    rows, caveats, series = [], list[Caveat](), list[Broken]()
    for points in points_of(asked):
        given = _history(points, actual or {})
        history = fitting(points, given)
        figures, errors = _figures(points, how, history)
        splits = (
            splits_of(points.date, how.cutoff, how.recent_from)
            if how.fake_from is None
            else fake_splits_of(points.date, how.cutoff, how.fake_from)
        )
        made = rows_of(points, figures, splits, how.model, _intervals(points, how))
        rows += made.rows
        if how.fake_from is not None:
            rows += difference_rows(made.rows)
        strange = given is not None and history is None and points.task in HISTORICAL
        caveats += [*caveats_about(points, _zeros(points, how), strange_history=strange), *made.caveats]
        series.append(broken(points, errors))
    # Whoever is told to forget breaks where it is told to: such a break says nothing of what it was trained on.
    cutoffs = effective_cutoffs([] if how.fake_from else series, how.model, how.cutoff, how.level)
    rows += cutoffs.rows
    caveats += cutoffs.caveats
    return ScoredRecall(_table(rows, how), pl.DataFrame(map(astuple, caveats), CAVEATS_SCHEMA, orient="row"))


def _figures(points: Points, how: RecallScoring, history: History | None) -> tuple[list[Figure], Floats]:
    """All figures of a series, and the errors by which a break is looked for: of words, dates or numbers."""
    asked_after = outcome_figures(points)
    if points.task in {"direction", "pair"}:
        right = right_words(points)
        return [*word_figures(points), *asked_after], 1 - right
    if points.task == "date":
        return [*date_figures(points), *asked_after], np.abs(days_off(points))
    numbers = NumberFigures(points, how.change, how.returns, history)
    if points.task == "date_level":
        return [*date_figures(points), *numbers.errors(), *asked_after], np.abs(days_off(points))
    told_to_forget = [] if how.fake_from is None else [exact_with_refusals(points)]
    return [*numbers.all(), *asked_after, *told_to_forget], numbers.main_errors


def _history(points: Points, actual: Mapping[str, pl.DataFrame]) -> History | None:
    frame = actual.get(f"{points.panel}/{points.series}", actual.get(points.series))
    if frame is None or not frame.height:
        return None
    if missing := [name for name in ("date", "value") if name not in frame.columns]:
        raise UsageError(f"actual values without {' and '.join(missing)}", where=points.series)
    rising = frame.filter(pl.col("date").is_not_null()).sort("date")
    other = rising["other"] if "other" in rising.columns else rising["value"]
    firm = np.array(rising["cluster"].to_list(), dtype=np.str_) if "cluster" in rising.columns else None
    return History(days_of(rising["date"]), floats_of(rising["value"]), floats_of(other), firm)


def _intervals(points: Points, how: RecallScoring) -> Intervals:
    return intervals_of(points, how.level, how.seed, how.draws, blocks=how.intervals == "blocks")


def _zeros(points: Points, how: RecallScoring) -> int:
    """Answered points without a percent error, because the actual value is 0."""
    relative = points.task in {"level", "date_level"} or (
        points.task == "return" and how.returns == "relative"
    )
    return int((points.answered & (points.truth == 0)).sum()) if relative else 0


def _table(rows: list[dict[str, object]], how: RecallScoring) -> pl.DataFrame:
    shared = {"suite": how.suite, "scheme": "", "group_by": "all", "group": "all", "published": None}
    # Written down by column, because a table of 20,000 rows as dictionaries is slow to look through.
    columns = {
        name: [shared[name]] * len(rows) if name in shared else [row[name] for row in rows]
        for name in SCORES_SCHEMA
    }
    return validate(pl.DataFrame(columns, schema=SCORES_SCHEMA))
