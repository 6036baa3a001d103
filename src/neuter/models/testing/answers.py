"""What the loopback server answers: a chat completion in OpenAI's shape, with usage and log probabilities."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

#: Faults that are an answer, or the part of one.
ANSWER_FAULTS: Mapping[str, str] = {
    "empty": "an answer without a choice",
    "null-choices": "an answer whose choices are null",
    "no-message": "a choice without a message",
    "choice-error": "a choice that ends in an error (OpenRouter)",
    "blank": "an answer without text",
    "filter": "finish_reason content_filter",
    "refuse": "a refusal",
    "length": "finish_reason length",
}
_NO_CHOICES: Mapping[str | None, Any] = {"empty": [], "null-choices": None}
_PROVIDER_ERROR = {
    "code": 502,
    "message": "Provider returned error",
    "metadata": {"provider_name": "Loopback"},
}


def completion(
    body: Mapping[str, Any],
    text: str,
    *,
    fault: str | None = None,
    model: str = "",
    fingerprint: str = "fp_loopback",
    cached_tokens: int = 0,
    reasoning_tokens: int = 0,
) -> dict[str, Any]:
    """The answer ``text`` to ``body``; ``fault`` is one of ANSWER_FAULTS. A word counts as a token."""
    return {
        "id": "chatcmpl-loopback",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "system_fingerprint": fingerprint,
        "choices": _NO_CHOICES[fault] if fault in _NO_CHOICES else [_choice(body, text, fault)],
        "usage": _usage(body, text, cached_tokens, reasoning_tokens),
    }


def prompt_tokens(body: Mapping[str, Any]) -> int:
    """Words of all messages."""
    messages = body.get("messages")
    found = messages if isinstance(messages, list) else []
    return sum(len(str(m.get("content", "")).split()) for m in found if isinstance(m, dict))


def _choice(body: Mapping[str, Any], text: str, fault: str | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    finish = {"filter": "content_filter", "length": "length", "choice-error": "error"}.get(
        fault or "", "stop"
    )
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": finish}
    if fault == "blank":
        message["content"] = ""
    if fault == "refuse":
        message |= {"content": None, "refusal": "I'm sorry, I can't help with that."}
    if fault == "choice-error":
        message["content"] = text[: len(text) // 2]
        choice["error"] = _PROVIDER_ERROR
    if fault == "no-message":
        del choice["message"]
    if body.get("logprobs"):
        choice["logprobs"] = log_probabilities(text, body.get("top_logprobs"))
    return choice


def log_probabilities(text: str, top: object = None) -> dict[str, Any]:
    """A token a word, each with probability one half; the ``top`` alternatives share the rest, halving.

    >>> found = log_probabilities("so be", 2)["content"]
    >>> [entry["token"] for entry in found], [round(x["logprob"], 3) for x in found[0]["top_logprobs"]]
    (['so', ' be'], [-0.693, -1.386])
    """
    most = top if isinstance(top, int) else 0
    return {
        "content": [
            {**_token(word, 0), "top_logprobs": [_token(word, place) for place in range(most)]}
            for word in re.findall(r"\s*\S+", text)
        ],
        "refusal": None,
    }


def _token(word: str, place: int) -> dict[str, Any]:
    token = word if place == 0 else f"{word}~{place}"
    raw = token.encode("utf-8", "replace")
    return {"token": token, "logprob": (place + 1) * math.log(0.5), "bytes": list(raw)}


def _usage(body: Mapping[str, Any], text: str, cached: int, reasoning: int) -> dict[str, Any]:
    """Reasoning tokens are part of the answer's, as with OpenAI; cached ones of the prompt's."""
    asked, answered = prompt_tokens(body), len(text.split()) + reasoning
    return {
        "prompt_tokens": asked,
        "completion_tokens": answered,
        "total_tokens": asked + answered,
        "prompt_tokens_details": {"cached_tokens": min(cached, asked)},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }
