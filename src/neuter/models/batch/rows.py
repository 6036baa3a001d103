"""Batches in the store: what was intended, how far it came, and what became of each request in it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from neuter.models.calls import Call
from neuter.models.keys import kept, prompt_hash
from neuter.models.retry import Kind
from neuter.models.store import Store
from neuter.models.store.sessions import is_alive

#: States of a batch that may still bring answers. ``uploaded`` is committed before creation is tried.
INTENDED, UPLOADED, SUBMITTED = "intended", "uploaded", "submitted"
#: States of one that brings no more: with its answers in the store; the same, but called off by the user; turned down
#: as a whole; never created; or not ended by the server in its time.
HARVESTED, CANCELLED, FAILED, LOST, GIVEN_UP = "harvested", "cancelled", "failed", "lost", "given_up"
#: Seconds that uploading and creating a batch may take; after that its process is taken to be gone.
CREATION_LEASE = 3600.0


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """A batch whose answers are not all in the store. ``remote`` is the server's id, None before it is known;
    times are ISO 8601 in UTC."""

    id: str
    model: str
    base_url: str
    run: str | None
    state: str
    requests: int
    input_file: str | None
    remote: str | None
    created_at: str
    changed_at: str

    @property
    def started(self) -> float:
        """When it was intended, in seconds since 1970."""
        return datetime.fromisoformat(self.created_at).timestamp()


@dataclass(frozen=True, slots=True)
class Intent:
    """What is written of a batch before anything is sent."""

    id: str
    model: str
    base_url: str
    run: str | None
    session: int


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of one request of a closed batch: when the response was made that is there, and how its attempt
    ended."""

    key: bytes
    answered_at: str | None
    kind: str
    status: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Closed:
    """A batch that brings no more answers, with all its requests."""

    state: str
    requests: tuple[Ended, ...]


def open_batches(store: Store, model: str | None = None) -> list[OpenBatch]:
    """Batches of ``model`` (of all models) whose answers are not all in the store, oldest first."""
    return store.read(lambda connection: read_open(connection, model, None))


def read_open(connection: sqlite3.Connection, model: str | None, base_url: str | None) -> list[OpenBatch]:
    """Open batches, oldest first."""
    rows = connection.execute(
        "SELECT id, model, base_url, run, state, requests, input_file, remote, created_at, changed_at "
        "FROM batches WHERE state IN ('intended', 'uploaded', 'submitted') "
        "AND (? IS NULL OR model = ?) "
        "AND (? IS NULL OR base_url = ?) ORDER BY created_at, id",
        (model, model, base_url, base_url),
    )
    return [OpenBatch(*row) for row in rows]


def intend(
    connection: sqlite3.Connection,
    intent: Intent,
    calls: Sequence[Call],
    *,
    new_attempt: Callable[[], int],
    estimate: Callable[[Mapping[str, Any]], float | None],
    rounds: Mapping[bytes, int],
) -> set[bytes]:
    """Enter a batch of those ``calls`` that nobody else has under way or answered; returns their keys.

    As one transaction this is the lock between processes: of two that intend the same key, one gets it.
    """
    free = [call for call in calls if place_of(connection, call, intent.base_url) is None]
    if not free:
        return set()
    now = _now()
    connection.execute(
        "INSERT INTO batches(id, model, base_url, run, state, requests, created_at, changed_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (intent.id, intent.model, intent.base_url, intent.run, INTENDED, len(free), now, now),
    )
    lease = time.time() + CREATION_LEASE
    for call in free:
        attempt, prompt = new_attempt(), prompt_hash(call.body)
        rest = {name: value for name, value in call.body.items() if name not in {"model", "messages"}}
        connection.execute(
            "INSERT OR IGNORE INTO prompts(hash, messages) VALUES (?, ?)",
            (prompt, kept(call.body["messages"])),
        )
        connection.execute(
            "INSERT INTO batch_requests(batch, key, prompt, parameters, sample, attempt) VALUES (?, ?, ?, ?, ?, ?)",
            (intent.id, call.key, prompt, kept(rest), call.sample, attempt),
        )
        connection.execute(
            "INSERT INTO attempts(id, key, number, model, base_url, channel, session, run, started_at, lease, kind, "
            "estimated_cost) VALUES (?, ?, ?, ?, ?, 'batch', ?, ?, ?, ?, ?, ?)",
            (
                *(attempt, call.key, rounds.get(call.key, 0) + 1, intent.model, intent.base_url),
                *(intent.session, intent.run, now, lease, Kind.UNDER_WAY.value, estimate(call.body)),
            ),
        )
    return {call.key for call in free}


#: Where a call is that need not be sent: in the store, or on its way in a call of its own.
ANSWERED, ONLINE = "answered", "online"


def place_of(connection: sqlite3.Connection, call: Call, base_url: str) -> str | None:
    """ANSWERED, ONLINE, the id of the open batch that holds it, or None: nowhere."""
    kept = connection.execute("SELECT created_at FROM responses WHERE key = ?", (call.key,)).fetchone()
    if kept and kept[0] != call.replaces:
        return ANSWERED
    batch = connection.execute(
        "SELECT b.id FROM batch_requests r JOIN batches b ON b.id = r.batch "
        "WHERE r.key = ? AND b.base_url = ? AND b.state IN ('intended', 'uploaded', 'submitted')",
        (call.key, base_url),
    ).fetchone()
    if batch:
        return str(batch[0])
    online = connection.execute(
        "SELECT 1 FROM attempts WHERE key = ? AND kind = 'under_way' AND channel = 'online' AND lease > ?",
        (call.key, time.time()),
    ).fetchone()
    return ONLINE if online else None


def advance(
    connection: sqlite3.Connection,
    batch: str,
    state: str,
    *,
    input_file: str | None = None,
    remote: str | None = None,
    reason: str = "",
) -> bool:
    """Bring an open batch to ``state``; False where it is not open any more (another process was quicker)."""
    cursor = connection.execute(
        "UPDATE batches SET state = ?, input_file = coalesce(?, input_file), remote = coalesce(?, remote), "
        "reason = ?, changed_at = ? WHERE id = ? AND state IN ('intended', 'uploaded', 'submitted')",
        (state, input_file, remote, reason, _now(), batch),
    )
    return cursor.rowcount > 0


def close(
    connection: sqlite3.Connection, batch: str, state: str, kind: Kind, reason: str, *, latency: float = 0.0
) -> list[float | None]:
    """End a batch, and those of its attempts of which nothing was heard; returns their estimated costs, which stay
    only with a kind that may have been billed."""
    if not advance(connection, batch, state, reason=reason):
        return []
    rows = connection.execute(
        "UPDATE attempts SET kind = ?, reason = ?, latency = ?, estimated_cost = iif(?, estimated_cost, NULL) "
        "WHERE kind = 'under_way' AND id IN (SELECT attempt FROM batch_requests WHERE batch = ?) "
        "RETURNING estimated_cost",
        (kind.value, reason, latency, kind is Kind.AMBIGUOUS, batch),
    ).fetchall()
    return [estimate for (estimate,) in rows]


def heard(connection: sqlite3.Connection, batch: str) -> int:
    """Requests of a batch whose attempts have ended."""
    (count,) = connection.execute(
        "SELECT count(*) FROM batch_requests q JOIN attempts a ON a.id = q.attempt "
        "WHERE q.batch = ? AND a.kind != 'under_way'",
        (batch,),
    ).fetchone()
    return int(count)


def read_closed(connection: sqlite3.Connection, batch: str) -> Closed | None:
    """What became of a batch and its requests; None while it is open."""
    (state,) = connection.execute("SELECT state FROM batches WHERE id = ?", (batch,)).fetchone()
    if state in {INTENDED, UPLOADED, SUBMITTED}:
        return None
    rows = connection.execute(
        "SELECT q.key, r.created_at, a.kind, a.status, a.reason FROM batch_requests q "
        "JOIN attempts a ON a.id = q.attempt LEFT JOIN responses r ON r.key = q.key WHERE q.batch = ?",
        (batch,),
    )
    return Closed(state, tuple(Ended(*row) for row in rows))


def requests_in(connection: sqlite3.Connection, batch: str) -> int:
    """How many requests a batch holds."""
    (count,) = connection.execute("SELECT requests FROM batches WHERE id = ?", (batch,)).fetchone()
    return int(count)


def creator(connection: sqlite3.Connection, batch: str) -> tuple[int | None, bool]:
    """The session that intended a batch, and whether it may still be about to create it."""
    row = connection.execute(
        "SELECT a.session, a.lease FROM batch_requests q JOIN attempts a ON a.id = q.attempt WHERE q.batch = ? LIMIT 1",
        (batch,),
    ).fetchone()
    if row is None:
        return None, False
    session, lease = row
    return session, (lease or 0.0) > time.time() and is_alive(connection, session)


def characters_in(connection: sqlite3.Connection, batches: Iterable[str]) -> int:
    """Characters of all prompts in these batches."""
    return sum(
        connection.execute(
            "SELECT coalesce(sum(length(p.messages)), 0) FROM batch_requests q JOIN prompts p ON p.hash = q.prompt "
            "WHERE q.batch = ?",
            (batch,),
        ).fetchone()[0]
        for batch in batches
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
