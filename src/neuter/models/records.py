"""The rows of the store: a response that is kept, and an attempt that was made."""

from __future__ import annotations

from dataclasses import dataclass

from neuter.types import Outcome


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response as the store keeps it. ``latency`` is in seconds, ``created_at`` ISO 8601 in UTC.

    ``messages`` and ``parameters`` are JSON; ``extra`` is JSON of what else the answer held (log
    probabilities, reasoning), or None. ``server_model`` and ``fingerprint`` are what the server said.
    """

    key: bytes
    prompt: bytes
    messages: str
    model: str
    base_url: str
    parameters: str
    sample: int
    outcome: Outcome
    text: str | None
    finish_reason: str | None
    reason: str
    server_model: str | None
    fingerprint: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    latency: float
    created_at: str
    extra: str | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One sending of a request. ``status`` is the HTTP status, None where nothing came back.

    ``kind`` is ``answered``, or why there was no answer: ``rate_limited``, ``transient``, ``ambiguous``
    (sent, but nothing came back: it may have been billed), ``unreachable`` (never sent), ``rejected``.
    """

    key: bytes
    number: int
    started_at: str
    latency: float
    status: int | None
    kind: str
    reason: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
