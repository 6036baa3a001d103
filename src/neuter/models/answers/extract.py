"""Finding an answer in what a model wrote: reasoning stripped, JSON found wherever it stands, refusals known."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_TAGS = "think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|seed:think|inner_monologue"
_THOUGHTS = (
    re.compile(rf"<({_TAGS})(?:\s[^<>]{{0,80}})?>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL),
    re.compile(r"(\[)THINK\].*?(?:\[/THINK\]|\Z)", re.DOTALL),
    re.compile(r"(◁)think▷.*?(?:◁/think▷|\Z)", re.DOTALL),
    re.compile(
        r"<\|(begin_of_thought|start_thinking)\|>.*?(?:<\|end_(?:of_thought|thinking)\|>|\Z)",
        re.I | re.DOTALL,
    ),
)
_THOUGHT_END = re.compile(
    rf"</(?:{_TAGS})\s*>|\[/THINK\]|◁/think▷|<\|end_(?:of_thought|thinking)\|>", re.IGNORECASE
)
#: The channels of gpt-oss, where the server left them in the text.
_CHANNEL = re.compile(
    r"<\|channel\|>\s*([A-Za-z]+)[^<]{0,40}(?:<\|constrain\|>[^<]{0,20})?<\|message\|>"
    r"(.*?)(?=<\|(?:end|return|start|channel|call)\|>|\Z)",
    re.DOTALL,
)
_CONTROL = re.compile(r"<\|[A-Za-z][\w ]{0,40}\|>|</?s>|<end_of_turn>|\[/?INST\]")
_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)```", re.DOTALL)
_DECLINES = (
    "identify|determine|provide|assist|help|tell|answer|comply|know|guess|make|fulfill|have|predict|recall|retrieve|access"
    "|forecast|give|verify|confirm|estimate|speculate|offer|find|disclose|share|see|browse|look up|state|say|recollect"
)
_REFUSAL = re.compile(
    r"\b(?:i(?:['’]m| am) (?:very |so )?(?:sorry|unable|not able|afraid)|i apologi[sz]e|as an ai\b"
    r"|(?:i|we) (?:can ?not|can['’]t|could ?n[o'’]t|won['’]t|will not|do not|don['’]t|must decline)"
    rf" (?:\w+ ){{0,2}}?(?:{_DECLINES})\b"
    r"|(?:i|we)(?:['’]ll)? (?:(?:will|would|must|should|have to|need to|am going to|shall|respectfully"
    r"|politely|therefore|thus|rather|also|like to|want to) ){0,3}decline\b(?! (?:in|of|by)\b)"
    rf"|declin(?:e|es|ed|ing) to (?:\w+ ){{0,2}}?(?:{_DECLINES})\b"
    r"|unable to (?:\w+ ){0,2}?(?:identify|determine|provide|assist|make|access|predict|recall|answer)"
    r"|(?:can ?not|can['’]t) be (?:identified|determined|provided|known|predicted)"
    r"|(?:not |im)possible to (?:\w+ ){0,2}?(?:identify|determine|provide|predict|know|say)"
    r"|(?:beyond|after|outside|past) my (?:\w+ ){0,2}?(?:knowledge|training|data)"
    r"|no (?:access to|information (?:about|on|for)|data (?:about|on|for))"
    r"|(?:data|information)(?: is| are)? (?:not |un)available)",
    re.IGNORECASE,
)
#: Digits, separators, signs and brackets of other scripts and of typesetting.
_PLAIN = str.maketrans(
    "０１２３４５６７８９．，％＋－−‐‑‒﹣：；＝（）［］｛｝＄\u3000", "0123456789.,%+------:;=()[]{}$ "
)
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")
#: Where an object may begin; of more than this many the last are tried, so that a text of braces takes no time.
_OBJECT = re.compile(r'\{\s*["}]')
_MOST_OBJECTS = 100


class Located(NamedTuple):
    """A JSON object at ``text[start:end]``."""

    value: Any
    start: int
    end: int


def strip_reasoning(text: str) -> str:
    """``text`` without what stands in think tags (closed or not) or in gpt-oss's other channels than ``final``, and
    without the control tokens of chat templates.

    >>> strip_reasoning("<think>Apple? No.</think> MSFT")
    'MSFT'
    >>> strip_reasoning("the opening tag was in the prompt</think>MSFT<|eot_id|>")
    'MSFT'
    """
    text = _final_channel(text)
    if any(mark in text for mark in "<[◁"):
        for thought in _THOUGHTS:
            # A blank in its place: what stood before and after a thought is not one word.
            text = thought.sub(" ", text)
        *_, last = _THOUGHT_END.split(text)
        text = _CONTROL.sub(" ", last)
    return text.strip()


def _final_channel(text: str) -> str:
    if "<|channel|>" in text and (channels := _CHANNEL.findall(text)):
        return next((body for name, body in reversed(channels) if name.lower() == "final"), "")
    if re.match(r"\s*analysis(?:[A-Z]|.*assistantfinal)", text, re.DOTALL):  # the tokens between were dropped
        return text.rpartition("assistantfinal")[2] if "assistantfinal" in text else ""
    return text


def plain_characters(text: str) -> str:
    """``text`` with full-width digits and typographic minus signs as plain ones, and without invisible characters.

    >>> plain_characters("\u2212１２．５％")
    '-12.5%'
    """
    if "&" in text:
        text = text.replace("&nbsp;", "\u00a0").replace("&#160;", "\u00a0").replace("&minus;", "-")
    return _INVISIBLE.sub("", text).translate(_PLAIN)


def find_objects(text: str) -> list[dict[str, Any]]:
    """JSON objects in ``text``: the whole of it, else what a fence holds, else each balanced pair of braces.

    >>> find_objects('Sure! {"a": {"b": 1}} and so on')
    [{'a': {'b': 1}}]
    """
    for candidate in (text, *_FENCE.findall(text)):
        found = _loaded(candidate.strip())
        if found is not None:
            return [found]
    return [located.value for located in objects_in(text, json.JSONDecoder())]


def objects_in(text: str, decoder: json.JSONDecoder) -> Iterator[Located]:
    """Each balanced pair of braces in ``text`` that is a JSON object, outermost first, decoded by ``decoder``."""
    position = 0
    for begin in [match.start() for match in _OBJECT.finditer(text)][-_MOST_OBJECTS:]:
        if begin < position:
            continue
        try:
            value, position = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            continue
        yield Located(value, begin, position)


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
