"""Parsing what models answer: numbers, percentages, probabilities, dates, directions, choices, identifications."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache

from neuter.models.answers.extract import is_refusal, plain_characters, strip_reasoning
from neuter.models.answers.names_said import (
    choice_alone,
    choice_stated,
    date_alone,
    date_stated,
    direction_alone,
    direction_stated,
)
from neuter.models.answers.numbers_said import number_alone, number_in_prose, number_stated
from neuter.models.answers.places import Place, confidence_labels, places
from neuter.models.answers.questions import NOTHING, Parsed, Question, Reading, unread
from neuter.models.answers.words import alternatives, pattern, words
from neuter.types import Outcome

_Reader = Callable[[str, Question], Reading]
#: How a value is read behind a label, alone on its line, and in a sentence.
_READERS: dict[str, tuple[_Reader, _Reader, _Reader]] = {
    "number": (number_stated, number_alone, number_in_prose),
    "percent": (number_stated, number_alone, number_in_prose),
    "probability": (number_stated, number_alone, number_in_prose),
    "date": (date_stated, date_alone, date_stated),
    "direction": (direction_stated, direction_alone, direction_stated),
    "choice": (choice_stated, choice_alone, choice_stated),
}
#: A longer text is more than an answer: a value without a label is not looked for in it.
_LONGEST_SENTENCE = 400
_MOST_LINES = 400
_NUMERIC = ("number", "percent", "probability")
_CONFIDENCE = Question("percent", low=0, high=100)
_SURE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,3})?)\s?(?:%|percent)\s(?:confiden|certain|sure)", re.IGNORECASE)
#: Where a model goes on to write the next question itself.
_RUN_ON = re.compile(
    r"\n\s{0,8}(?:[#*]{0,4}\s?)(?:Question|User|Human|Prompt|Instruction)s?\s?[0-9]{0,3}\**:", re.IGNORECASE
)
_OTHER_FIELDS = re.compile(r"[\"'“”]\s?:|\{\s?[\"'“]")
_LATEX_GAP = re.compile(r"(?<=[0-9])(?:\{,\}|,?\\[,!;:])\s?(?=[0-9]{3})")
_LATEX_SIGN = re.compile(r"\\{1,3}(?=[%$&#])")
_LATEX_MATHS = re.compile(r"(?<!\\)\$([-+]?[0-9][0-9.,]{0,20}\s?\\?%?)\$(?![0-9])|\\[()\[\]]")
_QUOTES = str.maketrans("“”„‟", '""""')
_AROUND = " \t\r\n*_`\"'“”‘’.,;:!?()[]{}<>#|-"
#: "null%": what prompts ask for is written behind it.
_AROUND_NULL = _AROUND + "%$"


def parse_answer(text: str, question: Question) -> Parsed:
    """The answer to ``question`` in what a model wrote.

    Reasoning is stripped; then the first of these that is there decides: the question's field in a JSON object (the
    whole text, a fence, or a balanced pair of braces in it), in tags or in a box; what stands behind its label; a
    line that holds nothing but a value; the only value in a short text. Of two different answers the later one
    counts only where the text says so ("final", "correction"); else the outcome is UNPARSED, as for a range, a bound,
    NaN, bare punctuation, and what is out of the question's bounds. REFUSED is null or 0 where the question says so,
    and a refusal in words without an answer. Nothing is clipped or
    guessed; a number of more than 15 digits is the nearest float.

    >>> parse_answer('```json\\n{"answer": "4,783.45", "confidence": 85}\\n```', Question("number")).value
    4783.45
    >>> parse_answer("<think>60% or so</think>Probability: 3 in 4", Question("probability")).value
    0.75
    >>> parse_answer("between 2% and 3%", Question("percent")).outcome
    <Outcome.UNPARSED: 'unparsed'>
    """
    answer = _readable(text)
    reading, place = _settled(answer, question)
    if not reading.found:
        reading = _unlabelled(answer, question)
    confidence = _confidence(answer, place)
    if reading.value is not None:
        return Parsed(Outcome.ANSWERED, reading.value, confidence, reading.evidence)
    refused = reading.refusal or (not reading.found and is_refusal(answer))
    outcome = Outcome.REFUSED if refused else Outcome.UNPARSED
    reason = "a refusal in words" if refused and not reading.refusal else reading.reason
    return Parsed(outcome, None, confidence, reading.evidence, reason)


def is_whole(text: str, parsed: Parsed, read: Callable[[str], Parsed]) -> bool:
    """Whether a text that was cut off holds its whole answer: up to its last brace it says the same.

    ``parsed`` is what ``read`` made of all of it.
    """
    whole = text[: text.rfind("}") + 1]
    if "{" not in whole or parsed.outcome not in {Outcome.ANSWERED, Outcome.REFUSED}:
        return False
    before = read(whole)
    return (before.outcome, before.value) == (parsed.outcome, parsed.value)


def _readable(text: str) -> str:
    """The answer itself: no reasoning, no question of the model's own behind it; plain digits, signs and separators."""
    text = plain_characters(strip_reasoning(text))
    if "\\" in text or "$" in text:
        text = _LATEX_MATHS.sub(r" \1 ", _LATEX_GAP.sub(",", text))
        text = _LATEX_SIGN.sub("", text).strip()
    run_on = _RUN_ON.search(text)
    return text[: run_on.start()] if run_on else text


def _settled(text: str, question: Question) -> tuple[Reading, Place | None]:
    """What the fields and labels of ``text`` say together."""
    standing: tuple[Reading, Place | None] = (NOTHING, None)
    for place in places(text, question) or _between_curly_quotes(text, question):
        reading, (before, last) = _read(place, question), standing
        if reading.value is None and not reading.refusal:
            # What cannot be read is no answer: it does not stand against another, unless it repeals it.
            if reading.found and (last is None or _repeals(text, last, place)):
                standing = (reading, last and place)
        elif last and _same(reading, before):
            same = place.confidence if place.confidence == last.confidence else None
            standing = (reading, replace(place, confidence=same))
        elif last is None or _goes_before(text, last, place):
            standing = (reading, place)
        elif place.firm or not last.firm:
            standing = (unread("two different answers"), place)
    return standing


def _between_curly_quotes(text: str, question: Question) -> list[Place]:
    return places(text.translate(_QUOTES), question) if "“" in text or "”" in text else []


def _goes_before(text: str, last: Place, place: Place) -> bool:
    return (place.firm and not last.firm) or _repeals(text, last, place)


def _read(place: Place, question: Question) -> Reading:
    said = place.text.strip(_AROUND)
    if place.null or (pattern("null").fullmatch(said.strip(_AROUND_NULL)) and said not in question.choices):
        return _null(said or "null", question)
    if place.reason:
        return unread(place.reason)
    if place.spoken and question.kind in _NUMERIC and place.text.lstrip(" *_$").startswith("("):
        return unread("a number in brackets, which may be negative")
    reading = _READERS[question.kind][0](place.text, question) if said else NOTHING
    return reading if reading.found else _without_value(said, place, question)


def _without_value(said: str, place: Place, question: Question) -> Reading:
    if _null_and_why().fullmatch(said):
        return _null(said, question)
    if not place.firm:
        return NOTHING
    if is_refusal(said):
        return Reading(reason="a refusal in words", refusal=True)
    return unread(f"not a {question.kind}" if said else "an empty field")


@cache
def _null_and_why() -> re.Pattern[str]:
    """ "N/A (the markets were closed)"."""
    return re.compile(rf"(?:{alternatives(words('null'))})\s?(?:[(.,;:–—].*)?", re.IGNORECASE | re.DOTALL)


def _null(said: str, question: Question) -> Reading:
    return Reading(evidence=said, reason="null", refusal=question.null_is_refusal)


def _same(one: Reading, other: Reading) -> bool:
    return (one.value, one.refusal) == (other.value, other.refusal)


def _repeals(text: str, last: Place, place: Place) -> bool:
    """Whether ``text`` says that the later place counts: "Final answer", "Correction", "Actually" ..."""
    label = text[place.start : place.start + 40].partition(":")[0] if not place.firm else ""
    between = text[max(last.end, place.start - 200) : place.start] if place.start > last.end else ""
    return bool(pattern("repeal", "words").search(f"{between} {label}"))


def _unlabelled(text: str, question: Question) -> Reading:
    """A value alone on its line, else the only one of a short text; nothing out of fields of other names."""
    if _OTHER_FIELDS.search(text):
        return Reading(reason="no field of the answer's name", found=False)
    _, alone, in_prose = _READERS[question.kind]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = [
        alone(line, question)
        for line in (*lines[:1], *lines[1:][-_MOST_LINES:])
        if len(line) < _LONGEST_SENTENCE
    ]
    said = [reading for reading in found if reading.found]
    if said and not all(_same(one, said[0]) for one in said):
        return unread("several values, each on its line")
    if said:
        return said[0]
    if pattern("null").fullmatch(text.strip(_AROUND_NULL)):
        return _null(text.strip(_AROUND), question)
    if len(text) > _LONGEST_SENTENCE or is_refusal(text):
        return NOTHING
    return in_prose(text, question)


def _confidence(text: str, place: Place | None) -> float | None:
    """The confidence from 0 to 100 that stands with the answer; None where there is none, or several."""
    if place and place.firm and place.confidence is not None:
        said: Iterable[str] = [place.confidence]
    else:
        said = [*confidence_labels(text), *(f"{found[1]}%" for found in _SURE.finditer(text))]
    values = {number_stated(one, _CONFIDENCE).value for one in said} - {None}
    value = values.pop() if len(values) == 1 else None
    return value if isinstance(value, float) else None
