"""Whatever a model writes: no crash, no number out of nothing, no reasoning for an answer, no partial number."""

import json
import math
import re
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuter.models.answers import Question, parse_answer
from neuter.types import Outcome

NUMBER, PERCENT, CHANCE = Question("number"), Question("percent"), Question("probability")
QUESTIONS = [
    NUMBER,
    Question(
        "number", unit="thousands", ones_from=50_000, zero_is_refusal=True, asked="It was 12 on 2020-01-01."
    ),
    PERCENT,
    Question("percent", unit="share"),
    CHANCE,
    Question("probability", unit="percent"),
    Question("date"),
    Question("direction"),
    Question("choice", choices=("A", "IT", "S&P 500"), aliases=(("the index", "S&P 500"),)),
]
PIECE = st.sampled_from(
    ['{"answer": ', '"confidence": ', "Answer: ", "**Final answer:** ", "Probability: ", "the answer is ", "}", "{", '"', ", ", "\n", " ", "-", "−", "(", ")", "%",
     "$", ".", ",", "1,234", "4783.45", "0", "12", "3 in 4", "1e3", "1e99", " million", "bn", "k", " bps", "null", "NaN", "up", "not ", "down", "A", "S&P 500",
     "03/14/2023", "March 14, 2023", " to ", "between ", "<think>", "</think>", "```json\n", "```", r"\boxed{", "#### ", "１２", "\ud800", "I cannot provide ",
     "Correction: ", "Question: ", "<|channel|>final<|message|>", "<|end|>"]
)  # fmt: skip
TEXT = st.text(max_size=200) | st.lists(PIECE | st.text(max_size=4), max_size=25).map("".join)
FULL_WIDTH = str.maketrans("０１２３４５６７８９", "0123456789")
#: Written anew for these tests: the digits of one number with what may stand between them, and its exponent.
ONE_NUMBER = re.compile(r"[0-9]+(?:[.,'’_\u00a0\u2009\u202f][0-9]+)*|\.[0-9]+")


def significant(number):
    return "".join(map(str, Decimal(repr(abs(number))).as_tuple().digits)).strip("0")


def digits(text):
    return re.sub(r"\D", "", text).strip("0")


@settings(max_examples=600, deadline=None)
@given(TEXT, st.sampled_from(QUESTIONS))
def test_no_text_crashes_and_each_value_is_of_its_kind(text, question):
    parsed = parse_answer(text, question)
    assert (parsed.value is not None) == (parsed.outcome is Outcome.ANSWERED)
    assert parsed.outcome in {Outcome.ANSWERED, Outcome.REFUSED, Outcome.UNPARSED}
    assert (parsed.value is None) == bool(parsed.reason)
    assert parsed.confidence is None or 0 <= parsed.confidence <= 100
    if parsed.value is None:
        return
    kinds = {"date": date, "direction": str, "choice": str}
    assert isinstance(parsed.value, kinds.get(question.kind, float))
    if question.kind == "probability":
        assert 0 <= parsed.value <= 1
    if question.kind == "choice":
        assert parsed.value in question.choices
    if question.kind == "direction":
        assert parsed.value in {"up", "down"}


@settings(max_examples=600, deadline=None)
@given(
    TEXT,
    st.sampled_from(
        [question for question in QUESTIONS if question.kind in {"number", "percent", "probability"}]
    ),
)
def test_no_number_comes_out_that_the_text_does_not_contain(text, question):
    parsed = parse_answer(text, question)
    if parsed.value is None:
        return
    assert abs(parsed.value) < float("inf")
    evidence = parsed.evidence.translate(FULL_WIDTH)
    runs = ONE_NUMBER.findall(re.sub(r"(?<=[0-9])[eE][+-]?[0-9]+", "", evidence))
    plain = text.translate(FULL_WIDTH)
    assert all(run in plain for run in runs)
    if len(runs) == 2:  # "3 in 4"
        part, whole = (Decimal(re.sub(r"[^0-9.]", "", run)) for run in runs)
        assert parsed.value == float(part / whole)
    else:
        assert len(runs) == 1
        stated = digits(runs[0])
        if len(stated) <= 15:
            assert significant(parsed.value) == stated
        else:  # the nearest float, up to a power of ten
            power = math.log10(abs(parsed.value) / int(stated))
            assert abs(power - round(power)) < 1e-13


VALUES = st.integers(-99_999_999, 99_999_999).map(lambda cents: cents / 100)


def grouped(value, mark=",", point="."):
    return f"{value:,.2f}".replace(",", "\0").replace(".", point).replace("\0", mark)


WRITERS = {
    "plain": str,
    "two decimals": lambda value: f"{value:.2f}",
    "thousands": grouped,
    "dollars": lambda value: f"-${grouped(-value)}" if value < 0 else f"${grouped(value)}",
    "brackets for a minus": lambda value: f"({grouped(-value)})" if value < 0 else grouped(value),
    "a typographic minus": lambda value: grouped(value).replace("-", "\u2212"),
    "minus in words": lambda value: f"minus {grouped(-value)}" if value < 0 else grouped(value),
    "Swiss": lambda value: grouped(value, "'"),
    "narrow blanks": lambda value: grouped(value, "\u202f"),
    "full width": lambda value: f"{value:.2f}".translate(str.maketrans("0123456789.-", "０１２３４５６７８９．－")),
    "continental": lambda value: grouped(value, ".", ",") if abs(value) >= 1000 else f"{value:.2f}",
    "scientific": lambda value: f"{value:.12e}",
}  # fmt: skip
FRAMES = {
    "JSON string": lambda said: json.dumps({"answer": said, "confidence": 85}),
    "JSON in a fence": lambda said: f"```json\n{json.dumps({'confidence': 85, 'answer': said}, indent=2)}\n```",
    "JSON in prose": lambda said: f"Here is what I found for 2008: {json.dumps({'answer': said, 'confidence': 85})} Good luck!",
    "unquoted": lambda said: f'{{"answer": {said}, "confidence": 85}}',
    "Python": lambda said: f"{{'answer': \"{said}\", 'confidence': 85,}}",
    "label": lambda said: f"Answer: {said}\nConfidence: 85",
    "bold": lambda said: f"**Answer:** {said}\n\n**Confidence:** 85%",
    "bold value": lambda said: f"Answer: **{said}** (confidence: 85)",
    "behind reasoning": lambda said: f"<think>It may be 17, or 18.\nAnswer: 19</think>\n\nFinal answer: {said}. Confidence: 85.",
    "last line": lambda said: f"In 2008 the index fell for 3 weeks. I am 85% confident.\n\n{said}",
    "tags": lambda said: f"<answer>{said}</answer>\nConfidence: 85",
    "a box": lambda said: f"So $\\boxed{{{said}}}$.\n\nConfidence: 85",
    "table": lambda said: f"| Answer | {said} |\n| Confidence | 85 |",
}  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(VALUES, st.sampled_from(sorted(WRITERS)), st.sampled_from(sorted(FRAMES)))
def test_what_a_formatter_wrote_comes_back(value, writer, frame):
    text = FRAMES[frame](WRITERS[writer](value))
    parsed = parse_answer(text, NUMBER)
    assert parsed.value == value, text
    assert parsed.confidence == 85.0, text


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 1000).map(lambda number: number / 10),
    st.sampled_from(["{}%", "{} percent", "{} %", "**{}%**", "about {}%"]),
)
def test_percentages_and_probabilities_come_back(percent, form):
    said = form.format(percent)
    assert parse_answer(f"Probability: {said}", CHANCE).value == float(Decimal(str(percent)) / 100)
    assert parse_answer(f"Answer: {said}", PERCENT).value == percent
    assert parse_answer(f"Answer: {said}", Question("percent", unit="share")).value == float(
        Decimal(str(percent)) / 100
    )


THOUGHTS = ["<think>{}</think>", "<thinking>\n{}\n</thinking>\n", "{}</think>", "[THINK]{}[/THINK]", "◁think▷{}◁/think▷",
            "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>", "<reasoning>{}</reasoning>",
            "<|START_THINKING|>{}<|END_THINKING|>"]  # fmt: skip
OPEN_THOUGHTS = ["<think>{}", "<reasoning>{}", "[THINK]{}", "<|channel|>analysis<|message|>{}"]


@given(st.sampled_from(THOUGHTS), st.sampled_from(sorted(FRAMES)), VALUES)
def test_reasoning_is_never_the_answer(thought, frame, value):
    reasoning = thought.format(FRAMES[frame](str(value)))
    assert parse_answer(reasoning, NUMBER).value is None
    assert parse_answer(reasoning + "\n\nAnswer: 17.5", NUMBER).value == 17.5


@given(st.sampled_from(OPEN_THOUGHTS), st.sampled_from(sorted(FRAMES)), VALUES)
def test_reasoning_without_an_end_is_no_answer(thought, frame, value):
    text = thought.format(FRAMES[frame](str(value)).replace("</think>", ""))
    assert parse_answer(text, NUMBER).value is None


@pytest.mark.parametrize("frame", ["JSON string", "unquoted", "Python", "JSON in a fence"])
@pytest.mark.parametrize("said", ["4783.45", "4,783.45", "-4783.45", "4.2 billion"])
def test_an_object_cut_off_anywhere_gives_the_whole_number_or_none(frame, said):
    text = FRAMES[frame](said)
    whole = parse_answer(text, NUMBER).value
    assert whole in {4783.45, -4783.45, 4.2e9}
    assert {parse_answer(text[:end], NUMBER).value for end in range(len(text))} <= {whole, None}


LONG = 50_000
HOSTILE = ["{", "(", "[", '"', "\\", "1", "9,", "1 ", "-", "$", " ", "\n", "*", "#", '{"', '{"a":', '{"a":[', '{"answer": 4}\n', "answer: ", "answer: 1\n",
           "my best ", "answer (", "<answer>", r"\boxed{", r"\boxed{{}", "#### 1\n", "<think>", "<think>a</think>", "<|channel|>", "<|channel|>final<|message|>",
           "analysis", "estimated at ", "would be ", "march 1 ", "sure ", "not up ", "1e", "1/", "\nQuestion", "\ud800", "I can not really ", "%", "minus "]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_text_takes_no_more_than_its_length(piece):
    # What takes the square of its length, or more, takes minutes here.
    text = piece * (LONG // len(piece))
    answered = {'{"answer": 4}\n': 4.0, "answer: 1\n": 1.0, "#### 1\n": 1.0}
    assert parse_answer(text, NUMBER).value == answered.get(piece)
    assert parse_answer(f"Probability: {text}", CHANCE).value in {None, 1.0}
