"""Finding an answer in what a model wrote: reasoning stripped, JSON found wherever it stands, refusals known."""

from __future__ import annotations

import json
import re
from typing import Any

_THOUGHT = re.compile(r"<(think|thinking|reasoning|thought)>.*?(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL)
_THOUGHT_END = re.compile(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)```", re.DOTALL)
_REFUSAL = re.compile(
    r"\b(?:i(?:['’]m| am) (?:very |so )?(?:sorry|unable|not able|afraid)|i apologi[sz]e|as an ai\b"
    r"|(?:i|we) (?:can ?not|can['’]t|could ?n[o'’]t|won['’]t|will not|do not|don['’]t)"
    r" (?:\w+ ){0,2}?(?:identify|determine|provide|assist|help|tell|answer|comply|know|guess|make|fulfill|have)"
    r"|unable to (?:\w+ ){0,2}?(?:identify|determine|provide|assist|make)"
    r"|(?:can ?not|can['’]t) be (?:identified|determined)"
    r"|(?:not |im)possible to (?:\w+ ){0,2}?(?:identify|determine))",
    re.IGNORECASE,
)
#: Objects tried in the balanced scan; a text of braces must not take for ever.
_MOST_OBJECTS = 50


def strip_reasoning(text: str) -> str:
    """``text`` without what stands in think tags, closed or not.

    >>> strip_reasoning("<think>Apple? No.</think> MSFT")
    'MSFT'
    >>> strip_reasoning("the opening tag was in the prompt</think>MSFT")
    'MSFT'
    """
    # A blank in its place: what stood before and after a thought is not one word.
    text = _THOUGHT.sub(" ", text)
    *_, last = _THOUGHT_END.split(text)
    return last.strip()


def find_objects(text: str) -> list[dict[str, Any]]:
    """JSON objects in ``text``: the whole of it, else what a fence holds, else each balanced pair of braces.

    >>> find_objects('Sure! {"a": {"b": 1}} and so on')
    [{'a': {'b': 1}}]
    """
    for candidate in (text, *_FENCE.findall(text)):
        found = _loaded(candidate.strip())
        if found is not None:
            return [found]
    return _scan(text)


def is_refusal(text: str) -> bool:
    """Whether the model says that it will not or cannot answer.

    >>> is_refusal("I'm sorry, but I can't identify the company."), is_refusal("AAPL")
    (True, False)
    """
    return _REFUSAL.search(text) is not None


def _loaded(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text) if text.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _scan(text: str) -> list[dict[str, Any]]:
    decoder, found, position = json.JSONDecoder(), [], text.find("{")
    for _ in range(_MOST_OBJECTS):
        if position < 0:
            break
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            found.append(value)
        position = text.find("{", end)
    return found
