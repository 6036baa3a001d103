"""``simulated/SPEC``: a model inside the process that answers from planted knowledge, to calibrate the instrument.

It goes through the same runner, store and parser as any other model, so the whole chain from prompt to interval can
be checked against the truth that was planted. See docs/simulated.md.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from neuter.errors import UsageError
from neuter.models.catalog import estimate_tokens
from neuter.models.providers import Provider
from neuter.models.replies import Reply
from neuter.models.simulated.answers import Written, answer, prior
from neuter.models.simulated.asked_for import AskedFor, asked_for
from neuter.models.simulated.names import PROVIDER
from neuter.models.simulated.planted import Planted, planted_in
from neuter.models.simulated.respondent import LONGEST_DELAY, VERSION, Respondent, respondent_of

#: Answers at once: nothing waits for a network, and the store commits together what is under way together.
CONCURRENCY = 64
_UNPLANTED = (
    "a simulated model answers only what a suite planted, and nothing was planted for this request: "
    "use it with neuter evaluate or neuter benchmark, or plant the truth (neuter.models.simulated.plant)"
)
_NO_MASKER = (
    "a simulated model reads no text, so it cannot mask one: name the model that masks with --masker, "
    "or take a scheme that needs none, such as rules"
)
_UNKNOWN = (
    "a simulated model knows the answer formats of the papers' prompts only, and this prompt has none of them"
)
_LACKING = "the planted truth holds nothing of the kind that this prompt asks for"


class SimulatedEngine:
    """A respondent as an engine: its settings are part of every key of the store.

    Raises:
        UsageError: an unknown preset or setting, or a value that does not fit.
    """

    def __init__(self, model: str) -> None:
        self._respondent = respondent_of(model)
        self.provider = Provider(PROVIDER, concurrency=CONCURRENCY, timeout=2 * LONGEST_DELAY)
        self.base_url = self._respondent.base_url

    def check(self) -> None:
        """Nothing can be missing."""

    def open(self, *, timeout: float, concurrency: int) -> SimulatedTransport:  # noqa: ARG002
        return SimulatedTransport(self._respondent)


class SimulatedTransport:
    """Answers request bodies from the truth that is planted in them."""

    def __init__(self, respondent: Respondent) -> None:
        self._respondent = respondent

    @property
    def address(self) -> str:
        return self._respondent.base_url

    async def send(self, body: Mapping[str, Any]) -> Reply:
        if self._respondent.delay:
            await asyncio.sleep(self._respondent.delay)
        return reply(self._respondent, body)

    async def ping(self) -> Reply:
        return Reply(200, "{}")

    async def close(self) -> None:
        """There is nothing to let go of."""


def reply(respondent: Respondent, body: Mapping[str, Any]) -> Reply:
    """The reply to a request body: a chat completion, or status 400 with the reason why there is none."""
    asked = asked_for(body.get("messages") or ())
    if asked.form == "anonymization":
        return _refusal(_NO_MASKER)
    try:
        planted = planted_in(body)
    except UsageError as error:
        return _refusal(str(error))
    if asked.form == "unknown":
        return _refusal(_UNPLANTED if planted is None else _UNKNOWN)
    written = _written(respondent, planted, asked)
    if written is None:
        return _refusal(_UNPLANTED if planted is None else _LACKING)
    return _completion(body, written)


def _written(respondent: Respondent, planted: Planted | None, asked: AskedFor) -> Written | None:
    if asked.form == "line" and asked.bare:
        return prior(respondent, asked)
    return None if planted is None else answer(respondent, planted, asked)


def _refusal(message: str) -> Reply:
    error = {"message": message, "type": "invalid_request_error", "code": "not_simulated"}
    return Reply(400, json.dumps({"error": error}))


def _completion(body: Mapping[str, Any], written: Written) -> Reply:
    """In the shape of an OpenAI chat completion; the same bytes for the same request."""
    sent = sum(estimate_tokens(str(message.get("content") or "")) for message in body["messages"])
    made = estimate_tokens(written.content or written.refusal or "")
    message = {"role": "assistant", "content": written.content, "refusal": written.refusal}
    return Reply(
        200,
        json.dumps(
            {
                "id": "simulated",
                "object": "chat.completion",
                "created": 0,
                "model": body["model"],
                "system_fingerprint": f"neuter simulated {VERSION}",
                "choices": [{"index": 0, "message": message, "finish_reason": written.finish}],
                "usage": {"prompt_tokens": sent, "completion_tokens": made, "total_tokens": sent + made},
            }
        ),
    )
