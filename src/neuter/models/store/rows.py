"""Writing the store's rows in groups: few statements, because each gives up the interpreter's lock for a moment."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

from neuter.models.store.records import Attempt, Begin, Begun, Ended, Held, Kept, StoredResponse
from neuter.models.store.sessions import abandon, is_alive

#: Columns of ``responses``, in the order of :class:`StoredResponse` without its messages.
RESPONSE = [f.name for f in fields(StoredResponse) if f.name != "messages"]
_ATTEMPT = [f.name for f in fields(Attempt)]
_ENDED = [f.name for f in fields(Ended) if f.name != "id"]
#: Rows of one statement: SQLite takes 32,766 values at most.
_ROWS = 500


@dataclass(frozen=True, slots=True)
class Start:
    """An attempt that is about to be sent. ``replaces`` is when the response was made that it is to replace."""

    attempt: Attempt
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class End:
    """An attempt's end, with the response if there is one. ``replaces`` as in ``Start``."""

    ended: Ended
    response: StoredResponse | None = None
    replaces: str | None = None


def begin(connection: sqlite3.Connection, starts: Sequence[Start], session: int) -> list[Begin]:
    """Enter the attempts whose key has no response yet and is not under way already, here or elsewhere."""
    if not starts:
        return []
    keys = [start.attempt.key for start in starts]
    kept = dict(_by_keys(connection, "SELECT key, created_at FROM responses WHERE key IN ({})", keys))
    held = _held(connection, keys, session)
    told: list[Begin] = []
    for start in starts:
        key = start.attempt.key
        if key in kept and kept[key] != start.replaces:
            told.append(Kept())
        elif key in held:
            told.append(Held(held[key]))
        else:
            held[key] = start.attempt.lease
            told.append(Begun())
    begun = [start.attempt for start, one in zip(starts, told, strict=True) if isinstance(one, Begun)]
    _insert(connection, "attempts", [*_ATTEMPT, "kind"], [(*astuple(one), "under_way") for one in begun])
    return told


def end(connection: sqlite3.Connection, ends: Sequence[End]) -> None:
    """Complete the attempts and keep their responses; a key that has one keeps the first, unless it is replaced."""
    if not ends:
        return
    replaced = [(e.response.key, e.replaces) for e in ends if e.response and e.replaces]
    if replaced:
        _set_aside(connection, replaced)
    keep(connection, [e.response for e in ends if e.response])
    connection.executemany(
        f"UPDATE attempts SET {', '.join(f'{name} = ?' for name in _ENDED)} WHERE id = ?",  # noqa: S608
        [(*astuple(e.ended)[1:], e.ended.id) for e in ends],
    )


def keep(connection: sqlite3.Connection, responses: Sequence[StoredResponse]) -> None:
    """Insert responses and their prompts; a key that is there already keeps its first response."""
    _insert(connection, "prompts", ["hash", "messages"], [(r.prompt, r.messages) for r in responses])
    _insert(connection, "responses", RESPONSE, [[getattr(r, name) for name in RESPONSE] for r in responses])


def _set_aside(connection: sqlite3.Connection, replaced: Sequence[tuple[bytes, str | None]]) -> None:
    columns = ", ".join(RESPONSE)
    connection.executemany(
        f"INSERT INTO earlier_responses({columns}, replaced_at) "  # noqa: S608
        f"SELECT {columns}, strftime('%Y-%m-%dT%H:%M:%fZ', 'now') FROM responses WHERE key = ? AND created_at = ?",
        replaced,
    )
    connection.executemany("DELETE FROM responses WHERE key = ? AND created_at = ?", replaced)


def _held(connection: sqlite3.Connection, keys: Sequence[bytes], session: int) -> dict[bytes, float]:
    """Leases of keys that a living session has under way; what a dead one had is given up."""
    found = _by_keys(
        connection,
        "SELECT key, session, lease FROM attempts "
        "WHERE kind = 'under_way' AND channel = 'online' AND key IN ({})",
        keys,
    )
    sessions = {one for _, one, _ in found}
    living = {one for one in sessions if one == session or is_alive(connection, one)}
    for dead in sessions - living:
        abandon(connection, dead)
    now = time.time()
    return {key: lease for key, one, lease in found if one in living and lease > now}


def _by_keys(connection: sqlite3.Connection, query: str, keys: Sequence[bytes]) -> list[tuple]:  # type: ignore[type-arg]
    rows = []
    for at in range(0, len(keys), _ROWS):
        some = keys[at : at + _ROWS]
        rows += connection.execute(query.format(", ".join("?" * len(some))), some).fetchall()
    return rows


def _insert(
    connection: sqlite3.Connection, table: str, columns: Sequence[str], rows: Sequence[Sequence[object]]
) -> None:
    """One statement for many rows. Their number is rounded down to few sizes, so that statements are found again."""
    at = 0
    while at < len(rows):
        size = next(size for size in (256, 64, 16, 4, 1) if size <= len(rows) - at)
        values = ", ".join([f"({', '.join('?' * len(columns))})"] * size)
        flat = [value for row in rows[at : at + size] for value in row]
        connection.execute(
            f"INSERT OR IGNORE INTO {table}({', '.join(columns)}) VALUES {values}",  # noqa: S608
            flat,
        )
        at += size
