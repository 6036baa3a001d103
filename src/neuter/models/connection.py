"""A model's server as it is reached: at the first request that the store cannot answer, and not before."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from neuter.models.budget import Budget
from neuter.models.caller import Caller
from neuter.models.costs import Costs
from neuter.models.dispatch import on_loop
from neuter.models.engines import Engine
from neuter.models.in_batches import batches_of
from neuter.models.limits import Limits, limits_of
from neuter.models.reach import reach
from neuter.models.retry import RetryPolicy
from neuter.models.store import Store

if TYPE_CHECKING:
    from neuter.models.batch import Batches


class Connection:
    """How one model is called: ``concurrency`` calls at most, ``timeout`` seconds for each attempt."""

    def __init__(
        self,
        model: str,
        *,
        engine: Engine,
        store: Store,
        costs: Costs,
        concurrency: int,
        timeout: float,
        policy: RetryPolicy,
        budget: Budget,
    ) -> None:
        self.engine, self.concurrency, self.timeout = engine, concurrency, timeout
        self._model, self._store, self._costs = model, store, costs
        self._policy, self._budget = policy, budget
        self._lock = threading.Lock()
        self._caller: Caller | None = None

    def check(self, *, online: bool) -> None:
        """Find out whether the model can be asked; ``online`` also speaks to the server.

        Raises:
            ModelError: key missing or refused, server down, weights missing; the message says what to do.
            MissingExtra: the embedded model's package is not installed.
        """
        self.engine.check()
        if online:
            on_loop(reach(self._model, self.engine, self.timeout))

    def caller(self) -> Caller:
        """The caller, made at the first request that the store cannot answer.

        Raises:
            ModelError, MissingExtra: as ``check``, without the server.
        """
        with self._lock:
            if self._caller is None:
                self.engine.check()
                self._caller = on_loop(self._make_caller())
            return self._caller

    def batches(self) -> Batches:
        """The batch API of the same server.

        Raises:
            UsageError: the model runs inside this process.
            ModelError: as ``caller``.
        """
        transport = self.caller().transport

        async def make() -> Batches:
            return batches_of(
                self._model,
                self.engine,
                transport,
                store=self._store,
                costs=self._costs,
                policy=self._policy,
                budget=self._budget,
            )

        return on_loop(make())

    def close(self) -> None:
        """Let go of the server."""
        with self._lock:
            if self._caller:
                on_loop(self._caller.transport.close())
                self._caller = None

    async def _make_caller(self) -> Caller:
        return Caller(
            model=self._model,
            provider=self.engine.provider,
            transport=self.engine.open(timeout=self.timeout, concurrency=self.concurrency),
            base_url=self.engine.base_url,
            store=self._store,
            limits=self._limits(),
            concurrency=self.concurrency,
            policy=self._policy,
            timeout=self.timeout,
            budget=self._budget,
            costs=self._costs,
        )

    def _limits(self) -> Limits:
        provider = self.engine.provider
        return limits_of(
            self.engine.base_url,
            self.concurrency,
            requests_per_minute=provider.requests_per_minute,
            tokens_per_minute=provider.tokens_per_minute,
        )
