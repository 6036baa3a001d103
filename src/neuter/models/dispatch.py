"""Between the user's thread and the background loop: handing calls over, sharing, waiting, calling off."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any, TypeVar

from neuter.models.caller import Caller
from neuter.models.calls import Call, Result
from neuter.models.loop import background_loop

_T = TypeVar("_T")
#: A waiting thread looks up this often (seconds), so that Ctrl-C is heard on every system.
_LISTEN = 0.25


@dataclass(slots=True, eq=False)
class Waiting:
    """A call on its way, shared by all requests with the same key; ``wanted`` counts those."""

    call: Call
    future: Future[Result] = field(default_factory=Future)
    sending: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[Result] | None = None
    wanted: int = 1
    called_off: bool = False


def on_loop(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Run ``coroutine`` on the background loop and wait for its result."""
    return listen(asyncio.run_coroutine_threadsafe(coroutine, background_loop()))


def listen(future: Future[_T]) -> _T:
    """The result of ``future``, waited for in a way that Ctrl-C interrupts."""
    while True:
        try:
            return future.result(timeout=_LISTEN)
        except TimeoutError:
            if future.done():
                return future.result()


class Dispatcher:
    """Calls under way, by key: identical ones are made once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: dict[bytes, Waiting] = {}

    def join(self, key: bytes) -> Waiting | None:
        """The call that is under way for ``key``, now wanted once more; None where there is none."""
        with self._lock:
            waiting = self._calls.get(key)
            if waiting is None or waiting.called_off:
                return None
            waiting.wanted += 1
            return waiting

    def start(self, caller: Caller, call: Call) -> Waiting:
        """Hand ``call`` to the loop."""
        waiting = Waiting(call)
        with self._lock:
            self._calls[call.key] = waiting
        background_loop().call_soon_threadsafe(self._launch, caller, waiting)
        return waiting

    def leave(self, waiting: Waiting) -> None:
        """One request less wants this call; a call that nobody wants is not sent any more."""
        with self._lock:
            waiting.wanted -= 1
            unwanted = waiting.wanted == 0 and not waiting.future.done()
        if unwanted:
            background_loop().call_soon_threadsafe(self._call_off, waiting, False)

    def drain(self, seconds: float) -> None:
        """Wait for what is under way, at most so long (or until Ctrl-C); then call the rest off."""
        try:
            wait([waiting.future for waiting in self._under_way()], timeout=seconds)
        finally:
            left = self._under_way()
            for waiting in left:
                background_loop().call_soon_threadsafe(self._call_off, waiting, True)
            wait([waiting.future for waiting in left], timeout=5.0)

    def _under_way(self) -> list[Waiting]:
        with self._lock:
            return list(self._calls.values())

    # On the loop

    def _launch(self, caller: Caller, waiting: Waiting) -> None:
        if waiting.called_off:
            return
        waiting.task = asyncio.ensure_future(caller.call(waiting.call, waiting.sending))
        waiting.task.add_done_callback(lambda task: self._land(waiting, task))

    def _call_off(self, waiting: Waiting, even_if_sent: bool) -> None:
        with self._lock:
            if not even_if_sent and (waiting.wanted or waiting.sending.is_set()):
                return
            waiting.called_off = True
        if waiting.task:
            waiting.task.cancel()
        else:
            self._forget(waiting)
            _cancel(waiting.future)

    def _land(self, waiting: Waiting, task: asyncio.Task[Result]) -> None:
        self._forget(waiting)
        if task.cancelled():
            _cancel(waiting.future)
        elif error := task.exception():
            waiting.future.set_exception(error)
        else:
            waiting.future.set_result(task.result())

    def _forget(self, waiting: Waiting) -> None:
        with self._lock:
            if self._calls.get(waiting.call.key) is waiting:
                del self._calls[waiting.call.key]


def _cancel(future: Future[Result]) -> None:
    """Cancelled, and told to whoever waits: ``cancel`` alone does not wake ``wait``."""
    if future.cancel():
        future.set_running_or_notify_cancel()
