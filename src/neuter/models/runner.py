"""Asking a model: requests in, responses out in the same order, each committed before it is seen."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from neuter.models.abilities import left_out
from neuter.models.budget import Budget, no_price
from neuter.models.caller import Call, Caller, Result
from neuter.models.catalog import ModelFacts, facts
from neuter.models.context import too_long
from neuter.models.costs import Costs
from neuter.models.dispatch import Dispatcher, Waiting, listen, on_loop
from neuter.models.engines import Engine, find_engine
from neuter.models.keys import request_body, request_key
from neuter.models.limits import Limits, limits_of
from neuter.models.prices import price_of
from neuter.models.providers import split_name
from neuter.models.reach import reach
from neuter.models.records import StoredResponse
from neuter.models.retry import RetryPolicy
from neuter.models.store import Store
from neuter.models.versions import Versions
from neuter.types import Outcome, Progress, Request, Response

#: Requests read ahead of the one that is waited for, for each call at once.
AHEAD = 4
#: Seconds that calls under way are given to end and be committed when the model is closed early.
GRACE = 60.0


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


def connect(
    model: str,
    *,
    store: Path | None = None,
    config: Path | None = None,
    concurrency: int | None = None,
    timeout: float | None = None,
    progress: Progress | None = None,
    policy: RetryPolicy | None = None,
    budget: Budget | None = None,
    retry: Collection[Outcome] = (),
    batch: bool = False,
) -> Model:
    """A model to ask, named ``PROVIDER/NAME``; use it as a context manager.

    Nothing is sent before the first request that the store cannot answer.

    Args:
        store: the file of responses; by default ``NEUTER_STORE``, else in the user's cache.
        config: a ``neuter.toml`` on top of the user's and the working folder's.
        concurrency: the most calls at once (they adapt below it), by default the provider's.
        timeout: seconds of each attempt, by default the provider's.
        budget: what the run may spend, shared by its models; by default without a limit.
        retry: stored responses with these outcomes are asked again, once.
        batch: through the provider's batch API: cheaper, and within a day instead of at once.

    Raises:
        ModelError: the provider is not configured.
        UsageError: the name or the configuration is wrong; a limit on cost and a model without a price.
        StoreError: the store cannot be opened.
    """
    engine = find_engine(model, config)
    price = price_of(model, config)
    budget = budget or Budget()
    if budget.limits.max_cost is not None and price is None:
        raise no_price(model)
    return Model(
        model,
        engine=engine,
        store=Store(store),
        facts=facts(model, config),
        costs=Costs(price),
        concurrency=concurrency or engine.provider.concurrency,
        timeout=timeout or engine.provider.timeout,
        progress=progress,
        policy=policy or RetryPolicy(),
        budget=budget,
        retry=frozenset(retry),
        batch=batch,
    )


@dataclass(slots=True)
class _Place:
    """A request's place in the queue: its response, or the call that it waits for."""

    request: Request
    ready: Response | None = None
    waiting: Waiting | None = None
    shared: bool = False

    @property
    def done(self) -> bool:
        return self.waiting is None or self.waiting.future.done()


class Model:
    """A connected model (see ``connect``). Safe to use from several threads."""

    def __init__(
        self,
        name: str,
        *,
        engine: Engine,
        store: Store,
        facts: ModelFacts,
        costs: Costs,
        concurrency: int,
        timeout: float,
        progress: Progress | None,
        policy: RetryPolicy,
        budget: Budget,
        retry: frozenset[Outcome],
        batch: bool,
    ) -> None:
        self._name, self._engine, self._store = name, engine, store
        self._facts, self._costs, self._budget = facts, costs, budget
        self._concurrency, self._timeout = concurrency, timeout
        self._progress, self._policy = progress, policy
        self._retry, self._batch = retry, batch
        self._opened_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._remote_name = split_name(name)[1]
        self._versions = Versions(name)
        self._left_out: set[str] = set()
        budget.start(store)
        self._lock = threading.RLock()
        self._dispatcher = Dispatcher()
        self._caller: Caller | None = None
        self._usage = Usage()
        self._seen = 0

    @property
    def model(self) -> str:
        """``PROVIDER/NAME``."""
        return self._name

    @property
    def usage(self) -> Usage:
        """What has been spent so far."""
        return self._usage

    @property
    def facts(self) -> ModelFacts:
        """What the catalog knows of the model."""
        return self._facts

    @property
    def notes(self) -> list[str]:
        """What a reader of the results must know: what was not sent, and that the model changed under its name."""
        refused = [f"{name} was not sent to {self._name}: it takes none" for name in sorted(self._left_out)]
        return [*refused, *self._versions.notes()]

    def __repr__(self) -> str:
        return f"<Model {self._name} at {self._engine.base_url}, store {self._store.path}>"

    def check(self, *, online: bool = True) -> None:
        """Find out whether the model can be asked, without spending anything.

        ``online=False`` looks at key, packages and weights only and leaves the server alone; use it where
        the store may answer everything.

        Raises:
            ModelError: key missing or refused, server down, weights missing; the message says what to do.
            MissingExtra: the embedded model's package is not installed.
        """
        self._engine.check()
        if online:
            on_loop(reach(self._name, self._engine, self._timeout))

    def ask(self, requests: Iterable[Request]) -> Iterator[Response]:
        """Responses in the order of ``requests``, each committed to the store before it is yielded.

        Reads no further ahead than four requests for each call at once. A call that fails after its
        retries is a response with the outcome FAILED and a reason; it is asked again next time.

        Raises:
            ModelError: the server is down, or refuses the key or the model: no other request would do better.
            StoreError: a response could not be kept.
        """
        source, more = iter(requests), True
        window: deque[_Place] = deque()
        limit = AHEAD * self._concurrency
        try:
            while more or window:
                if more and len(window) < limit:
                    request = next(source, None)
                    more = request is not None
                    if request is not None:
                        window.append(self._begin(request))
                if window and (window[0].done or not more or len(window) >= limit):
                    response = self._end(window[0])
                    window.popleft()
                    yield response
        finally:
            for place in window:
                if place.waiting:
                    self._dispatcher.leave(place.waiting)

    def close(self) -> None:
        """Give calls under way time to be committed, then let go of server and store."""
        try:
            self._dispatcher.drain(min(self._timeout, GRACE))
        finally:
            if self._caller:
                on_loop(self._caller.transport.close())
                self._caller = None
            self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self, request: Request) -> _Place:
        if reason := too_long(request.messages, self._facts):
            return _Place(request, Response(request.id, Outcome.FAILED, reason=reason))
        self._left_out.update(left_out(request.parameters, self._facts))
        body = request_body(request, self._remote_name, self._facts)
        key = request_key(body, self._engine.base_url, request.sample)
        with self._lock:
            if waiting := self._dispatcher.join(key):
                return _Place(request, waiting=waiting, shared=True)
            stored = self._store.find(key)
            if stored and not self._is_asked_again(request, stored):
                self._versions.see(stored)
                return _Place(request, _response(request, stored, reused=True))
            call = Call(key, body, request.sample, stored.created_at if stored else None)
            return _Place(request, waiting=self._dispatcher.start(self._connected(), call))

    def _is_asked_again(self, request: Request, stored: StoredResponse) -> bool:
        """An outcome that the user wants asked again, unless that was done since this model was connected."""
        if not self._retry or stored.created_at >= self._opened_at:
            return False
        outcome = stored.outcome
        if outcome is Outcome.ANSWERED and request.outcome_of is not None:
            outcome = request.outcome_of(stored.text or "")
        return outcome in self._retry

    def _end(self, place: _Place) -> Response:
        response = place.ready or self._awaited(place)
        with self._lock:
            self._seen += 1
            if response.reused:
                self._usage = replace(self._usage, reused=self._usage.reused + 1)
        if self._progress:
            self._progress(self._name, self._seen, None)
        return response

    def _awaited(self, place: _Place) -> Response:
        assert place.waiting is not None
        result = listen(place.waiting.future)
        if not place.shared:
            self._count(result)
        if result.response is None:
            return Response(place.request.id, Outcome.FAILED, reason=result.reason)
        return _response(place.request, result.response, reused=place.shared or result.kept)

    def _connected(self) -> Caller:
        """The caller, made at the first request that the store cannot answer."""
        with self._lock:
            if self._caller is None:
                self._engine.check()
                self._caller = on_loop(self._make_caller())
            return self._caller

    async def _make_caller(self) -> Caller:
        return Caller(
            model=self._name,
            provider=self._engine.provider,
            transport=self._engine.open(timeout=self._timeout, concurrency=self._concurrency),
            base_url=self._engine.base_url,
            store=self._store,
            limits=self._limits(),
            concurrency=self._concurrency,
            policy=self._policy,
            timeout=self._timeout,
            budget=self._budget,
            costs=self._costs,
        )

    def _limits(self) -> Limits:
        provider = self._engine.provider
        return limits_of(
            self._engine.base_url,
            self._concurrency,
            requests_per_minute=provider.requests_per_minute,
            tokens_per_minute=provider.tokens_per_minute,
        )

    def _count(self, result: Result) -> None:
        response = result.response
        if response:
            self._versions.see(response)
        with self._lock:
            usage = self._usage
            if result.kept:
                self._usage = replace(usage, attempts=usage.attempts + result.attempts)
                return
            self._usage = replace(
                usage,
                attempts=usage.attempts + result.attempts,
                made=usage.made + (response is not None),
                failed=usage.failed + (response is None),
                cost=usage.cost + ((response and response.cost) or 0.0),
                unpriced=usage.unpriced + (response is not None and response.cost is None),
                prompt_tokens=usage.prompt_tokens + ((response and response.prompt_tokens) or 0),
                completion_tokens=usage.completion_tokens + ((response and response.completion_tokens) or 0),
            )


def _response(request: Request, stored: StoredResponse, *, reused: bool) -> Response:
    return Response(
        id=request.id,
        outcome=stored.outcome,
        text=stored.text,
        model=stored.server_model or stored.model,
        key=stored.key.hex(),
        reused=reused,
        finish_reason=stored.finish_reason,
        prompt_tokens=stored.prompt_tokens,
        completion_tokens=stored.completion_tokens,
        reason=stored.reason,
    )
