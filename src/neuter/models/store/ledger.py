"""The ledger: what a run, a model or a day has cost, read from the attempts in the store."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace

from neuter.models.store import Store

#: Kinds of attempts that may have been billed although nothing usable came back.
POSSIBLY_BILLED = ("ambiguous", "abandoned")


@dataclass(frozen=True, slots=True)
class Spent:
    """What was spent. ``cost`` and ``possibly`` (on ``possibly_billed`` attempts) are in US dollars.

    ``attempts`` were taken up by a server; ``turned_away`` ones it refused for its rate, and ``unreachable`` ones never
    reached it: they cost nothing. ``under_way`` attempts (most of them in a batch) have not ended: they are estimated
    at ``under_way_cost``, and are among ``attempts``. Of ``unestimated`` ones nobody knows what they may cost.
    ``unpriced`` attempts were answered, and what they cost is not known: where there is a price, ``possibly`` has its
    estimate.
    """

    attempts: int = 0
    turned_away: int = 0
    unreachable: int = 0
    under_way: int = 0
    answered: int = 0
    possibly_billed: int = 0
    unpriced: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    possibly: float = 0.0
    under_way_cost: float = 0.0
    unestimated: int = 0

    @property
    def at_most(self) -> float:
        """The cost, with all that may have been billed and what is under way."""
        return self.cost + self.possibly + self.under_way_cost

    def plus(self, cost: float | None, possibly: float | None) -> Spent:
        """With one attempt more, for the run's limits."""
        return replace(
            self,
            attempts=self.attempts + 1,
            cost=self.cost + (cost or 0.0),
            possibly=self.possibly + (possibly or 0.0),
        )


_SUMS = """
    coalesce(sum(kind NOT IN ('rate_limited', 'unreachable')), 0),
    coalesce(sum(kind = 'rate_limited'), 0),
    coalesce(sum(kind = 'unreachable'), 0),
    coalesce(sum(kind = 'under_way'), 0),
    coalesce(sum(kind = 'answered'), 0),
    coalesce(sum(kind IN ('ambiguous', 'abandoned')), 0),
    coalesce(sum(kind = 'answered' AND cost IS NULL), 0),
    coalesce(sum(prompt_tokens), 0),
    coalesce(sum(completion_tokens), 0),
    coalesce(sum(cost), 0.0),
    coalesce(sum(CASE WHEN cost IS NULL AND kind <> 'under_way' THEN estimated_cost END), 0.0),
    coalesce(sum(CASE WHEN kind = 'under_way' THEN estimated_cost END), 0.0),
    coalesce(sum(kind IN ('ambiguous', 'abandoned', 'under_way') AND cost IS NULL AND estimated_cost IS NULL), 0)
"""


def spent_by_run(store: Store, run: str) -> Spent:
    """What a run has spent, all its resumptions together."""
    return store.read(
        lambda connection: Spent(
            *connection.execute(f"SELECT {_SUMS} FROM attempts WHERE run = ?", (run,)).fetchone()  # noqa: S608
        )
    )


def spent_by_model(store: Store, run: str | None = None) -> dict[str, Spent]:
    """What each model has cost, dearest first: in the whole store, or in one run."""

    def read(connection: sqlite3.Connection) -> dict[str, Spent]:
        rows = connection.execute(
            f"SELECT coalesce(model, ''), {_SUMS} FROM attempts WHERE ? IS NULL OR run = ? GROUP BY 1",  # noqa: S608
            (run, run),
        ).fetchall()
        found = {model: Spent(*sums) for model, *sums in rows}
        return dict(sorted(found.items(), key=lambda one: (-one[1].at_most, one[0])))

    return store.read(read)


def enter_run(store: Store, run: str, command: str, folder: str | None, started_at: str) -> None:
    """Give a run its row; one that is there already stays as it is."""
    store.write(
        lambda connection: connection.execute(
            "INSERT OR IGNORE INTO runs(id, command, folder, started_at) VALUES (?, ?, ?, ?)",
            (run, command, folder, started_at),
        )
    )
