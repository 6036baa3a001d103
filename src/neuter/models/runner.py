"""Asking a model: requests in, responses out in the same order, each committed before it is seen."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from neuter.errors import UsageError
from neuter.models.budget import Budget, no_price
from neuter.models.calls import Call, Result
from neuter.models.catalog import ModelFacts, facts
from neuter.models.connection import Connection
from neuter.models.costs import Costs, answers_seen
from neuter.models.dispatch import Dispatcher, Waiting, listen, on_loop
from neuter.models.engines import find_engine
from neuter.models.in_batches import fill, has_open_batches, refuse_to_pay_twice, slices
from neuter.models.intake import Intake, response_of
from neuter.models.prices import price_of
from neuter.models.retry import RetryPolicy
from neuter.models.store import Store, open_store
from neuter.models.usage import Usage
from neuter.types import Outcome, Progress, Request, Response

#: Requests read ahead of the one that is waited for, for each call at once.
AHEAD = 4
#: Seconds that calls under way are given to end and be committed when the model is closed early.
GRACE = 60.0


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
    opened = open_store(store)
    budget.start(opened)
    connection = Connection(
        model,
        engine=engine,
        store=opened,
        costs=Costs(price, answers_seen(opened, model)),
        concurrency=concurrency or engine.provider.concurrency,
        timeout=timeout or engine.provider.timeout,
        policy=policy or RetryPolicy(),
        budget=budget,
    )
    return Model(
        model,
        connection=connection,
        store=opened,
        facts=facts(model, config),
        progress=progress,
        retry=_outcomes(retry),
        batch=batch,
    )


def _outcomes(given: Collection[Outcome]) -> frozenset[Outcome]:
    try:
        return frozenset(map(Outcome, given))
    except ValueError as error:
        raise UsageError(str(error), where="retry", todo=f"Outcomes: {', '.join(Outcome)}") from error


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
        connection: Connection,
        store: Store,
        facts: ModelFacts,
        progress: Progress | None,
        retry: frozenset[Outcome],
        batch: bool,
    ) -> None:
        self._name, self._connection, self._store = name, connection, store
        self._facts, self._progress, self._batch = facts, progress, batch
        self._address = connection.engine.base_url
        self._intake = Intake(name, base_url=self._address, facts=facts, store=store, retry=retry)
        self._in_open_batches = not batch and has_open_batches(store, name)
        self._lock = threading.RLock()
        self._dispatcher = Dispatcher()
        self._usage = Usage()
        self._process, self._closed = os.getpid(), False
        self._seen = self._reused = 0

    @property
    def model(self) -> str:
        """``PROVIDER/NAME``."""
        return self._name

    @property
    def usage(self) -> Usage:
        """What has been spent so far."""
        return self._usage.with_reused(self._reused)

    @property
    def facts(self) -> ModelFacts:
        """What the catalog knows of the model."""
        return self._facts

    @property
    def notes(self) -> list[str]:
        """What a reader of the results must know: what was not sent, and that the model changed under its name."""
        return self._intake.notes

    def __repr__(self) -> str:
        return f"<Model {self._name} at {self._address}, store {self._store.path}>"

    def check(self, *, online: bool = True) -> None:
        """Find out whether the model can be asked, without spending anything.

        ``online=False`` looks at key, packages and weights only and leaves the server alone; use it where
        the store may answer everything.

        Raises:
            ModelError: key missing or refused, server down, weights missing; the message says what to do.
            MissingExtra: the embedded model's package is not installed.
        """
        self._connection.check(online=online)

    def ask(self, requests: Iterable[Request]) -> Iterator[Response]:
        """Responses in the order of ``requests``, each committed to the store before it is yielded.

        Reads no further ahead than four requests for each call at once. A call that fails after its
        retries is a response with the outcome FAILED and a reason; it is asked again next time.

        Raises:
            ModelError: the server is down, or refuses the key or the model: no other request would do better.
            StoreError: a response could not be kept.
            LimitReached: the run may spend no more.
        """
        self._check_usable()
        return self._ask_in_batches(requests) if self._batch else self._ask_online(requests)

    def _check_usable(self) -> None:
        if self._process != os.getpid():
            raise UsageError(
                "a model does not go along into a forked process",
                where=self._name,
                todo="Connect anew there: the store is shared, and nothing is asked twice",
            )
        if self._closed:
            raise UsageError("the model is closed", where=self._name, todo="Connect anew")

    def _ask_online(self, requests: Iterable[Request]) -> Iterator[Response]:
        source, more = iter(requests), True
        window: deque[_Place] = deque()
        limit = AHEAD * self._connection.concurrency
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

    def cancel_batch(self, batch: str) -> None:
        """Ask the server to stop an open batch; what it has done by then is billed, and kept by the next ``--batch``.

        Raises:
            ModelError: there is no such batch under way, or the server will not stop it.
        """
        on_loop(self._connection.batches().cancel(batch))

    def give_up_batch(self, batch: str) -> None:
        """Wait no longer for an open batch: its requests may be billed, and are asked anew.

        Raises:
            ModelError: there is no such batch under way.
        """
        on_loop(self._connection.batches().give_up(batch))

    def close(self, *, wait: float | None = None) -> None:
        """Give calls under way time to be committed (at most ``wait`` seconds), then let go of server and store."""
        if self._closed or self._process != os.getpid():
            return  # a fork must not touch what its parent goes on with
        self._closed = True
        try:
            self._dispatcher.drain(min(self._connection.timeout, GRACE) if wait is None else wait)
        finally:
            self._connection.close()
            self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self, request: Request) -> _Place:
        call = self._intake.call_of(request)
        if isinstance(call, Response):
            return _Place(request, call)
        with self._lock:
            if waiting := self._dispatcher.join(call.key):
                return _Place(request, waiting=waiting, shared=True)
            found = self._intake.stored(request, call)
            if not isinstance(found, Call):
                return _Place(request, response_of(request, found, reused=True))
            if self._in_open_batches:
                refuse_to_pay_twice(self._store, self._name, call.key)
            return _Place(request, waiting=self._dispatcher.start(self._connection.caller(), found))

    def _end(self, place: _Place) -> Response:
        return self._seen_by_user(place.ready or self._awaited(place))

    def _seen_by_user(self, response: Response) -> Response:
        with self._lock:
            self._seen += 1
            if response.reused:
                self._reused += 1
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
        return response_of(place.request, result.response, reused=place.shared or result.kept)

    # Through the provider's batch API

    def _ask_in_batches(self, requests: Iterable[Request]) -> Iterator[Response]:
        for part in slices(requests, self._look_up):
            calls = part.calls
            reasons = fill(self._connection.batches(), calls, self._progress) if calls else {}
            fresh = {call.key for call in calls}
            for request, place in part.places:
                response = (
                    place if isinstance(place, Response) else self._filled(request, place, reasons, fresh)
                )
                yield self._seen_by_user(response)

    def _look_up(self, request: Request) -> Response | Call:
        call = self._intake.call_of(request)
        if isinstance(call, Response):
            return call
        found = self._intake.stored(request, call)
        return found if isinstance(found, Call) else response_of(request, found, reused=True)

    def _filled(
        self, request: Request, call: Call, reasons: Mapping[bytes, str], fresh: set[bytes]
    ) -> Response:
        first = call.key in fresh
        fresh.discard(call.key)
        stored = None if call.key in reasons else self._store.find(call.key)
        if first:
            self._count(Result(stored, attempts=1))
        if stored is None:
            return Response(request.id, Outcome.FAILED, reason=reasons.get(call.key, "no answer came back"))
        return response_of(request, stored, reused=not first)

    def _count(self, result: Result) -> None:
        if result.response:
            self._intake.versions.see(result.response)
        with self._lock:
            self._usage = self._usage.with_result(result)
