"""Scores forecasts: questions and calls in, rows of the tidy table, tests and verdicts out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from neuter.errors import UsageError
from neuter.scoring.forecasts.averaged import Averaged, averaged
from neuter.scoring.forecasts.brier_rows import brier_rows
from neuter.scoring.forecasts.comparisons import comparison_frame
from neuter.scoring.forecasts.experiment_tests import experiment_comparisons
from neuter.scoring.forecasts.gap_rows import closed_rows, gap_rows, group_difference, reasoning_rows
from neuter.scoring.forecasts.how import ForecastScoring
from neuter.scoring.forecasts.intervals import Clusters
from neuter.scoring.forecasts.partition import PANELS
from neuter.scoring.forecasts.row import NAMES, Row, caveats_of, score_frame
from neuter.scoring.forecasts.selecting import Panel, everybody
from neuter.scoring.forecasts.verdict import Verdict, verdicts

CAVEAT_SCHEMA = dict.fromkeys((*NAMES, "text"), pl.String)


@dataclass(frozen=True, slots=True)
class ScoredForecasts:
    """``frame`` has the scores' columns, ``tests`` those of TEST_SCHEMA; ``caveats`` say what to know of some rows."""

    frame: pl.DataFrame
    tests: pl.DataFrame
    verdicts: tuple[Verdict, ...]
    caveats: pl.DataFrame


def score_forecasts(
    questions: pl.DataFrame, forecasts: pl.DataFrame, how: ForecastScoring
) -> ScoredForecasts:
    """Scores the forecasts of one or more models (docs/ignorance-scores.md).

    Args:
        questions: RESOLVED_SCHEMA, a row a question.
        forecasts: FORECAST_SCHEMA, a row a call; ``answer`` and ``reason`` may be left out.
        how: cutoffs, and choices that the paper leaves open.

    Raises:
        UsageError: a column is missing, a question or run is there twice, or a model has no cutoff.
    """
    a = averaged(questions, forecasts)
    if lacking := [model for model in a.models if model not in how.cutoffs]:
        raise UsageError(f"no cutoff of {lacking[0]}", where="cutoffs", todo="Give one for each model")
    clusters = Clusters.of(a, how)
    panels = {name: Panel.of(name, a, how, clusters) for name in PANELS}
    rows = [row for panel in panels.values() for row in _panel_rows(panel)]
    rows += _further_rows(clusters, a)
    return ScoredForecasts(
        score_frame(rows, how.suite),
        comparison_frame(panels["fixed"], experiment_comparisons(panels["fixed"])),
        tuple(verdicts(panels["fixed"])),
        pl.DataFrame(caveats_of(rows), CAVEAT_SCHEMA),
    )


def _panel_rows(panel: Panel) -> Iterator[Row]:
    for condition in range(len(panel.a.conditions)):
        for whose in everybody(panel.a, panel.how, panel.name):
            yield from brier_rows(panel, condition, whose)
            yield from gap_rows(panel, condition, whose)
            yield from closed_rows(panel, condition, whose)
            yield from reasoning_rows(panel, condition, whose)
        if panel.name == "fixed":
            yield from group_difference(panel, condition)


def _further_rows(clusters: Clusters, a: Averaged) -> list[Row]:
    from neuter.scoring.forecasts.probability_rows import probability_rows
    from neuter.scoring.forecasts.robustness import robustness_rows

    return [*probability_rows(a, clusters), *robustness_rows(a, clusters)]
