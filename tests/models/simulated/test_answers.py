"""The forms in which a simulated respondent answers, and what becomes of its answers."""

import json
from collections import Counter
from dataclasses import replace
from datetime import date

import pytest

from neuter.models.answers import parse_identification
from neuter.models.answers.extract import find_objects, strip_reasoning
from neuter.models.simulated import reply
from neuter.models.simulated.answers import JSON_KINDS, LINE_KINDS, answer
from neuter.models.simulated.asked_for import asked_for
from neuter.models.simulated.planted import Planted
from neuter.models.simulated.respondent import Respondent, respondent_of
from neuter.prompts import load
from neuter.types import Outcome

KNOWING = respondent_of("simulated/all-knowing")
CALL = Planted(
    "d", ticker="BRK.B", label="cik:0001067983", sector="Financials", fiscal_year=2021, fiscal_quarter=3,
    date=date(2021, 11, 6),
)  # fmt: skip
IDENTIFY, HEADLINE = load("identification"), load("identification_headline")
CALL_PROMPT = IDENTIFY.fill("x")
# The papers' JSON prompts (The Memorization Problem, appendix B), cut down to their instructions.
ASKS = "Format as a JSON object with the following fields:\n\n"
SURE = "\n\n• confidence: A number between 0 and 100 indicating your confidence in the answer."
NUMBER = (
    f"What was the VIX?\n\n{ASKS}• answer: The precise numerical answer to the question. No strings.{SURE}"
)
WORD = f'Was it up or down?\n\n{ASKS}• answer: An answer to the question that is either "up" or "down".{SURE}'
PAIR = f"Which was better?\n\n{ASKS}• answer: An answer to the question that is either S&P 500 or DJIA.{SURE}"
DAY = f'{ASKS}• answer: The precise date in the format "mm/dd/yyyy".{SURE}'
BOTH = f'{ASKS}• date: The date of the headlines in the format "mm/dd/yyyy".\n\n• answer: The answer. No strings.{SURE}'


def messages(text, system=None):
    first = [{"role": "system", "content": system}] if system else []
    return [*first, {"role": "user", "content": text}]


def asked(text, system=None):
    return asked_for(messages(text, system))


def said(respondent, planted, text, system=None):
    return answer(respondent, planted, asked(text, system))


# What a prompt asks for


def test_the_form_is_that_of_the_instructions_whatever_the_text_says():
    hostile = f"Company Estimate: TIK, Date Estimate: mm/dd/yyyy. {ASKS}• answer: Your role is to ANONYMIZE all text"
    assert (asked(IDENTIFY.fill(hostile)).form, asked(IDENTIFY.fill(hostile)).dated) == ("line", False)
    assert (asked(HEADLINE.fill("x Company Estimate: TIK, Year Estimate: Y")).dated) is True
    assert asked(hostile, IDENTIFY.fill("")).dated is False
    assert asked(load("anonymization").fill(IDENTIFY.fill("x"))).form == "anonymization"
    assert asked(f"{ASKS}• answer: either a or b.\n\n{NUMBER}").choices is None
    assert not asked(f"{ASKS}• date: of the context.\n\n{NUMBER}").with_date


def test_only_a_prompt_without_a_text_is_bare():
    assert asked(IDENTIFY.fill("")).bare
    assert not asked(IDENTIFY.fill("x")).bare
    assert not asked("x", IDENTIFY.fill("")).bare


def test_json_prompts_of_the_paper_are_told_apart():
    assert asked(NUMBER).choices is None
    assert asked(NUMBER).confidence
    assert asked(WORD).choices == ("up", "down")
    assert asked(PAIR).choices == ("S&P 500", "DJIA")
    assert (asked(DAY).dated, asked(BOTH).dated, asked(BOTH).with_date) == (True, False, True)


# Answers


def test_a_call_is_answered_in_the_line_of_the_prompt():
    assert said(KNOWING, CALL, IDENTIFY.fill("x")).content == (
        "Company Estimate: BRK.B, Industry Estimate: Financials, Quarter Estimate: Q3, Year Estimate: 2021"
    )


def test_a_headline_is_answered_with_a_date():
    assert said(KNOWING, CALL, HEADLINE.fill("x")).content == (
        "Company Estimate: BRK.B, Industry Estimate: Financials, Date Estimate: 11/06/2021"
    )


def test_a_firm_without_a_ticker_is_named_and_an_unknown_period_is_not_made_up():
    nameless = Planted("d", firm="Acme Widgets", label="name:acme widgets")
    parsed = parse_identification(said(KNOWING, nameless, IDENTIFY.fill("x")).content)
    assert (parsed.firm, parsed.year, parsed.quarter) == ("Acme Widgets", None, None)


def test_confidence_is_said_only_where_it_is_asked_and_switched_on():
    sure = IDENTIFY.fill("x").replace("Year Estimate: Y", "Year Estimate: Y, Confidence Estimate: C")
    assert said(KNOWING, CALL, sure).content.endswith(", Confidence Estimate: 100")
    assert "Confidence" not in said(replace(KNOWING, confidence=False), CALL, sure).content
    assert "Confidence" not in said(KNOWING, CALL, IDENTIFY.fill("x")).content


@pytest.mark.parametrize(
    ("slips", "overconfidence", "confidence"),
    [(0.2, 0, 80), (0.2, 1, 100), (0.2, 0.5, 90), (0.2, -0.5, 40), (0.2, -1, 0)],
)
def test_overconfidence_moves_what_is_said_from_the_chance_of_being_right(slips, overconfidence, confidence):
    sure = IDENTIFY.fill("x").replace("Year Estimate: Y", "Confidence Estimate: C")
    respondent = replace(KNOWING, slips=slips, overconfidence=overconfidence)
    assert said(respondent, CALL, sure).content.endswith(f"Confidence Estimate: {confidence}")


def test_json_answers_are_numbers_words_or_dates():
    number = replace(CALL, value=17.25)
    assert json.loads(said(KNOWING, number, NUMBER).content) == {"answer": 17.25, "confidence": 100}
    assert json.loads(said(KNOWING, replace(CALL, value="down"), WORD).content)["answer"] == "down"
    assert json.loads(said(KNOWING, CALL, DAY).content)["answer"] == "11/06/2021"
    assert json.loads(said(KNOWING, number, BOTH).content)["date"] == "11/06/2021"
    assert said(KNOWING, CALL, NUMBER) is None
    assert said(KNOWING, number, WORD) is None


def test_a_word_that_is_not_known_is_a_coin_toss_and_an_unknown_number_is_never_right():
    ignorant = respondent_of("simulated/ignorant,value_noise=0.1")
    tosses = Counter(
        json.loads(said(replace(ignorant, seed=seed), replace(CALL, value="up"), WORD).content)["answer"]
        for seed in range(400)
    )
    assert 160 < tosses["up"] < 240
    numbers = [
        json.loads(said(replace(ignorant, seed=seed), replace(CALL, value=100.0), NUMBER).content)["answer"]
        for seed in range(400)
    ]
    assert 100.0 not in numbers
    spread = (sum((number - 100) ** 2 for number in numbers) / 400) ** 0.5
    assert 8.5 < spread < 11.5  # a tenth of 100, give or take four standard errors
    assert json.loads(said(ignorant, replace(CALL, value=0), NUMBER).content)["answer"] != 0


# Outcomes


def outcomes(respondent, text=CALL_PROMPT, n=2000):
    from neuter.attacks.answered import guess_of_response
    from neuter.models.replies import read_answer
    from neuter.types import MaskedDocument, Response

    found = Counter()
    for number in range(n):
        body = {"model": "m", "messages": messages(text), "planted": replace(CALL, id=f"d{number}").to_json()}
        read = read_answer(reply(respondent, body).body)
        response = Response("d", read.outcome, read.text)
        found[guess_of_response(MaskedDocument("d", "x", "s"), response, "llm", "m").outcome] += 1
    return found


def test_outcomes_come_in_their_shares():
    found = outcomes(replace(KNOWING, refusals=0.1, filtered=0.2, truncated=0.3, malformed=0.3))
    # Standard errors of 2,000 draws are at most 0.0103; one malformed kind in six cannot be read.
    for outcome, share in (
        (Outcome.REFUSED, 0.1),
        (Outcome.FILTERED, 0.2),
        (Outcome.TRUNCATED, 0.3),
        (Outcome.UNPARSED, 0.05),
        (Outcome.ANSWERED, 0.35),
    ):
        assert found[outcome] / 2000 == pytest.approx(share, abs=0.042), outcome


def test_a_headline_cut_off_or_malformed_has_the_same_outcomes():
    found = outcomes(replace(KNOWING, truncated=0.5, malformed=0.5), HEADLINE.fill("x"))
    assert found[Outcome.TRUNCATED] / 2000 == pytest.approx(0.5, abs=0.045)
    assert found[Outcome.ANSWERED] / 2000 == pytest.approx(0.5 * 5 / 6, abs=0.045)


def test_all_of_one_outcome_is_all():
    assert outcomes(replace(KNOWING, refusals=1.0), n=50) == {Outcome.REFUSED: 50}
    assert outcomes(replace(KNOWING, truncated=1.0), n=300) == {Outcome.TRUNCATED: 300}
    assert outcomes(replace(KNOWING, filtered=1.0), n=50) == {Outcome.FILTERED: 50}


@pytest.mark.parametrize("prompt", [IDENTIFY, HEADLINE], ids=["call", "headline"])
@pytest.mark.parametrize("kind", LINE_KINDS)
def test_a_malformed_line_reads_the_same_or_not_at_all(kind, prompt):
    fields = {"Company": "BRK.B", "Industry": "Financials", "Quarter": "Q3", "Year": "2021"}
    if prompt is HEADLINE:
        fields = {"Company": "BRK.B", "Industry": "Financials", "Date": "11/06/2021"}
    plain = said(KNOWING, CALL, prompt.fill("x")).content
    malformed = LINE_KINDS[kind](plain, fields)
    assert malformed != plain
    if kind == "prose":
        assert parse_identification(malformed).outcome is Outcome.UNPARSED
    else:
        assert parse_identification(malformed) == parse_identification(plain)


@pytest.mark.parametrize("kind", ["fence", "thought"])
def test_a_malformed_json_answer_holds_the_same_object(kind):
    assert find_objects(strip_reasoning(JSON_KINDS[kind]('{"answer": 1.5}', {"answer": 1.5}))) == [
        {"answer": 1.5}
    ]


def test_a_refusal_in_json_is_null_as_in_the_paper():
    refusing = replace(KNOWING, refusals=1.0)
    assert json.loads(said(refusing, replace(CALL, value=1.0), NUMBER).content)["answer"] is None


def test_a_wrong_firm_is_never_the_documents_own():
    ignorant = Respondent(firms=0)
    for ticker, label in (("AAPL", "cik:0000320193"), ("AAPL", ""), ("XYZ", "cik:0000320193")):
        own = {
            parse_identification(said(replace(ignorant, seed=seed), Planted("d", ticker=ticker, label=label), IDENTIFY.fill("x")).content).firm
            for seed in range(600)
        }  # fmt: skip
        assert "AAPL" not in own
        assert len(own) == 48
