"""How hard one server is asked: calls at once, requests and tokens a minute, and a rest when it says too much."""

from __future__ import annotations

import asyncio
import math
import time
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from neuter.models.pace import Pace
from neuter.models.places import Places

#: Calls at once with which a server is first asked.
FIRST = 16
#: Failures in a row, with no answer between, that are taken for the server's and not the request's.
STREAK = 8
#: Seconds of the first common rest after such a streak; each further one is twice as long, up to the longest.
FIRST_REST, LONGEST_REST = 1.0, 30.0
#: The share of refusals from which on they are taken for the server's limit, and over how many calls it is told.
SHARE, MEMORY = 0.1, 32.0
#: A turn that is so near (seconds) is not waited for: timers are no finer.
_NOW = 0.001

#: Seconds' worth of requests and of tokens that may be made up for where they were not used.
REQUEST_CREDIT, TOKEN_CREDIT = 0.05, 5.0

#: Seconds that calls wait at most because one before them took more tokens than was thought.
LONGEST_DEBT = 600.0

_in_use: weakref.WeakValueDictionary[tuple[int, str], Limits] = weakref.WeakValueDictionary()


def limits_of(
    server: str,
    most: int,
    *,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
) -> Limits:
    """The limits of a server, shared by all that ask it on this loop; of several ``most`` the largest holds.

    To be called on a running loop.
    """
    place = (id(asyncio.get_running_loop()), server)
    limits = _in_use.get(place)
    if limits is None:
        limits = _in_use[place] = Limits(
            most, requests_per_minute=requests_per_minute, tokens_per_minute=tokens_per_minute
        )
    limits.most = max(limits.most, most)
    return limits


@dataclass(frozen=True, slots=True)
class Turn:
    """A call's turn: the tokens that were reserved for it, and when it began (monotonic seconds)."""

    tokens: int
    began: float


class Limits:
    """Shared by all calls to a server. At most ``most`` at once; requests and tokens are spaced evenly.

    Calls at once begin at ``FIRST`` and grow with each answer: by one until the server first says that it is too
    much, then by one for each round. They are halved when it does, or fails many times in a row.
    """

    def __init__(
        self, most: int, *, requests_per_minute: float | None = None, tokens_per_minute: float | None = None
    ) -> None:
        self.most = most
        self.pace = Pace()
        self.last_answer = time.monotonic()
        self._request_gap = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._token_gap = 60.0 / tokens_per_minute if tokens_per_minute else 0.0
        self._allowed = float(min(FIRST, most))
        self._hurried = True
        self._places = Places(lambda: self.allowed)
        self._next_request = self._next_tokens = time.monotonic()
        self._rest_until = self._cut_at = 0.0
        self._line, self._moved = asyncio.Lock(), asyncio.Event()
        self._streak = 0
        self._refused = 0.0

    @property
    def allowed(self) -> int:
        """Calls that may be under way at once now."""
        return max(1, min(self.most, int(self._allowed)))

    @asynccontextmanager
    async def place(
        self, tokens: Callable[[], int] = lambda: 0, *, again: bool = False
    ) -> AsyncIterator[Turn]:
        """Wait for a free place, the end of a rest and the next turn; then hold the place.

        Who comes ``again`` goes before those who come for the first time. ``tokens`` estimates, when the turn has
        come, what the call will take.
        """
        await self._places.enter(first=again)
        try:
            yield Turn(await self._turn(tokens), time.monotonic())
        finally:
            self._places.leave()

    def answered(self) -> None:
        """The server has answered: it can bear a little more."""
        self.last_answer = now = time.monotonic()
        self._streak = 0
        self._refused -= self._refused / MEMORY
        self.pace.granted(now)
        if self._allowed < self.most:
            self._allowed += 1.0 if self._hurried else 1.0 / self._allowed
            self._places.wake()

    def pushed_back(self, began: float, wait: float | None) -> None:
        """The server has refused an attempt that began at ``began`` for its load; ``wait`` is what it asked for.

        A refusal now and then is one call's affair. Where they are a real share of what is sent, fewer calls are
        made at once and more slowly, and where the server said how long to wait, all rest.
        """
        self._refused += (1.0 - self._refused) / MEMORY
        if self._refused < SHARE or began < self._cut_at:
            return
        now = time.monotonic()
        self._cut(now)
        self.pace.refused(now, wait or 0.0)
        self.rest(wait or 0.0)

    def failed(self, began: float) -> None:
        """An attempt has failed. One alone says nothing of the server; many in a row do."""
        self._streak += 1
        if self._streak < max(STREAK, self._places.inside) or began < self._cut_at:
            return
        self._cut(time.monotonic())
        rests = self._streak // max(STREAK, self._places.inside)
        self.rest(min(LONGEST_REST, FIRST_REST * 2.0 ** (min(rests, 8) - 1)))

    def rest(self, seconds: float) -> None:
        """Let nobody begin for so many seconds."""
        self._rest_until = max(self._rest_until, time.monotonic() + seconds)

    def correct(self, tokens: int) -> None:
        """An attempt took so many tokens more than were reserved for it (less, if negative)."""
        most = time.monotonic() + LONGEST_DEBT
        self._next_tokens = min(self._next_tokens + tokens * self._token_gap, max(most, self._next_tokens))
        self._moved.set()

    def _cut(self, now: float) -> None:
        self._cut_at = now
        self._hurried = False
        self._refused = 0.0
        self._allowed = max(1.0, min(self._allowed, self._places.inside) / 2)

    async def _turn(self, tokens: Callable[[], int]) -> int:
        """Wait for the turn; returns the tokens that were reserved."""
        if not self._has_pace() and time.monotonic() >= self._rest_until:
            return 0
        # Who is first in the line waits, and the others for the line: so a turn is settled by what is known when it
        # comes, and not by what was known when it was waited for.
        async with self._line:
            while (wait := self._ready() - time.monotonic()) > _NOW:
                self._moved.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._moved.wait(), wait)
            return self._take(time.monotonic(), tokens)

    def _has_pace(self) -> bool:
        return bool(self._request_gap or self._token_gap) or self.pace.rate < math.inf

    def _ready(self) -> float:
        return max(self._rest_until, self._next_request, self._next_tokens)

    def _take(self, now: float, tokens: Callable[[], int]) -> int:
        """Take the turn: the next one is a gap later. What was not used a moment ago is made up for."""
        self.pace.grow(now)
        gap = max(self._request_gap, 1.0 / self.pace.rate)
        self._next_request = max(self._next_request, now - REQUEST_CREDIT) + gap
        if not self._token_gap:
            return 0
        reserved = tokens()
        self._next_tokens = max(self._next_tokens, now - TOKEN_CREDIT) + reserved * self._token_gap
        return reserved
