"""What a simulated forecaster is expected to score, against figures worked by hand and against many draws."""

from datetime import date

import numpy as np
import polars as pl
import pytest

from neuter.models.simulated import Planted, respondent_of
from neuter.models.simulated.answers import answer
from neuter.models.simulated.asked_for import AskedFor
from neuter.models.simulated.expected_forecasts import expected_forecast, expected_forecasts
from neuter.suites.ignorance.parsing import read_forecast

C = date(2023, 1, 1)
BEFORE, AFTER = date(2023, 9, 1), date(2025, 9, 1)
CONDITIONS = {"G1": (False, None), "G2": (True, None), "G1′": (False, C), "G2′": (True, C)}


def expected(spec, day=BEFORE, condition="G1", runs=1):
    thinks, forget = CONDITIONS[condition]
    return expected_forecast(
        respondent_of(f"simulated/{spec}"), day, thinks=thinks, forget_from=forget, runs=runs
    )


def brier_scores(spec, day, condition, runs, n=1500):
    """Of questions with an answered run: the score of the mean of the answered runs."""
    thinks, forget = CONDITIONS[condition]
    asked, found = (
        AskedFor("forecast", thinks=thinks, forget_from=forget, told_by="user" if forget else ""),
        [],
    )
    for number in range(n):
        made = respondent_of(f"simulated/{spec},seed={number % 7}")
        outcome = ("yes", "no")[number % 2]
        said = []
        for run in range(runs):
            written = answer(made, Planted(f"q{number}#{run}", date=day, value=outcome), asked)
            call = {"stop": "answered", "length": "truncated", "content_filter": "filtered"}[written.finish]
            said.append(read_forecast(call, written.content).value)
        answered = [one for one in said if one is not None]
        if answered:
            found.append((np.mean(answered) - (outcome == "yes")) ** 2)
    return np.array(found)


def test_a_known_outcome_without_jitter():
    assert expected("values=1,sureness=0.8,jitter=0", runs=3).brier == pytest.approx(0.04, abs=1e-12)


@pytest.mark.parametrize(("runs", "brier"), [(1, 0.01 + 5e-5), (2, 0.01 + 2.5e-5)])
def test_the_jitter_is_rounded_and_averaged_over_runs(runs, brier):
    # Uniform on [0.89, 0.91] says 0.89, 0.90, 0.91 with chances 1/4, 1/2, 1/4: a variance of 0.00005.
    assert expected("values=1,sureness=0.9,jitter=0.01", runs=runs).brier == pytest.approx(brier, abs=1e-12)


def test_nothing_is_said_to_be_certain():
    # Uniform on [0.98, 1.02]: 0.98 up to 0.985, an eighth; else 0.99.
    assert expected("values=1,sureness=1,jitter=0.02").brier == pytest.approx(
        0.02**2 / 8 + 0.01**2 * 7 / 8, abs=1e-12
    )


@pytest.mark.parametrize("skill", [0.0, 0.4])
def test_an_ignorant_forecast_is_a_finite_sum(skill):
    # Uniform on 0.50 to 0.95 in hundredths, the ends half as likely as the others; the other side mirrored.
    above = np.arange(50, 96) / 100
    weights = np.full(46, 1 / 45)
    weights[[0, -1]] /= 2
    right, wrong = weights @ (1 - above) ** 2, weights @ above**2
    by_hand = (1 + skill) / 2 * right + (1 - skill) / 2 * wrong
    assert expected(f"values=0,skill={skill},jitter=0").brier == pytest.approx(by_hand, abs=1e-12)


def test_an_ignorant_forecast_with_jitter_is_as_a_million_draws_say():
    draw, n = np.random.default_rng(1), 1_000_000
    side = np.where(draw.random(n) < (1 + 0.3) / 2, 1, -1)
    centre = 0.5 + side * 0.45 * draw.random(n)
    said = np.round(np.clip(centre[:, None] + 0.2 * (2 * draw.random((n, 2)) - 1), 0.01, 0.99), 2)
    scores = (1 - said.mean(axis=1)) ** 2
    found = expected("values=0,skill=0.3,jitter=0.2", runs=2).brier
    assert found == pytest.approx(scores.mean(), abs=3 * scores.std() / np.sqrt(n))


def test_an_ignorant_forecast_with_little_jitter_is_summed_over_every_rounding():
    """By the overlap of the jitter with each hundredth, at 90,000 distances on one side."""
    jitter, far = 0.0025, (np.arange(90_000) + 0.5) / 90_000 * 0.45
    mean, square = np.zeros(far.size), np.zeros(far.size)
    for said in np.arange(49, 97) / 100:
        low, high = np.maximum(0.5 + far - jitter, said - 0.005), np.minimum(0.5 + far + jitter, said + 0.005)
        chance = np.clip(high - low, 0, None) / (2 * jitter)
        mean, square = mean + chance * said, square + chance * said**2
    by_hand = ((1 - mean) ** 2 + (square - mean**2) / 3).mean()
    found = expected(f"values=0,skill=1,jitter={jitter}", runs=3).brier
    assert found == pytest.approx(by_hand, abs=1e-9)


def test_the_probability_of_a_leak_is_a_product():
    spec = "values=0.6,compliance=0.5,disrupts=0.25,clean=0.25,cutoff=2024-06"
    leaks = {condition: expected(spec, condition=condition).leaks for condition in CONDITIONS}
    assert leaks == pytest.approx({"G1": 0.6, "G2": 0.45, "G1′": 0.3, "G2′": 0.3})
    assert expected(spec, condition="G2′").clean == pytest.approx(1 - 0.3 * 0.75)
    assert expected(spec, AFTER).leaks == 0
    assert expected(spec, date(2024, 6, 1)).leaks == 0
    assert expected(spec, date(2024, 5, 31)).leaks == pytest.approx(0.6)
    assert expected(spec, C, condition="G1′").leaks == pytest.approx(0.3)
    assert expected(spec, date(2022, 12, 31), condition="G1′").leaks == pytest.approx(0.6)


def test_a_chain_of_thought_adds_to_the_skill_and_never_above_1():
    spec = "values=0,skill=0.3,thinks={}"
    thinking = expected(spec.format(0.2), condition="G2").brier
    assert thinking == pytest.approx(expected("values=0,skill=0.5").brier)
    most = expected(spec.format(1.0), condition="G2").brier
    assert most == pytest.approx(expected("values=0,skill=1").brier)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("day", [BEFORE, AFTER])
def test_the_expected_brier_score_is_that_of_many_questions(condition, day):
    spec = "values=0.7,compliance=0.4,skill=0.3,thinks=0.2,disrupts=0.3,jitter=0.2,cutoff=2024-06"
    found = brier_scores(spec, day, condition, runs=3)
    wanted = expected(spec, day, condition, runs=3).brier
    assert found.mean() == pytest.approx(wanted, abs=3 * found.std() / np.sqrt(found.size))


@pytest.mark.parametrize("condition", ["G1", "G2"])
def test_fewer_answered_runs_leave_more_of_the_jitter(condition):
    spec = "values=1,sureness=0.6,jitter=0.4,refusals=0.3,malformed=0.3,truncated=0.1,filtered=0.1"
    found = brier_scores(spec, BEFORE, condition, runs=3, n=3000)
    wanted = expected(spec, BEFORE, condition, runs=3).brier
    bound = 3 * found.std() / np.sqrt(found.size)
    assert found.mean() == pytest.approx(wanted, abs=bound)
    every = expected(spec.partition(",refusals")[0], BEFORE, condition, runs=3).brier
    assert wanted - every > bound  # so that this can tell


def test_a_row_for_every_question_and_condition():
    questions = pl.DataFrame({"id": ["a", "b"], "resolution_date": [BEFORE, AFTER]})
    made = respondent_of("simulated/half-way")
    found = expected_forecasts(made, questions, simulated_cutoff=C, conditions=("G1", "G2′"), runs=2)
    assert found.select("id", "condition").rows() == [("a", "G1"), ("b", "G1"), ("a", "G2′"), ("b", "G2′")]
    assert found["leaks"].to_list() == pytest.approx([0.8, 0, 0.4, 0])
    assert found["clean"].to_list() == [None, None, pytest.approx(0.8), 1.0]
    for row in found.iter_rows(named=True):
        day = BEFORE if row["id"] == "a" else AFTER
        assert row["brier"] == expected("half-way", day, row["condition"], runs=2).brier


def test_no_question_gives_no_row():
    questions = pl.DataFrame(schema={"id": pl.String, "resolution_date": pl.Date})
    found = expected_forecasts(respondent_of("simulated/leaks"), questions, simulated_cutoff=C)
    assert found.is_empty()
    assert found.columns == ["id", "condition", "brier", "leaks", "clean"]
