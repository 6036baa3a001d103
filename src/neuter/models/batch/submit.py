"""From calls to a batch at the server: intended, uploaded, created, each step in the store before the next is taken."""

from __future__ import annotations

import asyncio
import tempfile
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neuter.errors import ModelError
from neuter.models.batch.files import Part, Room, write_part
from neuter.models.batch.remote import is_full
from neuter.models.batch.rows import (
    FAILED,
    INTENDED,
    LOST,
    SUBMITTED,
    UPLOADED,
    Intent,
    OpenBatch,
    advance,
    close,
    creator,
    intend,
)
from neuter.models.batch.settings import BatchSettings
from neuter.models.batch.transport import BatchServer, Refused
from neuter.models.calls import Call
from neuter.models.costs import Costs
from neuter.models.retry import Kind
from neuter.models.store import Store


@dataclass(frozen=True, slots=True)
class Made:
    """A batch that was made of ``keys``; without any there is none, since others have all of them by now. ``part`` is
    what was looked at."""

    batch: str
    keys: frozenset[bytes]
    part: Part


class Full(Exception):
    """The server has too many tokens in its queue to take this batch; ``batch`` is our id of it."""

    def __init__(self, batch: str, words: str) -> None:
        super().__init__(words)
        self.batch, self.words = batch, words


class Submitter:
    """Creates batches for one model on one server, and finds again those that a crash left half created."""

    def __init__(
        self,
        *,
        model: str,
        base_url: str,
        run: str | None,
        store: Store,
        server: BatchServer,
        costs: Costs,
        settings: BatchSettings,
    ) -> None:
        self._model, self._base_url, self._run = model, base_url, run
        self._store, self._server, self._costs, self._settings = store, server, costs, settings

    def estimate(self, body: Mapping[str, Any]) -> float | None:
        """US dollars that a request may cost in a batch; None where the price is not known."""
        return self._costs.estimate(body, batch=True)

    async def submit(self, calls: Iterable[Call], room: Room, rounds: Mapping[bytes, int]) -> Made:
        """Make a batch of as many ``calls`` as fit into ``room``.

        Raises:
            Full: the server's queue of tokens is full.
            ModelError: the server refused it; the words are the server's.
        """
        with tempfile.TemporaryFile() as file:
            part = await self._written(calls, file, room)
            batch = uuid.uuid4().hex
            keys = await self._intend(batch, part.calls, rounds)
            if len(keys) < len(part.calls):
                file.seek(0)
                file.truncate()
                await self._written([call for call in part.calls if call.key in keys], file, room)
            if keys:
                await self._send(batch, file)
        return Made(batch, frozenset(keys), part)

    async def recover(self, batch: OpenBatch) -> None:
        """Find out what became of a batch without a server's id, unless its process may still be creating it.

        One that was never uploaded was never created. For one that was, the server's list is looked through; a batch
        that is not there some seconds after its process died never came to be.
        """
        session, is_busy = self._store.read(lambda connection: creator(connection, batch.id))
        # One of this very process is not being created now: that is waited for before anything else is done.
        if is_busy and session != self._store.session:
            return
        if batch.state == INTENDED:
            await self._lose(batch.id)
            return
        remote = await self._server.find(batch.id, batch.input_file or "")
        if remote is None:
            await asyncio.sleep(self._settings.settle)
            remote = await self._server.find(batch.id, batch.input_file or "")
        if remote is None:
            await self._lose(batch.id)
        else:
            await self._advance(batch.id, SUBMITTED, remote=remote.id)

    async def _written(self, calls: Iterable[Call], file: Any, room: Room) -> Part:
        """Write on another thread: a file of 200 MB takes seconds."""
        return await asyncio.to_thread(
            write_part,
            calls,
            file,
            url=self._settings.url,
            room=room,
            dollars_of=self.estimate,
        )

    async def _intend(self, batch: str, calls: Sequence[Call], rounds: Mapping[bytes, int]) -> set[bytes]:
        intent = Intent(batch, self._model, self._base_url, self._run, self._store.session)
        return await self._store.transact(
            lambda connection: intend(
                connection,
                intent,
                calls,
                new_attempt=self._store.new_attempt,
                estimate=self.estimate,
                rounds=rounds,
            )
        )

    async def _send(self, batch: str, file: Any) -> None:
        try:
            input_file = await self._server.upload(f"neuter-{batch}.jsonl", file)
            await self._advance(batch, UPLOADED, input_file=input_file)
            remote = await self._server.create(batch, input_file, self._settings.url, self._settings.settle)
        except Refused as error:
            await self._refused(batch, error)
        else:
            await self._advance(batch, SUBMITTED, remote=remote.id)

    async def _refused(self, batch: str, error: Refused) -> None:
        full = is_full(error.fault.code, error.fault.message)
        kind = Kind.RATE_LIMITED if full else Kind.TRANSIENT
        await self._store.transact(lambda connection: close(connection, batch, FAILED, kind, str(error)))
        if full:
            raise Full(batch, f"the server made no batch: {error}") from error
        missing = error.fault.status in {404, 405, 501}
        raise ModelError(
            f"the server made no batch: {error}",
            where=self._server.where,
            todo="It seems to have no batch API: leave --batch out" if missing else "Nothing was billed",
        ) from error

    async def _advance(self, batch: str, state: str, **values: str) -> None:
        await self._store.transact(lambda connection: advance(connection, batch, state, **values))

    async def _lose(self, batch: str) -> None:
        reason = "its process ended before the batch was created"
        await self._store.transact(
            lambda connection: close(connection, batch, LOST, Kind.UNREACHABLE, reason)
        )
