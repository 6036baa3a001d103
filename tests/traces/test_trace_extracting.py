"""Chains of thought taken out of answers, and checked by the rule as frames."""

from __future__ import annotations

import time
from datetime import date

import polars as pl
import pytest

from neuter.errors import UsageError
from neuter.scoring.forecasts.schema import FORECAST_SCHEMA
from neuter.traces import TRACE_SCHEMA, checked, trace_text, traces_of


def forecasts(*rows: tuple[str, str, str, str]) -> pl.DataFrame:
    """id, condition, outcome and answer of calls to one model."""
    told = [(id_, "m", condition, 0, outcome, None, answer, "") for id_, condition, outcome, answer in rows]
    return pl.DataFrame(told, schema=FORECAST_SCHEMA, orient="row")


@pytest.mark.parametrize(
    ("answer", "trace"),
    [
        ('{"reasoning": "Rare so far.", "probability": 0.1}', "Rare so far."),
        ('```json\n{"Reasoning": "Rare so far.", "probability": 0.1}\n```', "Rare so far."),
        ('{"rationale": ["Rare.", "So far."], "probability": 0.1}', "Rare.\nSo far."),
        ('{"reasoning": {"for": "much", "against": "more"}, "probability": 0.1}', "for: much\nagainst: more"),
        ('{"reasoning": "He said "no" to it.", "probability": 0.1}', 'He said "no" to it.'),
        ("It was rare so far.\n\n**Probability:** 0.2", "It was rare so far."),
        ("It was rare so far.\nMy final estimate is 20%", "It was rare so far."),
        ('It was rare so far. {"probability": 0.3}', "It was rare so far."),
        ("A probability is asked: first it was rare, then less.\nProbability: 0.2\nProbability: 0.3",
         "A probability is asked: first it was rare, then less.\nProbability: 0.2"),
        ('<think>hidden words</think>{"reasoning": "Rare so far.", "probability": 0.1}', "Rare so far."),
        ('<think>nothing but thoughts</think>{"probability": 0.3}', "nothing but thoughts"),
        ('{"probability": 0.3}', ""),
        ("0.3", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_the_reasoning_is_what_the_field_holds_or_what_stands_before_the_probability(
    answer: str, trace: str
) -> None:
    assert trace_text(answer) == trace


def test_only_answered_calls_with_a_chain_of_thought_have_a_row() -> None:
    reasoned = '{"reasoning": "Rare so far.", "probability": 0.1}'
    frame = traces_of(
        forecasts(
            ("a", "G2", "answered", reasoned),
            ("b", "G1", "answered", reasoned),
            ("c", "G2′", "refused", reasoned),
            ("d", "G2′", "answered", '{"probability": 0.1}'),
            ("e", "G2′", "answered", reasoned),
        )
    )
    assert frame["id"].to_list() == ["a", "e"]
    assert dict(frame.schema) == {
        name: pl.DataFrame(schema={name: kind})[name].dtype for name, kind in TRACE_SCHEMA.items()
    }
    assert frame["rule_clean"].null_count() == 2


def test_without_forecasts_there_is_an_empty_frame() -> None:
    assert traces_of(forecasts()).height == 0


def test_a_frame_is_checked_against_what_each_condition_told() -> None:
    frame = traces_of(
        forecasts(
            ("a", "G2", "answered", '{"reasoning": "In March 2023 X resigned.", "probability": 1}'),
            ("a", "G2′", "answered", '{"reasoning": "X may resign in March 2023.", "probability": 1}'),
        )
    )
    prompts = pl.DataFrame(
        {"id": ["a", "a"], "condition": ["G2", "G2′"], "prompt": ["Will X?", "Will X by March 2023?"]}
    )
    questions = pl.DataFrame({"id": ["a"], "resolution_date": [date(2023, 4, 1)]})
    made = checked(frame, prompts, questions, date(2023, 1, 1))
    assert made["rule_clean"].to_list() == [False, True]
    assert [[one["told"] for one in row] for row in made["rule_findings"].to_list()] == [[False], [True]]
    assert made["rule_findings"][0][0]["text"] == "March 2023"
    with pytest.raises(UsageError, match="without its prompt"):
        checked(frame, prompts.head(1), questions, date(2023, 1, 1))


def test_an_empty_frame_is_checked_too() -> None:
    prompts = pl.DataFrame(schema={"id": pl.String, "condition": pl.String, "prompt": pl.String})
    questions = pl.DataFrame(schema={"id": pl.String, "resolution_date": pl.Date})
    assert checked(traces_of(forecasts()), prompts, questions, date(2023, 1, 1)).height == 0


@pytest.mark.parametrize(
    "text",
    ['{"reasoning": "' * 5_000, '"reasoning":"' + '","prob' * 10_000, "{" * 50_000, "Probability: " * 10_000],
)
def test_a_hostile_answer_takes_time_in_proportion(text: str) -> None:
    start = time.process_time()
    trace_text(text)
    assert time.process_time() - start < 2
