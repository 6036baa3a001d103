"""Probabilities as models write them."""

import pytest

from neuter.suites.ignorance.parsing import outcome_reader, read_forecast, read_probability
from neuter.types import Outcome

READ = {
    '{"probability": 0.85}': 0.85,
    '{"probability": "85%"}': 0.85,
    '{"probability": 85}': 0.85,
    '{"probability": 2}': 0.02,
    '{"probability": 100}': 1.0,
    '{"probability": 1}': 1.0,
    '{"probability": 0}': 0.0,
    '{"probability": "1 in 4"}': 0.25,
    "Probability: 1 in 4": 0.25,
    "0.07": 0.07,
    '```json\n{"probability": 0.3}\n```': 0.3,
    '{"reasoning": "In 2019 it was 40%; say 0.9 at most.", "probability": 0.15}': 0.15,
    '<think>0.9? No.</think>{"probability": 0.2}': 0.2,
}
NOT_READ = [
    '{"probability": 1.4}',
    '{"probability": -0.2}',
    '{"probability": 120}',
    '{"probability": 85.5}',
    '{"probability": 1000}',
    "How this ends is anybody's guess.",
    "Between 20% and 30%.",
    "",
    '{"reasoning": "It was 40% in 2019."}',
]


@pytest.mark.parametrize(("text", "value"), READ.items())
def test_a_probability_is_read(text, value):
    parsed = read_probability(text)
    assert (parsed.outcome, parsed.value) == (Outcome.ANSWERED, pytest.approx(value, abs=1e-12))
    assert outcome_reader("")(text) is Outcome.ANSWERED


@pytest.mark.parametrize("text", NOT_READ)
def test_what_is_no_probability_is_not_made_one(text):
    parsed = read_probability(text)
    assert parsed.value is None
    assert parsed.outcome is Outcome.UNPARSED


def test_null_is_a_refusal():
    assert read_probability('{"probability": null}').outcome is Outcome.REFUSED


def test_what_was_cut_off_counts_only_where_the_answer_is_whole():
    whole = '{"reasoning": "So.", "probability": 0.4} I hope that'
    assert read_forecast("truncated", whole).value == 0.4
    assert "cut off" in read_forecast("truncated", whole).reason
    cut = read_forecast("truncated", '{"reasoning": "It was 30% and now')
    assert (cut.outcome, cut.value) == (Outcome.TRUNCATED, None)


@pytest.mark.parametrize("outcome", ["failed", "filtered", "refused", "unparsed"])
def test_other_outcomes_stay_as_they_are(outcome):
    assert read_forecast(outcome, '{"probability": 0.4}').outcome == outcome
    assert read_forecast(outcome, None).value is None
