"""The store's one writing thread: it commits together what has come in, and tells those who wait."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

from neuter.errors import StoreError
from neuter.models.store.records import Begin
from neuter.models.store.rows import End, Start, begin, end

#: Most jobs that share one commit.
GROUP = 1024


@dataclass(slots=True)
class Job:
    """One thing to write, and whom to tell of its result: a future of a loop, an event, or nobody."""

    what: Start | End | Callable[[sqlite3.Connection], Any] | None
    waiter: asyncio.Future[Any] | None = None
    event: threading.Event | None = None
    result: Any = None
    error: BaseException | None = None


@dataclass(slots=True)
class Writer:
    """Writes jobs in the order of their coming. ``guard`` is held during a transaction; ``is_there`` raises
    StoreError where the file is not the one that was opened any more."""

    connection: sqlite3.Connection
    session: int
    explain: Callable[[Exception], StoreError]
    guard: AbstractContextManager[Any] = field(default_factory=nullcontext)
    is_there: Callable[[], None] = lambda: None
    failure: StoreError | None = None
    _jobs: queue.SimpleQueue[Job | None] = field(default_factory=queue.SimpleQueue)
    _thread: threading.Thread | None = None
    _ending: threading.Lock = field(default_factory=threading.Lock)
    _ended: bool = False

    def start(self) -> None:
        """Begin to write, on a thread of its own."""
        self._thread = threading.Thread(target=self._run, name="neuter-store", daemon=True)
        self._thread.start()

    def put(self, job: Job) -> None:
        """Hand a job over; one that comes after the end has an error, since nobody would write it."""
        with self._ending:
            if not self._ended:
                self._jobs.put(job)
                return
        job.error = StoreError("the store is closed", todo="Open it anew")
        _tell([job])

    def stop(self) -> None:
        """Write what is left, and end."""
        with self._ending:
            self._ended = True
            self._jobs.put(None)
        if self._thread:
            self._thread.join()

    def _run(self) -> None:
        going_on = True
        while going_on:
            group, going_on = self._next_group()
            if group:
                self._commit(group)
                _tell(group)

    def _next_group(self) -> tuple[list[Job], bool]:
        """Wait for a job, then take all that has come in meanwhile; False when the store is closing."""
        group: list[Job] = []
        job = self._jobs.get()
        while job is not None:
            group.append(job)
            if len(group) >= GROUP:
                return group, True
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return group, True
        return group, False

    def _commit(self, group: list[Job]) -> None:
        if not self._committed(group):
            # A row that nobody can write is its own job's error, and no paid answer beside it is lost.
            for job in group:
                self._committed([job])

    def _committed(self, group: list[Job]) -> bool:
        """False where a row among several could not be written, and nothing was."""
        with self.guard:
            try:
                self.is_there()
                self.connection.execute("BEGIN IMMEDIATE")
                self._write(group)
                self.connection.execute("COMMIT")
            # Whatever it is: a thread that ends would let all who wait wait for ever.
            except Exception as error:  # noqa: BLE001
                with suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")
                if len(group) > 1 and not isinstance(error, sqlite3.Error | StoreError):
                    return False
                self.failure = error if isinstance(error, StoreError) else self.explain(error)
                for job in group:
                    job.error = self.failure
        return True

    def _write(self, group: list[Job]) -> None:
        starting = [job for job in group if isinstance(job.what, Start)]
        begun = {job.what.attempt.id for job in starting if isinstance(job.what, Start)}
        ends = [job.what for job in group if isinstance(job.what, End)]
        end(self.connection, [one for one in ends if one.ended.id not in begun])
        told: list[Begin] = begin(
            self.connection, [job.what for job in starting if isinstance(job.what, Start)], self.session
        )
        for job, one in zip(starting, told, strict=True):
            job.result = one
        # Called off while its row was still to be written.
        end(self.connection, [one for one in ends if one.ended.id in begun])
        for job in group:
            if callable(job.what):
                self._alone(job)

    def _alone(self, job: Job) -> None:
        """A function's writes are kept or undone as a whole; its error is its caller's, and nobody else's."""
        assert callable(job.what)
        self.connection.execute("SAVEPOINT job")
        try:
            job.result = job.what(self.connection)
        except Exception as error:  # whatever it is, it belongs to whoever handed the job over
            self.connection.execute("ROLLBACK TO job")
            if isinstance(error, sqlite3.OperationalError):
                raise
            job.error = error
        self.connection.execute("RELEASE job")


def _tell(group: list[Job]) -> None:
    """One wake-up of each loop for the whole group."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Job]] = {}
    for job in group:
        if job.event:
            job.event.set()
        if job.waiter:
            by_loop.setdefault(job.waiter.get_loop(), []).append(job)
    for loop, jobs in by_loop.items():
        with suppress(RuntimeError):  # a loop that is closed has nobody waiting
            loop.call_soon_threadsafe(_resolve, jobs)


def _resolve(jobs: list[Job]) -> None:
    for job in jobs:
        waiter = job.waiter
        if waiter is None or waiter.done():
            continue
        if job.error is None:
            waiter.set_result(job.result)
        else:
            waiter.set_exception(job.error)
