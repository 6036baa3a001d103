"""What a prompt asks for, read off its instructions: the papers' answer formats, as a simulated model knows them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from neuter.prompts import load

Form = Literal["line", "json", "anonymization", "unknown"]

_LINE = re.compile(r"Company Estimate: TIK[^\n]*")
_JSON = "Format as a JSON object with the following fields:"
_FIELD = re.compile(r"^\s*[•*-]\s*(date|answer|confidence):(.*)$", re.MULTILINE)
_CHOICE = re.compile(r"\beither (?P<a>.{1,80}?) or (?P<b>.{1,80}?)\.?\s*$")


@dataclass(frozen=True, slots=True)
class AskedFor:
    """The form of the answer that a prompt asks for.

    ``bare`` is an identification prompt without a text. ``dated``: a date is asked (in a line: in place of quarter
    and year; in JSON: as the answer). ``choices`` are the two words that a JSON answer is one of.
    """

    form: Form
    bare: bool = False
    dated: bool = False
    confidence: bool = False
    with_date: bool = False
    choices: tuple[str, str] | None = None


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
    return _json(fields) if asks else AskedFor("unknown")


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
