"""What the loopback server's batch API holds, and how it is told to behave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

#: What may happen to a whole batch, beside ``FAULTS``, which happen to a call for a file or a batch.
BATCH_FAULTS: Mapping[str, str] = {
    "batch-fails": "the batch fails its validation",
    "batch-expires": "the batch expires with half of its requests done",
    "batch-cancelled": "somebody cancels the batch with half of its requests done",
    "batch-partial": "every other request ends in the error file, with 429 or 500",
    "batch-forgets": "every other request is in neither file",
    "batch-no-files": "the batch completes, and its files are not there",
    "batch-lost-reply": "the batch is created, and the connection dropped",
    "batch-half-line": "the output file ends in the middle of a line",
    "batch-duplicate": "every line comes twice",
    "batch-garbage": "lines that are no JSON, no object, or of unknown ids stand between the others",
    "batch-hang": "the batch never ends",
    "batch-full": "creation answers 429 with the code token_limit_exceeded",
    "batch-create-500": "creation answers 500 and creates nothing",
}
#: The calls that ``scope`` may name.
CALLS = ("upload", "create", "retrieve", "list", "content", "delete", "cancel")


@dataclass(slots=True)
class BatchBehaviour:
    """What the batch API does. A batch ends ``delay`` seconds after its creation, and not before ``polls`` looks.

    ``faults`` come in turn, ``times`` of them for each name of a call (None: always): those of BATCH_FAULTS meet a
    batch as it is created, those of FAULTS the calls that ``scope`` names; with ``every`` 3 each third call meets one.
    A batch expires after ``window`` seconds. With ``most_tokens`` (of four characters each) the queue is limited. The
    list shows no batch younger than ``hidden`` seconds.
    """

    faults: Sequence[str] = ()
    times: int | None = None
    every: int = 1
    scope: Sequence[str] = CALLS
    delay: float = 0.0
    polls: int = 0
    window: float = 86400.0
    most_tokens: int | None = None
    hidden: float = 0.0
    keeps_metadata: bool = True


@dataclass(slots=True)
class Batch:
    """A batch of the server, and the fault that it has."""

    id: str
    input_file: str
    endpoint: str
    metadata: Any
    created_at: float
    window: float
    fault: str | None = None
    status: str = "validating"
    polls: int = 0
    output_file: str | None = None
    error_file: str | None = None
    errors: list[dict[str, Any]] | None = None
    counts: tuple[int, int, int] = (0, 0, 0)
    ended_at: float | None = None


@dataclass(slots=True)
class State:
    """All files and batches of a server, and how far its faults have come."""

    told: BatchBehaviour = field(default_factory=BatchBehaviour)
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, Batch] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)
    number: int = 0

    def next_fault(self, call: str, kinds: Mapping[str, str]) -> str | None:
        """The fault of these kinds that this call meets."""
        told = self.told
        faults = [fault for fault in told.faults if fault in kinds]
        self.seen[call] += 1
        met = self.met[call]
        if not faults or (told.times is not None and met >= told.times) or self.seen[call] % told.every:
            return None
        self.met[call] += 1
        return faults[met % len(faults)]

    def name(self, kind: str) -> str:
        """A new id."""
        self.number += 1
        return f"{kind}_{self.number:06d}"


def shown(batch: Batch) -> dict[str, Any]:
    """The batch as the API describes it."""
    total, completed, failed = batch.counts
    return {
        "id": batch.id,
        "object": "batch",
        "endpoint": batch.endpoint,
        "input_file_id": batch.input_file,
        "completion_window": "24h",
        "status": batch.status,
        "output_file_id": batch.output_file,
        "error_file_id": batch.error_file,
        "errors": {"object": "list", "data": batch.errors} if batch.errors else None,
        "created_at": int(batch.created_at),
        "expires_at": int(batch.created_at + batch.window),
        f"{batch.status}_at": int(batch.ended_at) if batch.ended_at else None,
        "request_counts": {"total": total, "completed": completed, "failed": failed},
        "metadata": batch.metadata,
    }
