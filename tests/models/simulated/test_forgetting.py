"""Recall questions with a fake cutoff: what a simulated model forgets, and how it answers then."""

import json
from datetime import date

import pytest

from neuter.models.simulated import Planted, plant, reply, respondent_of
from neuter.models.simulated.asked_for import asked_for
from neuter.types import Request

SYSTEM = "Knowledge cutoff: December 31st, 2010 Current date: October 1st, 2023."
USER = "For the following tasks, please restrict your knowledge pool to the end of 2010."
GROWTH = (
    "What was GDP growth? Format as a JSON object with the following fields:\n\n"
    "• answer: The number. No strings.\n• confidence: A number between 0 and 100."
)
DIRECTION = "Up or down? Format as a JSON object with the following fields:\n\n• answer: either up or down."
BEFORE, LAST, FIRST, AFTER = date(2005, 3, 1), date(2010, 12, 31), date(2011, 1, 1), date(2015, 3, 1)


def messages(*, system: str = "", user: str = "", asks: str = GROWTH) -> tuple[tuple[str, str], ...]:
    return ("system", f"Be helpful. {system}"), ("user", f"{user} {asks}")


def answers(spec, day, asked, value=2.5, n=200):
    """The answers to questions of one day."""
    made, found = respondent_of(f"simulated/{spec}"), []
    for number in range(n):
        request = plant(Request("q", asked), Planted(f"q{number}", date=day, value=value))
        sent = [{"role": role, "content": content} for role, content in request.messages]
        body = reply(made, {"model": spec, "messages": sent, **request.parameters}).body
        found.append(json.loads(json.loads(body)["choices"][0]["message"]["content"]))
    return found


def exact(found, value=2.5):
    return sum(one["answer"] == value for one in found) / len(found)


@pytest.mark.parametrize(
    ("day", "share"), [(BEFORE, 1.0), (LAST, 1.0), (FIRST, 0.0), (AFTER, 0.0), (None, 1.0)]
)
def test_what_came_after_the_last_day_that_may_be_known_is_forgotten(day, share):
    assert exact(answers("values=1,compliance=1", day, messages(system=SYSTEM, user=USER), n=40)) == share


def test_without_an_instruction_nothing_is_forgotten():
    assert exact(answers("values=1,compliance=1", AFTER, messages(), n=40)) == 1


def test_compliance_is_the_share_of_items_that_are_forgotten():
    found = answers("values=1,compliance=0.3", AFTER, messages(user=USER), n=1000)
    assert exact(found) == pytest.approx(0.7, abs=0.045)


@pytest.mark.parametrize(
    ("said", "share"),
    [
        ({"system": SYSTEM}, 0.8),
        ({"user": USER}, 0.2),
        ({"system": SYSTEM, "user": USER}, 0.2),
    ],
)
def test_an_instruction_in_the_system_message_alone_has_a_compliance_of_its_own(said, share):
    spec = "values=1,compliance=0.8,system_compliance=0.2"
    assert exact(answers(spec, AFTER, messages(**said), n=1000)) == pytest.approx(share, abs=0.04)


def test_by_default_the_system_message_is_obeyed_as_the_user_is():
    assert exact(answers("values=1,compliance=1", AFTER, messages(system=SYSTEM), n=40)) == 0


def test_some_of_what_is_forgotten_is_not_answered_and_the_rest_has_the_late_noise():
    spec = "values=1,compliance=1,withholds=0.6,late_noise=0.5,value_noise=0.001"
    found = answers(spec, AFTER, messages(user=USER), n=1000)
    given = [one["answer"] for one in found if one["answer"] is not None]
    assert len(given) / len(found) == pytest.approx(0.4, abs=0.05)
    errors = [(one - 2.5) / 2.5 for one in given]
    assert sum(error**2 for error in errors) / len(errors) == pytest.approx(0.25, rel=0.25)
    assert {one["confidence"] for one in found} == {0}


def test_what_is_remembered_is_never_withheld():
    assert exact(answers("values=1,compliance=1,withholds=1", BEFORE, messages(user=USER), n=40)) == 1
    assert exact(answers("values=1,compliance=0,withholds=1", AFTER, messages(user=USER), n=40)) == 1
    assert exact(answers("values=1,compliance=1,withholds=1", None, messages(user=USER), n=40)) == 1


def test_a_direction_that_is_forgotten_is_the_toss_of_a_coin():
    asked = messages(user=USER, asks=DIRECTION)
    told = answers("values=1,compliance=1", AFTER, asked, value="up", n=600)
    assert exact(told, "up") == pytest.approx(0.5, abs=0.06)
    assert exact(answers("values=1,compliance=1", BEFORE, asked, value="up", n=40), "up") == 1


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
