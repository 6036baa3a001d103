"""The requests of one filling of the store: which are settled, which are in batches, which are still to be sent."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from neuter.models.batch.rows import ANSWERED, CANCELLED, GIVEN_UP, LOST, ONLINE, Closed, Ended, place_of
from neuter.models.batch.submit import Made
from neuter.models.calls import Call
from neuter.models.retry import RETRIED, Kind

#: States after which no request is sent again in the same filling: the user called it off, or it may still be billed.
_FINAL = frozenset({CANCELLED, GIVEN_UP})


class Work:
    """``free`` calls are to be sent, ``elsewhere`` ones may be with somebody; ``watched`` batches hold the rest.

    ``reasons`` says why a call will have no response. ``most_rounds`` batches are tried for each request.
    """

    def __init__(self, calls: Iterable[Call], most_rounds: int) -> None:
        self.pending: dict[bytes, Call] = {call.key: call for call in calls}
        self.total = len(self.pending)
        self.free: dict[bytes, Call] = {}
        self.elsewhere: dict[bytes, Call] = dict(self.pending)
        self.watched: set[str] = set()
        self.reasons: dict[bytes, str] = {}
        self.rounds: dict[bytes, int] = {}
        self.hopeless: Ended | None = None
        self._most_rounds = most_rounds

    def sort(self, places: Mapping[bytes, str | None]) -> None:
        """Put each call that was ``elsewhere`` where ``places`` says that it is."""
        for key, place in places.items():
            if place == ONLINE:
                continue
            call = self.elsewhere.pop(key)
            if place == ANSWERED:
                self._done(key)
            elif place is None:
                self.free[key] = call
            else:
                self.watched.add(place)

    def sent(self, made: Made) -> None:
        """A batch was made. What others took in the meantime is looked for again."""
        for call in made.part.calls:
            self.free.pop(call.key, None)
            if call.key not in made.keys:
                self.elsewhere[call.key] = call
        if made.keys:
            self.watched.add(made.batch)
        for call in made.part.too_long:
            self.give_up(call.key, "the request is longer than an input file of the batch API may be")

    def closed(self, batch: str, closed: Closed) -> None:
        """A batch has ended: its requests are answered, given up, or free again."""
        self.watched.discard(batch)
        for ended in closed.requests:
            call = self.pending.get(ended.key)
            if call is None:
                continue
            if ended.answered_at and ended.answered_at != call.replaces:
                self._done(ended.key)
            else:
                self._again(call, ended, closed.state)

    def give_up(self, key: bytes, reason: str) -> None:
        """There will be no response for ``key``."""
        self.reasons[key] = reason
        self._done(key)

    def _again(self, call: Call, ended: Ended, state: str) -> None:
        if ended.kind == Kind.HOPELESS:
            self.hopeless = ended
        if state in _FINAL:
            self.give_up(call.key, f"{ended.reason}; the next run sends it anew")
            return
        if ended.kind not in RETRIED:
            self.give_up(call.key, ended.reason)
            return
        # A batch that was never created, or for which the server had no room, has done nothing.
        nothing_done = state == LOST or (ended.kind == Kind.RATE_LIMITED and ended.status is None)
        rounds = self.rounds[call.key] = self.rounds.get(call.key, 0) + (not nothing_done)
        if rounds >= self._most_rounds:
            self.give_up(call.key, f"{ended.reason} (after {rounds} batch{'es' if rounds > 1 else ''})")
        else:
            self.free[call.key] = call

    def _done(self, key: bytes) -> None:
        self.pending.pop(key, None)
        self.free.pop(key, None)
        self.elsewhere.pop(key, None)


def places_of(
    connection: sqlite3.Connection, calls: Sequence[Call], base_url: str
) -> dict[bytes, str | None]:
    """Where each call is (see ``place_of``)."""
    return {call.key: place_of(connection, call, base_url) for call in calls}
