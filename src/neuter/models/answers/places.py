"""Where in a text an answer may stand: fields of JSON objects, tags, boxes, and what follows a label."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from neuter.models.answers.extract import objects_in, plain_characters
from neuter.models.answers.questions import Question
from neuter.models.answers.words import alternatives, words

_LONGEST = 300
_MOST_LABELS = 100
_DEEPEST = 3
_NUMERIC = ("number", "percent", "probability")
_MARKS = r"[\s*_`\"'“”’]{0,6}"
#: What ends a value: the next field or label, a closing brace.
_NEXT = re.compile(r"(?:^|[,;|}\]])[\s*_`\"'“#•]{0,6}[A-Za-z][A-Za-z_ ]{0,30}[\s*_`\"'”]{0,4}[:=]|\}")
#: The name of the next field, cut off.
_OPEN_NAME = re.compile(r",\s*[\"'“][A-Za-z_]*$")
#: A label stands at the beginning of a line or of a part of it: "the previous value: 42" is another label.
_BEGINS = re.compile(r"(?:^|[\n,;:{(|.!?>\]•])[\s\"'“”*_`#>•–-]*(?:[0-9]{1,2}[.)]\s*)?$")
_BOX = re.compile(r"\\f?boxed\s?\{((?:[^{}]|\{[^{}]{0,100}\}){0,200})\}")
#: "#### 42", as in GSM8K; with words behind it, it is a heading.
_SOLVED = re.compile(r"^####\s?([^A-Za-z\n]{1,60})$", re.MULTILINE)
_LATEX = re.compile(r"\\(?:text|textbf|mathbf|mathrm|mathit)\s?\{([^{}]{0,100})\}")


@dataclass(frozen=True, slots=True)
class Place:
    """``text`` stands at ``start`` to ``end`` of the answer and should hold its value.

    ``firm`` places are fields, tags and boxes: they go before labels. ``spoken`` is True behind "is" or "was".
    ``reason`` says why there is no value to read (and ``null`` that it is null); ``confidence`` is what the same
    object says of it.
    """

    text: str
    start: int
    end: int
    firm: bool
    null: bool = False
    spoken: bool = False
    reason: str = ""
    confidence: str | None = None


def places(text: str, question: Question) -> list[Place]:
    """Every place in ``text`` that holds the answer by its name, in order."""
    names = field_names(question)
    fields = list(_fields(text, names, question.kind in _NUMERIC))
    if len(fields) == 1 and fields[0].start == 0 and fields[0].end == len(text):
        return fields
    others = [*_tagged(text, names), *_labelled(text, names)]
    inside = [(place.start, place.end) for place in fields]
    outside = [place for place in others if not any(start <= place.start < end for start, end in inside)]
    return sorted([*fields, *outside], key=lambda place: place.start)


def field_names(question: Question) -> tuple[str, ...]:
    """The names under which the answer may stand, best first, in lower case with blanks."""
    if question.fields:
        return (*question.fields, *words("fields", "always"))
    own, usual = words("fields", question.kind), words("fields", "answer")
    return (*own, *usual) if question.kind in {"date", "probability"} else (*usual, *own)


def confidence_labels(text: str) -> list[str]:
    """What stands behind each label "confidence" in ``text``."""
    return [place.text for place in _labelled(text, tuple(words("fields", "confidence")))]


class _Pairs(list[tuple[str, Any]]):
    """An object's fields in order, also those that come twice."""


#: Numbers stay text, so that there is one reader of numbers; NaN and Infinity are then none.
_DECODER = json.JSONDecoder(object_pairs_hook=_Pairs, parse_int=str, parse_float=str, parse_constant=str)


def _fields(text: str, names: Iterable[str], with_unit: bool) -> Iterator[Place]:
    for value, start, end in objects_in(_unquoted(text), _DECODER):
        found = list(_flat(value))
        values = _named(found, names)
        if values:
            confidences = _named(found, words("fields", "confidence"))
            sure = _as_text(confidences[0]) if len(confidences) == 1 else None
            yield _field(values, start, end, sure, _unit(found, names) if with_unit else "")


def _field(values: list[Any], start: int, end: int, sure: str | None, unit: str) -> Place:
    said = [_as_text(value) for value in values]
    if len(set(said)) > 1:
        return Place("", start, end, True, reason="the field comes twice with different values")
    if values[0] is None:
        return Place("", start, end, True, null=True, confidence=sure)
    if said[0] is None:
        return Place("", start, end, True, reason="the field holds no single value", confidence=sure)
    value = f"{said[0]} {unit}" if unit and re.search(r"[0-9][^A-Za-z]*$", said[0]) else said[0]
    return Place(plain_characters(value)[:_LONGEST], start, end, True, confidence=sure)


def _unit(found: list[tuple[int, str, Any]], names: Iterable[str]) -> str:
    """What an object says beside its answer of the unit, scale first: "million USD"."""
    level = min(depth for depth, said, _ in found if said in names)
    beside = [one for one in found if one[0] == level]
    said = [_as_text(value) for name in words("fields", "unit") for value in _named(beside, [name])]
    return " ".join(one for one in said if one)


def _unquoted(text: str) -> str:
    """The text inside, where all of ``text`` is one JSON string."""
    if text.startswith('"') and "{" in text:
        try:
            inner = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return inner if isinstance(inner, str) else text
    return text


def _flat(found: _Pairs, depth: int = 0) -> Iterator[tuple[int, str, Any]]:
    for name, value in found:
        yield depth, _folded(name), value
        if isinstance(value, _Pairs) and depth < _DEEPEST:
            yield from _flat(value, depth + 1)


def _named(found: list[tuple[int, str, Any]], names: Iterable[str]) -> list[Any]:
    """The values of the first of ``names`` that is there, at its outermost level."""
    for name in names:
        values = [(depth, value) for depth, said, value in found if said == name]
        if values:
            outermost = min(depth for depth, _ in values)
            return [value for depth, value in values if depth == outermost]
    return []


def _as_text(value: Any) -> str | None:
    """A field's value as text; None for null, and for what holds no single value."""
    if isinstance(value, _Pairs):
        inner = dict(value)
        amount = _as_text(inner.get("value", inner.get("amount")))
        unit = " ".join(said for name in words("fields", "unit") if (said := _as_text(inner.get(name))))
        return f"{amount} {unit}" if amount and unit else amount
    if isinstance(value, list):
        return _as_text(value[0]) if len(value) == 1 else None
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else None


@lru_cache(maxsize=1024)
def _folded(name: str) -> str:
    return " ".join(re.sub(r"\([^()]*\)|[\W_]+", " ", name).lower().split())


def _tagged(text: str, names: tuple[str, ...]) -> Iterator[Place]:
    forms = (_tag_form(names), _BOX, _SOLVED)
    for match in (match for form in forms for match in list(form.finditer(text))[-_MOST_LABELS:]):
        said = _LATEX.sub(r"\1", match[match.lastindex or 1])
        yield Place(said[:_LONGEST], match.start(), match.end(), True)


def _labelled(text: str, names: tuple[str, ...]) -> Iterator[Place]:
    for match in list(_label_form(names).finditer(text))[-_MOST_LABELS:]:
        if not _begins(text, match.start()):
            continue
        if match["verb"] and _folded(match["name"]) not in words("fields", "spoken"):
            continue
        yield _behind(text, match)


def _begins(text: str, start: int) -> bool:
    before = text[max(0, start - 40) : start]
    return _BEGINS.search(before if start <= 40 else f"\\{before}") is not None


def _behind(text: str, label: re.Match[str]) -> Place:
    """The first line behind a label, up to the next label or the end of the object."""
    region = text[label.end() : label.end() + _LONGEST]
    line = next((line for line in region.splitlines() if line.strip()), "")
    ended = _NEXT.search(line) or _OPEN_NAME.search(line)
    end = label.end() + region.find(line) + len(line)
    in_braces = text.rfind("{", 0, label.start()) > text.rfind("}", 0, label.start())
    if in_braces and not ended and end >= len(text):
        return Place("", label.start(), end, False, reason="cut off")
    value = _LATEX.sub(r"\1", line[: ended.start()] if ended else line)
    return Place(value, label.start(), end, False, spoken=bool(label["verb"]))


@lru_cache(maxsize=64)
def _tag_form(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"<({alternatives(names)})>([^<]{{0,{_LONGEST}}})</\1>", re.IGNORECASE)


@lru_cache(maxsize=64)
def _label_form(names: tuple[str, ...]) -> re.Pattern[str]:
    before, name = alternatives(words("fields", "before")), alternatives(names)
    return re.compile(
        rf"(?<![A-Za-z0-9_])(?:(?:{before})[\s_*]{{1,3}}){{0,4}}(?P<name>{name})(?:\s?\([^()\n]{{0,40}}\))?"
        rf"{_MARKS}(?:[:=|]|—|–(?=\s)|-(?=\s)|→|->|\b(?P<verb>is|was|would\sbe|will\sbe|equals)\b:?){_MARKS}",
        re.IGNORECASE,
    )
