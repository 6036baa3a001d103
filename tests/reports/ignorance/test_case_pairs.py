from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from ignorance_run import make_questions

from neuter.reports.ignorance.about_run import AboutRun
from neuter.reports.ignorance.case_pairs import case_pairs
from neuter.reports.ignorance.run_frames import with_split
from neuter.scoring.forecasts.schema import FORECAST_SCHEMA

_RUN = AboutRun(("a/m",), {"a/m": date(2024, 4, 1)}, {}, {}, ("G2′",), None, "a/m")
#: Day of resolution, domain, outcome, two forecasts, and the text.
_QUESTIONS = {
    "near": (date(2023, 5, 1), "business", 1, (0.9, 0.8), "Will the bridge tender be signed by May?"),
    "unlike": (date(2023, 5, 2), "business", 1, (1.0, 1.0), "Who is it that opens a shop?"),
    "wrong": (date(2023, 5, 3), "business", 1, (0.1, 0.1), "Will the bridge tender be signed by June 2024?"),
    "other": (date(2023, 5, 4), "social", 1, (1.0, 1.0), "Will the bridge tender be signed by June 2024?"),
    "after": (date(2024, 6, 1), "business", 0, (0.5, 0.6), "Will the bridge tender be signed by June?"),
    "right": (date(2024, 6, 2), "business", 0, (0.0, 0.0), "Will the bridge tender be signed by May?"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = make_questions(len(_QUESTIONS)).to_dicts()
    for row, (key, (day, domain, outcome, _, text)) in zip(rows, _QUESTIONS.items(), strict=True):
        row |= {"id": key, "resolution_date": day, "domain": domain, "resolution": outcome, "question": text}
    schema = make_questions(1).schema
    pl.DataFrame(rows, schema=schema).write_parquet(tmp_path / "questions.parquet")
    calls = [
        {
            "id": key,
            "model": "a/m",
            "condition": "G2′",
            "run": run,
            "outcome": "answered",
            "probability": said,
        }
        | {"answer": f"run {run} of {key}", "reason": ""}
        for key, (*_, forecasts, _text) in _QUESTIONS.items()
        for run, said in enumerate(forecasts)
    ]
    (tmp_path / "answers").mkdir()
    pl.DataFrame(calls, schema=FORECAST_SCHEMA).write_parquet(tmp_path / "answers" / "g2.parquet")
    return tmp_path


def test_the_most_alike_pair_of_a_domain_is_chosen_with_a_small_and_a_large_error(folder: Path) -> None:
    (pair,) = case_pairs(folder, _RUN, "G2′", most=1)
    assert (pair.pre.id, pair.post.id, pair.domain) == ("near", "after", "business")
    assert (pair.pre.forecast, pair.post.forecast) == pytest.approx((0.85, 0.55))
    assert pair.post.brier == pytest.approx(0.3025)


def test_a_question_is_in_one_pair_only(folder: Path) -> None:
    # "after" is the only post-cutoff question with a large error: there is no second pair.
    assert len(case_pairs(folder, _RUN, "G2′", most=5)) == 1


def test_the_trace_is_that_of_the_run_nearest_to_the_mean(folder: Path) -> None:
    calls = pl.read_parquet(folder / "answers" / "g2.parquet")
    third = (
        calls.filter(pl.col("id") == "near")
        .head(1)
        .with_columns(run=pl.lit(2, pl.Int16), probability=pl.lit(0.84), answer=pl.lit("the middle one"))
    )
    pl.concat([calls, third]).write_parquet(folder / "answers" / "g2.parquet")
    (pair,) = case_pairs(folder, _RUN, "G2′", most=1)
    assert pair.pre.trace == "the middle one"


def test_a_kept_trace_comes_before_the_answer_and_is_cut_at_a_word(folder: Path) -> None:
    row = {"id": "after", "model": "a/m", "condition": "G2′", "trace": "reason " * 80}
    schema = {name: FORECAST_SCHEMA[name] for name in ("id", "model", "condition", "run")}
    pl.DataFrame([row | {"run": run} for run in (0, 1)], schema=schema | {"trace": pl.String}).write_parquet(
        folder / "traces.parquet"
    )
    (pair,) = case_pairs(folder, _RUN, "G2′", most=1)
    assert pair.post.trace == " ".join(["reason"] * 45) + " …"


def test_a_question_between_the_models_cutoffs_is_on_neither_side() -> None:
    questions = make_questions(3).with_columns(
        resolution_date=pl.Series([date(2024, 3, 31), date(2024, 4, 1), date(2024, 9, 1)])
    )
    run = replace(_RUN, cutoffs={"a/m": date(2024, 4, 1), "b/m": date(2024, 9, 1)})
    assert with_split(questions, run)["split"].to_list() == ["pre", "between", "post"]


def test_no_pair_where_nothing_was_asked_under_the_condition(folder: Path) -> None:
    assert case_pairs(folder, _RUN, "G1′") == []
    assert case_pairs(folder / "nowhere", _RUN, "G2′") == []
