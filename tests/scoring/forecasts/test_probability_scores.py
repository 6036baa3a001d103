"""The Brier score's parts add up; log score, skill and calibration curves by hand."""

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import log_loss

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
