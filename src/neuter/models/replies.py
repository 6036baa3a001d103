"""Reading what a server sent back: the answer with its outcome, or the server's own words for its error."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from neuter.types import Outcome

_FILTER_CODES = ("content_filter", "content_policy_violation", "moderation")
#: What an answer may hold besides its text and is worth keeping: in the message, beside it, and around it.
_EXTRA = ("reasoning_content", "reasoning", "tool_calls", "annotations")
_EXTRA_OF_CHOICE = ("logprobs", "native_finish_reason", "content_filter_results")
_EXTRA_AROUND = ("provider", "prompt_logprobs", "service_tier")
#: No answer has so many tokens; a few such figures would exceed what the store can add up.
_NO_COUNT = 2**40
#: OpenRouter says in an error's metadata what a moderator objected to.
_FLAGS = frozenset({"flagged_input", "flagged"})
#: Half a surrogate pair, or a whole one: as JSON's escape, or as it is.
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP reply, or what an embedded model gives in its place; header names are lower-case."""

    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """The one answer in a reply; ``extra`` is JSON of what else it held, or None.

    ``prompt_tokens`` include ``cached_tokens``, ``completion_tokens`` include ``reasoning_tokens``; what the
    server did not say is None.
    """

    outcome: Outcome
    text: str | None = None
    reason: str = ""
    finish_reason: str | None = None
    server_model: str | None = None
    fingerprint: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    extra: str | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """An error that a server reported: HTTP status, the server's code and message, whether a filter spoke, and
    whether the answer had begun."""

    status: int
    code: str
    message: str
    filtered: bool = False
    begun: bool = False


class MalformedReply(ValueError):
    """A reply with status 200 that is no answer: HTML, half a body, no choice."""


def read_answer(body: str) -> Answer | Fault:
    """The answer in ``body``, or the fault that some servers wrap into a reply with status 200.

    Raises:
        MalformedReply: it is neither.
    """
    raw = json_object(body)
    if isinstance(raw.get("error"), dict | str):
        return _wrapped_fault(raw)
    choices = raw.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(choice, dict) and isinstance(choice.get("error"), dict):
        # OpenRouter, where a provider failed after it had begun: what it had said until then may be billed.
        return replace(_wrapped_fault(choice), begun=True)
    # Azure leaves the message out where its filter stopped the answer.
    filtered = isinstance(choice, dict) and choice.get("finish_reason") == "content_filter"
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not (isinstance(message, dict) or filtered):
        raise MalformedReply("the reply holds no answer (no choice)")
    return _answer(raw, choice, message if isinstance(message, dict) else {})


def read_fault(reply: Reply) -> Fault:
    """The fault behind a reply with an error status, or with that of a redirect, whatever its body is."""
    if is_redirect(reply.status):
        return Fault(reply.status, "", _sent_on(reply.headers.get("location", "")))
    try:
        raw = json_object(reply.body)
    except MalformedReply:
        return Fault(reply.status, "", _shortened(reply.body))
    error = raw.get("error", raw)
    if not isinstance(error, dict):
        return Fault(reply.status, "", _shortened(str(error)))
    # llama.cpp repeats the status as code and has the word in type; OpenAI has words in both.
    words = [str(error.get(name) or "") for name in ("code", "type")]
    code = next((word for word in words if word and not word.isdigit()), "")
    message = error.get("message") or error.get("detail") or reply.body
    flagged = any(word in _FILTER_CODES for word in words) or _is_flagged(error)
    return Fault(reply.status, code, _shortened(str(message)), flagged)


def is_redirect(status: int) -> bool:
    """Whether a status sends the client to another address, which is not followed."""
    return 300 <= status < 400


def _sent_on(location: str) -> str:
    address = location.partition("?")[0].removesuffix("/chat/completions").removesuffix("/models")
    return f"it sends on to {_shortened(address)}" if address else "it sends on, and does not say where to"


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _is_flagged(error: Mapping[str, Any]) -> bool:
    """OpenRouter names what a moderator objected to in the metadata, Azure its policy in an inner error."""
    metadata, inner = error.get("metadata"), error.get("innererror")
    moderated = isinstance(metadata, dict) and not _FLAGS.isdisjoint(metadata)
    return moderated or (isinstance(inner, dict) and inner.get("code") == "ResponsibleAIPolicyViolation")


def _answer(raw: Mapping[str, Any], choice: Mapping[str, Any], message: Mapping[str, Any]) -> Answer:
    text, refusal = _text(message.get("content")), _text(message.get("refusal"))
    finish = choice.get("finish_reason")
    usage = raw.get("usage")
    outcome, reason = _outcome(text, refusal, finish)
    return Answer(
        outcome=outcome,
        text=text if text is not None else refusal,
        reason=reason,
        finish_reason=str(finish) if finish is not None else None,
        server_model=_word(raw.get("model")),
        fingerprint=_word(raw.get("system_fingerprint")),
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_completion(usage),
        extra=_extra(raw, choice, message),
        cached_tokens=_detail(usage, "prompt_tokens_details", "cached_tokens", "prompt_cache_hit_tokens"),
        reasoning_tokens=_detail(usage, "completion_tokens_details", "reasoning_tokens"),
    )


def _outcome(text: str | None, refusal: str | None, finish: object) -> tuple[Outcome, str]:
    if finish == "content_filter":
        return Outcome.FILTERED, "the server's content filter stopped the answer"
    if refusal:
        return Outcome.REFUSED, "the model refused"
    if finish == "length":
        return Outcome.TRUNCATED, "the answer reached its limit of tokens"
    if not (text and text.strip()):
        return Outcome.UNPARSED, "the answer is empty"
    return Outcome.ANSWERED, ""


def json_object(body: str) -> dict[str, Any]:
    """The JSON object in ``body``; half surrogate pairs in its texts become U+FFFD: no file could hold them.

    Raises:
        MalformedReply: it is none.
    """
    try:
        raw = json.loads(body)
        if _HALF_PAIR.search(body):
            raw = json.loads(_whole(json.dumps(raw, ensure_ascii=False)))
    except (ValueError, RecursionError) as error:
        raise MalformedReply(f"the reply is not JSON: {_shortened(body)!r}") from error
    if not isinstance(raw, dict):
        raise MalformedReply(f"the reply is not a JSON object: {_shortened(body)!r}")
    return raw


def _wrapped_fault(raw: Mapping[str, Any]) -> Fault:
    error = raw["error"]
    status = error.get("code") if isinstance(error, dict) else None
    good = isinstance(status, int) and 400 <= status < 600
    return read_fault(Reply(status if good and isinstance(status, int) else 502, json.dumps(raw)))


def _text(content: object) -> str | None:
    """Text of a message: a string, or the text parts of a list."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str)) if parts else None
    return content if isinstance(content, str) else None


def _word(value: object) -> str | None:
    return _text(value) if isinstance(value, str) else None


def _count(usage: object, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return (
        value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _NO_COUNT else None
    )


def _completion(usage: object) -> int | None:
    """Tokens out. Some servers (Gemini's) leave thoughts out of completion_tokens, and have them in the total."""
    told, asked, total = (_count(usage, f"{name}_tokens") for name in ("completion", "prompt", "total"))
    return told if told is None or asked is None or total is None else max(told, total - asked)


def _detail(usage: object, details: str, name: str, plain: str = "") -> int | None:
    """A count among the details of the usage, or under DeepSeek's plain name."""
    inner = usage.get(details) if isinstance(usage, dict) else None
    counted = _count(inner, name)
    return counted if counted is not None else _count(usage, plain)


def _extra(raw: Mapping[str, Any], choice: Mapping[str, Any], message: Mapping[str, Any]) -> str | None:
    kept = {name: message[name] for name in _EXTRA if message.get(name)}
    kept |= {name: choice[name] for name in _EXTRA_OF_CHOICE if choice.get(name)}
    kept |= {name: raw[name] for name in _EXTRA_AROUND if raw.get(name)}
    return json.dumps(kept) if kept else None


def _shortened(text: str, most: int = 300) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"
