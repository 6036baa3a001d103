"""How fast a server lets itself be asked, learned from its refusals: requests a second."""

from __future__ import annotations

import math
from collections import deque

#: Seconds over which the rate that was granted is measured.
WINDOW = 10.0
#: After a refusal the pace falls to this share, unless more than that was granted.
CUT = 0.9
#: Growth of the pace a second: well below the pace at the last refusal, near it, and above it.
_FAR, _NEAR, _ABOVE = 0.05, 0.005, 0.05
#: What "near" is, as a share of the pace at the last refusal.
_BELOW, _OVER = 0.97, 1.05


class Pace:
    """Requests a second that a server is sent: without bound until it first refuses one.

    At a refusal the pace falls to what the server was seen to grant; then it grows back, quickly up to where it was
    refused and slowly past that, so that refusals (each costs a rest) are rare.
    """

    def __init__(self) -> None:
        self._rate = math.inf
        self._refused_at = math.inf
        self._changed = 0.0
        self._granted: deque[float] = deque()

    @property
    def rate(self) -> float:
        """Requests a second; infinite while nothing was refused."""
        return self._rate

    def granted(self, now: float) -> None:
        """The server has answered a request."""
        if math.isinf(self._rate) and len(self._granted) >= 100_000:
            self._granted.popleft()
        self._granted.append(now)
        self._forget(now)

    def refused(self, now: float) -> None:
        """The server has refused one for its rate; call it once for those that were under way together."""
        self._forget(now)
        span = max(0.5, min(WINDOW, now - self._granted[0])) if self._granted else WINDOW
        seen = max(1.0, len(self._granted) / span) if self._granted else 1.0
        self.grow(now)
        before = self._rate
        # Far above what is granted, half the way at a time; else a step that costs little.
        fallen = seen if math.isinf(before) else max(seen, before / 2 if seen < before / 2 else CUT * before)
        self._refused_at = seen if math.isinf(before) else before
        self._rate, self._changed = min(before, fallen), now

    def grow(self, now: float) -> None:
        """Raise the pace for the time that has passed without a refusal."""
        if math.isinf(self._rate):
            return
        passed, self._changed = now - self._changed, now
        share = self._rate / self._refused_at
        growth = _FAR if share < _BELOW else _NEAR if share < _OVER else _ABOVE
        self._rate *= math.exp(growth * min(passed, WINDOW))

    def _forget(self, now: float) -> None:
        while self._granted and self._granted[0] < now - WINDOW:
            self._granted.popleft()
