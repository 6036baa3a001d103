"""Questions put to a model, and its answers read: a row of answers for each question, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from neuter.models.simulated.names import is_simulated
from neuter.scoring.recall.schema import ANSWERS_SCHEMA
from neuter.suites.recall.parsing import outcome_reader, read_answers
from neuter.suites.stored_answers import all_stay
from neuter.types import Ask, Outcome, Progress, Request, Response

if TYPE_CHECKING:
    from neuter.suites.recall.suite import RecallSuite

#: The longest answer of a model inside the process, which otherwise goes on until its context is full.
LOCAL_TOKENS = 160


def ask_questions(
    questions: pl.DataFrame, ask: Ask, suite: RecallSuite, progress: Progress, stage: str
) -> pl.DataFrame:
    """The answers of a model to ``questions`` (QUESTIONS_SCHEMA), in ANSWERS_SCHEMA.

    Raises:
        ModelError: the server is down, or refuses the key or the model.
        StoreError: a response could not be kept.
        LimitReached: the run may spend no more.
    """
    responses = []
    for response in ask.ask(_requests(questions, suite, ask.model)):
        responses.append(response)
        progress(stage, len(responses), questions.height)
    return answers_of(questions, responses, suite, ask.model)


def answers_of(
    questions: pl.DataFrame, responses: list[Response], suite: RecallSuite, model: str
) -> pl.DataFrame:
    """What was answered, read as each question asks."""
    raw = pl.DataFrame(
        {
            "id": questions["id"],
            "model": [model] * questions.height,
            "outcome": [str(response.outcome) for response in responses],
            "answer": [response.text for response in responses],
            "reason": [response.reason for response in responses],
        },
        schema={name: ANSWERS_SCHEMA[name] for name in ("id", "model", "outcome", "answer", "reason")},
    )
    return read_answers(questions, raw, zero_is_answer=suite.zero_is_answer)


def parameters_of(suite: RecallSuite, model: str) -> dict[str, Any]:
    """The parameters of each request; what is None is not sent."""
    longest = suite.max_tokens or (LOCAL_TOKENS if model.startswith("local/") else None)
    given = {"max_tokens": longest, "temperature": suite.temperature}
    return {name: value for name, value in given.items() if value is not None}


def is_done(answers: pl.DataFrame | None, questions: pl.DataFrame, retry: frozenset[Outcome]) -> bool:
    """Whether every question has an answer that stays: no failed call, and none that is to be asked for again."""
    if answers is None or answers["id"].to_list() != questions["id"].to_list():
        return False
    return all_stay(answers, retry)


def _requests(questions: pl.DataFrame, suite: RecallSuite, model: str) -> Iterator[Request]:
    parameters, simulated = parameters_of(suite, model), is_simulated(model)
    for row in questions.iter_rows(named=True):
        request = Request(
            row["id"],
            messages_of(row),
            parameters,
            outcome_of=outcome_reader(row, zero_is_answer=suite.zero_is_answer),
        )
        yield _planted(request, row) if simulated else request


def messages_of(question: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What is sent for a question (a row of QUESTIONS_SCHEMA): its system message, where it has one, and its prompt."""
    system = (("system", question["system"]),) if question.get("system") else ()
    return (*system, ("user", question["prompt"]))


def _planted(request: Request, row: Mapping[str, Any]) -> Request:
    """The request with its truth, for a simulated model to answer from."""
    from neuter.models.simulated.planted import Planted, plant

    word = row["truth_word"]
    return plant(
        request,
        Planted(
            id=row["id"],
            kind="question",
            # Days of headlines are known each for itself, as a firm's quarters are not.
            label="" if row["truth_date"] else f"recall:{row['panel']}:{row['series']}:{row['cluster']}",
            date=row["truth_date"] or row["date"],
            value=row["truth"] if word is None else word,
            other=row["other"],
            other_reading=row["other_reading"],
        ),
    )
