"""Runs averaged: what is left out, what is counted, and what does not fit."""

from datetime import date

import numpy as np
import polars as pl
import pytest

from neuter.errors import UsageError
from neuter.scoring.forecasts.averaged import OUTCOMES, averaged

DAY = date(2023, 6, 1)


def test_the_probability_is_averaged_and_not_the_score(make):
    a = averaged(make.questions([("q", DAY, 1)]), make.forecasts({("q", "m", "G1"): [0.2, 0.6, 1.0]}))
    assert a.forecast[0, 0, 0] == pytest.approx(0.6)
    assert a.brier[0, 0, 0] == pytest.approx(0.16)


def test_a_run_that_was_not_answered_is_left_out_counted_and_bounded(make):
    a = averaged(make.questions([("q", DAY, 1)]), make.forecasts({("q", "m", "G1"): [0.4, None, "failed"]}))
    assert a.forecast[0, 0, 0] == pytest.approx(0.4)
    assert (a.best[0, 0, 0], a.worst[0, 0, 0]) == (pytest.approx(2.4 / 3), pytest.approx(0.4 / 3))
    assert a.neutral[0, 0, 0] == pytest.approx(1.4 / 3)
    counts = dict(zip(OUTCOMES, a.outcomes[0, 0, 0], strict=True))
    assert (counts["answered"], counts["refused"], counts["failed"]) == (1, 1, 1)


def test_a_question_without_any_answer_has_no_score(make):
    said = {("q", "m", "G1"): [None, None], ("r", "m", "G1"): 0.5}
    a = averaged(make.questions([("q", DAY, 0), ("r", DAY, 0), ("s", DAY, 0)]), make.forecasts(said))
    assert np.isnan(a.brier[0, 0, 0])
    assert a.brier[0, 0, 1] == 0.25
    assert (a.best[0, 0, 0], a.worst[0, 0, 0]) == (0, 1)
    # The third was never asked.
    assert np.isnan([a.best[0, 0, 2], a.worst[0, 0, 2], a.brier[0, 0, 2]]).all()


def test_conditions_come_in_the_papers_order_and_models_in_that_of_the_forecasts(make):
    said = {("q", "b", "G2′"): 0.1, ("q", "a", "G1"): 0.2, ("q", "b", "G1"): 0.3}
    a = averaged(make.questions([("q", DAY, 1)]), make.forecasts(said))
    assert (a.models, a.conditions) == (("b", "a"), ("G1", "G2′"))
    assert a.forecast[:, :, 0].tolist() == [
        [pytest.approx(0.3), pytest.approx(0.1)],
        [pytest.approx(0.2), pytest.approx(np.nan, nan_ok=True)],
    ]


def test_clusters_are_those_named_and_else_each_question(make):
    named = {"cluster": "event"}
    rows = [("a", DAY, 1, named), ("b", DAY, 0), ("c", DAY, 1, named), ("event", DAY, 0)]
    a = averaged(make.questions(rows), make.forecasts({("a", "m", "G1"): 0.5}))
    assert a.cluster[0] == a.cluster[2]
    assert len(set(a.cluster.tolist())) == 3


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda q, f: (pl.concat([q, q]), f), "a question is there twice"),
        (lambda q, f: (q, pl.concat([f, f])), "run 0 is there twice"),
        (lambda q, f: (q.with_columns(pl.lit(0.5).alias("outcome")), f), "neither yes nor no"),
        (
            lambda q, f: (q.with_columns(pl.lit(None, pl.Date).alias("resolution_date")), f),
            "no resolution date",
        ),
        (lambda q, f: (q, f.with_columns(pl.lit("x").alias("id"))), "a forecast of no question"),
        (lambda q, f: (q, f.with_columns(pl.lit(1.2).alias("probability"))), "probability 1.2"),
        (lambda q, f: (q, f.with_columns(pl.lit("refused").alias("outcome"))), "of an outcome refused"),
        (
            lambda q, f: (
                q,
                f.with_columns(
                    pl.lit("lost").alias("outcome"), pl.lit(None, pl.Float64).alias("probability")
                ),
            ),
            "no outcome 'lost'",
        ),
        (lambda q, f: (q, f.with_columns(pl.lit("G3").alias("condition"))), "no condition 'G3'"),
        (lambda q, f: (q.drop("crowd"), f), "questions without crowd"),
        (lambda q, f: (q.with_columns(pl.lit(5.0).alias("crowd")), f), "crowd of 5"),
        (lambda q, f: (q.with_columns(pl.lit(-0.1).alias("base_rate")), f), "base_rate of -0.1"),
        (lambda q, f: (q, f.head(0)), "there are none"),
        (lambda q, f: (q, f.with_columns(pl.lit("0.5").alias("probability"))), "probability is text"),
        (lambda q, f: (q, f.with_columns(pl.lit(None, pl.Int16).alias("run"))), "without its run"),
    ],
)
def test_what_does_not_fit_is_named(make, spoil, told):
    questions, forecasts = make.questions([("q", DAY, 1)]), make.forecasts({("q", "m", "G1"): 0.5})
    with pytest.raises(UsageError, match=told):
        averaged(*spoil(questions, forecasts))
