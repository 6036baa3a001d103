"""How much the next batch may hold: the provider's limits, the queue's limit of tokens, and what the run may spend."""

from __future__ import annotations

from collections.abc import Sequence

from neuter.errors import LimitReached, ModelError
from neuter.models.batch.files import Room
from neuter.models.batch.rows import characters_in, read_open, requests_in
from neuter.models.batch.settings import BatchSettings
from neuter.models.budget import Budget, cost_reached, requests_reached
from neuter.models.costs import CHARACTERS_A_TOKEN
from neuter.models.store import Store
from neuter.models.store.ledger import Spent, spent_by_run


class Rooms:
    """Measures the room for batches of one model. What is under way counts by its estimates, as the ledger has them."""

    def __init__(
        self, *, model: str, base_url: str, store: Store, budget: Budget, settings: BatchSettings
    ) -> None:
        self._model, self._base_url, self._where = model, base_url, f"{model} at {base_url}"
        self._store, self._budget, self._settings = store, budget, settings
        self._most_tokens = settings.most_tokens

    def room(self, first: int) -> Room | None:
        """Room for the next batch, whose first prompt has ``first`` tokens; None: wait for a batch to end.

        Raises:
            LimitReached: the run may send no more, and nothing is under way that might turn out cheaper.
        """
        spent, limits = self._spent(), self._budget.limits
        requests, dollars = self._settings.most_requests, None
        if limits.max_requests is not None:
            requests = min(requests, limits.max_requests - spent.attempts)
        if limits.max_cost is not None:
            dollars = limits.max_cost - spent.at_most
        if requests <= 0 or (dollars is not None and dollars <= 0):
            self.refuse()
            return None
        others = self._open()
        tokens = None if self._most_tokens is None else max(0, self._most_tokens - self._tokens(others))
        if tokens is not None and others and tokens < first:
            return None
        return Room(requests, self._settings.most_bytes, tokens, dollars)

    def refuse(self) -> None:
        """Nothing more fits into what the run may spend.

        Raises:
            LimitReached: and nothing is under way that might turn out cheaper.
        """
        if self._open():
            return
        spent, limits = self._spent(), self._budget.limits
        if limits.max_requests is not None and spent.attempts >= limits.max_requests:
            raise requests_reached(spent.attempts, limits.max_requests)
        raise cost_reached(spent, limits.max_cost or 0.0)

    def check_time(self) -> None:
        """Stop waiting where the run's time is up.

        Raises:
            LimitReached: it is.
        """
        if self._budget.seconds_left <= 0:
            raise LimitReached(
                f"the run has used its {self._budget.limits.max_minutes:g} minutes (--max-minutes)",
                todo="Batches under way are kept: the same command goes on with them",
            )

    def narrow(self, refused: str, words: str) -> None:
        """The server's queue could not take the batch ``refused`` beside the open ones: half of that from now on.

        Raises:
            ModelError: it was one request, and the queue was empty of ours; ``words`` are the server's.
        """
        others = self._open()
        requests = self._store.read(lambda connection: requests_in(connection, refused))
        if requests <= 1 and not others:
            raise ModelError(
                words,
                where=self._where,
                todo="Wait until the queue has room; the same command goes on from here",
            )
        enqueued = self._tokens([refused, *others])
        most = enqueued if self._most_tokens is None else min(enqueued, self._most_tokens)
        self._most_tokens = max(1, most // 2)

    def _open(self) -> list[str]:
        batches = self._store.read(lambda connection: read_open(connection, self._model, self._base_url))
        return [batch.id for batch in batches]

    def _tokens(self, batches: Sequence[str]) -> int:
        return self._store.read(lambda connection: characters_in(connection, batches)) // CHARACTERS_A_TOKEN

    def _spent(self) -> Spent:
        return spent_by_run(self._store, self._budget.run)
