"""What to tell the user when the store cannot be read or written."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

from neuter.errors import StoreError

#: Seconds to wait for another process that writes to the same store.
BUSY_SECONDS = 60.0
_ELSEWHERE = "name another file with the environment variable NEUTER_STORE"
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_HELD = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}


def explain(error: Exception, path: Path) -> StoreError:
    """A StoreError that names the file and says what to do about ``error``."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    number = error.errno if isinstance(error, OSError) else None
    if code in _FULL or number in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return StoreError(
            f"the disk is full, or the file may not grow ({error})",
            where=str(path),
            todo=f"Make room, or {_ELSEWHERE}; what was committed is kept, and the same command goes on from there",
        )
    if code in _DAMAGED:
        return StoreError(
            f"the store is damaged ({error})",
            where=str(path),
            todo="Move it away, with its -wal and -shm files, to begin a new one; "
            "what can be saved of it: sqlite3 FILE .recover",
        )
    if code in _HELD:
        return StoreError(
            f"another process has held the store for {BUSY_SECONDS:.0f} seconds",
            where=str(path),
            todo=f"Wait for it, or {_ELSEWHERE}; a store does not work on a network file system",
        )
    return StoreError(
        f"cannot be used as a store ({error})",
        where=str(path),
        todo=f"Check the folder and its permissions, or {_ELSEWHERE}",
    )


def newer(version: int, known: int, path: Path) -> StoreError:
    """A store that this version of neuter does not understand."""
    return StoreError(
        f"was written by a newer neuter (store version {version}; this one knows {known})",
        where=str(path),
        todo=f"Upgrade neuter, or {_ELSEWHERE}",
    )


def foreign(path: Path) -> StoreError:
    """A database of something else, which is left alone."""
    return StoreError(
        "is a database, but not a store of responses", where=str(path), todo=_ELSEWHERE.capitalize()
    )


def moved(path: Path) -> StoreError:
    """A file that was removed, moved or replaced while it was in use."""
    return StoreError(
        "was removed or replaced while it was in use: what is answered now could not be kept",
        where=str(path),
        todo="Put it back, or begin anew: the same command goes on from what the store in its place holds",
    )
