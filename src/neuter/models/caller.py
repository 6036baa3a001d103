"""One call to a model, with its retries: from a request body to a committed response or a failure."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from neuter.errors import ModelError
from neuter.models.complaints import hopeless, server_down
from neuter.models.keys import canonical, prompt_hash
from neuter.models.limits import Limits
from neuter.models.providers import Provider
from neuter.models.records import Attempt, StoredResponse
from neuter.models.replies import Answer, Fault, MalformedReply, Reply, read_answer, read_fault
from neuter.models.retry import RETRIED, Kind, RetryPolicy, kind_of_status, retry_after
from neuter.models.store import Store
from neuter.models.transport import NoReply, Transport
from neuter.types import Outcome


@dataclass(frozen=True, slots=True)
class Call:
    """What is asked, and under which key its response is kept."""

    key: bytes
    body: Mapping[str, Any]
    sample: int


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a call: a committed response, or the reason why there is none; and attempts made."""

    response: StoredResponse | None
    reason: str = ""
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class _Tried:
    """One attempt's end: its kind, and either an answer or a reason (with the wait the server asked for)."""

    kind: Kind
    reason: str = ""
    answer: Answer | None = None
    fault: Fault | None = None
    status: int | None = None
    wait: float | None = None


class Caller:
    """Calls one model on one server: the only retry loop there is."""

    def __init__(
        self,
        *,
        model: str,
        provider: Provider,
        transport: Transport,
        base_url: str,
        store: Store,
        limits: Limits,
        policy: RetryPolicy,
        timeout: float,
    ) -> None:
        self.transport = transport
        self._model, self._provider, self._base_url = model, provider, base_url
        self._store, self._limits, self._policy, self._timeout = store, limits, policy, timeout
        self._has_answered = False
        self._stopped: ModelError | None = None

    async def call(self, call: Call, sending: asyncio.Event) -> Result:
        """Attempt ``call`` until it is answered and committed, rejected, or out of attempts or time.

        ``sending`` is set while a request is with the server and until its response is committed.

        Raises:
            ModelError: no other call would fare better: the server is down, or refuses key or model.
            StoreError: the response could not be committed.
        """
        deadline = time.monotonic() + self._policy.total
        attempt = 0
        while True:
            attempt += 1
            async with self._limits.place():
                if self._stopped:
                    raise self._stopped
                sending.set()
                tried, response = await self._attempt(call, attempt)
            if response is not None:
                return Result(response, attempts=attempt)
            sending.clear()
            if tried.kind is Kind.HOPELESS and tried.fault:
                raise self._stop(hopeless(tried.fault, self._provider, self._model, self.transport.address))
            reason = self._give_up(tried, attempt, deadline)
            if reason:
                return Result(None, reason, attempt)
            await self._wait(tried, attempt, deadline)

    def _stop(self, error: ModelError) -> ModelError:
        """Let no call be sent any more: none would fare better."""
        self._stopped = self._stopped or error
        return self._stopped

    async def _attempt(self, call: Call, number: int) -> tuple[_Tried, StoredResponse | None]:
        """Send once; an answer is committed before the place is given up, so that no more than the calls
        that hold a place can be lost with the process."""
        started, clock = datetime.now(UTC).isoformat(timespec="milliseconds"), time.monotonic()
        tried = await self._send(call)
        latency = time.monotonic() - clock
        answer = tried.answer
        row = Attempt(
            call.key,
            number,
            started,
            latency,
            tried.status,
            tried.kind.value,
            tried.reason,
            answer.prompt_tokens if answer else None,
            answer.completion_tokens if answer else None,
        )
        if answer is None:
            self._store.note(row)
            return tried, None
        response = self._record(call, answer, latency, started)
        await self._store.save(response, row)
        return tried, response

    async def _send(self, call: Call) -> _Tried:
        try:
            async with asyncio.timeout(self._timeout):
                reply = await self.transport.send(call.body)
        except TimeoutError:
            return _Tried(Kind.AMBIGUOUS, f"no answer within {self._timeout:g} seconds")
        except NoReply as error:
            return _Tried(Kind.AMBIGUOUS if error.sent else Kind.UNREACHABLE, error.reason)
        self._has_answered = True
        return _read(reply)

    def _give_up(self, tried: _Tried, attempt: int, deadline: float) -> str:
        """Why there is no next attempt, or nothing."""
        if tried.kind not in RETRIED:
            return tried.reason
        if tried.kind is Kind.UNREACHABLE and not self._has_answered:
            if attempt >= self._policy.first_contact:
                raise self._stop(
                    server_down(self._provider, self._model, self.transport.address, tried.reason)
                )
            return ""
        tries = f"after {attempt} attempt{'s' if attempt > 1 else ''}"
        if attempt >= self._policy.attempts:
            return f"{tried.reason} ({tries})"
        if time.monotonic() + (tried.wait or 0) >= deadline:
            return f"{tried.reason} ({tries} and {self._policy.total:g} seconds)"
        return ""

    async def _wait(self, tried: _Tried, attempt: int, deadline: float) -> None:
        seconds = self._policy.wait(attempt, tried.wait)
        if tried.kind is Kind.RATE_LIMITED and tried.wait is not None:
            self._limits.rest(tried.wait)
        await asyncio.sleep(max(0.0, min(seconds, deadline - time.monotonic())))

    def _record(self, call: Call, answer: Answer, latency: float, started: str) -> StoredResponse:
        rest = {name: value for name, value in call.body.items() if name not in {"model", "messages"}}
        return StoredResponse(
            key=call.key,
            prompt=prompt_hash(call.body),
            messages=canonical(call.body["messages"]),
            model=self._model,
            base_url=self._base_url,
            parameters=canonical(rest),
            sample=call.sample,
            outcome=answer.outcome,
            text=answer.text,
            finish_reason=answer.finish_reason,
            reason=answer.reason,
            server_model=answer.server_model,
            fingerprint=answer.fingerprint,
            prompt_tokens=answer.prompt_tokens,
            completion_tokens=answer.completion_tokens,
            latency=latency,
            created_at=started,
            extra=answer.extra,
        )


def _read(reply: Reply) -> _Tried:
    if reply.status >= 400:
        return _of_fault(read_fault(reply), retry_after(reply.headers))
    try:
        answer = read_answer(reply.body)
    except MalformedReply as error:
        return _Tried(Kind.TRANSIENT, str(error), status=reply.status)
    if isinstance(answer, Fault):
        return _of_fault(answer, retry_after(reply.headers))
    return _Tried(Kind.ANSWERED, answer=answer, status=reply.status)


def _of_fault(fault: Fault, wait: float | None) -> _Tried:
    if fault.filtered:
        answer = Answer(Outcome.FILTERED, reason=fault.message, finish_reason=fault.code or None)
        return _Tried(Kind.ANSWERED, answer=answer, status=fault.status)
    reason = f"the server answered {fault.status}: {fault.message or fault.code or 'no reason given'}"
    return _Tried(kind_of_status(fault.status, fault.code), reason, None, fault, fault.status, wait)
