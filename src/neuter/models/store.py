"""The durable store of responses: a SQLite file in which nothing counts until it is committed."""

from __future__ import annotations

import asyncio
import os
import queue
import sqlite3
import threading
import time
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import Self

from neuter.errors import StoreError
from neuter.models import schema
from neuter.models.records import Attempt, StoredResponse
from neuter.models.store_errors import BUSY_SECONDS, explain, foreign, newer
from neuter.types import Outcome

#: Most jobs that share one commit.
GROUP = 1024

_RESPONSE = [f.name for f in fields(StoredResponse) if f.name != "messages"]
_ATTEMPT = [f.name for f in fields(Attempt)]
_FIND = (
    f"SELECT {', '.join('r.' + name for name in _RESPONSE)}, p.messages "  # noqa: S608
    "FROM responses r JOIN prompts p ON p.hash = r.prompt WHERE r.key = ?"
)


def _insert(table: str, columns: list[str]) -> str:
    return f"INSERT OR IGNORE INTO {table}({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608


@dataclass(slots=True)
class _Job:
    """Rows to write together, and whom to tell. ``waiter`` is a future of the background loop."""

    response: StoredResponse | None = None
    attempts: tuple[Attempt, ...] = ()
    waiter: asyncio.Future[None] | None = None
    flushed: threading.Event | None = None
    errors: list[StoreError] = field(default_factory=list)


def default_path() -> Path:
    """The environment variable NEUTER_STORE, or ``responses.sqlite`` in the user's cache folder."""
    named = os.environ.get("NEUTER_STORE", "").strip()
    if named:
        return Path(named).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("neuter", appauthor=False)) / "responses.sqlite"


class Store:
    """Responses by key. One thread writes, and commits what has come in together; any thread may read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "s.sqlite") as store:
    ...     store.find(bytes(32)) is None
    True

    Raises:
        StoreError: the file cannot be opened, is damaged, is not a store, or is of a newer version.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._reading = threading.Lock()
        self._failure: StoreError | None = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = self._connect()
            self._prepare()
            self._reader = self._connect()
        except (sqlite3.Error, OSError) as error:
            raise self._explain(error) from error
        self._thread = threading.Thread(target=self._write_all, name="neuter-store", daemon=True)
        self._thread.start()

    def find(self, key: bytes) -> StoredResponse | None:
        """The response committed under ``key``, or None.

        Raises:
            StoreError: the file is damaged.
        """
        try:
            with self._reading:
                row = self._reader.execute(_FIND, (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._explain(error) from error
        if row is None:
            return None
        values = dict(zip([*_RESPONSE, "messages"], row, strict=True))
        return StoredResponse(**{**values, "outcome": Outcome(values["outcome"])})

    async def save(self, response: StoredResponse | None, *attempts: Attempt) -> None:
        """Write and commit; returns when the rows are on the disk. To be called on the background loop.

        A key that is there already keeps its first response.

        Raises:
            StoreError: the disk is full or the file is damaged; nothing of these rows was kept.
        """
        waiter = asyncio.get_running_loop().create_future()
        self._jobs.put(_Job(response, attempts, waiter))
        await waiter

    def note(self, *attempts: Attempt) -> None:
        """Write attempts with the next commit, without waiting for it."""
        self._jobs.put(_Job(attempts=attempts))

    def flush(self) -> None:
        """Wait until all that was handed over is committed.

        Raises:
            StoreError: some of it could not be.
        """
        done = threading.Event()
        self._jobs.put(_Job(flushed=done))
        done.wait()
        if self._failure:
            raise self._failure

    def close(self) -> None:
        """Commit what is left and close the file."""
        self._jobs.put(None)
        self._thread.join()
        with self._reading:
            self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Opening

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    def _prepare(self) -> None:
        """Refuse a file that is not ours before anything is written into it."""
        version = schema.version_of(self._writer)
        if schema.is_foreign(self._writer):
            raise foreign(self.path)
        if version > schema.NEWEST:
            raise newer(version, schema.NEWEST, self.path)
        _use_write_ahead_log(self._writer)
        schema.migrate(self._writer)

    # Writing, on the store's own thread

    def _write_all(self) -> None:
        going_on = True
        while going_on:
            group, going_on = self._next_group()
            error = self._commit(group)
            _tell(group, error)
        self._writer.close()

    def _next_group(self) -> tuple[list[_Job], bool]:
        """Wait for a job, then take all that has come in meanwhile; False when the store is closing."""
        group: list[_Job] = []
        job = self._jobs.get()
        while job is not None:
            group.append(job)
            try:
                job = self._jobs.get_nowait() if len(group) < GROUP else None
            except queue.Empty:
                return group, True
            if job is None and len(group) >= GROUP:
                return group, True
        return group, False

    def _commit(self, group: list[_Job]) -> StoreError | None:
        if not any(job.response or job.attempts for job in group):
            return None
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            self._insert(group)
            self._writer.execute("COMMIT")
        except (sqlite3.Error, OSError, UnicodeError) as error:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            self._failure = self._explain(error)
            return self._failure
        return None

    def _insert(self, group: list[_Job]) -> None:
        responses = [job.response for job in group if job.response]
        attempts = [attempt for job in group for attempt in job.attempts]
        self._writer.executemany(
            _insert("prompts", ["hash", "messages"]), [(r.prompt, r.messages) for r in responses]
        )
        self._writer.executemany(
            _insert("responses", _RESPONSE),
            [[getattr(response, name) for name in _RESPONSE] for response in responses],
        )
        self._writer.executemany(_insert("attempts", _ATTEMPT), [astuple(attempt) for attempt in attempts])

    def _explain(self, error: Exception) -> StoreError:
        return explain(error, self.path)


def _tell(group: list[_Job], error: StoreError | None) -> None:
    """One wake-up of each loop for the whole group."""
    by_loop: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for job in group:
        if job.flushed:
            job.flushed.set()
        if job.waiter:
            by_loop.setdefault(job.waiter.get_loop(), []).append(job.waiter)
    for loop, waiters in by_loop.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_resolve, waiters, error)


def _resolve(waiters: list[asyncio.Future[None]], error: StoreError | None) -> None:
    for waiter in waiters:
        if waiter.done():
            continue
        if error:
            waiter.set_exception(error)
        else:
            waiter.set_result(None)


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch to WAL. SQLite does not wait its busy time-out for this lock, so two processes that open a new
    store at once must wait here."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
