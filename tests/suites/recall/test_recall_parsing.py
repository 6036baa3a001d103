"""Answers to recall questions: what each kind of question reads, and what counts as a refusal."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuter.errors import RunError, UsageError
from neuter.models.answers import parse_answer
from neuter.scoring.recall.schema import ANSWERS_SCHEMA
from neuter.suites.recall import parsing
from neuter.suites.recall.parsing import outcome_reader, question_of, read_answers
from neuter.suites.recall.specs import spec_of
from neuter.types import Outcome


def read(
    task: str, series: str, *texts: str | None, prompt: str = "", outcome: str = "answered", **how
) -> list[dict]:
    size = len(texts)
    questions = pl.DataFrame(
        {
            "id": list(map(str, range(size))),
            "task": [task] * size,
            "series": [series] * size,
            "prompt": [prompt] * size,
        }
    )
    raw = pl.DataFrame(
        {
            "id": questions["id"],
            "model": ["m"] * size,
            "outcome": [outcome] * size,
            "answer": pl.Series(texts, dtype=pl.String),
            "reason": ["why"] * size,
        }
    )
    frame = read_answers(questions, raw, **how)
    assert dict(frame.schema) == {name: kind() for name, kind in ANSWERS_SCHEMA.items()}
    assert frame["answer"].to_list() == list(texts)
    return frame.to_dicts()


def number(task: str, series: str, said: str, **how) -> tuple[str, float | None]:
    (one,) = read(task, series, f'{{"answer": {said}, "confidence": 80}}', **how)
    return one["outcome"], one["number"]


@pytest.mark.parametrize(
    ("task", "series", "said", "value"),
    [
        ("level", "sp500", "2834.40", 2834.4),
        ("level", "sp500", '"2,834.40"', 2834.4),
        ("level", "AAPL", '"$192.53"', 192.53),
        ("level", "Small", "12.5", 12.5),
        ("rate", "inflation", "3.7", 3.7),
        ("rate", "inflation", '"-0.2%"', -0.2),
        ("rate", "treasury_10y", '"4.57 percent"', 4.57),
        ("return", "djia", "-1.5", -1.5),
        ("return", "djia", '"+2.3%"', 2.3),
        ("level", "housing_starts", "1320", 1320),
        ("level", "housing_starts", "1320000", 1320),
        ("level", "housing_starts", '"1.32 million"', 1320),
        ("level", "housing_starts", '"891 thousand"', 891),
        ("level", "nonfarm_payrolls", "-524", -524),
        ("level", "nonfarm_payrolls", "-524000", -524),
        ("level", "nonfarm_payrolls", "-20500", -20500),
        ("level", "nonfarm_payrolls", "-20500000", -20500),
        ("level", "nonfarm_payrolls", '"-20.5 million"', -20500),
        ("level", "nonfarm_payrolls", '"+150,000"', 150),
    ],
)  # fmt: skip
def test_numbers_are_read_in_the_unit_of_the_truth(task, series, said, value):
    assert number(task, series, said) == ("answered", value)


@pytest.mark.parametrize("said", ["null", '"null"', "0", '"0.0"', '"N/A"'])
@pytest.mark.parametrize(
    ("task", "series"), [("level", "nonfarm_payrolls"), ("return", "sp500"), ("rate", "inflation")]
)
def test_null_and_0_are_refusals(task, series, said):
    assert number(task, series, said) == ("refused", None)


@pytest.mark.parametrize(
    ("task", "series"), [("level", "nonfarm_payrolls"), ("return", "sp500"), ("rate", "inflation")]
)
def test_an_option_takes_0_for_an_answer(task, series):
    """Payrolls did not change in August 2011."""
    assert number(task, series, "0", zero_is_answer=True) == ("answered", 0.0)
    assert number(task, series, "null", zero_is_answer=True) == ("refused", None)


@pytest.mark.parametrize(
    ("task", "series", "said"),
    [
        ("level", "sp500", "-5"),
        ("rate", "unemployment_rate", "1975"),
        ("return", "sp500", "-101"),
        ("level", "sp500", '"about 2,800 to 2,900"'),
        ("level", "sp500", '"12%"'),
        ("rate", "inflation", '"$3.7"'),
    ],
)  # fmt: skip
def test_what_no_value_can_be_is_no_answer(task, series, said):
    assert number(task, series, said) == ("unparsed", None)


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("S&P 500", "S&P 500"),
        ("SP500", "S&P 500"),
        ("the S&P 500 index", "S&P 500"),
        ("Dow Jones Industrial Average", "Dow Jones Industrial Average"),
        ("DJIA", "Dow Jones Industrial Average"),
        ("The Dow", "Dow Jones Industrial Average"),
        ("Dow Jones", "Dow Jones Industrial Average"),
    ],
)
def test_a_pair_answers_with_a_data_name(said, word):
    (one,) = read("pair", "sp500,djia", f'{{"answer": "{said}", "confidence": 55}}')
    assert (one["outcome"], one["word"], one["confidence"]) == ("answered", word, 55.0)


def test_the_other_pairs_know_their_names():
    (nasdaq,) = read("pair", "nasdaq,djia", '{"answer": "NASDAQ"}')
    assert nasdaq["word"] == "Nasdaq Composite"
    (none,) = read("pair", "nasdaq,djia", '{"answer": "S&P 500"}')
    assert (none["outcome"], none["word"]) == ("unparsed", None)
    (both,) = read("pair", "nasdaq,djia", '{"answer": "Nasdaq Composite and Dow"}')
    assert both["outcome"] == "unparsed"


def test_a_direction_is_up_or_down():
    said = [
        row["word"]
        for row in read("direction", "sp500", '{"answer": "Up"}', '{"answer": "down"}', "flat", "0")
    ]
    assert said == ["up", "down", None, None]


def test_a_date_is_read_as_month_day_and_year():
    (one,) = read("date", "headlines", '{"answer": "03/04/2019", "confidence": 70}')
    assert (one["outcome"], one["day"], one["number"]) == ("answered", date(2019, 3, 4), None)


def test_the_date_that_is_asked_for_stands_in_the_answer():
    (one,) = read("date", "headlines", '{"date": "01/01/2000", "answer": "03/04/2019"}')
    assert one["day"] == date(2019, 3, 4)


def test_a_date_and_a_level_are_both_read():
    full, no_day, no_level, nothing = read(
        "date_level",
        "headlines",
        '{"date": "03/15/2019", "answer": 2822.48, "confidence": 80}',
        '{"date": "soon", "answer": 2822.48}',
        '{"date": "03/15/2019", "answer": null}',
        "no idea",
    )
    assert (full["outcome"], full["number"], full["day"], full["reason"]) == (
        *("answered", 2822.48, date(2019, 3, 15)),
        "why",
    )
    assert (no_day["outcome"], no_day["number"], no_day["day"]) == ("answered", 2822.48, None)
    assert no_day["reason"].startswith("no date: ")
    assert (no_level["outcome"], no_level["number"], no_level["day"]) == ("refused", None, date(2019, 3, 15))
    assert (nothing["outcome"], nothing["number"], nothing["day"]) == ("unparsed", None, None)


@pytest.mark.parametrize("outcome", ["filtered", "failed", "refused"])
def test_what_was_not_answered_is_not_read_and_keeps_its_reason(outcome: str):
    (one,) = read("level", "sp500", '{"answer": 5, "confidence": 5}', outcome=outcome)
    assert (one["outcome"], one["number"], one["confidence"], one["reason"]) == (outcome, None, None, "why")


def test_an_answer_without_a_text_is_unparsed():
    assert [row["outcome"] for row in read("level", "sp500", None, "")] == ["unparsed", "unparsed"]


@pytest.mark.parametrize(
    ("text", "outcome", "value"),
    [
        ('{"answer": 2834.40, "confidence": 80}\n\nThis is because the', "answered", 2834.4),
        ('```json\n{"answer": null, "confidence": 0}\n```\nI do', "refused", None),
        ('{"answer": 2834.4', "truncated", None),
        ('{"answer": 2834.40, "confidence": 8', "truncated", None),
        ("The answer is 2834.4", "truncated", None),
        ('{"answer": 2834.40} Actually, correction: answer: 2900.5', "truncated", None),
    ],
)
def test_what_was_cut_off_counts_where_the_answer_is_whole(text, outcome, value):
    (one,) = read("level", "sp500", text, outcome="truncated")
    assert (one["outcome"], one["number"]) == (outcome, value)
    assert ("cut off" in one["reason"]) == (outcome != "truncated")


def test_numbers_of_the_prompt_are_not_taken_for_the_answer():
    prompt = "Context: The closing price was 2,834.40 on March 14, 2019."
    text = "The closing value was 2,834.40."
    (one,) = read("level", "sp500", text, prompt=prompt)
    assert one["outcome"] == "unparsed"
    (other,) = read("level", "sp500", text, prompt="Context: none.")
    assert other["number"] == 2834.4


def test_the_same_text_is_read_anew_where_the_prompt_decides():
    questions = pl.DataFrame(
        {"id": ["a", "b"], "task": ["level"] * 2, "series": ["sp500"] * 2, "prompt": ["it was 2,834.40", ""]}
    )
    raw = pl.DataFrame(
        {
            "id": ["a", "b"],
            "model": ["m"] * 2,
            "outcome": ["answered"] * 2,
            "answer": ["It was 2,834.40."] * 2,
            "reason": ["", ""],
        }
    )
    assert read_answers(questions, raw)["outcome"].to_list() == ["unparsed", "answered"]


def test_each_distinct_text_is_read_once(monkeypatch: pytest.MonkeyPatch):
    seen: list[str] = []

    def counted(text, question):
        seen.append(text)
        return parse_answer(text, question)

    monkeypatch.setattr(parsing, "parse_answer", counted)
    questions = pl.DataFrame({"id": [str(at) for at in range(100)]}).with_columns(
        pl.lit("level").alias("task"),
        pl.lit("sp500").alias("series"),
        ("on day " + pl.col("id")).alias("prompt"),
    )
    raw = questions.select(
        "id", model=pl.lit("m"), outcome=pl.lit("answered"), reason=pl.lit("")
    ).with_columns(answer=pl.Series(['{"answer": 5}', '{"answer": 6}'] * 50))
    rows = read_answers(questions, raw).to_dicts()
    assert [row["number"] for row in rows] == [5.0, 6.0] * 50
    assert sorted(seen) == ['{"answer": 5}', '{"answer": 6}']


@given(
    st.sampled_from(["5", "-12.75", '"2834.4"', "null", "0", '"03/15/2019"', "2000"]),
    st.sampled_from(["80", "2000", '"5"', "null"]),
    st.sampled_from(["{%s}", "```json\n{%s}\n```", " \n{ %s }"]),
    st.sampled_from([spec_of("sp500"), spec_of("nonfarm_payrolls"), spec_of("inflation")]),
)
def test_an_answer_in_the_form_asked_for_reads_the_same_whatever_the_prompt(said, sure, form, spec):
    text = form % f'"answer": {said}, "confidence": {sure}'
    question = question_of(spec.kind, spec)
    assert not parsing._needs_prompt(question, text)
    asked = replace(question, asked="Context: it was 5, -12.75, 2834.4, 2000 and 80 on 03/15/2019.")
    assert parse_answer(text, asked) == parse_answer(text, question)


@pytest.mark.parametrize(
    "text", ["The answer is 5.", '{"answer": "it was 5"}', '{"answer": 5} or 6', '{"value": 5}']
)
def test_other_forms_are_read_with_their_prompt(text: str):
    assert parsing._needs_prompt(question_of("level", spec_of("sp500")), text)


def test_the_outcome_of_a_text_is_that_of_its_reading():
    row = {"task": "level", "series": "sp500", "prompt": "it was 5", "cluster": ""}
    of = outcome_reader(row)
    assert [of('{"answer": 5}'), of('{"answer": 0}'), of("It was 5."), of("")] == [
        *(Outcome.ANSWERED, Outcome.REFUSED, Outcome.UNPARSED, Outcome.UNPARSED)
    ]
    assert outcome_reader(row, zero_is_answer=True)('{"answer": 0}') is Outcome.ANSWERED


def test_answers_to_other_questions_are_refused():
    questions = pl.DataFrame({"id": ["a"], "task": ["level"], "series": ["sp500"], "prompt": [""]})
    raw = pl.DataFrame(
        {"id": ["b"], "model": ["m"], "outcome": ["answered"], "answer": ["5"], "reason": [""]}
    )
    with pytest.raises(RunError):
        read_answers(questions, raw)


def test_no_answers_make_no_rows():
    assert read("level", "sp500") == []


@pytest.mark.parametrize(("task", "second"), [("pair", None), ("level", "djia"), ("nonsense", None)])
def test_a_question_that_does_not_fit_is_refused(task, second):
    with pytest.raises(UsageError):
        question_of(task, spec_of("sp500"), second=second and spec_of(second))
