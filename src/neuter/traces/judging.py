"""A judge model reads chains of thought: are they consistent, and do they name what came after the cutoff?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from neuter.errors import UsageError
from neuter.prompts.forecasting import instrument
from neuter.traces.extracting import in_schema
from neuter.traces.verdicts import Verdict, read_verdict, verdict_of
from neuter.types import Ask, Outcome, Progress, Request, Response

#: A model inside the process goes on until its context is full: its answer is at most so long.
_LOCAL_TOKENS = 240
#: What a name may have behind it and be the same model: a day, "latest", a variant of the server's.
_VERSION = re.compile(r"(?:[-@](?:20\d\d-?\d\d-?\d\d|latest|\d{4}|v\d{1,3}))+$|:[a-z0-9.-]+$")


def refuse_itself(judge: str, models: Iterable[str], *, forced: bool) -> None:
    """Refuse a judge that is one of the models judged, whoever serves it and under whatever date.

    Raises:
        UsageError: it is, and nobody ``forced`` it.
    """
    same = [model for model in models if _family(model) == _family(judge)]
    if same and not forced:
        raise UsageError(
            f"the judge {judge} is the model judged"
            + ("" if same[0] == judge else f" ({same[0]}, elsewhere or of another day)"),
            where="--judge",
            todo="Name another model, or give --judge-itself",
        )


def _family(model: str) -> str:
    """What a model is called wherever it is served: the name's last part without its version.

    Simulated models have no versions, and their settings tell them apart.
    """
    if model.startswith("simulated/"):
        return model
    return _VERSION.sub("", model.rpartition("/")[2].lower())


def judge_requests(
    traces: pl.DataFrame,
    questions: pl.DataFrame,
    *,
    cutoff: date,
    parameters: Mapping[str, Any] | None = None,
    background: bool = False,
) -> Iterator[Request]:
    """A request for each trace, in their order.

    The question and the trace are quoted as JSON strings: nothing in them can end the quotation.

    Args:
        traces: TRACE_SCHEMA.
        questions: id, question, resolution_criteria and background, as the model was asked.
        parameters: of the request.
        background: whether the forecaster was told the background.

    Raises:
        UsageError: a trace of no question.
    """
    texts = {row["id"]: _told(row, background=background) for row in questions.iter_rows(named=True)}
    form = instrument("judge")
    for number, (id_, trace) in enumerate(traces.select("id", "trace").iter_rows()):
        if id_ not in texts:
            raise UsageError("a chain of thought of no question", where=str(id_))
        prompt = form.fill(question=_quoted(texts[id_]), cutoff_date=cutoff.isoformat(), trace=_quoted(trace))
        yield Request(f"{id_}#{number}", (("user", prompt),), dict(parameters or {}), outcome_of=_outcome_of)


def judge(
    ask: Ask,
    traces: pl.DataFrame,
    questions: pl.DataFrame,
    *,
    cutoff: date,
    config: Path | None = None,
    progress: Progress | None = None,
    background: bool = False,
) -> pl.DataFrame:
    """The traces with what a judge said of each (TRACE_SCHEMA, the columns ``judge`` to ``judge_quote_found``).

    Args:
        ask: the judge; whether it may be is for :func:`refuse_itself`.
        traces, questions, cutoff, background: as of :func:`judge_requests`.
        config: the user's ``neuter.toml``, which may say what structured output the judge offers.

    Raises:
        ModelError: the server is down, or refuses the key or the model.
        StoreError: a response could not be kept.
        LimitReached: the run may spend no more.
    """
    sent = judge_parameters(ask.model, config)
    requests = judge_requests(traces, questions, cutoff=cutoff, parameters=sent, background=background)
    verdicts: list[Verdict] = []
    for trace, response in zip(traces["trace"].to_list(), ask.ask(requests), strict=True):
        verdicts.append(_verdict(response, trace))
        if progress is not None:
            progress(f"{ask.model}: judging", len(verdicts), traces.height)
    return _with_verdicts(traces, ask.model, verdicts)


def judge_parameters(model: str, config: Path | None = None) -> dict[str, Any]:
    """What goes with each request: a temperature of 0, and structured output where the model is known to offer it."""
    from neuter.models.catalog import facts

    sent: dict[str, Any] = {"temperature": 0}
    if model.startswith("local/"):
        sent["max_tokens"] = _LOCAL_TOKENS
    offered = () if model.startswith("simulated/") else facts(model, config).structured_output or ()
    if "json_schema" in offered:
        form = {"name": "audit", "strict": True, "schema": _schema()}
        sent["response_format"] = {"type": "json_schema", "json_schema": form}
    elif "json_object" in offered:
        sent["response_format"] = {"type": "json_object"}
    return sent


def _schema() -> dict[str, Any]:
    said, chosen = {"type": "string"}, {"type": "string", "enum": ["yes", "no"]}
    fields = {
        "reason": said,
        "logically_consistent": chosen,
        "quote": said,
        "references_after_cutoff": chosen,
    }
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _told(row: Mapping[str, Any], *, background: bool) -> str:
    names = ("question", *(("background",) if background else ()), "resolution_criteria")
    return "\n\n".join(text for name in names if (text := (row.get(name) or "").strip()))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _outcome_of(text: str) -> Outcome:
    return read_verdict(text, "").outcome


def _verdict(response: Response, trace: str) -> Verdict:
    return verdict_of(response.outcome, response.text, response.reason, trace)


def _with_verdicts(traces: pl.DataFrame, model: str, verdicts: list[Verdict]) -> pl.DataFrame:
    said: dict[str, list[Any]] = {
        "judge": [model] * len(verdicts),
        "judge_outcome": [str(one.outcome) for one in verdicts],
        "judge_logic": [one.logic for one in verdicts],
        "judge_clean": [one.clean for one in verdicts],
        "judge_reason": [one.reason for one in verdicts],
        "judge_quote": [one.quote for one in verdicts],
        "judge_quote_found": [one.quote_found for one in verdicts],
    }
    kinds = in_schema(traces.clear()).schema
    return in_schema(
        traces.drop(*said, strict=False).with_columns(
            pl.Series(n, v, dtype=kinds[n]) for n, v in said.items()
        )
    )
