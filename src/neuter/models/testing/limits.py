"""What the loopback server allows: requests a second, tokens a minute, calls at once; beyond it 429 or 503."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from email.utils import formatdate

#: How a refusal names the wait: whole seconds (rounded up), milliseconds, a date, or not at all.
WAITS = ("seconds", "ms", "date", "none")


@dataclass(slots=True)
class Bucket:
    """A token bucket that starts full: ``rate`` a second flow in, up to ``size``.

    >>> bucket = Bucket(rate=2.0, size=1.0)
    >>> bucket.wait(1.0, now=10.0)
    0.0
    >>> bucket.take(1.0)
    >>> bucket.wait(1.0, now=10.0)
    0.5
    """

    rate: float
    size: float
    level: float = field(init=False)
    seen: float | None = None

    def __post_init__(self) -> None:
        self.level = self.size

    def wait(self, amount: float, now: float) -> float:
        """Seconds until ``amount`` is there; what never fits is granted out of a full bucket."""
        since = 0.0 if self.seen is None else max(0.0, now - self.seen)
        self.level, self.seen = min(self.size, self.level + since * self.rate), now
        return max(0.0, min(amount, self.size) - self.level) / self.rate

    def take(self, amount: float) -> None:
        """Let ``amount`` flow out."""
        self.level -= min(amount, self.size)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A call that was too much: the status, and the seconds until one more is granted."""

    status: int
    wait: float


class Gate:
    """The limits of one server. ``rate`` is requests a second; a bucket of tokens holds ten seconds' worth."""

    def __init__(
        self,
        *,
        rate: float | None = None,
        burst: float | None = None,
        tokens_per_minute: float | None = None,
        most_at_once: int | None = None,
        busy_status: int = 429,
    ) -> None:
        self._most_at_once, self._busy_status = most_at_once, busy_status
        self._requests = Bucket(rate, max(1.0, rate if burst is None else burst)) if rate else None
        self._tokens = Bucket(tokens_per_minute / 60, tokens_per_minute / 6) if tokens_per_minute else None

    def refusal(self, tokens: int, at_once: int, now: float | None = None) -> Refusal | None:
        """Grant a call (None), or say why not. ``at_once`` are the calls under way without this one."""
        if self._most_at_once is not None and at_once >= self._most_at_once:
            return Refusal(self._busy_status, 0.0)
        asked = [
            (bucket, amount)
            for bucket, amount in ((self._requests, 1.0), (self._tokens, float(tokens)))
            if bucket
        ]
        now = time.monotonic() if now is None else now
        wait = max((bucket.wait(amount, now) for bucket, amount in asked), default=0.0)
        if wait > 0:
            return Refusal(429, wait)
        for bucket, amount in asked:
            bucket.take(amount)
        return None


def waiting_headers(seconds: float, how: str, now: float | None = None) -> dict[str, str]:
    """The header that asks to wait ``seconds``, never for less.

    >>> waiting_headers(1.2, "seconds"), waiting_headers(0.0123, "ms"), waiting_headers(1.0, "none")
    ({'Retry-After': '2'}, {'retry-after-ms': '13'}, {})
    >>> waiting_headers(8.5, "date", now=1445412481.0)
    {'Retry-After': 'Wed, 21 Oct 2015 07:28:10 GMT'}
    """
    if how == "none":
        return {}
    if how == "ms":
        return {"retry-after-ms": str(math.ceil(seconds * 1000))}
    if how == "date":
        until = math.ceil((time.time() if now is None else now) + seconds)
        return {"Retry-After": formatdate(until, usegmt=True)}
    return {"Retry-After": str(math.ceil(seconds))}
