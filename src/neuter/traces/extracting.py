"""The chain of thought in what a model answered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import polars as pl

from neuter.models.answers.extract import find_objects, strip_reasoning
from neuter.traces.schema import TRACE_SCHEMA, TRACED_CONDITIONS
from neuter.types import Outcome

#: Names of the field that holds the reasoning: ours first, then what models write in its place.
_FIELDS = (
    "reasoning",
    "rationale",
    "explanation",
    "analysis",
    "thoughts",
    "thinking",
    "chain_of_thought",
    "steps",
)
#: Around the reasoning, where the object is no JSON (a quotation mark within).
_OPENS = re.compile(r"[\"“](?:reasoning|rationale|explanation|analysis)[\"”]\s?:\s?[\"“]", re.IGNORECASE)
_CLOSES = re.compile(r"[\"”]\s?,\s{0,9}[\"“](?:final_)?prob", re.IGNORECASE)
_OBJECT = re.compile(r"(?:```[a-z]{0,8}\s{0,4})?\{\s{0,8}[\"“](?:final_|answer_)?probability", re.IGNORECASE)
_LABEL = re.compile(
    r"^[ \t*_#>•-]{0,8}(?:my |the )?(?:final |overall |estimated )?(?:probability|answer|forecast|estimate)"
    r"(?: estimate)?[ \t*_]{0,4}(?:[:=]|is\b|of\b)",
    re.IGNORECASE | re.MULTILINE,
)
_TAG = re.compile(r"</?[a-z_:]{1,20}>|<\|[a-z_]{1,24}\|>|\[/?THINK\]|◁/?think▷", re.IGNORECASE)
#: A text with no more than this is an answer without a chain of thought.
_SHORTEST = 12


def traces_of(forecasts: pl.DataFrame) -> pl.DataFrame:
    """The chains of thought of forecasts (FORECAST_SCHEMA), as TRACE_SCHEMA with nothing checked yet.

    Of the conditions with a chain of thought, the calls that were answered; one that gave a probability and no
    reasoning has no row.
    """
    wanted = pl.col("condition").is_in(TRACED_CONDITIONS) & (pl.col("outcome") == str(Outcome.ANSWERED))
    rows = forecasts.filter(wanted & pl.col("answer").is_not_null())
    texts = [trace_text(answer) for answer in rows["answer"].to_list()]
    found = rows.select("id", "model", "condition", "run").with_columns(
        pl.Series("trace", texts, dtype=pl.String)
    )
    return in_schema(found.filter(pl.col("trace") != ""))


def in_schema(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with every column of TRACE_SCHEMA in its order, null where it has none."""
    absent = [name for name in TRACE_SCHEMA if name not in frame.columns]
    blank = frame.with_columns(pl.lit(None).alias(name) for name in absent)
    return blank.select(pl.col(name).cast(kind) for name, kind in TRACE_SCHEMA.items())


def trace_text(answer: str) -> str:
    """The reasoning in an answer: the field that holds it, or what stands before the probability; "" without any.

    Thoughts in tags are left out, since most servers keep them to themselves, unless there is nothing else.

    >>> trace_text('{"reasoning": "Rare so far.", "probability": 0.1}'), trace_text("Rare so far.\\nProbability: 0.1")
    ('Rare so far.', 'Rare so far.')
    """
    said = strip_reasoning(answer)
    shown = _reasoning(said)
    if shown:
        return shown
    return _reasoning(_TAG.sub(" ", answer.replace(said, " ") if said else answer), plain=True)


def _reasoning(text: str, *, plain: bool = False) -> str:
    if not plain:
        for found in find_objects(text):
            if (reasoned := _field(found)) or _is_whole(found, text):
                return reasoned
        if broken := _broken(text):
            return broken
    before = text[: _end_of_prose(text)].strip()
    return before if len(before) >= _SHORTEST else ""


def _broken(text: str) -> str:
    """What stands between the first name of the reasoning and the last probability."""
    opens = _OPENS.search(text)
    closes = [match.start() for match in _CLOSES.finditer(text, opens.end())] if opens else []
    return text[opens.end() : closes[-1]].strip() if opens and closes else ""


def _is_whole(found: Mapping[str, Any], text: str) -> bool:
    """Whether the answer is nothing but this object, so that what stands around it is no reasoning."""
    return bool(found) and text.lstrip("` \njson").startswith("{")


def _field(found: Mapping[str, Any]) -> str:
    folded = {str(name).strip().lower().replace(" ", "_"): value for name, value in found.items()}
    for name in _FIELDS:
        value = folded.get(name)
        if isinstance(value, list):
            value = "\n".join(str(one) for one in value)
        if isinstance(value, dict):
            value = "\n".join(f"{key}: {one}" for key, one in value.items())
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _end_of_prose(text: str) -> int:
    """Where the probability begins: the last object or label that names it."""
    if objects := [match.start() for match in _OBJECT.finditer(text)]:
        return objects[-1]
    labels = [match.start() for match in _LABEL.finditer(text)]
    return labels[-1] if labels else len(text)
