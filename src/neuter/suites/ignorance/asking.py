"""Questions put to a model under one condition, several times each, and its forecasts read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from neuter.models.simulated.names import is_simulated
from neuter.scoring.forecasts.schema import FORECAST_SCHEMA
from neuter.suites.ignorance.parsing import outcome_reader, read_forecast
from neuter.suites.ignorance.wording import WITH_REASONING
from neuter.suites.stored_answers import all_stay
from neuter.types import Ask, Outcome, Progress, Request, Response

if TYPE_CHECKING:
    from neuter.suites.ignorance.suite import Ignorance

#: The longest answer of a model inside the process, which otherwise goes on until its context is full.
LOCAL_TOKENS = {False: 60, True: 240}
#: At a temperature of 0, its default, such a model would give the same answer in every run.
LOCAL_TEMPERATURE = 0.7
#: The longest chain of thought, in characters, that its structured output may hold, so that a probability follows.
LOCAL_THOUGHT = 600


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The questions of one condition, each with its prompt (by question's id), and how often each is asked."""

    condition: str
    questions: pl.DataFrame
    prompts: Mapping[str, str]
    runs: int

    @property
    def places(self) -> list[tuple[str, int]]:
        """Question and run of each call, in their order."""
        return [(id_, run) for id_ in self.questions["id"] for run in range(self.runs)]


def ask_questions(
    part: Part, ask: Ask, suite: Ignorance, config: Path | None, progress: Progress
) -> pl.DataFrame:
    """The forecasts of a model under one condition, every run of every question (FORECAST_SCHEMA).

    Raises:
        ModelError: the server is down, or refuses the key or the model.
        StoreError: a response could not be kept.
        LimitReached: the run may spend no more.
    """
    total, stage = len(part.places), f"{ask.model}: {part.condition}"
    responses: list[Response] = []
    for response in ask.ask(_requests(part, ask.model, suite, config)):
        responses.append(response)
        progress(stage, len(responses), total)
    return forecasts_of(part, ask.model, responses)


def forecasts_of(part: Part, model: str, responses: list[Response]) -> pl.DataFrame:
    """What was answered, read: a row for each place of the part."""
    rows = [
        (
            *(id_, model, part.condition, run),
            *_read(str(response.outcome), response.text, response.reason, part.prompts[id_]),
        )
        for (id_, run), response in zip(part.places, responses, strict=True)
    ]
    return pl.DataFrame(rows, schema=FORECAST_SCHEMA, orient="row")


def _read(
    outcome: str, text: str | None, reason: str, prompt: str
) -> tuple[str, float | None, str | None, str]:
    parsed = read_forecast(outcome, text, prompt)
    value = parsed.value if isinstance(parsed.value, float) else None
    return str(parsed.outcome), value, text, parsed.reason or reason


def reread(forecasts: pl.DataFrame, prompts: Mapping[str, str]) -> pl.DataFrame:
    """The forecasts as today's parser reads their answers; a call that failed or was filtered stays as it is."""
    rows = []
    for row in forecasts.iter_rows(named=True):
        settled = row["answer"] is None or row["outcome"] in {Outcome.FAILED, Outcome.FILTERED}
        cut = row["outcome"] == Outcome.TRUNCATED or "cut off" in row["reason"]
        call = Outcome.TRUNCATED if cut else Outcome.ANSWERED
        read = (
            (row["outcome"], row["probability"], row["answer"], row["reason"])
            if settled
            else _read(str(call), row["answer"], "", prompts[row["id"]])
        )
        rows.append((row["id"], row["model"], row["condition"], row["run"], *read))
    return pl.DataFrame(rows, schema=FORECAST_SCHEMA, orient="row")


def parameters_of(
    suite: Ignorance, model: str, condition: str, run: int, config: Path | None
) -> dict[str, Any]:
    """The parameters of a request; what is None is not sent."""
    local, thinks = model.startswith("local/"), condition in WITH_REASONING
    given: dict[str, Any] = {
        "max_tokens": suite.max_tokens or (LOCAL_TOKENS[thinks] if local else None),
        "temperature": suite.temperature,
        "response_format": form_of(model, thinks, config) if suite.structured else None,
    }
    if local and suite.runs > 1:
        given["seed"] = run + 1
        if suite.temperature is None:
            given["temperature"] = LOCAL_TEMPERATURE
    return {name: value for name, value in given.items() if value is not None}


def form_of(model: str, thinks: bool, config: Path | None) -> dict[str, Any] | None:
    """The structured output that is asked for, as far as the model is known to offer one; None where it is not."""
    from neuter.models.catalog import facts

    offered = () if is_simulated(model) else facts(model, config).structured_output or ()
    if "json_schema" in offered:
        schema = _schema(thinks, longest=LOCAL_THOUGHT if model.startswith("local/") else None)
        return {
            "type": "json_schema",
            "json_schema": {"name": "forecast", "strict": True, "schema": schema},
        }
    return {"type": "json_object"} if "json_object" in offered else None


def _schema(thinks: bool, longest: int | None) -> dict[str, Any]:
    """``longest`` limits the chain of thought where the server knows such a limit."""
    text = {"type": "string"} if longest is None else {"type": "string", "maxLength": longest}
    fields: dict[str, Any] = {"reasoning": text} if thinks else {}
    fields["probability"] = {"type": "number"}
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def is_done(forecasts: pl.DataFrame | None, places: list[tuple[str, int]], retry: frozenset[Outcome]) -> bool:
    """Whether every run has an answer that stays: no failed call, and none that is to be asked for again."""
    if forecasts is None or list(zip(forecasts["id"], forecasts["run"], strict=True)) != places:
        return False
    return all_stay(forecasts, retry)


def _requests(part: Part, model: str, suite: Ignorance, config: Path | None) -> Iterator[Request]:
    simulated = is_simulated(model)
    parameters = [parameters_of(suite, model, part.condition, run, config) for run in range(part.runs)]
    for row in part.questions.iter_rows(named=True):
        prompt = part.prompts[row["id"]]
        for run in range(part.runs):
            request = Request(
                f"{row['id']}#{run}",
                (("user", prompt),),
                parameters[run],
                sample=run,
                outcome_of=outcome_reader(prompt),
            )
            yield _planted(request, row, run) if simulated else request


def _planted(request: Request, row: Mapping[str, Any], run: int) -> Request:
    """The request with its truth, for a simulated model to answer from."""
    from neuter.models.simulated.planted import Planted, plant

    return plant(
        request,
        Planted(
            id=f"{row['id']}#{run}",
            kind="forecast",
            label=f"question:{row['id']}",
            date=row["resolution_date"],
            value="yes" if row["resolution"] else "no",
        ),
    )
