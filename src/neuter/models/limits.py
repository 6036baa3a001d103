"""How hard one server is asked: calls at once, calls a minute, and a rest when it says that it is too much."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Limits:
    """Shared by all calls to a server. ``concurrency`` calls at once; ``per_minute`` spaced evenly."""

    def __init__(self, concurrency: int, per_minute: float | None = None) -> None:
        self.concurrency = concurrency
        self._gap = 60.0 / per_minute if per_minute else 0.0
        self._places = asyncio.Semaphore(concurrency)
        self._next_turn = 0.0
        self._rest_until = 0.0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a free place, the end of a rest and the next turn; then hold the place."""
        async with self._places:
            await self._wait_for_turn()
            yield

    def rest(self, seconds: float) -> None:
        """Let nobody begin for so many seconds: the server asked for it."""
        self._rest_until = max(self._rest_until, time.monotonic() + seconds)

    async def _wait_for_turn(self) -> None:
        while True:
            now = time.monotonic()
            ready = max(self._rest_until, self._next_turn)
            if ready <= now:
                self._next_turn = now + self._gap
                return
            await asyncio.sleep(ready - now)
