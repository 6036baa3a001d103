"""How batches are cut, watched and given up: the limits of the provider, and the patience of ours."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """Times are in seconds.

    ``url`` is the path that each line of an input file names; Azure has ``/chat/completions`` there.
    ``most_requests`` and ``most_bytes`` are OpenAI's limits of an input file (batch guide: 50,000 requests, 200 MB);
    ``most_tokens`` is the account's limit of enqueued prompt tokens, where it is known: beyond it batches wait for
    each other. A batch is looked at after ``first_poll``, then at intervals that grow by half up to ``longest_poll``.
    ``timeout`` is for each small call, ``transfer`` for a file up or down. ``settle`` passes before a batch whose
    creation was not confirmed is looked for. One that the server has not ended ``grace`` after its own time, or after
    ``window`` where it named none, is given up.
    """

    url: str = "/v1/chat/completions"
    most_requests: int = 50_000
    most_bytes: int = 200_000_000
    most_tokens: int | None = None
    first_poll: float = 5.0
    longest_poll: float = 60.0
    timeout: float = 120.0
    transfer: float = 3600.0
    settle: float = 5.0
    grace: float = 3600.0
    window: float = 86400.0
