"""A headline is asked for its date, a call for its quarter; with the text or without."""

import json
from datetime import date
from importlib.resources import files

import pytest

from neuter.attacks import LLM, Prior
from neuter.attacks.guesses import frame_of_guesses
from neuter.prompts import load
from neuter.types import MaskedDocument, Outcome, Response

LINE = "Company Estimate: TSLA, Industry Estimate: Automobiles, Date Estimate: 03/14/2023"
CALL = "Company Estimate: AAPL, Industry Estimate: Phones, Quarter Estimate: 3, Year Estimate: 2018"


class Answers:
    """Answers each prompt in its own format and keeps what it was asked."""

    def __init__(self, model="test/model", outcome=Outcome.ANSWERED, line=LINE):
        self.model, self.outcome, self.line, self.requests = model, outcome, line, []

    def ask(self, requests):
        for request in requests:
            self.requests.append(request)
            asked = request.messages[0][1]
            yield Response(request.id, self.outcome, self.line if "Date Estimate" in asked else CALL)


HEADLINE = MaskedDocument("h", "Company_1 shows product_x", "rules", kind="headline")
TRANSCRIPT = MaskedDocument("t", "Company_1 grew.", "rules")


def test_a_headline_is_asked_for_a_date_and_a_call_for_a_quarter():
    model = Answers()
    headline, call = LLM().connect(model).attack([HEADLINE, TRANSCRIPT])
    assert (headline.firm, headline.date, headline.quarter, headline.year) == (
        "TSLA",
        date(2023, 3, 14),
        None,
        None,
    )
    assert (call.firm, call.date, call.quarter, call.year) == ("AAPL", None, 3, 2018)
    first, second = (request.messages[0][1] for request in model.requests)
    assert first.endswith("Company_1 shows product_x")
    assert "Quarter Estimate" not in first
    assert "Date Estimate" not in second


def test_the_date_is_kept_in_the_guesses_table():
    guesses = LLM().connect(Answers()).attack([HEADLINE])
    assert frame_of_guesses(guesses)["date"].to_list() == [date(2023, 3, 14)]


def test_the_prior_asks_once_for_each_kind():
    model = Answers()
    found = list(Prior().connect(model).attack([HEADLINE, TRANSCRIPT, HEADLINE]))
    assert [guess.firm for guess in found] == ["TSLA", "AAPL", "TSLA"]
    assert len(model.requests) == 2
    asked = [request.messages[0][1] for request in model.requests]
    assert ["Date Estimate" in text for text in asked] == [True, False]


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        (f"{LINE} because of", Outcome.ANSWERED),
        (
            "Company Estimate: TSLA, Industry Estimate: Automobiles, Date Estimate: 03/14/20",
            Outcome.TRUNCATED,
        ),
        ("Company Estimate: TSLA, Industry Estimate: Automobiles, Date Est", Outcome.TRUNCATED),
    ],
)
def test_a_date_that_was_cut_off_is_not_used(line, outcome):
    (guess,) = LLM().connect(Answers(outcome=Outcome.TRUNCATED, line=line)).attack([HEADLINE])
    assert guess.outcome is outcome


def test_the_prompt_is_labelled_as_ours():
    prompt = load("identification_headline")
    assert "ours" in prompt.paper
    assert prompt.template.count("Date Estimate: mm/dd/yyyy") == 1
    assert prompt.slot in prompt.template


def test_the_embedded_model_gets_the_grammar_of_its_prompt():
    model = Answers("local/smollm2-135m")
    list(LLM().connect(model).attack([HEADLINE, TRANSCRIPT]))
    first, second = (request.parameters["grammar"] for request in model.requests)
    assert first == (files("neuter.attacks") / "identification_headline.gbnf").read_text(encoding="utf-8")
    assert "Quarter Estimate" in second
    assert json.dumps(first)
