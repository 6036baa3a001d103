"""From what models wrote to what they answered: numbers, words, dates and confidences, as each question asks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from functools import cache, partial
from typing import Any, NamedTuple

import polars as pl

from neuter.attacks.answered import CUT_OFF
from neuter.errors import RunError, UsageError
from neuter.models.answers import Question, is_whole, parse_answer
from neuter.scoring.recall.schema import ANSWERS_SCHEMA
from neuter.suites.recall.specs import SeriesSpec, spec_of, specs_of
from neuter.suites.recall.wording import Task
from neuter.types import Outcome

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


def read_answers(questions: pl.DataFrame, raw: pl.DataFrame, *, zero_is_answer: bool = False) -> pl.DataFrame:
    """What was answered, in ANSWERS_SCHEMA, a row a question in their order; each distinct text is read once.

    An answered text is read; a truncated one counts where the part up to its last brace already says the same, so
    that only talk behind the answer was cut off. Any other outcome stays, with nothing read. Of ``date_level`` the
    outcome is that of the level; its day is null where it cannot be read, which ``reason`` says, and it stays where the
    level is refused or unparsed.

    Args:
        questions: QUESTIONS_SCHEMA; ``task``, ``series`` and ``prompt`` decide how a text is read.
        raw: ``id, model, outcome, answer, reason`` of each call, in the order of the questions.

    Raises:
        RunError: the rows are not of the same questions.
    """
    if raw["id"].to_list() != questions["id"].to_list():
        raise RunError(
            "not the answers to these questions", where="answers", todo="Run the same command again"
        )
    known: dict[_Said, _Read] = {}
    read = [_read_once(said, zero_is_answer, known) for said in _all_said(questions, raw)]
    frame = pl.DataFrame(read, schema=_READ_SCHEMA, orient="row")
    reason = pl.when(pl.col("read") != "").then("read").otherwise(pl.col("reason").fill_null(""))
    return (
        pl.concat([raw.select("id", "model", "answer", "reason"), frame], how="horizontal")
        .with_columns(reason.alias("reason"))
        .select([pl.col(name).cast(kind) for name, kind in ANSWERS_SCHEMA.items()])
    )


def outcome_reader(question: Mapping[str, Any], *, zero_is_answer: bool = False) -> Callable[[str], Outcome]:
    """Tells the outcome of a text that answers this question (a row of QUESTIONS_SCHEMA)."""
    return partial(_outcome_of, question["task"], question["series"], question["prompt"], zero_is_answer)


def _outcome_of(task: Task, series: str, prompt: str, zero_is_answer: bool, text: str) -> Outcome:
    return parse_answer(text, replace(_question(task, series, zero_is_answer), asked=prompt)).outcome


class _Said(NamedTuple):
    """What decides how an answer is read."""

    task: Task
    series: str
    prompt: str
    outcome: str
    text: str


class _Read(NamedTuple):
    """What was read; ``read`` says why there is no more of it."""

    outcome: str
    number: float | None = None
    word: str | None = None
    day: date | None = None
    confidence: float | None = None
    read: str = ""


_READ_SCHEMA = {name: ANSWERS_SCHEMA.get(name, pl.String) for name in _Read._fields}


def _all_said(questions: pl.DataFrame, raw: pl.DataFrame) -> Iterator[_Said]:
    columns = [questions[name].to_list() for name in ("task", "series", "prompt")]
    columns += [raw["outcome"].to_list(), raw["answer"].fill_null("").to_list()]
    return map(_Said._make, zip(*columns, strict=True))


def _read_once(said: _Said, zero_is_answer: bool, known: dict[_Said, _Read]) -> _Read:
    """As it was read before, if such a text was."""
    if said.outcome not in {Outcome.ANSWERED, Outcome.TRUNCATED}:
        return _Read(said.outcome)
    question = _question(said.task, said.series, zero_is_answer)
    if not _needs_prompt(question, said.text):
        said = said._replace(prompt="")
    if said not in known:
        known[said] = _read(said, replace(question, asked=said.prompt))
    return known[said]


@cache
def _question(task: Task, series: str, zero_is_answer: bool) -> Question:
    """How an answer about ``series`` is read, as the scores name it: ``sp500,djia`` is a pair, a size any stock."""
    names = [spec.name for spec in specs_of("headlines")] if series == "headlines" else series.split(",")
    first, *others = (spec_of(name) for name in names)
    second = others[0] if others else None
    return question_of(task, first, second=second, zero_is_answer=zero_is_answer)


def _needs_prompt(question: Question, text: str) -> bool:
    """Whether the numbers of the prompt may decide how ``text`` is read."""
    return question.kind in _NUMERIC and not _AS_ASKED.fullmatch(text)


def _read(said: _Said, question: Question) -> _Read:
    parsed = parse_answer(said.text, question)
    day = parse_answer(said.text, _DAY) if said.task == "date_level" else None
    told = [parsed.reason, f"no date: {day.reason}" if day and day.value is None else ""]
    if said.outcome == Outcome.TRUNCATED:
        if not is_whole(said.text, parsed, partial(parse_answer, question=question)):
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
        read="; ".join(filter(None, told)),
    )
