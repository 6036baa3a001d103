"""Intervals that are asked for one by one and computed together: one product with the weights serves them all."""

from __future__ import annotations

import numpy as np

from neuter.scoring.measures import Floats
from neuter.scoring.statistics import Interval, Weights, mean_intervals, share_intervals

#: Numbers that may wait: with sums and counts of eight bytes each, 64 MB.
LONGEST = 4_000_000


class IntervalQueue:
    """Takes sums and counts by firm, and gives each question a ticket; an answer is there when it is asked for.

    Args:
        weights: draws × firms, of ``firm_weights``.
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._waiting: list[tuple[range, Floats, Floats, bool]] = []
        self._done: dict[int, Interval] = {}
        self._tickets = self._numbers = 0

    def ask(self, sums: Floats, counts: Floats, *, bounded: bool) -> range:
        """Tickets for the intervals of ``sums / counts`` (questions × firms); ``bounded`` for shares."""
        tickets = range(self._tickets, self._tickets + sums.shape[0])
        self._tickets = tickets.stop
        self._waiting.append((tickets, sums, counts, bounded))
        self._numbers += sums.size
        if self._numbers > LONGEST:
            self._compute()
        return tickets

    def __getitem__(self, ticket: int) -> Interval:
        if ticket not in self._done:
            self._compute()
        return self._done[ticket]

    def _compute(self) -> None:
        for bounded, intervals in ((True, share_intervals), (False, mean_intervals)):
            asked = [entry for entry in self._waiting if entry[3] == bounded]
            if asked:
                sums, counts = (np.concatenate([entry[at] for entry in asked]).T for at in (1, 2))
                tickets = [ticket for entry in asked for ticket in entry[0]]
                self._done.update(zip(tickets, intervals(sums, counts, self._weights), strict=True))
        self._waiting, self._numbers = [], 0
