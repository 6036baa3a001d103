"""One call to a model, with its retries: from a request body to a committed response or a failure."""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from neuter.errors import NeuterError, StoreError
from neuter.models.budget import Budget
from neuter.models.calls import Asked, Call, Result, Tried, ended, read_reply, response_of_answer
from neuter.models.complaints import asks_to_wait, cuts_texts, hopeless, server_down, silent
from neuter.models.context import read_in_part
from neuter.models.costs import Costs
from neuter.models.keys import kept, prompt_hash
from neuter.models.limits import Limits, Turn
from neuter.models.places import Places
from neuter.models.providers import Provider
from neuter.models.retry import RETRIED, Kind, RetryPolicy
from neuter.models.store import Store
from neuter.models.store.records import Attempt, Begin, Begun, Ended, Kept, StoredResponse
from neuter.models.store.sessions import LEASE_MARGIN
from neuter.models.transport import NoReply, Transport

#: Seconds between looks at the store for a response that another process is waiting for.
_LOOK_AGAIN = 0.25
#: Statuses by which a server says that it is asked too much, beside 429.
_OVERLOADED = frozenset({503, 529})
#: Prompts in a row of which a server says that it read a part only: it does so with all, and all would be paid in vain.
_MOST_CUT = 8


@dataclass(slots=True)
class _Tries:
    """How often a call was sent, how often that counted, and since when (monotonic seconds)."""

    sent: int = 0
    counted: int = 0
    since: float | None = None

    def begin(self) -> None:
        self.sent += 1
        self.since = self.since or time.monotonic()

    def seconds(self) -> float:
        return 0.0 if self.since is None else time.monotonic() - self.since


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
        concurrency: int,
        policy: RetryPolicy,
        timeout: float,
        budget: Budget,
        costs: Costs,
    ) -> None:
        self.transport = transport
        self._model, self._provider, self._base_url = model, provider, base_url
        self._store, self._limits, self._policy, self._timeout = store, limits, policy, timeout
        self._budget, self._costs = budget, costs
        self._places = Places(lambda: concurrency)
        self._has_answered = False
        self._stopped: NeuterError | None = None
        self._waiting: set[asyncio.Task[Any] | None] = set()
        self._cut_in_a_row = 0
        if budget.seconds_left < math.inf:
            # Calls that wait for their turn must hear of it as well.
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(budget.seconds_left, lambda: self._stop(budget.time_is_up()))

    async def call(self, call: Call, sending: asyncio.Event) -> Result:
        """Attempt ``call`` until it is answered and committed, rejected, or out of attempts or time.

        ``sending`` is set while a request is with the server and until its response is committed.

        Raises:
            ModelError: no other call would fare better: the server is down, or refuses key or model.
            LimitReached: the run may send no more.
            StoreError: the attempt or the response could not be committed.
        """
        tries = _Tries()
        task = asyncio.current_task()
        self._waiting.add(task)
        try:
            return await self._tried_until_answered(call, tries, sending)
        except asyncio.CancelledError:
            if self._stopped:
                raise self._stopped from None
            raise
        finally:
            self._waiting.discard(task)

    async def _tried_until_answered(self, call: Call, tries: _Tries, sending: asyncio.Event) -> Result:
        while True:
            again = tries.sent > 0
            await self._places.enter(first=again)
            try:
                async with self._limits.place(lambda: self._tokens(call), again=again) as turn:
                    told = await self._once(call, tries, turn, sending)
            finally:
                self._places.leave()
            sending.clear()
            if isinstance(told, Result):
                return told
            if told is None:
                await asyncio.sleep(_LOOK_AGAIN)
                continue
            self._stop_where_hopeless(told, tries)
            if reason := self._give_up(told, tries):
                return Result(None, reason, tries.sent)
            await self._wait(told, tries)

    async def _once(
        self, call: Call, tries: _Tries, turn: Turn, sending: asyncio.Event
    ) -> Result | Tried | None:
        """Send once, unless the store says otherwise: a response, why there is none, or None to look again later."""
        if self._stopped:
            raise self._stopped
        attempt = await self._paid_for(call, tries.sent + 1)
        task = asyncio.current_task()
        self._waiting.discard(task)  # from here on it is under way, and finished whatever happens to others
        begin = await self._begin(call, attempt)
        if isinstance(begin, Kept):
            return Result(self._store.find(call.key), attempts=tries.sent, kept=True)
        if not isinstance(begin, Begun):
            self._waiting.add(task)
            return None
        sending.set()
        tries.begin()
        try:
            tried = await self._send(call)
        except BaseException:
            self._called_off(attempt, time.monotonic() - turn.began)
            raise
        self._tell_limits(tried, turn)
        response = await self._end(call, attempt, tried, time.monotonic() - turn.began)
        self._waiting.add(task)
        return tried if response is None else Result(response, attempts=tries.sent)

    # Before and after an attempt

    def _tokens(self, call: Call) -> int:
        return self._costs.prompt_tokens(call.body) + self._costs.answer_tokens(call.body)

    async def _paid_for(self, call: Call, number: int) -> Attempt:
        """Set the money for an attempt aside.

        Raises:
            LimitReached: there is none left, for this call and for all that follow.
        """
        id_, costs = self._store.new_attempt(), self._costs
        try:
            estimate = await self._budget.reserve(
                id_, lambda: costs.estimate(call.body), lambda: costs.is_blind(call.body)
            )
        except NeuterError as limit:
            raise self._stop(limit) from None
        return Attempt(
            id=id_,
            key=call.key,
            number=number,
            model=self._model,
            base_url=self._base_url,
            session=self._store.session,
            started_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            lease=time.time() + self._timeout + LEASE_MARGIN,
            run=self._budget.run,
            estimated_cost=estimate,
        )

    async def _begin(self, call: Call, attempt: Attempt) -> Begin:
        """Enter the attempt in the ledger before it is sent."""
        begin: Begin | None = None
        try:
            begin = await self._store.begin(attempt, replaces=call.replaces)
        except StoreError as error:
            # What cannot be kept must not be paid for.
            raise self._stop(error) from None
        finally:
            if not isinstance(begin, Begun):
                self._budget.release(attempt.id)
            if begin is None:
                # Called off while its row was being written: nothing was sent, and nobody will bill it.
                self._store.note(Ended(attempt.id, 0.0, None, Kind.UNREACHABLE.value, "not sent"))
        return begin

    async def _end(self, call: Call, attempt: Attempt, tried: Tried, latency: float) -> StoredResponse | None:
        """An answer is committed before the place is given up, so that no more than the calls that hold a place can
        be lost with the process."""
        answer = tried.answer
        cost = self._costs.of(answer) if answer else None
        end = ended(attempt.id, tried, latency, cost, attempt.estimated_cost)
        if tried.kind in {Kind.RATE_LIMITED, Kind.UNREACHABLE}:
            self._budget.release(attempt.id)
        else:
            self._budget.settle(attempt.id, cost, end.estimated_cost)
        if answer is None or tried.kind is not Kind.ANSWERED:
            self._store.note(end)
            return None
        response = response_of_answer(self._asked(call, attempt), answer, end, "online")
        await self._store.end(end, response, replaces=call.replaces)
        return response

    def _called_off(self, attempt: Attempt, latency: float) -> None:
        """It was sent, and nobody waits for it any more: it may be billed."""
        possibly = attempt.estimated_cost
        self._budget.settle(attempt.id, None, possibly)
        kind = Kind.AMBIGUOUS.value
        self._store.note(Ended(attempt.id, latency, None, kind, "called off", estimated_cost=possibly))

    def _tell_limits(self, tried: Tried, turn: Turn) -> None:
        if self._is_pushed_back(tried):
            # Who asks to wait longer than a call may take ends the run: nobody needs to rest for that.
            if (tried.wait or 0) < self._policy.total:
                self._limits.pushed_back(turn.began, tried.wait)
        elif tried.kind in RETRIED:
            # A server that never answered is not there, and not one that is asked too much.
            if self._has_answered:
                self._limits.failed(turn.began)
        else:
            self._limits.answered()
        answer = tried.answer
        if answer and answer.prompt_tokens is not None:
            self._limits.correct(answer.prompt_tokens + (answer.completion_tokens or 0) - turn.tokens)

    @staticmethod
    def _is_pushed_back(tried: Tried) -> bool:
        return tried.kind is Kind.RATE_LIMITED or tried.status in _OVERLOADED

    # One attempt

    async def _send(self, call: Call) -> Tried:
        try:
            async with asyncio.timeout(self._timeout):
                reply = await self.transport.send(call.body)
        except TimeoutError:
            return Tried(Kind.AMBIGUOUS, f"no answer within {self._timeout:g} seconds")
        except NoReply as error:
            return Tried(Kind.AMBIGUOUS if error.sent else Kind.UNREACHABLE, error.reason)
        self._has_answered = True
        tried = read_reply(reply)
        if tried.answer and (reason := read_in_part(_pairs(call), tried.answer.prompt_tokens)):
            # It is paid, but it is no answer to what was asked.
            self._cut_in_a_row += 1
            return replace(tried, kind=Kind.REJECTED, reason=reason)
        self._cut_in_a_row = 0
        return tried

    # After an attempt without an answer

    def _stop(self, error: NeuterError) -> NeuterError:
        """Let no call be sent any more, and none wait for its turn: none would fare better."""
        self._stopped = self._stopped or error
        for task in self._waiting - {asyncio.current_task()}:
            if task:
                task.cancel()
        return self._stopped

    def _stop_where_hopeless(self, tried: Tried, tries: _Tries) -> None:
        """Raise what holds for every other call as well."""
        where = (self._provider, self._model, self.transport.address)
        if tried.kind is Kind.HOPELESS and tried.fault:
            raise self._stop(hopeless(tried.fault, *where))
        if (
            tried.kind is Kind.UNREACHABLE
            and not self._has_answered
            and tries.sent >= self._policy.first_contact
        ):
            raise self._stop(server_down(*where, tried.reason))
        if self._is_pushed_back(tried) and (tried.wait or 0) >= self._policy.total:
            raise self._stop(asks_to_wait(tried.wait or 0, *where))
        if self._cut_in_a_row >= _MOST_CUT:
            raise self._stop(cuts_texts(tried.reason, *where))
        nobody = tries.since is not None and self._limits.last_answer < tries.since
        if tried.kind in RETRIED and nobody and tries.seconds() >= self._policy.total:
            raise self._stop(silent(tried.reason, self._policy.total, *where))

    def _give_up(self, tried: Tried, tries: _Tries) -> str:
        """Why there is no next attempt, or nothing."""
        if tried.kind not in RETRIED:
            return tried.reason
        tries.counted += tried.kind is not Kind.RATE_LIMITED
        times = f"after {tries.sent} attempt{'s' if tries.sent > 1 else ''}"
        if tries.counted >= self._policy.attempts:
            return f"{tried.reason} ({times})"
        if tries.seconds() + (tried.wait or 0) >= self._policy.total:
            return f"{tried.reason} ({times} and {self._policy.total:g} seconds)"
        return ""

    async def _wait(self, tried: Tried, tries: _Tries) -> None:
        """Wait before the next attempt: as long as the server asked, or longer each time."""
        left = min(self._policy.total - tries.seconds(), self._budget.seconds_left)
        await asyncio.sleep(max(0.0, min(self._policy.wait(tries.sent, tried.wait), left)))

    def _asked(self, call: Call, attempt: Attempt) -> Asked:
        rest = {name: value for name, value in call.body.items() if name not in {"model", "messages"}}
        return Asked(
            key=call.key,
            prompt=prompt_hash(call.body),
            messages=kept(call.body["messages"]),
            model=self._model,
            base_url=self._base_url,
            parameters=kept(rest),
            sample=call.sample,
            started_at=attempt.started_at,
        )


def _pairs(call: Call) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in call.body["messages"]]
