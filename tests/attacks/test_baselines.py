"""Guesses that read no text."""

import pytest

from neuter.attacks import Majority, Prior
from neuter.errors import ModelError, UsageError
from neuter.types import Document, MaskedDocument, Outcome, Response

LINE = "Company Estimate: MSFT, Industry Estimate: Software, Quarter Estimate: Q4, Year Estimate: 2020"


class Counted:
    model = "test/model"

    def __init__(self, text=LINE, outcome=Outcome.ANSWERED):
        self.text, self.outcome, self.requests = text, outcome, []

    def ask(self, requests):
        for request in requests:
            self.requests.append(request)
            yield Response(request.id, self.outcome, self.text, reason="why")


def masked(id_, text="Company_1 grew.", scheme="rules"):
    return MaskedDocument(id_, text, scheme)


def doc(id_, firm=None, year=None, quarter=None, sector=None):
    return Document(id_, "text", ticker=firm, fiscal_year=year, fiscal_quarter=quarter, sector=sector)


def test_the_prior_asks_once_without_a_text_and_guesses_the_same_for_all():
    model = Counted()
    guesses = list(Prior().connect(model).attack([masked("a"), masked("b", "other", "none")]))
    assert [(g.id, g.scheme, g.attacker, g.model) for g in guesses] == [
        ("a", "rules", "prior", "test/model"),
        ("b", "none", "prior", "test/model"),
    ]
    assert {(g.firm, g.industry, g.quarter, g.year, g.answer) for g in guesses} == {
        ("MSFT", "Software", 4, 2020, LINE)
    }
    (request,) = model.requests
    ((role, content),) = request.messages
    assert role == "user"
    assert content.endswith("Quarter Estimate: Q, Year Estimate: Y")
    assert dict(request.parameters) == {"temperature": 0.0}


def test_a_prior_that_was_refused_is_refused_for_every_document():
    guesses = list(Prior().connect(Counted(None, Outcome.REFUSED)).attack([masked("a"), masked("b")]))
    assert [(g.outcome, g.firm, g.reason) for g in guesses] == [(Outcome.REFUSED, None, "why")] * 2


def test_the_prior_of_no_document_makes_no_call():
    model = Counted()
    assert [g.outcome for g in Prior().connect(model).attack([masked("a", None)])] == [Outcome.FAILED]
    assert list(Prior().connect(model).attack([])) == []
    assert model.requests == []


def test_the_prior_needs_a_model():
    with pytest.raises(ModelError, match="'prior' has no model"):
        next(Prior().attack([masked("a")]))


def majority(reference, **parameters):
    (guess,) = Majority(**parameters).fit(reference).attack([masked("a")])
    return guess


def test_majority_ranks_firms_by_their_share_and_equal_ones_by_label():
    reference = [doc("1", "QQCC"), doc("2", "QQBB"), doc("3", "QQAA"), doc("4", "QQBB"), doc("5")]
    guess = majority(reference)
    assert guess.candidates == ("ticker:QQBB", "ticker:QQAA", "ticker:QQCC")
    assert guess.scores == (0.5, 0.25, 0.25)
    assert guess.firm == "ticker:QQBB"
    assert majority(reference, candidates=1).candidates == ("ticker:QQBB",)


def test_majority_takes_the_most_frequent_year_and_the_most_frequent_quarter_in_it():
    # 2020 Q1 is the most frequent quarter of all, but 2021 is the most frequent year.
    reference = [
        *[doc(f"a{n}", year=2020, quarter=1) for n in range(3)],
        *[doc(f"b{n}", year=2021, quarter=3) for n in range(2)],
        *[doc(f"c{n}", year=2021, quarter=2) for n in range(2)],
    ]
    guess = majority(reference)
    assert (guess.year, guess.quarter) == (2021, 2)


def test_majority_takes_the_earlier_of_equal_years_and_the_most_frequent_sector():
    reference = [doc("1", year=2021, sector="Energy"), doc("2", year=2019, sector="Basic")]
    guess = majority(reference)
    assert (guess.year, guess.quarter, guess.industry) == (2019, None, "Basic")


def test_majority_of_an_empty_reference_knows_nothing():
    guess = majority([])
    assert (guess.firm, guess.candidates, guess.year, guess.industry) == (None, (), None, None)


def test_majority_of_a_failed_document_is_failed():
    (guess,) = Majority().fit([doc("1", "QQAA")]).attack([masked("a", None)])
    assert (guess.outcome, guess.firm) == (Outcome.FAILED, None)


def test_majority_without_a_reference_says_what_to_do():
    with pytest.raises(UsageError, match=r"fit\(reference\) first"):
        next(Majority().attack([masked("a")]))
