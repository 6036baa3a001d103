"""Simulated forecasters: what they leak, what they forget, and what their figures are to be."""

import json
from datetime import date

import numpy as np
import pytest

from neuter.models.simulated import Planted, plant, reply, respondent_of
from neuter.models.simulated.asked_for import asked_for
from neuter.models.simulated.expected_forecasts import expected_forecast
from neuter.suites.ignorance.parsing import read_probability
from neuter.suites.ignorance.wording import prompt_of
from neuter.types import Request

C = date(2023, 1, 1)
BEFORE, AFTER = date(2023, 9, 1), date(2025, 9, 1)
CONDITIONS = {"G1": (False, None), "G2": (True, None), "G1′": (False, C), "G2′": (True, C)}


def prompt(condition: str, question: str = "Will it rain?") -> str:
    return prompt_of(condition, question=question, cutoff=C)


def said(
    spec: str, condition: str, id_: str, day: date, outcome: str = "yes", question: str = "Will it rain?"
):
    """The whole message of a simulated model."""
    request = plant(
        Request(id_, (("user", prompt(condition, question)),)),
        Planted(id_, kind="forecast", date=day, value=outcome),
    )
    messages = [{"role": role, "content": content} for role, content in request.messages]
    body = {"model": spec, "messages": messages, **request.parameters}
    answer = reply(respondent_of(f"simulated/{spec}"), body)
    return (
        json.loads(answer.body)["choices"][0]["message"]["content"] if answer.status == 200 else answer.body
    )


def forecasts(spec: str, condition: str, day: date, n: int = 400, runs: int = 3) -> np.ndarray:
    """Probabilities of what came, questions x runs."""
    return np.array(
        [
            [
                read_probability(said(f"{spec},seed={q % 7}", condition, f"q{q}#{r}", day)).value
                for r in range(runs)
            ]
            for q in range(n)
        ]
    )


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_condition_is_read_off_the_prompt(condition):
    asked = asked_for([{"role": "user", "content": prompt(condition)}])
    assert (asked.form, asked.thinks, asked.forget_from) == ("forecast", *CONDITIONS[condition])


def test_a_question_that_quotes_the_instruction_tells_nothing():
    hostile = "Will it say 'Use only knowledge that was available before 2020-01-01.'? Think step by step."
    asked = asked_for([{"role": "user", "content": prompt("G1", hostile)}])
    assert (asked.form, asked.thinks, asked.forget_from) == ("forecast", False, None)


def test_an_outcome_is_known_before_the_cutoff_alone():
    spec = "values=1,sureness=0.9,jitter=0,cutoff=2024-06"
    assert (forecasts(spec, "G1", BEFORE, 50, 1) == 0.9).all()
    assert not (forecasts(spec, "G1", AFTER, 50, 1) == 0.9).all()
    assert json.loads(said(spec, "G1", "q#0", BEFORE, "no"))["probability"] == 0.1


def test_what_is_forgotten_when_told_is_as_if_it_had_not_been_known():
    told, untold = (
        forecasts("values=1,compliance=1,cutoff=2024-06", c, BEFORE, 100, 1) for c in ("G1′", "G1")
    )
    never = forecasts("values=0", "G1′", BEFORE, 100, 1)
    assert (told == never).all()
    assert (untold > 0.9).all()


def test_a_cutoff_after_the_resolution_hides_nothing():
    early = date(2022, 12, 31)
    assert (forecasts("values=1,compliance=1,cutoff=2024-06", "G1′", early, 50, 1) > 0.9).all()


def test_a_chain_of_thought_loses_some_outcomes_unless_something_is_to_be_forgotten():
    spec = "values=1,disrupts=1,jitter=0"
    assert (forecasts(spec, "G2", BEFORE, 60, 1) < 0.95).all()
    for condition in ("G1", "G2′"):
        assert (forecasts(spec, condition, BEFORE, 60, 1) == 0.95).all()


def test_runs_differ_by_the_jitter_alone():
    found = forecasts("values=1,sureness=0.9,jitter=0.05", "G1", BEFORE, 40)
    assert (np.ptp(found, axis=1) > 0).mean() > 0.9
    assert np.abs(found - 0.9).max() <= 0.05 + 1e-9


def test_only_a_leaking_chain_of_thought_names_what_came():
    texts = [json.loads(said("values=1,clean=0", "G2′", f"q{q}#0", BEFORE))["reasoning"] for q in range(30)]
    assert all("2023" in text for text in texts)
    for spec in ("values=1,clean=1", "values=0,clean=0"):
        clean = [json.loads(said(spec, "G2′", f"q{q}#0", BEFORE))["reasoning"] for q in range(30)]
        assert not any("20" in text for text in clean)


def test_a_refusal_gives_no_probability():
    from neuter.types import Outcome

    assert read_probability(said("refusals=1", "G1", "q#0", BEFORE)).outcome is Outcome.REFUSED
    assert "probability" in said("refusals=1", "G2", "q#0", BEFORE)


def test_without_a_planted_outcome_there_is_no_forecast():
    assert "holds nothing of the kind" in said("values=1", "G1", "q#0", BEFORE, outcome="perhaps")


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("day", [BEFORE, AFTER])
def test_the_expected_brier_score_is_that_of_many_questions(condition, day):
    spec = "values=0.7,compliance=0.4,skill=0.3,thinks=0.2,disrupts=0.3,jitter=0.2,cutoff=2024-06"
    thinks, forget = CONDITIONS[condition]
    expected = expected_forecast(
        respondent_of(f"simulated/{spec}"), day, thinks=thinks, forget_from=forget, runs=3
    )
    found = (1 - forecasts(spec, condition, day, 1500).mean(axis=1)) ** 2
    assert found.mean() == pytest.approx(expected.brier, abs=3.5 * found.std() / np.sqrt(found.size))


def test_the_expected_brier_score_of_simple_cases_is_exact():
    known = respondent_of("simulated/values=1,sureness=0.8,jitter=0")
    assert expected_forecast(known, BEFORE, thinks=False, forget_from=None, runs=3).brier == pytest.approx(
        0.04
    )
    # Uniform on [0.05, 0.95]: E(1 − p)² = 0.25 + 0.45²/3.
    blind = respondent_of("simulated/values=0,skill=0,jitter=0")
    found = expected_forecast(blind, BEFORE, thinks=False, forget_from=None, runs=1)
    assert found.brier == pytest.approx(0.25 + 0.45**2 / 3, abs=2e-5)
    leaking = respondent_of("simulated/values=0.6,clean=0.25")
    told = expected_forecast(leaking, BEFORE, thinks=True, forget_from=C, runs=1)
    assert (told.leaks, told.clean) == (pytest.approx(0.6), pytest.approx(1 - 0.6 * 0.75))


@pytest.mark.parametrize(
    ("role", "text", "day", "by"),
    [
        (
            "system",
            "Knowledge cutoff: December 31st, 2010 Current date: October 1st, 2023.",
            "2011-01-01",
            "system",
        ),
        (
            "user",
            "For the following tasks, please restrict your knowledge pool to the end of 2010.",
            "2011-01-01",
            "user",
        ),
        ("user", "please restrict your knowledge pool to March 31st, 2015.", "2015-04-01", "user"),
        ("user", "Knowledge cutoff: December 31st, 2010", None, ""),
    ],
)
def test_the_fake_cutoff_of_the_gdp_prompts_is_read(role, text, day, by):
    asks = (
        "What was it? Format as a JSON object with the following fields:\n\n• answer: The number. No strings."
    )
    system, user = (f"Be helpful. {text}", asks) if role == "system" else ("Be helpful.", f"{text} {asks}")
    asked = asked_for([{"role": "system", "content": system}, {"role": "user", "content": user}])
    assert (asked.forget_from and str(asked.forget_from), asked.told_by) == (day, by)
