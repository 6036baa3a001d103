"""Who has the store open: each process (and each connection in it) is a session, and the dead are told apart."""

from __future__ import annotations

import os
import socket
import sqlite3
import time
from datetime import UTC, datetime

#: Seconds by which a process's start may seem to differ between two readings of it.
_SAME_START = 2.0
#: Sending ends by the lease; so much later (seconds) an attempt of a process that cannot be looked at is given up.
LEASE_MARGIN = 10.0
_MAY_BE_BILLED = "its process ended while it was under way: it may have been billed"


def open_session(connection: sqlite3.Connection) -> int:
    """Enter this process, and mark as abandoned what dead ones had under way; returns the session's id."""
    import psutil

    connection.execute("BEGIN IMMEDIATE")
    try:
        row = (socket.gethostname(), os.getpid(), psutil.Process().create_time(), _now())
        cursor = connection.execute(
            "INSERT INTO sessions(host, pid, pid_started, started_at) VALUES (?, ?, ?, ?)", row
        )
        session = int(cursor.lastrowid or 0)
        open_ones = connection.execute(
            "SELECT DISTINCT session FROM attempts WHERE kind = 'under_way' AND channel = 'online'"
        ).fetchall()
        for (other,) in open_ones:
            if not is_alive(connection, other):
                abandon(connection, other)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return session


def close_session(connection: sqlite3.Connection, session: int) -> None:
    """This session has nothing under way any more."""
    connection.execute("UPDATE sessions SET ended_at = ? WHERE id = ?", (_now(), session))


def is_alive(connection: sqlite3.Connection, session: int | None) -> bool:
    """Whether the process of a session lives. Of another machine's nothing is known but its attempts' leases."""
    found = connection.execute(
        "SELECT host, pid, pid_started FROM sessions WHERE id = ? AND ended_at IS NULL", (session,)
    ).fetchone()
    if found is None:
        return False
    host, pid, started = found
    if host != socket.gethostname():
        (lease,) = connection.execute(
            "SELECT max(lease) FROM attempts WHERE session = ? AND kind = 'under_way' AND channel = 'online'",
            (session,),
        ).fetchone()
        return lease is not None and lease + LEASE_MARGIN > time.time()
    return _runs(pid, started)


def abandon(connection: sqlite3.Connection, session: int | None) -> None:
    """What a dead session had under way may have been billed; nobody waits for it any more."""
    connection.execute(
        "UPDATE attempts SET kind = 'abandoned', reason = ? "
        "WHERE kind = 'under_way' AND channel = 'online' AND session IS ?",
        (_MAY_BE_BILLED, session),
    )


def _runs(pid: int, started: float) -> bool:
    """Whether the process ``pid`` is the one that started then, and not a later one of that number."""
    import psutil

    try:
        process = psutil.Process(pid)
        same = abs(float(process.create_time()) - started) < _SAME_START
        return same and str(process.status()) != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True  # it may not be looked at: its lease will tell


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
