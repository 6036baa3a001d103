"""One hash for what decides the data of a run."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime
from pathlib import Path

from neuter.data.sources.sources import Sources, named_file
from neuter.errors import DataError

_CHUNK = 1 << 20


def hash_of(sources: Sources, *, asked: date | None = None) -> str:
    """sha256 of what the user named: the content of files, the names of services and the day on which they are asked.

    A service may answer otherwise on another day, so the day is a part; a file may move, so its path is none.

    Args:
        asked: the day, by default today in UTC.

    Raises:
        DataError: a file cannot be read.
    """
    told = hashlib.sha256(b"sources 1\n")
    for kind, entries in (
        ("data", sources.data),
        ("philadelphia_fed", sources.philadelphia_fed),
        ("crsp", sources.crsp),
    ):
        for entry in sorted(entries):
            name, path = named_file(entry) if kind == "data" else ("", entry)
            told.update(f"{kind} {name} {file_hash(path)}\n".encode())
    for service in sources.services:
        told.update(f"{service} {asked or datetime.now(UTC).date()}\n".encode())
    return told.hexdigest()


def file_hash(path: str) -> str:
    """sha256 of a file's content, read in pieces."""
    told = hashlib.sha256()
    try:
        with Path(path).expanduser().open("rb") as held:
            while piece := held.read(_CHUNK):
                told.update(piece)
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", where=path, todo="Check the path") from error
    return told.hexdigest()
