"""Simulated forecasters: what they leak, what they forget, and what they write."""

import json
from datetime import date

import numpy as np
import pytest

from neuter.models.simulated import Planted, plant, reply, respondent_of
from neuter.models.simulated.asked_for import asked_for
from neuter.suites.ignorance.parsing import read_probability
from neuter.suites.ignorance.wording import prompt_of
from neuter.types import Request

C = date(2023, 1, 1)
BEFORE, AFTER = date(2023, 9, 1), date(2025, 9, 1)
CONDITIONS = {"G1": (False, None), "G2": (True, None), "G1′": (False, C), "G2′": (True, C)}


def prompt(condition: str, question: str = "Will it rain?") -> str:
    return prompt_of(condition, question=question, cutoff=C)


def said(
    spec: str,
    condition: str,
    id_: str,
    day: date | None,
    outcome: str = "yes",
    question: str = "Will it rain?",
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


@pytest.mark.parametrize("outcome", ["yes", "no"])
def test_every_leaking_chain_of_thought_is_one_that_the_rule_finds_and_no_other(outcome):
    from neuter.traces import check_trace

    asks = "Will the bill be passed before 2024-03-09?"
    day = date(2024, 3, 9)
    texts = {
        spec: {json.loads(said(spec, "G2′", f"q{q}#0", day, outcome, asks))["reasoning"] for q in range(40)}
        for spec in ("values=1,clean=0", "values=1,clean=1")
    }
    assert all(len(each) == 3 for each in texts.values())
    for spec, clean in (("values=1,clean=0", False), ("values=1,clean=1", True)):
        found = {check_trace(one, cutoff=C, question=asks, resolved=day).clean for one in texts[spec]}
        assert found == {clean}


def test_runs_of_a_question_with_a_number_sign_in_its_id_share_its_draws():
    from neuter.models.simulated.forecasting import question_of

    ids = ("a#1#0", "a#1#1", "a#2#0", "plain")
    assert [question_of(Planted(one)) for one in ids] == ["a#1", "a#1", "a#2", "plain"]


def test_without_a_date_a_chain_of_thought_has_none_to_name():
    assert "20" not in json.loads(said("values=1,clean=0", "G2", "q#0", None))["reasoning"]


@pytest.mark.parametrize("thinks", [False, True])
def test_malformed_forecasts_are_read_but_for_prose_with_a_chain_of_thought(thinks):
    condition = "G2" if thinks else "G1"
    found = {
        read_probability(
            said(f"malformed=1,values={q % 2},clean=0,jitter=0.3", condition, f"q{q}#0", BEFORE)
        ).value
        is None: said("malformed=1", condition, f"q{q}#0", BEFORE)
        for q in range(300)
    }
    assert set(found) == ({False, True} if thinks else {False})
    if thinks:
        assert found[True].startswith("Going by its tone")


def test_the_four_forecasters_that_ship_differ_as_their_notes_say():
    made = {
        name: respondent_of(f"simulated/{name}")
        for name in ("forgets", "half-way", "leaks", "reasoning-leaks")
    }
    assert [one.compliance for one in made.values()] == [1, 0.5, 0, 0]
    assert [one.reasoning for one in made.values()] == [False, False, False, True]
    assert made["reasoning-leaks"].clean == 1
    assert made["reasoning-leaks"].values > made["leaks"].values
    cutoffs = {one.cutoff for one in made.values()}
    assert len(cutoffs) == 4
    assert all(one.year in (2024, 2025) for one in cutoffs)
