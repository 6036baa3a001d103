"""What a connected model has spent."""

from __future__ import annotations

from dataclasses import dataclass, replace

from neuter.models.calls import Result
from neuter.models.store.records import StoredResponse


@dataclass(frozen=True, slots=True)
class Usage:
    """What a connected model has spent: attempts sent, responses made and reused, calls failed, tokens paid.

    ``cost`` is in US dollars, over the ``made - unpriced`` responses whose cost is known.
    """

    attempts: int = 0
    made: int = 0
    reused: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0

    def with_reused(self, count: int) -> Usage:
        """So many responses more that were there already."""
        return replace(self, reused=self.reused + count)

    def with_result(self, result: Result) -> Usage:
        """What became of one call more."""
        tried = replace(self, attempts=self.attempts + result.attempts)
        if result.kept:
            return tried
        return tried.with_made(result.response) if result.response else tried.with_failed()

    def with_failed(self) -> Usage:
        """One call more that failed."""
        return replace(self, failed=self.failed + 1)

    def with_made(self, response: StoredResponse) -> Usage:
        """One response more that was paid for."""
        return replace(
            self,
            made=self.made + 1,
            prompt_tokens=self.prompt_tokens + (response.prompt_tokens or 0),
            completion_tokens=self.completion_tokens + (response.completion_tokens or 0),
            cost=self.cost + (response.cost or 0.0),
            unpriced=self.unpriced + (response.cost is None),
        )
