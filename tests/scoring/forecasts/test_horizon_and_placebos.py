"""Horizon, crowd and placebos of several models: levels of their own, counts of questions, dates off the cutoff."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from neuter.scoring.forecasts import score_forecasts

CUTOFF, LATER = date(2024, 4, 1), date(2024, 10, 1)


def rows(frame, **place):
    for name, wanted in place.items():
        frame = frame.filter(pl.col(name) == wanted)
    return frame


def test_a_slope_of_all_models_is_not_of_their_levels(make):
    # m is good and asked of near questions alone, n is bad and asked of far ones: within each nothing changes.
    near, far = range(0, 100, 5), range(300, 400, 5)
    days = [*near, *far]
    questions = make.questions(
        [("p", date(2023, 6, 1), 1)] + [(f"q{n}", CUTOFF + timedelta(days=n), 1) for n in days]
    )
    said = {(f"q{n}", "m", "G1"): 0.9 for n in near} | {(f"q{n}", "n", "G1"): 0.4 for n in far}
    said |= {("p", model, "G1"): 0.9 for model in "mn"}
    how = make.how(cutoffs=dict.fromkeys("mn", CUTOFF))
    frame = score_forecasts(questions, make.forecasts(said), how).frame
    (found,) = rows(frame, metric="horizon_slope", series="own_cutoff", split="post", model="").iter_rows(
        named=True
    )
    assert found["value"] == pytest.approx(0, abs=1e-6)


def test_counts_of_all_models_are_of_questions(make):
    days = [CUTOFF + timedelta(days=n) for n in range(12)]
    questions = make.questions(
        [("p", date(2023, 6, 1), 1, {"crowd": 0.6})]
        + [(f"q{i}", day, 1, {"crowd": 0.6}) for i, day in enumerate(days)]
    )
    # n did not answer the first two.
    said = {(f"q{i}", "m", "G1"): 0.5 + i / 50 for i in range(12)}
    said |= {(f"q{i}", "n", "G1"): 0.4 + i / 40 for i in range(2, 12)}
    said |= {("p", model, "G1"): 0.9 for model in "mn"}
    how = make.how(cutoffs=dict.fromkeys("mn", CUTOFF))
    frame = score_forecasts(questions, make.forecasts(said), how).frame
    slope = rows(frame, metric="horizon_slope", series="own_cutoff", split="post")
    assert dict(slope.select("model", "n").iter_rows()) == {"m": 12, "n": 10, "": 12}
    human = rows(frame, panel="human", attacker="llm", split="post", metric="brier")
    assert dict(human.select("model", "n").iter_rows()) == {"m": 12, "n": 10, "": 12}


@pytest.fixture
def stepped(make):
    """Scores that step at the cutoff and nowhere else, with a little noise."""
    rng = np.random.default_rng(0)
    days = [CUTOFF + timedelta(days=int(n)) for n in np.sort(rng.integers(-400, 400, 400))]
    questions = make.questions([(f"q{i}", day, 1) for i, day in enumerate(days)])
    said = {}
    for i, day in enumerate(days):
        brier = (0.3 if day >= CUTOFF else 0.1) + 0.02 * rng.random()
        said[f"q{i}", "m", "G1"] = 1 - float(np.sqrt(brier))
    frame = score_forecasts(questions, make.forecasts(said), make.how()).frame
    return rows(frame, panel="discontinuity")


def test_no_placebo_sees_the_true_jump(stepped):
    placebo = rows(stepped, metric="jump", group_by="placebo")
    assert placebo.height > 15
    assert placebo["value"].abs().max() < 0.05
    (jump,) = rows(stepped, metric="jump", group_by="all")["value"]
    assert jump == pytest.approx(0.2, abs=0.02)
    days = placebo["group"].to_list()
    assert min(days) < str(CUTOFF) < max(days)


def test_the_share_of_placebos_counts_the_true_date_as_one_of_them(stepped):
    placebo = rows(stepped, metric="jump", group_by="placebo")
    (found,) = rows(stepped, metric="placebo_p").iter_rows(named=True)
    assert found["value"] == pytest.approx(1 / (1 + placebo.height), abs=1e-6)
    assert found["n"] == placebo.height
