"""The rows of the store: a response that is kept, and an attempt as it begins and as it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from neuter.types import Outcome

#: How a response was bought: call by call, or through the provider's batch API.
Channel = Literal["online", "batch"]


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response as the store keeps it. ``latency`` is in seconds, ``created_at`` ISO 8601 in UTC.

    ``messages`` and ``parameters`` are JSON; ``extra`` is JSON of what else the answer held (log
    probabilities, reasoning), or None. ``server_model`` and ``fingerprint`` are what the server said.
    ``cost`` is in US dollars, None where the price or the tokens are not known.
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
    channel: Channel = "online"
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One sending of a request, written before it is sent, with the kind ``under_way``.

    ``id`` is ``Store.new_attempt()``. ``lease`` is the time (seconds since 1970) at which it has surely ended.
    ``run`` names the run that pays; ``estimated_cost`` is in US dollars.
    """

    id: int
    key: bytes
    number: int
    model: str
    base_url: str
    session: int
    started_at: str
    lease: float
    run: str | None = None
    estimated_cost: float | None = None
    channel: Channel = "online"


@dataclass(frozen=True, slots=True)
class Ended:
    """How an attempt ended. ``status`` is the HTTP status, None where nothing came back.

    ``kind`` is ``answered``, or why there was no answer (:class:`neuter.models.retry.Kind`). ``cost`` is in US
    dollars; ``estimated_cost`` stands in its place where the attempt may have been billed.
    """

    id: int
    latency: float
    status: int | None
    kind: str
    reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    estimated_cost: float | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """The attempt has its row: send it."""


@dataclass(frozen=True, slots=True)
class Held:
    """Another living process has the same request under way, until at most ``lease`` (seconds since 1970)."""

    lease: float


@dataclass(frozen=True, slots=True)
class Kept:
    """The store has a response for this key by now: use that."""


#: What ``Store.begin`` returns.
Begin = Begun | Held | Kept
