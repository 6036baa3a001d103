"""Looking after batches at the server: each is harvested when it has ended, and given up when it never does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from neuter.errors import ModelError
from neuter.models.batch.harvest import Incomplete, Settled, harvest
from neuter.models.batch.remote import Remote
from neuter.models.batch.room import Rooms
from neuter.models.batch.rows import FAILED, GIVEN_UP, OpenBatch, close
from neuter.models.batch.settings import BatchSettings
from neuter.models.batch.submit import Submitter
from neuter.models.batch.transport import BatchServer, Refused
from neuter.models.costs import Costs
from neuter.models.retry import Kind
from neuter.models.store import Store


class Watch:
    """Sees how open batches stand. ``running`` holds what the server last said of those that have not ended.

    ``made`` are the batches of this process: that the server refuses one of them as a whole is an error, while for an
    earlier one it is only known now, and a new one may do better. ``count`` hears what each batch has cost.
    """

    def __init__(
        self,
        *,
        store: Store,
        server: BatchServer,
        submitter: Submitter,
        rooms: Rooms,
        costs: Costs,
        settings: BatchSettings,
        count: Callable[[OpenBatch, Iterable[Settled]], None],
    ) -> None:
        self._store, self._server, self._submitter, self._rooms = store, server, submitter, rooms
        self._costs, self._settings, self._count = costs, settings, count
        self.made: set[str] = set()
        self.running: dict[str, Remote] = {}

    async def look(self, batches: Iterable[OpenBatch], wanted: set[str]) -> bool:
        """Look at ``batches``, and see to those that have ended; whether any has. ``wanted`` ones are waited for.

        Raises:
            ModelError: the server is down, does not show a wanted batch or not all of its answers, or refused one that
                was made here.
            StoreError: an answer could not be kept.
        """
        changed, incomplete = False, None
        for batch in batches:
            if batch.remote is None:
                await self._submitter.recover(batch)
                continue
            try:
                has_ended = await self._look_at(batch, batch.remote, batch.id in wanted)
            except Incomplete as error:
                self._count(batch, error.settled)
                # The others have their answers, which must not wait for this one's.
                incomplete = error if batch.id in wanted else incomplete
                continue
            if has_ended:
                self.running.pop(batch.id, None)
                changed = True
        if incomplete:
            raise incomplete
        return changed

    async def give_up(self, batch: OpenBatch, reason: str) -> None:
        """Wait no longer for a batch; what it holds may be billed."""
        await self._close(batch, GIVEN_UP, Kind.AMBIGUOUS, reason)

    async def _look_at(self, batch: OpenBatch, remote_id: str, is_wanted: bool) -> bool:
        try:
            remote = await self._server.retrieve(remote_id)
        except Refused as error:
            return await self._not_shown(batch, error, is_wanted)
        self.running[batch.id] = remote
        if remote.status == "failed" and not (remote.output_file or remote.error_file):
            await self._failed(batch, remote)
        elif remote.ended:
            self._count(
                batch,
                await harvest(batch, remote, server=self._server, store=self._store, costs=self._costs),
            )
        elif time.time() > self._patience(batch, remote.expires_at):
            await self.give_up(
                batch, f"the server did not end the batch {remote.id} in its time (it is {remote.status})"
            )
        else:
            return False
        return True

    async def _not_shown(self, batch: OpenBatch, error: Refused, is_wanted: bool) -> bool:
        """A batch that is not there any more, or belongs to another account."""
        if time.time() > self._patience(batch, None):
            await self.give_up(batch, f"the server does not show the batch {batch.remote} any more: {error}")
            return True
        if is_wanted:
            raise ModelError(
                f"the server does not show the batch {batch.remote}: {error}",
                where=self._server.where,
                todo="Use the key and the account that it was made with, or give it up and pay for it again",
            ) from error
        return False

    def _patience(self, batch: OpenBatch, expires_at: float | None) -> float:
        """When a batch is given up, in seconds since 1970."""
        return (expires_at or batch.started + self._settings.window) + self._settings.grace

    async def _failed(self, batch: OpenBatch, remote: Remote) -> None:
        """The server refused a batch as a whole: nothing of it was done."""
        reason = f"the server refused the batch {remote.id}: {remote.complaint or 'no reason given'}"
        await self._close(batch, FAILED, Kind.RATE_LIMITED if remote.full else Kind.TRANSIENT, reason)
        if remote.full:
            self._rooms.narrow(batch.id, reason)
        elif batch.id in self.made:
            raise ModelError(reason, where=self._server.where, todo="Nothing of it was billed")

    async def _close(self, batch: OpenBatch, state: str, kind: Kind, reason: str) -> None:
        latency = max(0.0, time.time() - batch.started)
        estimates = await self._store.transact(
            lambda connection: close(connection, batch.id, state, kind, reason, latency=latency)
        )
        if kind is Kind.AMBIGUOUS:
            self._count(batch, [Settled(None, estimate) for estimate in estimates])
