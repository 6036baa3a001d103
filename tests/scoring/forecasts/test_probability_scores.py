"""The Brier score's parts add up; log score, skill and calibration curves by hand."""

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import log_loss

from neuter.errors import UsageError
from neuter.scoring.calibration import murphy
from neuter.scoring.forecasts import score_forecasts
from neuter.scoring.forecasts.probability_rows import log_score

PRE, POST = date(2023, 6, 1), date(2025, 6, 1)


def parts_of(forecast, outcome, bins=None):
    found = murphy(forecast, outcome, bins)
    whole = (
        found.reliability
        - found.resolution
        + found.uncertainty
        + found.within_variance
        - found.within_covariance
    )
    return whole, found


def test_the_parts_add_up_on_a_thousand_random_sets():
    rng = np.random.default_rng(7)
    for number in range(1000):
        n = int(rng.integers(1, 400))
        forecast = rng.random(n) if number % 2 else rng.integers(0, 11, n) / 10
        outcome = (rng.random(n) < rng.random()).astype(float)
        for bins in (None, 1, 5, 10):
            whole, found = parts_of(forecast, outcome, bins)
            assert abs(whole - ((forecast - outcome) ** 2).mean()) <= 1e-12
            assert abs(whole - found.brier) <= 1e-12


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60),
    st.one_of(st.none(), st.integers(1, 20)),
)
def test_the_parts_add_up_whatever_the_set(pairs, bins):
    forecast, outcome = (np.array(values, dtype=float) for values in zip(*pairs, strict=True))
    whole, found = parts_of(forecast, outcome, bins)
    assert abs(whole - found.brier) <= 1e-12
    assert found.reliability - found.generalized_resolution + found.uncertainty == pytest.approx(
        found.brier, abs=1e-12
    )


def test_the_two_parts_within_bins_are_a_variance_and_twice_a_covariance():
    forecast, outcome = np.array([0.62, 0.68, 0.65, 0.1]), np.array([0.0, 1.0, 1.0, 0.0])
    _, found = parts_of(forecast, outcome, 10)
    inside = forecast[:3] - forecast[:3].mean()
    assert found.within_variance == pytest.approx((inside**2).sum() / 4)
    assert found.within_covariance == pytest.approx(2 * (inside * (outcome[:3] - 2 / 3)).sum() / 4)


def test_by_distinct_forecast_nothing_is_within_bins():
    _, found = parts_of(np.array([0.2, 0.2, 0.9, 0.4]), np.array([0.0, 1.0, 1.0, 0.0]))
    assert (found.within_variance, found.within_covariance) == (0, 0)


def test_means_of_the_same_runs_in_another_order_are_one_forecast():
    same = np.array([(0.1 + 0.2 + 0.3) / 3, (0.3 + 0.2 + 0.1) / 3, 0.2, 0.2])
    assert np.unique(same).size > 1
    _, found = parts_of(same, np.array([1.0, 0.0, 0.0, 0.0]))
    assert found.reliability == pytest.approx((0.2 - 0.25) ** 2)
    assert found.resolution == pytest.approx(0, abs=1e-15)


def test_the_log_score_is_scikit_learns_with_ends_held():
    forecast, outcome = np.array([0.0, 0.2, 0.7, 1.0]), np.array([1.0, 0.0, 1.0, 1.0])
    found = log_score(forecast, outcome)
    assert found.mean() == pytest.approx(log_loss(outcome, np.clip(forecast, 0.01, 0.99), labels=[0, 1]))
    assert found[0] == pytest.approx(-np.log(0.01))


@pytest.fixture
def scored(make):
    said = {("a", "m", "G1"): 0.9, ("b", "m", "G1"): 0.3, ("c", "m", "G1"): 0.35, ("d", "m", "G1"): 0.6}
    more = {"a": {"crowd": 0.7}, "b": {"crowd": 0.4}, "c": {"base_rate": 0.2}, "d": {}}
    outcome = {"a": 1, "b": 1, "c": 0, "d": 1}
    questions = make.questions([(id_, PRE, outcome[id_], more[id_]) for id_ in "abcd"] + [("e", POST, 1)])
    return score_forecasts(questions, make.forecasts({**said, ("e", "m", "G1"): 0.5}), make.how()).frame


def value(frame, metric, **place):
    for name, wanted in {
        "split": "pre",
        "attacker": "llm",
        "panel": "fixed",
        "group_by": "all",
        **place,
    }.items():
        frame = frame.filter(pl.col(name) == wanted)
    found = frame.filter(pl.col("metric") == metric)
    assert found.height == 1
    return found["value"][0]


def test_the_parts_of_a_run_are_its_brier_score(scored):
    parts = [value(scored, name) for name in ("reliability", "resolution", "uncertainty")]
    assert parts[0] - parts[1] + parts[2] == pytest.approx(value(scored, "brier", group_by="all"), abs=2e-6)
    assert parts[2] == pytest.approx(0.75 * 0.25)


def test_skill_is_over_a_reference_on_the_same_questions(scored):
    brier = (0.01 + 0.49 + 0.1225 + 0.16) / 4
    assert value(scored, "brier_skill", series="uninformed") == pytest.approx(1 - brier / 0.25, abs=1e-6)
    assert value(scored, "brier_skill", series="crowd") == pytest.approx(1 - 0.5 / 0.45, abs=1e-6)
    assert value(scored, "brier_skill", series="base_rate") == pytest.approx(1 - 0.1225 / 0.04, abs=1e-6)


def test_a_calibration_curve_holds_what_was_said_and_what_came(scored):
    place = {"panel": "calibration", "group_by": "forecast_bin", "group": "0.3-0.4"}
    assert value(scored, "mean_forecast", **place) == pytest.approx(0.325)
    assert value(scored, "observed_share", **place) == pytest.approx(0.5)
    bins = scored.filter((pl.col("metric") == "mean_forecast") & (pl.col("split") == "pre"))
    assert bins["group"].to_list() == ["0.3-0.4", "0.6-0.7", "0.9-1.0"]
    assert bins["n"].to_list() == [2, 1, 1]


def test_parts_are_over_ten_bins_and_their_resolution_takes_in_what_differs_within(make):
    # 0.62 and 0.68 are of one bin: they differ by 0.03 from their mean, and go with what came.
    said = {("a", "m", "G1"): 0.62, ("b", "m", "G1"): 0.68, ("c", "m", "G1"): 0.1, ("d", "m", "G1"): 0.1}
    rows = [(id_, PRE, outcome) for id_, outcome in zip("abcd", (0, 1, 0, 0), strict=True)]
    questions = make.questions([*rows, ("e", POST, 1)])
    frame = score_forecasts(questions, make.forecasts({**said, ("e", "m", "G1"): 0.5}), make.how()).frame
    place = {"group_by": "all"}
    variance, covariance = 2 * 0.03**2 / 4, 2 * 2 * 0.03 * 0.5 / 4
    assert value(frame, "reliability", **place) == pytest.approx((2 * 0.15**2 + 2 * 0.1**2) / 4, abs=1e-6)
    assert value(frame, "within_bin_variance", **place) == pytest.approx(variance, abs=1e-6)
    assert value(frame, "within_bin_covariance", **place) == pytest.approx(covariance, abs=1e-6)
    assert value(frame, "resolution", **place) == pytest.approx(0.25**2 - variance + covariance, abs=1e-6)


def test_parts_log_score_and_skill_are_by_domain_and_by_each_models_own_cutoff(make):
    questions, forecasts, cutoffs = make.many(120)
    frame = score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs)).frame
    for metric in ("reliability", "log_score", "brier_skill"):
        found = frame.filter(pl.col("metric") == metric).select("panel", "group_by")
        assert set(found.iter_rows()) == {("fixed", "domain"), ("fixed", "all"), ("own", "all")}


def test_the_parts_of_every_row_are_its_brier_score(make):
    models = {"m": date(2024, 4, 1), "n": date(2025, 1, 1)}
    questions, forecasts, cutoffs = make.many(150, models=models)
    frame = score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs)).frame
    parts = frame.filter(
        (pl.col("attacker") == "llm")
        & pl.col("panel").is_in(["fixed", "own"])
        & pl.col("metric").is_in(["brier", "reliability", "resolution", "uncertainty"])
    ).pivot(on="metric", index=["panel", "condition", "split", "model", "group_by", "group"], values="value")
    parts = parts.drop_nulls()
    assert parts.height > 50
    assert "" in parts["model"].to_list()
    assert (
        parts["reliability"] - parts["resolution"] + parts["uncertainty"] - parts["brier"]
    ).abs().max() < 3e-6


def test_a_calibration_curve_of_all_models_counts_questions(make):
    questions = make.questions([("a", PRE, 1), ("b", PRE, 0), ("c", POST, 1)])
    said = {(id_, model, "G1"): 0.35 for id_ in "abc" for model in ("m", "n")}
    how = make.how(cutoffs=dict.fromkeys("mn", date(2024, 4, 1)))
    frame = score_forecasts(questions, make.forecasts(said), how).frame
    found = frame.filter((pl.col("panel") == "calibration") & (pl.col("split") == "pre"))
    assert set(found.select("model", "n").iter_rows()) == {("", 2), ("m", 2), ("n", 2)}


@pytest.mark.parametrize("ends", [(0.0, 0.99), (0.5, 0.4), (0.01, 1.0)])
def test_a_log_score_needs_ends_within_0_and_1(ends):
    with pytest.raises(UsageError, match="log score"):
        log_score(np.array([0.5]), np.array([1.0]), ends)


def test_the_ends_of_a_log_score_may_be_chosen():
    assert log_score(np.array([0.0]), np.array([1.0]), (0.001, 0.999))[0] == pytest.approx(-np.log(0.001))
