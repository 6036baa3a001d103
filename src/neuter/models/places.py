"""A queue for places: so many may be inside at once, and their number may change while others wait."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable


class Places:
    """``allowed`` says how many may be inside now. Call ``wake`` when it has grown."""

    def __init__(self, allowed: Callable[[], int]) -> None:
        self.inside = 0
        self._allowed = allowed
        self._queue: deque[asyncio.Future[None]] = deque()
        self._first: deque[asyncio.Future[None]] = deque()

    async def enter(self, *, first: bool = False) -> None:
        """Wait for a place, behind all others or, with ``first``, before them."""
        if self.inside < self._allowed() and not self._first and (first or not self._queue):
            self.inside += 1
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._first if first else self._queue).append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self.leave()  # the place came at the same moment: it is somebody else's
            raise

    def leave(self) -> None:
        """Give the place up."""
        self.inside -= 1
        self.wake()

    def wake(self) -> None:
        """Let in whom there is room for."""
        while (self._first or self._queue) and self.inside < self._allowed():
            waiter = (self._first or self._queue).popleft()
            if not waiter.done():
                self.inside += 1
                waiter.set_result(None)
