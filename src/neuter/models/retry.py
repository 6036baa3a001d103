"""The one retry policy: what is worth another try, how long to wait for it, and when to give up."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from enum import StrEnum


class Kind(StrEnum):
    """What an attempt came to. The first four are worth another try; the last two have not ended, or not for us.

    ``AMBIGUOUS`` was sent and nothing usable came back; like ``ABANDONED`` it may have been billed.
    """

    RATE_LIMITED = "rate_limited"
    TRANSIENT = "transient"
    AMBIGUOUS = "ambiguous"
    UNREACHABLE = "unreachable"
    REJECTED = "rejected"
    HOPELESS = "hopeless"
    ANSWERED = "answered"
    UNDER_WAY = "under_way"
    ABANDONED = "abandoned"


RETRIED = frozenset({Kind.RATE_LIMITED, Kind.TRANSIENT, Kind.AMBIGUOUS, Kind.UNREACHABLE})
#: Statuses that no other document would fare better with: key, permission, payment, address or model name.
_HOPELESS = frozenset({401, 402, 403, 404, 407})
_TRANSIENT = frozenset({409, 425})
#: Statuses of somebody between us and the model, or of the model itself, that ran out of time: it may have answered.
_AMBIGUOUS = frozenset({408, 504, 524})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """``attempts`` in all, waits that double from ``first_wait`` to ``longest_wait``, all within ``total``.

    Times are in seconds. Attempts that the server refused for its rate limit count in ``total`` alone: nothing was
    done. A server's own Retry-After goes before the doubling; where it would pass ``total``, the call fails at once
    instead of waiting in vain. A server that has answered nobody for ``total`` seconds stops the run.
    """

    attempts: int = 6
    first_wait: float = 0.5
    longest_wait: float = 30.0
    total: float = 600.0
    #: A server that has never answered is given up after so many attempts: most likely it is not there.
    first_contact: int = 3

    def wait(self, attempt: int, retry_after: float | None) -> float:
        """Seconds before the attempt after ``attempt`` (1 is the first); jitter keeps callers apart."""
        if retry_after is not None:
            return retry_after + random.uniform(0, 0.1 * min(retry_after, 1.0))  # noqa: S311
        top = min(self.longest_wait, self.first_wait * 2.0 ** min(attempt - 1, 60))
        return top * random.uniform(0.5, 1.0)  # noqa: S311


def kind_of_status(status: int, code: str = "") -> Kind:
    """The kind of an HTTP status; ``code`` is the server's own word for the error.

    >>> kind_of_status(429), kind_of_status(429, "insufficient_quota"), kind_of_status(503)
    (<Kind.RATE_LIMITED: 'rate_limited'>, <Kind.HOPELESS: 'hopeless'>, <Kind.TRANSIENT: 'transient'>)
    """
    if status == 429:
        return Kind.HOPELESS if code == "insufficient_quota" else Kind.RATE_LIMITED
    if status in _AMBIGUOUS:
        return Kind.AMBIGUOUS
    if status >= 500 or status in _TRANSIENT:
        return Kind.TRANSIENT
    if status in _HOPELESS:
        return Kind.HOPELESS
    return Kind.REJECTED if status >= 400 else Kind.ANSWERED


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds that the server asks to wait: ``retry-after-ms``, or Retry-After in seconds or as a date.

    >>> retry_after({"retry-after": "7"})
    7.0
    >>> retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:10 GMT"}, now=1445412480.0)
    10.0
    >>> retry_after({}) is None
    True
    """
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * scale
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, TypeError):
        return None
    # A date without a zone (-0000) is in UTC, not in the zone of this machine.
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, date.timestamp() - (time.time() if now is None else now))
