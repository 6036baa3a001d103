"""What a prompt asks for, read off its instructions: the papers' answer formats, as a simulated model knows them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any, Literal

from neuter.prompts import load
from neuter.prompts.forecasting import instrument

Form = Literal["line", "json", "forecast", "anonymization", "unknown"]
ToldBy = Literal["", "system", "user"]

_LINE = re.compile(r"Company Estimate: TIK[^\n]*")
_JSON = "Format as a JSON object with the following fields:"
_FIELD = re.compile(r"^\s*[•*-]\s*(date|answer|confidence):(.*)$", re.MULTILINE)
_FORECAST = "• probability: A number between 0 and 1."
_THINKS = "• reasoning: "
#: The cutoffs that prompts tell: of the forecasting conditions a first unknown day; of appendix B.5 a last known one.
_CUT_FROM = re.compile(r"Use only knowledge that was available before (\d{4}-\d{2}-\d{2})\.")
_CUT_SYSTEM = re.compile(r"Knowledge cutoff: ([A-Z][a-z]+ \d{1,2}(?:st|nd|rd|th), \d{4})")
_CUT_USER = re.compile(
    r"please restrict your knowledge pool to (the end of \d{4}|[A-Z][a-z]+ \d{1,2}(?:st|nd|rd|th), \d{4})\."
)
_CHOICE = re.compile(r"\beither (?P<a>.{1,80}?) or (?P<b>.{1,80}?)\.?\s*$")


@dataclass(frozen=True, slots=True)
class AskedFor:
    """The form of the answer that a prompt asks for.

    ``bare`` is an identification prompt without a text. ``dated``: a date is asked (in a line: in place of quarter
    and year; in JSON: as the answer). ``choices`` are the two words that a JSON answer is one of. ``thinks``: a chain
    of thought is asked for. ``forget_from`` is the first day that the prompt says is not to be known, ``told_by``
    who says so (``user`` where both do).
    """

    form: Form
    bare: bool = False
    dated: bool = False
    confidence: bool = False
    with_date: bool = False
    choices: tuple[str, str] | None = None
    thinks: bool = False
    forget_from: date | None = None
    told_by: ToldBy = ""


def asked_for(messages: Sequence[Mapping[str, Any]]) -> AskedFor:
    """The form that the prompt in ``messages`` asks for, whatever the text in it says.

    >>> asked_for([{"role": "user", "content": load("identification").fill("Our sales grew.")}]).form
    'line'
    """
    contents = [str(message.get("content") or "").strip() for message in messages]
    opening = contents[0] if contents else ""
    if opening.startswith(_opening("anonymization")):
        return AskedFor("anonymization")
    for name in ("identification", "identification_headline"):
        if opening.startswith(_opening(name)):
            # Instructions come before the text, so the first such line is the prompt's own.
            found = _LINE.search(opening)
            return _line(found[0] if found else "", bare=contents == [load(name).fill("")])
    # The context comes before the question, so the last such line is the prompt's own.
    _, asks, fields = "\n".join(contents).rpartition(_JSON)
    if contents and contents[-1].endswith(_FORECAST) and opening.startswith(_forecaster()):
        return _forecast(contents[-1])
    return replace(_json(fields), **_told_to_forget(messages)) if asks else AskedFor("unknown")


def _forecast(prompt: str) -> AskedFor:
    """The conditions of Simulated Ignorance Fails: the instruction comes before the question."""
    instruction, _, _ = prompt.partition("\nQuestion: ")
    found = _CUT_FROM.search(instruction)
    _, _, asks = prompt.rpartition("Format as a JSON object")
    return AskedFor(
        "forecast",
        thinks=_THINKS in asks,
        forget_from=date.fromisoformat(found[1]) if found else None,
        told_by="user" if found else "",
    )


def _told_to_forget(messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The fake cutoff of The Memorization Problem, appendix B.5."""
    for message in reversed(messages):
        system = message.get("role") in ("system", "developer")
        found = (_CUT_SYSTEM if system else _CUT_USER).search(str(message.get("content") or ""))
        if found and (last := _last_day(found[1])):
            return {"forget_from": last + timedelta(days=1), "told_by": "system" if system else "user"}
    return {}


def _last_day(said: str) -> date | None:
    """ "the end of 2010" and "December 31st, 2010" as that day."""
    if said.startswith("the end of "):
        return date(int(said[-4:]), 12, 31)
    try:
        return datetime.strptime(re.sub(r"(\d)(?:st|nd|rd|th)", r"\1", said), "%B %d, %Y").date()
    except ValueError:
        return None


@cache
def _forecaster() -> str:
    """The first words of the forecasting prompts."""
    return instrument("direct").template.strip()[:40]


def _line(line: str, *, bare: bool) -> AskedFor:
    return AskedFor("line", bare, dated="Date Estimate" in line, confidence="Confidence Estimate" in line)


def _json(instructions: str) -> AskedFor:
    fields = {name: text.strip() for name, text in _FIELD.findall(instructions)}
    answer = fields.get("answer", "")
    choice = _CHOICE.search(answer)
    words = (choice["a"].strip(" \"'“”"), choice["b"].strip(" \"'“”")) if choice else None
    return AskedFor(
        "json",
        dated="mm/dd/yyyy" in answer,
        confidence="confidence" in fields,
        with_date="date" in fields,
        choices=words,
    )


@cache
def _opening(prompt: str) -> str:
    """The first words of a shipped prompt, which no other one begins with."""
    return load(prompt).template.strip()[:40]
