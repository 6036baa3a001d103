"""Harvesting a batch that has ended: its output and error files, piece by piece, into the store and the ledger."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import IO, NamedTuple

from neuter.errors import ModelError
from neuter.models.batch.files import Line, read_lines
from neuter.models.batch.remote import Remote
from neuter.models.batch.rows import CANCELLED, HARVESTED, OpenBatch, close, heard
from neuter.models.batch.transport import BatchServer, Refused
from neuter.models.calls import Asked, ended, response_of_answer
from neuter.models.costs import Costs
from neuter.models.retry import Kind
from neuter.models.store import Store
from neuter.models.store.rows import End, end

#: Lines that are kept in one commit: a crash repeats no more reading than that.
PIECE = 500


@dataclass(frozen=True, slots=True)
class Settled:
    """What an attempt has cost in US dollars, or may have."""

    cost: float | None
    possibly: float | None


class Incomplete(ModelError):
    """The files of a batch hold less than the server says that it did: what they lack was paid for.

    ``settled`` is what the answers have cost that they do hold, and that are kept.
    """

    settled: Sequence[Settled] = ()


async def harvest(
    batch: OpenBatch, remote: Remote, *, server: BatchServer, store: Store, costs: Costs
) -> list[Settled]:
    """Bring all that the server has of an ended batch into the store, and end the batch.

    A crash anywhere leaves the batch open; harvesting it again, here or in another process, changes nothing that is
    kept already. Where the files hold less than the server says that it did, they are fetched anew; where they still
    do, the batch stays open with what was read of it, since to ask for the rest again would be to pay for it twice. Of
    a batch that is complete without counts, every request is taken to be done. What was not done ends as such.

    Raises:
        Incomplete: the files hold less than the server says that it did.
        ModelError: a file could not be read.
        StoreError: an answer could not be kept.
    """
    latency = _seconds(batch, remote)
    wanted = min(remote.done, batch.requests) or (batch.requests if remote.status == "completed" else 0)
    settled: list[Settled] = []
    for attempt in range(1, server.policy.attempts + 1):
        if attempt > 1:
            await asyncio.sleep(server.policy.wait(attempt - 1, None))
        for file_id in filter(None, (remote.output_file, remote.error_file)):
            settled += await _file(batch, file_id, latency, server=server, store=store, costs=costs)
        known = store.read(lambda connection: heard(connection, batch.id))
        if known >= wanted:
            break
    else:
        raise _incomplete(remote, known, wanted, server.where, settled)
    settled += await store.transact(lambda connection: _close(connection, batch, remote, latency))
    if batch.input_file:
        await server.delete(batch.input_file)
    return settled


def _incomplete(
    remote: Remote, known: int, wanted: int, where: str, settled: Sequence[Settled]
) -> Incomplete:
    error = Incomplete(
        f"of the {wanted:,} requests that batch {remote.id} is said to have done, its files hold {known:,}",
        where=where,
        todo="The batch is kept, and its files stay at the server: the same command reads them again. To give the rest "
        f"up and pay for it again: neuter models batches --give-up {remote.id}",
    )
    error.settled = settled
    return error


async def _file(
    batch: OpenBatch, file_id: str, latency: float, *, server: BatchServer, store: Store, costs: Costs
) -> list[Settled]:
    settled: list[Settled] = []
    with tempfile.TemporaryFile() as file:
        if await _fetched(server, file_id, file):
            pieces = _pieces(read_lines(file, server.without_key))
            # On another thread: 500 long answers take a good part of a second to parse.
            while piece := await asyncio.to_thread(next, pieces, None):
                settled += await store.transact(
                    lambda connection, piece=piece: _keep(connection, batch, piece, latency, costs)  # type: ignore[misc]
                )
    return settled


async def _fetched(server: BatchServer, file_id: str, file: IO[bytes]) -> bool:
    """Whether the file is there; one that the server has deleted (after 30 days) will not come back."""
    try:
        await server.download(file_id, file)
    except Refused as error:
        if error.fault.status in {404, 410}:
            return False
        raise ModelError(
            f"the answers of a batch cannot be read: {error}",
            where=server.where,
            todo="The batch is kept: the same command tries again",
        ) from error
    return True


class _Request(NamedTuple):
    """A request of a batch, as it was intended and as it stands."""

    prompt: bytes
    messages: str
    parameters: str
    sample: int
    attempt: int
    kind: str
    started_at: str
    estimate: float | None
    kept_at: str | None


_REQUEST = """
    SELECT q.prompt, p.messages, q.parameters, q.sample, a.id, a.kind, a.started_at, a.estimated_cost, r.created_at
    FROM batch_requests q JOIN prompts p ON p.hash = q.prompt JOIN attempts a ON a.id = q.attempt
    LEFT JOIN responses r ON r.key = q.key WHERE q.batch = ? AND q.key = ?
"""


def _keep(
    connection: sqlite3.Connection, batch: OpenBatch, lines: Sequence[Line], latency: float, costs: Costs
) -> list[Settled]:
    """Keep what ``lines`` say of this batch's requests. An answer counts once, and before any failure."""
    ends: dict[bytes, End] = {}
    for line in lines:
        row = connection.execute(_REQUEST, (batch.id, line.key)).fetchone()
        if row is None:
            continue
        request, earlier = _Request(*row), ends.get(line.key)
        kind = earlier.ended.kind if earlier else request.kind
        if kind == Kind.ANSWERED or (line.tried.answer is None and kind != Kind.UNDER_WAY):
            continue
        ends[line.key] = _end(batch, line, request, latency, costs)
    end(connection, list(ends.values()))
    return [Settled(one.ended.cost, one.ended.estimated_cost) for one in ends.values()]


def _end(batch: OpenBatch, line: Line, request: _Request, latency: float, costs: Costs) -> End:
    tried, answer = line.tried, line.tried.answer
    cost = costs.of(answer, batch=True) if answer else None
    told = ended(request.attempt, tried, latency, cost, request.estimate)
    if answer is None:
        return End(told)
    response = response_of_answer(_asked(batch, line.key, request), answer, told, "batch")
    # Only a response that was to be replaced can be older than the attempt: others were never asked for again.
    is_older = request.kept_at is not None and request.kept_at < request.started_at
    return End(told, response, request.kept_at if is_older else None)


def _asked(batch: OpenBatch, key: bytes, request: _Request) -> Asked:
    return Asked(
        key=key,
        prompt=request.prompt,
        messages=request.messages,
        model=batch.model,
        base_url=batch.base_url,
        parameters=request.parameters,
        sample=request.sample,
        started_at=request.started_at,
    )


def _close(connection: sqlite3.Connection, batch: OpenBatch, remote: Remote, latency: float) -> list[Settled]:
    """End the batch: its files show all that was done. Of one that is complete the rest may be billed nonetheless."""
    kind = Kind.AMBIGUOUS if remote.status == "completed" else Kind.TRANSIENT
    reason = f"the batch {remote.id} ended ({remote.status}) without a line for it"
    state = CANCELLED if remote.status == "cancelled" else HARVESTED
    unheard = close(connection, batch.id, state, kind, reason, latency=latency)
    return [Settled(None, estimate) for estimate in unheard]


def _seconds(batch: OpenBatch, remote: Remote) -> float:
    """From creation to end by the server's clock, else by ours until now."""
    if remote.created_at and remote.ended_at:
        return max(0.0, remote.ended_at - remote.created_at)
    return max(0.0, datetime.now().timestamp() - batch.started)


def _pieces(lines: Iterable[Line | None]) -> Iterator[list[Line]]:
    """The lines that name a request, so many at a time."""
    usable = (line for line in lines if line is not None)
    while piece := list(islice(usable, PIECE)):
        yield piece
