"""From what models wrote to what they answered: numbers, words, dates and confidences, as each question asks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

import polars as pl

from neuter.attacks.answered import CUT_OFF
from neuter.errors import UsageError
from neuter.models.answers import Parsed, Question, parse_answer
from neuter.scoring.recall.schema import ANSWERS_SCHEMA
from neuter.suites.recall.specs import SeriesSpec
from neuter.suites.recall.wording import Task
from neuter.types import Outcome

#: The columns of an answer that are read here.
READ_SCHEMA = {name: kind for name, kind in ANSWERS_SCHEMA.items() if name not in {"id", "model"}}
_READ = {name: READ_SCHEMA[name] for name in ("outcome", "number", "word", "day", "confidence")} | {
    "read": pl.String
}
_DAY = Question("date", fields=("date",))
_NUMERIC = ("number", "percent")
_VALUE = r'(?:"(?:-?[0-9]{1,9}(?:\.[0-9]{1,9})?|[0-9]{1,2}/[0-9]{1,2}/[0-9]{4})"|-?[0-9]{1,9}(?:\.[0-9]{1,9})?|null)'
#: An answer in the very form that the prompts ask for: what the prompt says of numbers decides nothing in its reading.
_AS_ASKED = re.compile(
    rf'\s*(?:```(?:json)?\s*)?\{{\s*(?:"(?:answer|date|confidence)"\s*:\s*{_VALUE}\s*,?\s*){{1,3}}\}}\s*(?:```)?\s*'
)


def question_of(
    task: Task,
    spec: SeriesSpec,
    *,
    second: SeriesSpec | None = None,
    prompt: str = "",
    zero_is_answer: bool = False,
) -> Question:
    """How the answer to ``task`` about a series is read.

    Null and 0 are refusals, as the notes of Tables 1, 4 and 5 say. With ``zero_is_answer`` a 0 is an answer: payrolls
    did not change in August 2011, and a monthly return may be 0.0. The words of a pair are the data names of its
    series. Of ``date_level`` this is the level; its date is read beside it by :func:`read_answers`.

    Raises:
        UsageError: there is no such task, or a pair without its second.
    """
    if (second is not None) != (task == "pair"):
        raise UsageError(
            f"{task} with second={second and second.name}", todo="A pair has a second, nothing else"
        )
    if second is not None:
        names = (spec.data_name, second.data_name)
        aliases = tuple((alias, one.data_name) for one in (spec, second) for alias in one.aliases)
        return Question("choice", choices=names, aliases=aliases, asked=prompt)
    if task == "direction":
        return Question("direction", asked=prompt)
    if task == "date":
        return Question("date", fields=("answer", "date"), asked=prompt)
    zero = not zero_is_answer
    if task == "return":
        return Question("percent", "percent", zero_is_refusal=zero, low=-100.0, asked=prompt)
    if task in {"level", "rate", "date_level"}:
        return _of_value(spec, zero, prompt)
    raise UsageError(
        f"no task {task!r}", todo="Known: level, rate, return, direction, pair, date, date_level"
    )


def _of_value(spec: SeriesSpec, zero_is_refusal: bool, prompt: str) -> Question:
    return Question(
        "percent" if spec.unit == "percent" else "number",
        spec.unit,
        ones_from=spec.ones_from,
        zero_is_refusal=zero_is_refusal,
        low=spec.low,
        high=spec.high,
        asked=prompt,
    )


def read_answers(
    texts: Sequence[str | None],
    outcomes: Sequence[str],
    question: Question,
    *,
    with_date: bool = False,
    prompts: Sequence[str] | None = None,
    reasons: Sequence[str | None] | None = None,
) -> pl.DataFrame:
    """What the answers to one kind of question say: the columns of ``READ_SCHEMA``, a row a text in their order.

    An answered text is read, each distinct one once; a truncated one counts where the part up to its last brace already
    says the same, so that only talk behind the answer was cut off. Any other outcome stays, with nothing read.

    Args:
        outcomes: those of the calls.
        with_date: read the field ``date`` too (task ``date_level``). The outcome is then that of the level. The day is
            null where it cannot be read, which ``reason`` says, and it stays where the level is refused or unparsed.
        prompts: what was asked, text by text: in a sentence without a label its numbers are not taken for the answer.
        reasons: why a call has its outcome; kept where nothing is read.
    """
    known: dict[_Said, _Read] = {}
    told = prompts if prompts is not None else [question.asked] * len(texts)
    why = reasons if reasons is not None else [""] * len(texts)
    rows = [
        (*_read_once(_Said(str(outcome), text or "", prompt), question, with_date, known), text, reason or "")
        for text, outcome, prompt, reason in zip(texts, outcomes, told, why, strict=True)
    ]
    frame = pl.DataFrame(rows, schema={**_READ, "answer": pl.String, "said": pl.String}, orient="row")
    reason = pl.when(pl.col("read") != "").then("read").otherwise("said").alias("reason")
    return frame.with_columns(reason).select(list(READ_SCHEMA))


class _Said(NamedTuple):
    """What decides how an answer is read."""

    outcome: str
    text: str
    prompt: str


class _Read(NamedTuple):
    """What was read."""

    outcome: str
    number: float | None = None
    word: str | None = None
    day: date | None = None
    confidence: float | None = None
    reason: str = ""


def _read_once(said: _Said, question: Question, with_date: bool, known: dict[_Said, _Read]) -> _Read:
    """As it was read before, if such a text was."""
    if said.outcome not in {Outcome.ANSWERED, Outcome.TRUNCATED}:
        return _Read(said.outcome)
    if not _needs_prompt(question, said.text):
        said = said._replace(prompt="")
    if said not in known:
        known[said] = _read(said, replace(question, asked=said.prompt), with_date)
    return known[said]


def _needs_prompt(question: Question, text: str) -> bool:
    """Whether the numbers of the prompt may decide how ``text`` is read."""
    return question.kind in _NUMERIC and not _AS_ASKED.fullmatch(text)


def _read(said: _Said, question: Question, with_date: bool) -> _Read:
    parsed = parse_answer(said.text, question)
    day = parse_answer(said.text, _DAY) if with_date else None
    told = [parsed.reason, f"no date: {day.reason}" if day and day.value is None else ""]
    if said.outcome == Outcome.TRUNCATED:
        if not _is_complete(said.text, parsed, question):
            return _Read(said.outcome)
        told.append(CUT_OFF)
    value = parsed.value
    dated = day.value if day else value
    return _Read(
        str(parsed.outcome),
        number=value if isinstance(value, float) else None,
        word=value if isinstance(value, str) else None,
        day=dated if isinstance(dated, date) else None,
        confidence=parsed.confidence,
        reason="; ".join(filter(None, told)),
    )


def _is_complete(text: str, parsed: Parsed, question: Question) -> bool:
    """Whether a text that was cut off holds its whole answer: up to its last brace it says the same."""
    whole = text[: text.rfind("}") + 1]
    if "{" not in whole or parsed.outcome not in {Outcome.ANSWERED, Outcome.REFUSED}:
        return False
    before = parse_answer(whole, question)
    return (before.outcome, before.value) == (parsed.outcome, parsed.value)
