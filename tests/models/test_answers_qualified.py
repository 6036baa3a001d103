"""What stands around a value: denials, bounds, units that are not converted, refusals that use a word of direction."""

from datetime import date

import pytest

from neuter.models.answers import Question, parse_answer, parse_identification
from neuter.types import Outcome

NUMBER = Question("number")
THOUSANDS = Question("number", unit="thousands")
PERCENT = Question("percent")
CHANCE = Question("probability")
DAY = Question("date")
WAY = Question("direction")
LETTER = Question("choice", choices=("A", "B"))


def read(text, question):
    parsed = parse_answer(text, question)
    return parsed.outcome, parsed.value


def unparsed(text, question):
    return read(text, question) == (Outcome.UNPARSED, None)


@pytest.mark.parametrize(
    "text",
    ["I must decline.", "I decline to provide a prediction.", "I have to decline this request.", "I respectfully decline.",
     "We’ll decline.", "Answer: decline to answer", "prediction: decline (I cannot answer)", '{"answer": "I must decline."}'],
)  # fmt: skip
def test_to_decline_is_no_fall(text):
    assert read(text, WAY) == (Outcome.REFUSED, None)


@pytest.mark.parametrize(
    "text", ["a decline to 3,000", "It will decline.", "Sales decline in March.", "We decline by 3%."]
)
def test_a_decline_of_what_is_asked_about_is_a_fall(text):
    assert read(text, WAY) == (Outcome.ANSWERED, "down")


@pytest.mark.parametrize(
    "text",
    ["It won't rise.", "It won’t rise.", "It doesn't rise", "It failed to rise", "It fails to fall", "less likely to fall",
     "non-decreasing", "It wouldn't fall", "a rise is doubtful", "the drop reversed", "no increase", "It will not go down"],
)  # fmt: skip
def test_a_denied_direction_is_unparsed(text):
    assert unparsed(text, WAY)
    assert unparsed(f"Answer: {text}", WAY)


@pytest.mark.parametrize(
    ("said", "value"),
    [("5 hundred", 500.0), ("5 hundred million", 5e8), ("1.2 thousand million", 1.2e9), ("3 crore", 3e7), ("5 lakh", 5e5),
     ("2 lakh crore", 2e12)],
)  # fmt: skip
def test_scale_words_are_converted_together(said, value):
    assert read(f"Answer: {said}", NUMBER) == (Outcome.ANSWERED, value)
    assert read(f'{{"answer": "{said}"}}', NUMBER) == (Outcome.ANSWERED, value)


@pytest.mark.parametrize(
    "said",
    ["3 dozen", "5 mil", "5 bil", "5 MM", "5 milliards", "5 million million", "1.5k million", "5 euros", "5 yen", "5 CAD", "5 cents",
     "5¢", "5₹", "5 million euros", "5 (in millions)", "5, in billions", "5 Canadian dollars", "5 per mille", "5 x 3", "5*3",
     "5 times 3", "5 to the power of 3"],
)  # fmt: skip
def test_a_number_with_a_unit_that_is_not_converted_is_unparsed(said):
    assert unparsed(f"Answer: {said}", NUMBER)
    assert unparsed(f'{{"answer": "{said}"}}', NUMBER)
    assert unparsed(f"The level was {said}.", NUMBER)


def test_the_scale_that_the_question_is_put_in_may_be_said_again():
    assert read("Answer: -524 (in thousands)", THOUSANDS) == (Outcome.ANSWERED, -524.0)
    assert unparsed("Answer: -524 (in millions)", THOUSANDS)
    assert unparsed("Answer: 5 million thousands", THOUSANDS)


@pytest.mark.parametrize("said", ["5‰", "5 permille", "5 per mille", "5 per thousand"])
def test_a_share_of_a_thousand_is_no_percentage(said):
    assert unparsed(f"Answer: {said}", PERCENT)


@pytest.mark.parametrize(
    ("text", "question", "value"),
    [
        ('{"answer": "5", "unit": "million"}', NUMBER, 5e6),
        ('{"answer": 5, "currency": "USD", "unit": "billion"}', NUMBER, 5e9),
        ('{"answer": "5 million", "unit": "million"}', NUMBER, 5e6),
        ('{"answer": 4783.45, "unit": "index points", "confidence": 85}', NUMBER, 4783.45),
        ('{"answer": -524, "unit": "in thousands"}', THOUSANDS, -524.0),
        ('{"answer": 5, "source": {"unit": "million"}}', NUMBER, 5.0),
        ('{"answer": 25, "unit": "bps"}', PERCENT, 0.25),
        ('{"probability": 70, "unit": "percent"}', CHANCE, 0.7),
        ('{"answer": "up", "unit": "not applicable"}', WAY, "up"),
        ('{"answer": "5", "unit": "6"}', Question("choice", choices=("5", "6")), "5"),
        ('{"answer": 5, "currency": "EUR"}', NUMBER, None),
        ('{"answer": {"value": 5, "currency": "EUR"}}', NUMBER, None),
        ('{"answer": 5, "unit": "dozen"}', NUMBER, None),
    ],
)
def test_the_unit_beside_an_answer_is_its_unit(text, question, value):
    assert parse_answer(text, question).value == value


@pytest.mark.parametrize(
    "bound", ["or less", "at most", "and up", "or more", "at least", ", minimum", "plus"]
)
def test_a_bound_behind_a_value_makes_it_none(bound):
    assert unparsed(f"Answer: 5 {bound}", NUMBER)
    assert unparsed(f"Answer: 5 points {bound}", NUMBER)
    assert unparsed(f"Answer: 5% {bound}", PERCENT)
    assert unparsed(f"The return was 5% {bound}.", PERCENT)
    assert unparsed(f"Probability: 3 in 4 {bound}", CHANCE)


@pytest.mark.parametrize(
    "said", ["70 percent chance it will not", "70% no", "0.7 against", "7 in 10 against", "0.7 that it won’t"]
)
def test_a_chance_that_is_turned_round_is_unparsed(said):
    assert unparsed(f"Answer: {said}", CHANCE)


@pytest.mark.parametrize(
    "said", ["0.7 (not certain)", "70%, since it did not fall", "0.7. I am not an adviser"]
)
def test_a_no_of_something_else_leaves_the_chance(said):
    assert read(f"Answer: {said}", CHANCE) == (Outcome.ANSWERED, 0.7)


@pytest.mark.parametrize(
    "said", ["not 2020-01-01", "before 2020-01-01", "after the 2020-01-01", "not on January 1, 2020",
             "no later than 2020-01-01", "2020-01-01 or later", "isn’t 2020-01-01"],
)  # fmt: skip
def test_a_bound_or_a_denial_is_no_date(said):
    assert unparsed(f"Answer: {said}", DAY)


@pytest.mark.parametrize(
    "said",
    [
        "I'm not sure, but 2020-01-01",
        "It did not fall, so 2020-01-01",
        "After some thought: 2020-01-01",
        "around 2020-01-01",
    ],
)
def test_a_no_of_another_clause_leaves_the_date(said):
    assert read(f"Answer: {said}", DAY) == (Outcome.ANSWERED, date(2020, 1, 1))


@pytest.mark.parametrize("said", ["It won't be A", "It wouldn’t be A", "It doesn't seem to be A"])
def test_a_denied_choice_is_unparsed(said):
    assert unparsed(said, LETTER)


@pytest.mark.parametrize("text", ["null%", "Answer: null%", '{"answer": "null%"}', "Answer: $null"])
def test_null_with_a_unit_is_null(text):
    assert read(text, PERCENT) == (Outcome.REFUSED, None)


@pytest.mark.parametrize(
    ("text", "quarter", "year"),
    [
        ("Quarter: 2 or 3, Year: 2018", None, 2018),
        ("Quarter: Q3-Q4, Year: 2018", None, 2018),
        ("Quarter: second or third quarter, Year: 2018", None, 2018),
        ("Quarter: not 3, Year: 2018", None, 2018),
        ("Quarter: Q3 2018 or Q4 2018, Year: 2018", None, 2018),
        ("Quarter: Q3 (not Q4), Year: I'm not sure, 2018", 3, 2018),
        ("Quarter: Q3-2018, Year: 2018", 3, 2018),
        ("Quarter: 3, Year: 2018-2019", 3, None),
        ("Quarter: 3, Year: FY2018 or FY2019", 3, None),
        ("Quarter: 3, Year: not 2018", 3, None),
        ("Quarter: 3, Year: before 2018", 3, None),
        ("Quarter: 3, Year: FY2018-19", 3, 2018),
        ('{"quarter": [2, 3], "year": [2018]}', None, 2018),
    ],
)
def test_a_quarter_or_a_year_is_one(text, quarter, year):
    found = parse_identification(text if text.startswith("{") else f"Firm: AAPL, {text}")
    assert (found.quarter, found.year) == (quarter, year)


@pytest.mark.parametrize(
    "said", ["before 03/14/2023", "03/14/2023 to 03/16/2023", "not 03/14/2023", "03/14/2023 or later"]
)
def test_the_date_of_an_identification_is_one(said):
    found = parse_identification(f"Company Estimate: TSLA, Date Estimate: {said}")
    assert (found.firm, found.date, found.year) == ("TSLA", None, None)


@pytest.mark.parametrize("text", ["null", "0", "N/A", "**null**.", "<think>Apple?</think>N/A"])
def test_null_or_0_for_an_identification_is_a_refusal(text):
    assert parse_identification(text).outcome is Outcome.REFUSED


@pytest.mark.parametrize("text", ["00", "0.5", "nullable", "-"])
def test_what_is_not_null_is_no_refusal(text):
    assert parse_identification(text).outcome is Outcome.UNPARSED
