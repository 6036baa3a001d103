"""What ``ignorance_recovery.py`` plants: questions, respondents, and the figure that every row is to hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl

from neuter.models.simulated import respondent_of
from neuter.models.simulated.expected_forecasts import expected_forecasts
from neuter.questions.schema import DOMAINS, QUESTION_SCHEMA
from neuter.scoring.forecasts.schema import CONDITIONS, WITHOUT_CUTOFF, WITHOUT_REASONING

MODELS = ("forgets", "leaks", "half-way", "reasoning-leaks")
REASONING = ("reasoning-leaks",)
FAILURES = "refusals=0.05,malformed=0.1,truncated=0.03"
SETTINGS = "disrupts=0.2,thinks=0.1"
CUTOFF = date(2023, 1, 1)
#: Usual ways to ask, so that the check of traces meets more than one wording of a deadline.
WORDINGS = (
    "Will the composed event number {n} happen by {day}?",
    "Will state number {n} have signed the agreement by {day}?",
    "Will bill number {n} be passed before {day}?",
    "Will index number {n} close higher on {day} than on the day before?",
    "Will anyone be appointed to office number {n}?",
)
#: Questions by when they resolve: before the earliest cutoff of the four, between, and from the latest on.
STRETCHES = (
    (200, date(2023, 2, 1), date(2024, 5, 31)),
    (100, date(2024, 6, 1), date(2024, 12, 31)),
    (276, date(2025, 1, 1), date(2026, 6, 30)),
)
KEYS = ["panel", "attacker", "metric", "condition", "split", "model", "group_by", "group"]
_Means = Mapping[tuple[str, str, str], float]


def composed_questions(seed: int) -> pl.DataFrame:
    """Questions with random outcomes, days and domains (QUESTION_SCHEMA); one in four shares a cluster with others."""
    draw = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for count, first, last in STRETCHES:
        for _ in range(count):
            n = len(rows)
            day = first + timedelta(days=int(draw.integers((last - first).days + 1)))
            shown = (f"{day:%B} {day.day}, {day.year}", str(day))[int(draw.integers(2))]
            dates = {"open": day - timedelta(days=90), "close": day, "resolution_date": day}
            rows.append(
                {
                    **dict.fromkeys(QUESTION_SCHEMA, ""),
                    **dates,
                    "id": f"s{seed}-{n:03d}",
                    "question": WORDINGS[n % len(WORDINGS)].format(n=n, day=shown),
                    "resolution": int(draw.random() < 0.4),
                    "domain": tuple(DOMAINS)[int(draw.integers(len(DOMAINS)))],
                    "cluster": f"c{draw.integers(60)}" if draw.random() < 0.25 else "",
                    "base_rate": None,
                    "community": [],
                }
            )
    return pl.DataFrame(rows, schema=QUESTION_SCHEMA)


def models_of(seed: int, more: str) -> list[str]:
    """The four respondents of a seed, with more settings."""
    return [f"simulated/{name},{more},seed={seed}" for name in MODELS]


# The truth of every row


def planted_truths(models: list[str], questions: pl.DataFrame, runs: int) -> pl.DataFrame:
    """KEYS and ``truth`` of every row that something was planted for; null where no break was."""
    made = {model: respondent_of(model) for model in models}
    expected = pl.concat(
        expected_forecasts(one, questions, simulated_cutoff=CUTOFF, runs=runs).with_columns(
            model=pl.lit(model), own=pl.lit(one.cutoff)
        )
        for model, one in made.items()
    ).join(questions.select("id", "resolution_date"), on="id")
    cutoffs = [one.cutoff for one in made.values() if one.cutoff]
    rows: list[tuple[Any, ...]] = []
    for panel, first, last in (
        ("fixed", pl.lit(min(cutoffs)), pl.lit(max(cutoffs))),
        ("own", pl.col("own"), pl.col("own")),
    ):
        brier, clean = _means(expected, first, last)
        for names, some in whose(models, panel):
            rows += [(panel, *row[:4], *names, row[4]) for row in _of_forecasts(brier, some)]
            if panel == "fixed":
                rows += [("traces", *row[:4], *names, row[4]) for row in _of_traces(clean, some)]
        if panel == "own":
            rows += [row for model in models for row in _of_break(brier, model)]
        else:
            rows += list(_of_groups(brier, models))
    schema = {**dict.fromkeys(KEYS, pl.String), "truth": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def whose(models: list[str], panel: str) -> Iterator[tuple[tuple[str, str, str], list[str]]]:
    """The model, group_by and group of rows, and the models that they are means over."""
    every = [(model, [model]) for model in models] + [("", models)]
    for name, some in every:
        yield (name, "all", "all"), some
        for domain in DOMAINS:
            yield (name, "domain", domain), some
    if panel == "fixed":
        reasoning, others = by_group(models)
        yield ("", "model_group", "reasoning"), reasoning
        yield ("", "model_group", "non_reasoning"), others


def by_group(models: list[str]) -> tuple[list[str], list[str]]:
    """Those that count as trained to reason, and the others."""
    named = [model for model in models if model.partition("/")[2].partition(",")[0] in REASONING]
    return named, [model for model in models if model not in named]


def _means(expected: pl.DataFrame, first: pl.Expr, last: pl.Expr) -> tuple[_Means, _Means]:
    """By model, condition and split, the mean expected Brier score and share of clean traces."""
    day = pl.col("resolution_date")
    split = pl.when(day < first).then(pl.lit("pre")).when(day >= last).then(pl.lit("post"))
    means = (
        expected.with_columns(split=split)
        .drop_nulls("split")
        .group_by("model", "condition", "split")
        .agg(pl.col("brier").mean(), pl.col("clean").mean())
    )
    keys = list(means.select("model", "condition", "split").iter_rows())
    return dict(zip(keys, means["brier"], strict=True)), dict(zip(keys, means["clean"], strict=True))


def _mean(means: _Means, models: list[str], condition: str, split: str) -> float:
    return float(np.mean([means[model, condition, split] for model in models]))


def _of_forecasts(brier: _Means, models: list[str]) -> Iterator[tuple[str, str, str, str, float]]:
    """Attacker, metric, condition, split and truth."""
    for condition in CONDITIONS:
        pre, post = (_mean(brier, models, condition, split) for split in ("pre", "post"))
        yield "llm", "brier", condition, "pre", pre
        yield "llm", "brier", condition, "post", post
        yield "llm", "si_ti_gap", condition, "all", post - pre
        if without := WITHOUT_CUTOFF.get(condition):
            plain = _mean(brier, models, without, "pre")
            yield "llm", "gap_closed", condition, "all", (pre - plain) / (post - plain)
            yield "llm", "cutoff_penalty", condition, "pre", pre - plain
        if direct := WITHOUT_REASONING.get(condition):
            yield "llm", "cot_effect", condition, "pre", pre - _mean(brier, models, direct, "pre")
            yield "llm", "cot_effect", condition, "post", post - _mean(brier, models, direct, "post")


def _of_traces(clean: _Means, models: list[str]) -> Iterator[tuple[str, str, str, str, float]]:
    for condition in WITHOUT_REASONING:
        for split in ("pre", "post"):
            yield "rule", "cutoff_compliance", condition, split, 100 * _mean(clean, models, condition, split)


def _of_break(brier: _Means, model: str) -> Iterator[tuple[Any, ...]]:
    """The jump at a model's own cutoff, and that the break is found there; no truth where nothing breaks."""
    for condition in CONDITIONS:
        jump = brier[model, condition, "post"] - brier[model, condition, "pre"]
        place = (condition, "all", model, "all", "all")
        yield "discontinuity", "llm", "jump", *place, jump
        yield "discontinuity", "llm", "break_date_error", *place, 0.0 if abs(jump) > 1e-9 else None


def _of_groups(brier: _Means, models: list[str]) -> Iterator[tuple[Any, ...]]:
    for condition in CONDITIONS:
        gaps = [
            _mean(brier, some, condition, "post") - _mean(brier, some, condition, "pre")
            for some in by_group(models)
        ]
        yield (
            "fixed",
            "llm",
            "si_ti_gap",
            condition,
            "all",
            "",
            "model_group",
            "difference",
            gaps[0] - gaps[1],
        )
