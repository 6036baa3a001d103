"""What a run may spend, which answers it asks for anew, and how it asks: settled before the first call."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from neuter.errors import UsageError
from neuter.models.budget import SpendingLimits
from neuter.types import Outcome

#: Outcomes that may be asked for anew; what was answered stays.
RETRIED = tuple(outcome for outcome in Outcome if outcome is not Outcome.ANSWERED)


@dataclass(frozen=True, slots=True)
class Spending:
    """The limits of a run, the outcomes that are asked again, and whether the provider's batch API is used.

    None of it decides what is asked, so that it is no part of a run's configuration.
    """

    limits: SpendingLimits = field(default_factory=SpendingLimits)
    retry: frozenset[Outcome] = frozenset()
    batch: bool = False


def spending(
    max_cost: float | None = None,
    max_requests: int | None = None,
    max_minutes: float | None = None,
    retry: str | Iterable[str] = (),
    batch: bool = False,
) -> Spending:
    """The arguments of a public function as one value.

    Args:
        max_cost: US dollars, of the run with all its resumptions.
        max_requests: sent, repeated ones among them, likewise.
        max_minutes: of this call.
        retry: outcomes, as a sequence or with commas between them.
        batch: through the provider's batch API.

    Raises:
        UsageError: a limit that is not above 0, or an outcome that is none; the message names the nearest.
    """
    return Spending(
        SpendingLimits(max_cost, max_requests, max_minutes), frozenset(map(_outcome, _words(retry))), batch
    )


def _words(retry: str | Iterable[str]) -> list[str]:
    given = [retry] if isinstance(retry, str) else list(retry or ())
    return [word.strip().lower() for one in given for word in str(one).split(",") if word.strip()]


def _outcome(word: str) -> Outcome:
    if word in RETRIED:
        return Outcome(word)
    known = [str(outcome) for outcome in RETRIED]
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(known)}"
    raise UsageError(f"--retry: no outcome {word!r} is asked again", todo=hint)
