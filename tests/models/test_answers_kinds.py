"""Numbers, percentages, probabilities, dates, directions and choices in the forms that models give them."""

from datetime import date

import pytest

from neuter.errors import UsageError
from neuter.models.answers import Question, parse_answer
from neuter.types import Outcome

NUMBER = Question("number")
PERCENT = Question("percent")


def value_of(text, question):
    parsed = parse_answer(text, question)
    assert (parsed.outcome is Outcome.ANSWERED) == (parsed.value is not None)
    return parsed.value


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("1234.5", 1234.5), ("1,234.5", 1234.5), ("1'234.5", 1234.5), ("1_234.5", 1234.5), ("1\u202f234.5", 1234.5),
        ("1\u00a0234,5", 1234.5), ("1.234,5", 1234.5), ("1.234.567", 1234567.0), ("1.234", 1.234), ("1,234", 1234.0),
        ("１，２３４．５", 1234.5), ("$1,234.5", 1234.5), ("US$ 1,234.5", 1234.5), ("1,234.5 USD", 1234.5), ("-$5", -5.0),
        ("$-5", -5.0), ("−5", -5.0), ("–5", -5.0), ("(5)", -5.0), ("($5)", -5.0), ("minus 5", -5.0), ("negative 5", -5.0),
        ("+5", 5.0), ("4.2 billion", 4.2e9), ("4.2bn", 4.2e9), ("4.2B", 4.2e9), ("4.2 B", 4.2e9), ("$4.2-billion", 4.2e9),
        ("**4.2** billion", 4.2e9), ("1.5 million", 1.5e6), ("187k", 187_000.0), ("1e3", 1000.0), ("1.5E-3", 0.0015),
        ("1.5 × 10^3", 1500.0), (r"1.5 \times 10^{3}", 1500.0), ("approximately 2,300", 2300.0), ("~2,300", 2300.0),
        ("around **2,300**", 2300.0), ("[42]", 42.0), ("`42`", 42.0), ("42.", 42.0), ("$42$", 42.0), ("$-42$", -42.0), (r"\(42\)", 42.0), ("4&nbsp;783", 4783.0), ("4,783.45[1]", 4783.45), ("42 points", 42.0),
        ("42 (on December 31, 2008)", 42.0), ("42, 85% sure", 42.0), (".5", 0.5), ("007", 7.0), ("-0.0", 0.0),
    ],
)  # fmt: skip
def test_a_number_is_read_whole_or_not_at_all(said, value):
    for text in (f"Answer: {said}", f"**Answer:** {said}", f"It took some thought.\n\nFinal answer: {said}"):
        assert value_of(text, NUMBER) == value, text


@pytest.mark.parametrize(
    "said",
    ["2,3xx", "2,345.xx", "1,23,456", "0,234", "2,34", "1,234,5", "4 783", "4, 783", "3-4", "3 to 4", "between 3 and 4", "3 or 4",
     "3 ± 1", "over 4,700", "at least 5", "> 5", "<5", "4,700+", "10²", "42abc", "- 42", "--5", "4.2 b", "16:30", "3:1", "5%",
     "€5", "5 EUR", "NaN", "inf", "-", ".", ",", "$", "Q3", "the 2nd", "10-year", "GPT-4", "1" * 60, "1e999", "A$5", "", "42 is wrong",
     "3/4", "1. 42", "4;783", "4&nbsp;78", "not 42", "42, or maybe 43"],
)  # fmt: skip
def test_what_makes_no_single_number_is_unparsed(said):
    assert parse_answer(f"Answer: {said}", NUMBER).outcome is Outcome.UNPARSED
    assert parse_answer(f'{{"answer": "{said}"}}', NUMBER).outcome is Outcome.UNPARSED


@pytest.mark.parametrize(
    ("unit", "said", "value"),
    [
        ("percent", "60%", 60.0), ("percent", "60", 60.0), ("percent", "0.6", 0.6), ("percent", "0.6%", 0.6),
        ("percent", "60 percent", 60.0), ("percent", "60 per cent", 60.0), ("percent", "0.5 percentage points", 0.5),
        ("percent", "50 bps", 0.5), ("percent", "(2.5%)", -2.5), ("percent", "-2.5 %", -2.5), ("percent", "up 2.5%", 2.5),
        ("share", "60%", 0.6), ("share", "0.6", 0.6), ("share", "60", 60.0), ("share", "25 basis points", 0.0025),
        ("basis points", "25 bp", 25.0), ("basis points", "0.25%", 25.0), ("basis points", "25", 25.0),
    ],
)  # fmt: skip
def test_a_percentage_is_in_the_unit_that_the_question_declares(unit, said, value):
    assert value_of(f"Answer: {said}", Question("percent", unit=unit)) == value


@pytest.mark.parametrize(
    "said",
    ["2.5% decline", "2.5% lower", "2.5% (contraction)", "down 2.5%", "a decrease of 2.5%", "It fell by 2.5%", "GDP contracted by 2.5%",
     "GDP shrank 2.5 percent", "It cratered by 2.5%", "It imploded, about 2.5%", "a rout of 2.5%", "$2.5", "2.5 million"],
)  # fmt: skip
def test_a_percentage_with_its_sign_in_words_is_unparsed(said):
    assert value_of(f"Answer: {said}", PERCENT) is None


@pytest.mark.parametrize(
    "said",
    ["a loss of 524,000 jobs", "524,000 jobs were lost", "524,000 (job losses)", "lost 524 thousand jobs"],
)
def test_a_number_with_its_sign_in_words_is_unparsed(said):
    assert value_of(f"Answer: {said}", NUMBER) is None


@pytest.mark.parametrize(
    "said", ["rose by 2.5%", "was up about 2.5%", "had a gain of 2.5%", "return was 2.5%"]
)
def test_a_rise_in_words_is_a_number_as_it_stands(said):
    assert value_of(f"The index {said} in that month.", PERCENT) == 2.5


def test_a_level_is_not_turned_round_by_a_comparison_behind_it():
    assert value_of("Answer: 4,783.45 (down from 4,790)", NUMBER) == 4783.45
    assert value_of("Answer: 4,783.45, down 0.3% on the day", NUMBER) == 4783.45


def test_a_rate_that_fell_to_a_level_is_that_level():
    assert value_of("The unemployment rate fell to 3.5%.", PERCENT) == 3.5


@pytest.mark.parametrize(
    ("said", "value"),
    [("-524", -524.0), ("-524 thousand", -524.0), ("-524K", -524.0), ("-524,000", -524.0), ("1.5 million", 1500.0),
     ("49,999", 49_999.0), ("50,000", 50.0)],
)  # fmt: skip
def test_thousands_are_thousands_however_they_are_written(said, value):
    assert value_of(f"Answer: {said}", Question("number", unit="thousands", ones_from=50_000)) == value


def test_without_ones_from_a_plain_number_is_never_divided():
    assert value_of("Answer: -524,000", Question("number", unit="thousands")) == -524_000.0
    assert value_of("Answer: 4.2 billion", Question("number", unit="billions")) == 4.2


@pytest.mark.parametrize(
    ("said", "value"),
    [("60%", 0.6), ("0.6", 0.6), ("60 percent", 0.6), ("3 in 4", 0.75), ("1 in 1,000", 0.001), ("3 out of 4", 0.75), ("7/10", 0.7),
     ("1", 1.0), ("0", 0.0), ("100%", 1.0), ("~60%", 0.6), ("85", None), ("1.5", None), ("-0.1", None), ("101%", None),
     ("60-70%", None), ("60% to 70%", None), ("between 60% and 70%", None), ("<1%", None), ("50/50", None), ("3:1", None),
     ("likely", None), ("0.6 million", None), ("4 in 3", None), ("(60%)", 0.6)],
)  # fmt: skip
def test_a_probability_is_within_0_and_1_or_unparsed(said, value):
    assert value_of(f"Probability: {said}", Question("probability")) == value
    assert value_of(f'{{"probability": "{said}", "answer": "yes"}}', Question("probability")) == value


def test_a_probability_asked_in_percent_is_read_in_percent():
    asked = Question("probability", unit="percent")
    assert [value_of(said, asked) for said in ("85", "85%", "0.85", "850")] == [0.85, 0.85, 0.0085, None]


def test_a_chance_in_a_sentence():
    assert value_of("I think there's about a 60% chance that it passes.", Question("probability")) == 0.6


@pytest.mark.parametrize(
    ("text", "day"),
    [('{"answer": "03/14/2023", "confidence": 50}', date(2023, 3, 14)), ('{"date": "03/14/2023", "answer": 4783.45}', date(2023, 3, 14)),
     ("March 14, 2023", date(2023, 3, 14)), ("**Date:** 2023-03-14", date(2023, 3, 14)),
     ("These headlines are from March 14, 2023.", date(2023, 3, 14)), ("Answer: 03/14/2023 to 03/16/2023", None),
     ('{"answer": "mm/dd/yyyy"}', None), ("Answer: March 2023", None), ('{"answer": "02/30/2023"}', None)],
)  # fmt: skip
def test_a_date(text, day):
    assert value_of(text, Question("date")) == day


def test_the_level_beside_a_date_is_not_the_date():
    text = '{"date": "03/14/2023", "answer": 3919.29, "confidence": 40}'
    assert value_of(text, NUMBER) == 3919.29


@pytest.mark.parametrize(
    ("text", "way"),
    [('{"answer": "up"}', "up"), ("Down.", "down"), ("**UP**", "up"), ("The index increased.", "up"), ("It was lower in March.", "down"),
     ("Answer: positive", "up"), ("↓", "down"), ("not up", None), ("Answer: did not increase", None), ("up or down", None), ("unchanged", None),
     ("It ended up unchanged", None), ("It went up, then fell", None), ("It is up to you", None), ("the Dow", None),
     ('answer: An answer that is either "up" or "down".\n{"answer": "down"}', "down")],
)  # fmt: skip
def test_a_direction(text, way):
    assert value_of(text, Question("direction")) == way


INDICES = Question(
    "choice",
    choices=("S&P 500", "DJIA", "Nasdaq Composite"),
    aliases=(("Dow Jones Industrial Average", "DJIA"), ("Dow", "DJIA"), ("Nasdaq", "Nasdaq Composite")),
)


@pytest.mark.parametrize(
    ("text", "choice"),
    [('{"answer": "S&P 500"}', "S&P 500"), ("s&p 500", "S&P 500"), ("The Dow Jones Industrial Average performed better.", "DJIA"), ("DJIA", "DJIA"),
     ("**Nasdaq**", "Nasdaq Composite"), ("The Dow beat the Nasdaq", None), ("neither the Dow", None), ("the Dow did not", None), ("Russell", None),
     ("Answer: Dow\nFinal answer: S&P 500", "S&P 500"), ("Answer: Dow\nAnswer: S&P 500", None)],
)  # fmt: skip
def test_a_choice_is_one_of_the_names_given(text, choice):
    assert value_of(text, INDICES) == choice


def test_a_ticker_that_is_a_word_is_found_in_capitals_only():
    tickers = Question("choice", choices=("IT", "ALL", "NA"))
    assert value_of("I think it is ALL", tickers) == "ALL"
    assert value_of("it", tickers) == "IT"
    assert value_of("Answer: NA", tickers) == "NA"


@pytest.mark.parametrize(
    ("text", "outcome", "value"),
    [
        ('{"answer": null, "confidence": 0}', Outcome.REFUSED, None),
        ('{"answer": "null"}', Outcome.REFUSED, None),
        ('{"answer": "N/A"}', Outcome.REFUSED, None),
        ("Answer: unknown", Outcome.REFUSED, None),
        ('{"answer": "N/A (the markets were closed)"}', Outcome.REFUSED, None),
        ('{"answer": "Data not available"}', Outcome.REFUSED, None),
        ('{"answer": "Unknown, but about 42"}', Outcome.UNPARSED, None),
        ('{"answer": "I cannot provide that."}', Outcome.REFUSED, None),
        ("I'm sorry, but I don't have access to closing prices.", Outcome.REFUSED, None),
        ("I can't recall it; as of my last data the index was at 4,300.", Outcome.REFUSED, None),
        ("I'm sorry, I am unable to give it; last year it was at 4,300.", Outcome.REFUSED, None),
        ("I'm sorry, I can't be sure. Answer: 4,300", Outcome.ANSWERED, 4300.0),
        ("I am unable to verify this.\n\n4,300", Outcome.ANSWERED, 4300.0),
        ('{"answer": 0, "confidence": 0}', Outcome.ANSWERED, 0.0),
        ("It depends.", Outcome.UNPARSED, None),
        ('{"answer": ""}', Outcome.UNPARSED, None),
        ("", Outcome.UNPARSED, None),
    ],
)
def test_a_refusal_is_told_from_what_cannot_be_read(text, outcome, value):
    parsed = parse_answer(text, NUMBER)
    assert (parsed.outcome, parsed.value) == (outcome, value)


def test_null_and_0_follow_the_question():
    strict = Question("number", zero_is_refusal=True, null_is_refusal=False)
    assert parse_answer('{"answer": 0}', strict).outcome is Outcome.REFUSED
    assert parse_answer("Answer: 0.00", strict).outcome is Outcome.REFUSED
    assert parse_answer('{"answer": null}', strict).outcome is Outcome.UNPARSED
    assert parse_answer('{"answer": 0.01}', strict).value == 0.01


def test_what_is_out_of_bounds_is_unparsed_and_never_clipped():
    bounded = Question("number", low=1, high=10_000)
    assert [
        value_of(f"Answer: {said}", bounded) for said in ("1", "10,000", "0.99", "10,000.01", "(42)")
    ] == [1.0, 1e4, None, None, None]
    assert "out of bounds" in parse_answer("Answer: 0.99", bounded).reason


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Answer: 1\nFinal answer: 2", 2.0),
        ("Answer: 1\nCorrection. Answer: 2", 2.0),
        ('Estimate: 1\n{"answer": 2}', 2.0),
        ('{"answer": 2}\nEstimate: 1', 2.0),
        ('{"answer": 1}\nActually, I made a slip. {"answer": 2}', 2.0),
        ("Answer: 1\nAnswer: 1.0", 1.0),
        ("Answer: 1\nAnswer: 2", None),
        ('{"answer": 1}\nCorrection: {"answer": "2 or 3"}', None),
        ('{"answer": 1}\n{"answer": "2 or 3"}', 1.0),
        ('{"answer": 1, "answer": 2}', None),
        ('{"answer": [1, 2]}', None),
        ('{"answer": [2]}', 2.0),
        ('{"answer": {"value": 4.2, "unit": "billion"}}', 4.2e9),
        ('{"result": {"answer": 2}}', 2.0),
        ("1\n2", None),
        ("The sum takes 17 steps and 4 checks.\n\n2", 2.0),
        ("2\n\nThat is what I recall of 17 sources.", 2.0),
        ("{answer: 2, confidence: 50}", 2.0),
        ("<answer>2</answer>", 2.0),
        ("| Answer | 2 |", 2.0),
        ("### Answer\n2", 2.0),
        ("#### 2", 2.0),
        ("#### Step 1: think\nAnswer: 2", 2.0),
        ("Answer: 2\n\nQuestion: What was it in May?\nAnswer: 3", 2.0),
    ],
)
def test_of_several_answers_the_later_counts_only_where_the_text_says_so(text, value):
    assert value_of(text, NUMBER) == value


CONTEXT = (
    "Context: The closing price of S&P 500 was 4,769.83 on 2023-12-27 and 4,783.35 on 2023-12-28. "
    "What was the S&P 500 closing value on 2023-12-29? Provide your best estimate."
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The S&P 500 closed at 4,769.83 on December 29, 2023.", None),
        ("The S&P 500 closed at 4,783.35 and then at 4,770.1 on December 29, 2023.", 4770.1),
        ("The S&P 500 closed at 4,770.1 on December 29, 2023, I am 85% confident.", 4770.1),
        ('{"answer": 4769.83, "confidence": 60}', 4769.83),
        ("At 16:00 on that day the S&P 500 closed at 4,770.1.", 4770.1),
        ("The previous close was 4,700.", None),
        ("Previous close: 4,700", None),
        ("It never was at 4,700.", None),
        ('{"previous_close": 4700}', None),
        ("The S&P 500 fell 3 days in a row.", None),
        ("That was 2023.", None),
        ("In Q4 2023, in March, on the 2nd.", None),
    ],
)
def test_numbers_of_the_prompt_dates_and_names_are_not_the_answer(text, value):
    assert value_of(text, Question("number", asked=CONTEXT)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The S&P 500 was at 4,770.1.", 4770.1),
        ("It closed at 4,770.1 on December 29.", 4770.1),
        ("In Q4 2023 it closed at 4,770.1.", 4770.1),
        ("It closed at 4,770.1 in May 2023, and I am 85% sure.", 4770.1),
        ("My previous answer: 42", None),
        ('{"values": [\n4770\n]}', None),
        ("It was (42) in the end.", None),
        ("It is as I recall it from the tables. " * 20 + "The level was 42.", None),
        ("It is as I recall it from the tables. " * 20 + "The answer is 42.", 42.0),
    ],
)
def test_a_sentence_without_a_prompt_at_hand(text, value):
    assert value_of(text, NUMBER) == value


def test_a_minus_before_0_goes():
    assert str(value_of("Answer: -0.0", NUMBER)) == "0.0"


def test_confidence_is_what_stands_with_the_answer():
    def confidence(text):
        return parse_answer(text, NUMBER).confidence

    assert confidence('{"answer": 2, "confidence": 85}') == 85.0
    assert confidence("Answer: 2\nConfidence: 85%") == 85.0
    assert confidence("Answer: 2\nConfidence: 85 out of 100") == 85.0
    assert confidence("The answer is 2. I am 85% confident.") == 85.0
    assert confidence("Answer: 2\nConfidence: 85\nConfidence: 60") is None
    assert confidence('{"answer": 2, "confidence": 85}\n{"answer": 2, "confidence": 60}') is None
    assert confidence("Answer: 2") is None
    assert confidence('{"answer": null, "confidence": 10}') == 10.0


def test_evidence_is_the_part_that_holds_the_value():
    assert parse_answer("Answer: ($4.2 billion) in all", NUMBER).evidence == "($4.2 billion)"
    assert parse_answer("Answer: 3 in 4", Question("probability")).evidence == "3 in 4"


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"kind": "colour"}, "no kind of question: 'colour'"),
        ({"kind": "percent", "unit": "dollars"}, "'dollars' is no unit of a percent"),
        ({"kind": "choice"}, "choices belong to the kind choice"),
        ({"kind": "number", "choices": ("a",)}, "choices belong to the kind choice"),
        ({"kind": "choice", "choices": ("a",), "aliases": (("b", "c"),)}, "aliases of what is no choice: c"),
        ({"kind": "number", "low": 2, "high": 1}, "low 2 is above high 1"),
    ],
)
def test_a_question_whose_parts_do_not_fit_is_an_error_that_says_so(parts, said):
    with pytest.raises(UsageError, match=said):
        Question(**parts)


def test_the_answer_may_be_called_so_whatever_names_a_question_gives():
    question = Question("number", fields=("level",))
    assert parse_answer("Answer: **42**", question).value == 42
    assert parse_answer('{"answer": 7, "level": 5}', question).value == 5
    assert parse_answer("Guess: 42", question).value is None
