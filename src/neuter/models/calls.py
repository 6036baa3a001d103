"""A call, what became of it, and what each attempt at it came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neuter.models.replies import Answer, Fault, MalformedReply, Reply, is_redirect, read_answer, read_fault
from neuter.models.retry import Kind, kind_of_status, retry_after
from neuter.models.store.records import Channel, Ended, StoredResponse
from neuter.types import Outcome


@dataclass(frozen=True, slots=True)
class Call:
    """What is asked, and under which key its response is kept.

    ``replaces`` is when the stored response was made that this call is to replace.
    """

    key: bytes
    body: Mapping[str, Any]
    sample: int
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a call: a committed response, or the reason why there is none; and attempts made.

    ``kept`` where the store had the response by the time that the call was to be sent.
    """

    response: StoredResponse | None
    reason: str = ""
    attempts: int = 0
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt's end: its kind, an answer, and where it is none or no good, why (and the wait asked for)."""

    kind: Kind
    reason: str = ""
    answer: Answer | None = None
    fault: Fault | None = None
    status: int | None = None
    wait: float | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, as the store keeps it beside the answer; ``started_at`` is ISO 8601 in UTC."""

    key: bytes
    prompt: bytes
    messages: str
    model: str
    base_url: str
    parameters: str
    sample: int
    started_at: str


def read_reply(reply: Reply) -> Tried:
    """What an HTTP reply comes to: an answer, or the kind of its failure with the reason."""
    if reply.status >= 300:
        return _of_fault(read_fault(reply), retry_after(reply.headers))
    try:
        answer = read_answer(reply.body)
    except MalformedReply as error:
        # Somebody was at work, and may have been paid for it.
        return Tried(Kind.AMBIGUOUS, str(error), status=reply.status)
    if isinstance(answer, Fault):
        return _of_fault(answer, retry_after(reply.headers))
    return Tried(Kind.ANSWERED, answer=answer, status=reply.status)


def _of_fault(fault: Fault, wait: float | None) -> Tried:
    if fault.filtered:
        answer = Answer(Outcome.FILTERED, reason=fault.message, finish_reason=fault.code or None)
        return Tried(Kind.ANSWERED, answer=answer, status=fault.status)
    reason = f"the server answered {fault.status}: {fault.message or fault.code or 'no reason given'}"
    kind = Kind.HOPELESS if is_redirect(fault.status) else kind_of_status(fault.status, fault.code)
    if fault.begun and kind is Kind.TRANSIENT:
        kind = Kind.AMBIGUOUS
    return Tried(kind, reason, None, fault, fault.status, wait)


def ended(attempt: int, tried: Tried, latency: float, cost: float | None, estimate: float | None) -> Ended:
    """How an attempt ended. Its estimate stands for a cost that nobody knows: where it may have been billed without
    an answer, or its answer came without a count of tokens."""
    answer = tried.answer
    unknown = tried.kind is Kind.AMBIGUOUS or (answer is not None and cost is None)
    return Ended(
        attempt,
        latency,
        tried.status,
        tried.kind.value,
        tried.reason,
        answer.prompt_tokens if answer else None,
        answer.completion_tokens if answer else None,
        cost,
        estimate if unknown else None,
    )


def response_of_answer(asked: Asked, answer: Answer, end: Ended, channel: Channel) -> StoredResponse:
    """An answer as the store keeps it: what was asked, what came back, and what it has cost."""
    return StoredResponse(
        key=asked.key,
        prompt=asked.prompt,
        messages=asked.messages,
        model=asked.model,
        base_url=asked.base_url,
        parameters=asked.parameters,
        sample=asked.sample,
        outcome=answer.outcome,
        text=answer.text,
        finish_reason=answer.finish_reason,
        reason=answer.reason,
        server_model=answer.server_model,
        fingerprint=answer.fingerprint,
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
        latency=end.latency,
        created_at=asked.started_at,
        extra=answer.extra,
        channel=channel,
        cached_tokens=answer.cached_tokens,
        reasoning_tokens=answer.reasoning_tokens,
        cost=end.cost,
    )
