"""The durable store of responses: a SQLite file in which nothing counts until it is committed."""

from __future__ import annotations

import asyncio
import itertools
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from neuter.errors import StoreError
from neuter.models.store import schema
from neuter.models.store.errors import BUSY_SECONDS, explain, foreign, moved, newer
from neuter.models.store.network_files import hold_alone, is_on_network
from neuter.models.store.records import Attempt, Begin, Ended, StoredResponse
from neuter.models.store.rows import End, Start
from neuter.models.store.sessions import close_session, open_session
from neuter.models.store.writing import Job, Writer
from neuter.types import Outcome

_T = TypeVar("_T")

_FIELDS = [field.name for field in fields(StoredResponse)]
_OUTCOME = _FIELDS.index("outcome")
_FIND = (
    f"SELECT {', '.join(('p.' if name == 'messages' else 'r.') + name for name in _FIELDS)} "  # noqa: S608
    "FROM responses r JOIN prompts p ON p.hash = r.prompt WHERE r.key = ?"
)
#: Attempts of one session have numbers of their own: session times this, and on.
_ATTEMPTS = 1 << 40

#: Seconds between looks at whether the file is still in its place.
_LOOK = 1.0
_sharing = threading.RLock()
_shared: dict[Path, Store] = {}


def default_path() -> Path:
    """The environment variable NEUTER_STORE, or ``responses.sqlite`` in the user's cache folder."""
    named = os.environ.get("NEUTER_STORE", "").strip()
    if named:
        return Path(named).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("neuter", appauthor=False)) / "responses.sqlite"


class Store:
    """Responses by key, and the ledger of attempts. One thread writes; any thread may read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "s.sqlite") as store:
    ...     store.find(bytes(32)) is None
    True

    Raises:
        StoreError: the file cannot be opened, is damaged, is not a store, is of a newer version, or lies on a network
            file system and another process has it open.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()
        self._reading = threading.RLock()
        self._users = 1
        self._alone: Any = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._alone = hold_alone(self.path) if is_on_network(self.path) else None
            connection = self._connect()
            self._prepare(connection)
            self._identity, self._looked = _identity(self.path), time.monotonic()
            self.session = open_session(connection)
            # On a network file system one connection alone may use the file; it reads between its transactions.
            self._reader = connection if self._alone else self._connect()
        except (sqlite3.Error, OSError) as error:
            raise self._explain(error) from error
        self._writer = Writer(connection, self.session, self._explain)
        if self._alone:
            self._writer.guard = self._reading
        self._writer.is_there = self._check_place
        self._numbers = itertools.count(self.session * _ATTEMPTS)
        self._writer.start()

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
        values = (*row[:_OUTCOME], Outcome(row[_OUTCOME]), *row[_OUTCOME + 1 :])
        return StoredResponse(*values)

    def read(self, read: Callable[[sqlite3.Connection], _T]) -> _T:
        """What ``read`` finds through the reading connection; it must not write.

        Raises:
            StoreError: the file is damaged.
        """
        try:
            with self._reading:
                return read(self._reader)
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def new_attempt(self) -> int:
        """The id of an attempt that is about to be made; no other session gives the same."""
        return next(self._numbers)

    async def begin(self, attempt: Attempt, *, replaces: str | None = None) -> Begin:
        """Enter an attempt before it is sent. To be called on a running loop.

        Args:
            replaces: ``created_at`` of the stored response that is to be replaced, if it is still that one.

        Returns:
            ``Begun``: send it. ``Kept``: there is a response by now. ``Held``: another process has it under way.

        Raises:
            StoreError: the disk is full or the file is damaged: send nothing.
        """
        told: Begin = await self._written(Start(attempt, replaces))
        return told

    async def end(
        self, ended: Ended, response: StoredResponse | None = None, *, replaces: str | None = None
    ) -> None:
        """Complete an attempt and keep its response; returns when both are on the disk.

        A key that has a response keeps it, unless it is the one that ``replaces`` names.

        Raises:
            StoreError: the disk is full or the file is damaged; nothing of these rows was kept.
        """
        await self._written(End(ended, response, replaces))

    def note(self, ended: Ended) -> None:
        """Complete an attempt that brought no response, without waiting for the commit."""
        self._writer.put(Job(End(ended)))

    async def transact(self, write: Callable[[sqlite3.Connection], _T]) -> _T:
        """Run ``write`` on the writing thread; its rows are committed when this returns, or undone if it raises.

        Raises:
            StoreError: the disk is full or the file is damaged.
        """
        result: _T = await self._written(write)
        return result

    def write(self, write: Callable[[sqlite3.Connection], _T]) -> _T:
        """As ``transact``, from a thread that has no loop.

        Raises:
            StoreError: the disk is full or the file is damaged.
        """
        job = Job(write, event=threading.Event())
        self._writer.put(job)
        assert job.event is not None
        job.event.wait()
        if job.error:
            raise job.error
        result: _T = job.result
        return result

    def flush(self) -> None:
        """Wait until all that was handed over is committed.

        Raises:
            StoreError: some of it could not be.
        """
        self.write(lambda _: None)
        if self._writer.failure:
            raise self._writer.failure

    def close(self) -> None:
        """Commit what is left and close the file, unless somebody else in this process still uses it."""
        with _sharing:
            self._users -= 1
            if self._users:
                return
            _shared.pop(self.path.resolve(), None)
        self._writer.put(Job(lambda connection: close_session(connection, self.session)))
        self._writer.stop()
        with self._reading:
            self._reader.close()
            self._writer.connection.close()
        if self._alone:
            self._alone.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _written(self, what: Start | End | Callable[[sqlite3.Connection], Any]) -> Any:
        waiter: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._writer.put(Job(what, waiter))
        return await waiter

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        if self._alone:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Refuse a file that is not ours before anything is written into it."""
        version = schema.version_of(connection)
        if schema.is_foreign(connection):
            raise foreign(self.path)
        if version > schema.NEWEST:
            raise newer(version, schema.NEWEST, self.path)
        _use_write_ahead_log(connection)
        schema.migrate(connection)

    def _check_place(self) -> None:
        """Once a second: what is written into a file that was removed or replaced would be lost unseen.

        Raises:
            StoreError: it was.
        """
        now = time.monotonic()
        if now - self._looked < _LOOK:
            return
        self._looked = now
        try:
            same = _identity(self.path) == self._identity
        except OSError:
            same = False
        if not same:
            raise moved(self.path)

    def _explain(self, error: Exception) -> StoreError:
        return explain(error, self.path)


def _identity(path: Path) -> tuple[int, int]:
    told = path.stat()
    return told.st_dev, told.st_ino


def open_store(path: Path | None = None) -> Store:
    """The store in a file; on a network file system one for all of this process, since only one can be open there.

    Raises:
        StoreError: as ``Store``.
    """
    path = path or default_path()
    if not is_on_network(path):
        return Store(path)
    with _sharing:
        store = _shared.get(path.resolve())
        if store is None:
            store = _shared[path.resolve()] = Store(path)
        else:
            store._users += 1
        return store


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
