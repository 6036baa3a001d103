"""The provider's batch API over the same store and keys as online calls: cheaper, and answered within a day."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from neuter.errors import ModelError
from neuter.models.batch.files import queued_tokens
from neuter.models.batch.harvest import Settled
from neuter.models.batch.room import Rooms
from neuter.models.batch.rows import OpenBatch, read_closed, read_open
from neuter.models.batch.settings import BatchSettings
from neuter.models.batch.submit import Full, Submitter
from neuter.models.batch.transport import BatchServer, Refused
from neuter.models.batch.watch import Watch
from neuter.models.batch.work import Work, places_of
from neuter.models.budget import Budget
from neuter.models.calls import Call
from neuter.models.complaints import hopeless
from neuter.models.costs import Costs
from neuter.models.prices import Price
from neuter.models.providers import Provider
from neuter.models.redaction import Redaction
from neuter.models.replies import Fault
from neuter.models.retry import RetryPolicy
from neuter.models.store import Store

if TYPE_CHECKING:
    from openai import AsyncOpenAI


#: Requests of the first batch where a limit on cost is set and nothing is known of the answers.
TRIAL = 20


class Batches:
    """Fills the store through the batch API of one model's server. To be made and used on a running loop.

    ``client`` is an openai client with its retries off; ``without_key`` takes the key out of what a server says.
    ``policy.attempts`` batches are tried for a request, and as many times each small call.
    """

    def __init__(
        self,
        *,
        model: str,
        base_url: str,
        provider: Provider,
        store: Store,
        client: AsyncOpenAI,
        price: Price | None,
        policy: RetryPolicy,
        budget: Budget | None = None,
        settings: BatchSettings | None = None,
        without_key: Callable[[str], str] | None = None,
        costs: Costs | None = None,
    ) -> None:
        self._model, self._base_url, self._provider, self._store = model, base_url, provider, store
        self._policy, self._budget, self._settings = policy, budget or Budget(), settings or BatchSettings()
        self._costs = costs or Costs(price)
        self._server = BatchServer(
            client,
            provider=provider,
            model=model,
            policy=policy,
            timeout=self._settings.timeout,
            transfer=self._settings.transfer,
            without_key=without_key or Redaction((client.api_key,) if client.api_key else ()),
        )
        self._rooms = Rooms(
            model=model, base_url=base_url, store=store, budget=self._budget, settings=self._settings
        )
        self._submitter = Submitter(
            model=model,
            base_url=base_url,
            run=self._budget.run,
            store=store,
            server=self._server,
            costs=self._costs,
            settings=self._settings,
        )
        self._watch = Watch(
            store=store,
            server=self._server,
            submitter=self._submitter,
            rooms=self._rooms,
            costs=self._costs,
            settings=self._settings,
            count=self._count,
        )
        self._one_at_a_time = asyncio.Lock()

    async def fill(
        self, calls: Sequence[Call], told: Callable[[str, int, int], None] | None = None
    ) -> dict[bytes, str]:
        """Bring a response for each call into the store; returns why there is none, by key, for those that failed.

        Batches of earlier processes are found again, and what they hold is not sent anew. ``told`` hears of a stage,
        requests done, and requests in all, now and then. May take a day; whatever ends it, the server's batches stay
        known, and the next call goes on with them.

        Raises:
            ModelError: the server is down, refuses key or model, or refuses a batch as a whole.
            LimitReached: the run may send no more, or its time is up.
            StoreError: something could not be kept.
        """
        async with self._one_at_a_time:
            work = Work(calls, self._policy.attempts)
            await self._sort(work)
            await self._watch.look(self._open(), work.watched)
            wait = self._settings.first_poll
            while True:
                await self._sort(work)
                self._settle(work)
                self._tell(work, told)
                if not work.pending:
                    return work.reasons
                if await self._submit(work):
                    wait = self._settings.first_poll
                await self._pause(wait)
                watched = [batch for batch in self._open() if batch.id in work.watched]
                changed = await self._watch.look(watched, work.watched)
                longer = min(1.5 * wait, self._settings.longest_poll)
                wait = self._settings.first_poll if changed else longer

    async def cancel(self, batch: str) -> None:
        """Ask the server to stop an open batch. What it has done by then is billed, and harvested by the next filling.

        Raises:
            ModelError: there is no such open batch, or the server will not stop it.
        """
        found = self._find(batch)
        try:
            if found.remote:
                await self._server.cancel(found.remote)
        except Refused as error:
            raise ModelError(
                f"the server does not stop batch {batch}: {error}", where=self._server.where
            ) from error

    async def give_up(self, batch: str, reason: str = "given up by the user") -> None:
        """Wait no longer for an open batch: its requests may be billed, and will be sent anew.

        Raises:
            ModelError: there is no such open batch.
        """
        await self._watch.give_up(self._find(batch), reason)

    def _find(self, batch: str) -> OpenBatch:
        for found in self._open():
            if batch in {found.id, found.remote}:
                return found
        known = ", ".join(found.remote or found.id for found in self._open()) or "none"
        raise ModelError(
            f"no batch {batch!r} is under way", where=self._server.where, todo=f"Under way: {known}"
        )

    def _open(self) -> list[OpenBatch]:
        return self._store.read(lambda connection: read_open(connection, self._model, self._base_url))

    # What is settled, and what is to be sent

    async def _sort(self, work: Work) -> None:
        calls = tuple(work.elsewhere.values())
        if calls:
            places = await asyncio.to_thread(
                self._store.read, lambda connection: places_of(connection, calls, self._base_url)
            )
            work.sort(places)

    def _settle(self, work: Work) -> None:
        for batch in sorted(work.watched):
            closed = self._store.read(lambda connection, batch=batch: read_closed(connection, batch))  # type: ignore[misc]
            if closed:
                work.closed(batch, closed)
        if work.hopeless:
            words = work.hopeless.reason.partition(": ")[2] or work.hopeless.reason
            fault = Fault(work.hopeless.status or 0, "", words)
            raise hopeless(fault, self._provider, self._model, self._base_url)

    async def _submit(self, work: Work) -> bool:
        """Make batches of what is free as long as there is room; whether any was made."""
        changed = False
        while work.free:
            first = next(iter(work.free.values()))
            room = self._rooms.room(queued_tokens(first.body))
            if room is None:
                break
            if self._budget.limits.max_cost is not None and self._costs.is_blind(first.body):
                # How long answers are is told by a few of them, before all the money is put into a batch.
                if changed or work.watched:
                    break
                room = replace(room, requests=min(room.requests, TRIAL))
            try:
                made = await self._submitter.submit(work.free.values(), room, work.rounds)
            except Full as error:
                self._rooms.narrow(error.batch, error.words)
                break
            if not made.part.calls and not made.part.too_long:
                self._rooms.refuse()
                break
            self._watch.made.add(made.batch)
            work.sent(made)
            changed = True
        return changed

    async def _pause(self, seconds: float) -> None:
        self._rooms.check_time()
        await asyncio.sleep(max(0.0, min(seconds, self._budget.seconds_left)))

    def _tell(self, work: Work, told: Callable[[str, int, int], None] | None) -> None:
        if told:
            running = [remote.done for batch, remote in self._watch.running.items() if batch in work.watched]
            done = work.total - len(work.pending) + sum(running)
            told(f"{self._model} (batch)", min(done, work.total), work.total)

    def _count(self, batch: OpenBatch, settled: Iterable[Settled]) -> None:
        """Let the run's limits know what an attempt of it has cost."""
        if batch.run == self._budget.run:
            for one in settled:
                self._budget.settle(-1, one.cost, one.possibly)
