"""How fast a server lets itself be asked, learned from its refusals: requests a second."""

from __future__ import annotations

import math
from collections import deque

#: Seconds over which the rate that was granted is measured.
WINDOW = 5.0
#: After a refusal the pace falls to this share; to the second one where fewer were granted since the last refusal
#: than ``AT_ONCE`` seconds' worth.
CUT, HALF, AT_ONCE = 0.9, 0.5, 0.25
#: What the server grants is taken to lie so far below the pace that it refused.
CEILING = 0.95
#: Growth of the pace a second (as a logarithm) up to a share of what it is taken to grant: quick where it is far
#: below, or where that is not known yet; all but none near it; then quicker again, for the limit may have been raised.
_GROWTH = ((0.5, 0.7), (0.96, 0.1), (1.04, 0.004), (1.5, 0.1), (math.inf, 0.4))
#: Seconds within which refusals are one.
AGAIN = 1.0
#: What was granted before is taken to have fallen to no less than this share by one refusal.
MEMORY = 0.85
#: The first pace after a refusal where next to nothing was granted before, and the least that there is.
FIRST, LEAST = 4.0, 0.5
#: Longest time (seconds) that one growth step covers.
_STEP = 1.0


class Pace:
    """Requests a second that a server is sent: without bound until it first refuses one.

    At a refusal the pace falls to what the server was seen to grant; then it grows back, quickly up to where it was
    refused and slowly past that, so that refusals (each costs a rest) are rare.
    """

    def __init__(self) -> None:
        self._rate = math.inf
        self._ceiling = math.inf
        self._since = 0
        self._changed = 0.0
        self._refused = -math.inf
        self._granted: deque[float] = deque()

    @property
    def rate(self) -> float:
        """Requests a second; infinite while nothing was refused."""
        return self._rate

    def granted(self, now: float) -> None:
        """The server has answered a request."""
        self._since += 1
        if math.isinf(self._rate):
            self._granted.append(now)
            self._forget(now)

    def refused(self, now: float, rest: float = 0.0) -> None:
        """The server has refused one for its rate, and is left alone for ``rest`` seconds.

        To be called once for those that were under way together.
        """
        self._forget(now)
        self.grow(now)
        before = self._rate
        if now - self._refused < max(AGAIN, 1.0 / before if self._since == 0 else 0.0):
            return  # it is still the same refusal
        self._refused = now
        if math.isinf(before):
            self._rate = self._seen(now)
        else:
            # At once after the last time: far above what it grants. Later: near it, and a small step will do.
            self._rate = max(LEAST, before * (HALF if self._since < AT_ONCE * before else CUT))
            # Refused far below what was granted before, it may be chance: that is not forgotten at once.
            self._ceiling = max(CEILING * before, MEMORY * self._ceiling if self._ceiling < math.inf else 0.0)
        self._changed, self._since = now + rest, 0

    def _seen(self, now: float) -> float:
        """Requests a second that were granted of late; where those are few, it may be somebody else's doing."""
        if not self._granted:
            return FIRST
        return max(FIRST, len(self._granted) / max(0.5, now - self._granted[0]))

    def grow(self, now: float) -> None:
        """Raise the pace for the time that has passed without a refusal."""
        if math.isinf(self._rate):
            return
        passed = now - self._changed
        if passed <= 0:
            return
        self._changed = now
        share = self._rate / self._ceiling
        growth = next(growth for most, growth in _GROWTH if share < most)
        self._rate *= math.exp(growth * min(passed, _STEP))

    def _forget(self, now: float) -> None:
        while self._granted and self._granted[0] < now - WINDOW:
            self._granted.popleft()
