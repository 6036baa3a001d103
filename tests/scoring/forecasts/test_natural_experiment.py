"""Pairs of models: which are an experiment, how far their questions are from the cutoffs, tests, caveats."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_1samp

from neuter.scoring.forecasts import score_forecasts
from neuter.scoring.forecasts.averaged import averaged
from neuter.scoring.forecasts.experiment_tests import experiment_comparisons
from neuter.scoring.forecasts.intervals import Clusters, Estimate
from neuter.scoring.forecasts.natural_experiment import (
    FEW_CLUSTERS,
    FEWEST,
    natural_experiment_rows,
    pairs,
    rough,
)
from neuter.scoring.forecasts.selecting import Panel

FIRST, SECOND, THIRD = date(2024, 4, 1), date(2025, 1, 1), date(2025, 3, 1)


def rows_of(make, cutoffs, days):
    names = [f"q{i}" for i in range(len(days))]
    questions = make.questions([(name, day, 1) for name, day in zip(names, days, strict=True)])
    said = {(name, model, "G1"): 0.5 for name in names for model in cutoffs}
    a, how = averaged(questions, make.forecasts(said)), make.how(cutoffs=cutoffs)
    return natural_experiment_rows(a, how, Clusters.of(a, how))


def test_the_model_with_the_earlier_cutoff_is_named_first(make):
    questions, forecasts, _ = make.many(30, models={"late": SECOND, "early": FIRST})
    a = averaged(questions, forecasts)
    (pair,) = pairs(a, make.how(cutoffs={"late": SECOND, "early": FIRST}))
    assert pair.series == "early and late"


def test_one_cutoff_is_told_in_a_caveat(make):
    (row,) = rows_of(make, {"a": FIRST, "b": FIRST}, [FIRST - timedelta(days=9)] * 20)
    assert (row.series, row.value, row.n) == ("a and b", None, 0)
    assert "both have the cutoff 2024-04-01" in row.caveat


def test_too_few_questions_between_are_told_in_a_caveat(make):
    between = [FIRST + timedelta(days=i) for i in range(FEWEST - 1)]
    (row,) = rows_of(make, {"a": FIRST, "b": SECOND}, [*between, date(2023, 6, 1), SECOND])
    assert row.value is None
    assert "9 questions between their cutoffs" in row.caveat
    assert len(rows_of(make, {"a": FIRST, "b": SECOND}, [*between, FIRST])) > 1


def test_ends_of_the_interval_between_belong_to_the_earlier_models_ignorance(make):
    days = [FIRST] * 10 + [SECOND] * 3 + [FIRST - timedelta(days=1)] * 2
    found = {
        row.split: row.n
        for row in rows_of(make, {"a": FIRST, "b": SECOND}, days)
        if row.metric == "brier_difference"
    }
    assert found == {"between": 10, "post": 3, "pre": 2}


def test_horizon_is_counted_from_each_models_own_cutoff(make):
    days = [FIRST + timedelta(days=n) for n in range(20)]
    rows = [row for row in rows_of(make, {"a": FIRST, "b": SECOND}, days) if row.metric == "horizon"]
    assert {row.group: row.value for row in rows} == {"a": 9.5, "b": 9.5 - (SECOND - FIRST).days}
    assert {row.unit for row in rows} == {"days"}
    assert (rows[0].first_date, rows[0].last_date) == (days[0], days[-1])


def test_the_difference_is_over_questions_that_both_answered(make):
    questions = make.questions([(f"q{i}", FIRST, 1) for i in range(12)])
    said = {(f"q{i}", "a", "G1"): 0.5 if i else 0.0 for i in range(12)}
    said |= {(f"q{i}", "b", "G1"): 0.5 if i else None for i in range(12)}
    cutoffs = {"a": FIRST, "b": SECOND}
    frame = score_forecasts(questions, make.forecasts(said), make.how(cutoffs=cutoffs)).frame
    row = frame.filter(pl.col("metric") == "brier_difference").row(0, named=True)
    assert (row["value"], row["n"]) == (0.0, 11)


def test_few_clusters_make_an_interval_rough():
    found = Estimate(0.1, 0.0, 0.2, 0.05)
    assert "the interval is a rough one" in rough(found, FEW_CLUSTERS - 1).caveat
    assert rough(found, FEW_CLUSTERS) is found
    assert rough(Estimate(0.1, caveat="none"), 1).caveat == "none"


@pytest.fixture
def three(make):
    cutoffs = {"a": FIRST, "b": SECOND, "c": THIRD}
    questions, forecasts, _ = make.many(1500, models=cutoffs, leak=0.6)
    a, how = averaged(questions, forecasts), make.how(cutoffs=cutoffs)
    panel = Panel.of("fixed", a, how, Clusters.of(a, how))
    return panel, list(experiment_comparisons(panel))


def test_every_pair_is_tested_and_corrected_within_its_condition_and_split(three):
    panel, found = three
    told = [one for one in found if one.condition == "G1" and one.metric == "brier_difference"]
    assert len(told) == 3 * 3
    assert len({one.family for one in told}) == 3
    assert {one.comparison.split(" (")[0] for one in told} == {
        pair.series for pair in pairs(panel.a, panel.how)
    }


def test_p_of_a_difference_is_that_of_a_paired_t_test(three):
    panel, found = three
    pair = pairs(panel.a, panel.how)[0]
    first, second = pair.brier(0)
    inside = pair.splits["between"] & np.isfinite(first)
    wanted = ttest_1samp((first - second)[inside], 0)
    one = next(
        o
        for o in found
        if (o.condition, o.split, o.metric) == ("G1", "between", "brier_difference")
        and pair.series in o.comparison
    )
    assert one.n == inside.sum() > 300
    assert one.p == pytest.approx(wanted.pvalue, rel=1e-6, abs=1e-15)
    assert one.estimate.value == pytest.approx((first - second)[inside].mean())


def test_what_both_know_and_what_neither_knows_show_no_difference(three):
    _, found = three
    for split in ("pre", "post"):
        for one in (
            o for o in found if o.split == split and o.metric == "brier_difference" and o.condition == "G1"
        ):
            assert abs(one.estimate.value) < 0.04
    known = [o for o in found if o.split == "between" and "a and b" in o.comparison and o.condition == "G1"]
    assert all(o.p < 1e-6 and o.estimate.low > 0.05 for o in known)
    assert {o.metric for o in known} == {"brier_difference", "brier_difference_adjusted"}
