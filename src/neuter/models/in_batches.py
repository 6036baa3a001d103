"""Asking through the provider's batch API: requests are read in large slices, and each slice is filled as a whole."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from neuter.errors import ModelError, UsageError
from neuter.models.batch import Batches, BatchSettings, open_batches
from neuter.models.calls import Call
from neuter.models.dispatch import listen
from neuter.models.engines import Engine
from neuter.models.loop import background_loop
from neuter.models.store import Store
from neuter.models.transport import OpenAITransport
from neuter.types import Request, Response

if TYPE_CHECKING:
    from neuter.models.budget import Budget
    from neuter.models.costs import Costs
    from neuter.models.retry import RetryPolicy
    from neuter.models.transport import Transport

#: Most requests and characters that are read before their answers are waited for: what they hold stays in memory.
SLICE, SLICE_CHARACTERS = 50_000, 100_000_000


@dataclass(slots=True)
class Slice:
    """Requests in their order, each with its response or the call that will bring it."""

    places: list[tuple[Request, Response | Call]] = field(default_factory=list)
    characters: int = 0

    @property
    def calls(self) -> list[Call]:
        """The calls to make, each key once."""
        return list({call.key: call for _, call in self.places if isinstance(call, Call)}.values())


def slices(requests: Iterable[Request], look_up: Callable[[Request], Response | Call]) -> Iterator[Slice]:
    """Requests looked up in the store, cut where a slice is full."""
    current = Slice()
    for request in requests:
        current.places.append((request, look_up(request)))
        current.characters += sum(len(content) for _, content in request.messages)
        if len(current.places) >= SLICE or current.characters >= SLICE_CHARACTERS:
            yield current
            current = Slice()
    if current.places:
        yield current


def batches_of(
    model: str,
    engine: Engine,
    transport: Transport,
    *,
    store: Store,
    costs: Costs,
    policy: RetryPolicy,
    budget: Budget,
    settings: BatchSettings | None = None,
) -> Batches:
    """The batch API of a model's server. To be called on the background loop.

    Raises:
        UsageError: the model runs inside this process.
    """
    if not isinstance(transport, OpenAITransport):
        raise UsageError(
            "there is no batch API: the model runs inside this process", where=model, todo="Leave out --batch"
        )
    return Batches(
        model=model,
        base_url=engine.base_url,
        provider=engine.provider,
        store=store,
        client=transport.client,
        price=costs.price,
        costs=costs,
        policy=policy,
        budget=budget,
        settings=settings or BatchSettings(url=engine.provider.batch_path),
        without_key=transport.without_key,
    )


def fill(
    batches: Batches, calls: Sequence[Call], told: Callable[[str, int, int], None] | None
) -> dict[bytes, str]:
    """``Batches.fill`` from the user's thread; Ctrl-C ends the waiting, and the batches stay known."""
    future = asyncio.run_coroutine_threadsafe(batches.fill(calls, told), background_loop())
    try:
        return listen(future)
    except BaseException:
        future.cancel()
        raise


def refuse_to_pay_twice(store: Store, model: str, key: bytes) -> None:
    """Stop before a request is asked online that waits in an open batch.

    Raises:
        ModelError: it names the batch and what can be done about it.
    """
    found = store.read(
        lambda connection: connection.execute(
            "SELECT b.id, b.remote, b.created_at, b.requests FROM batch_requests r JOIN batches b ON b.id = r.batch "
            "JOIN attempts a ON a.id = r.attempt WHERE r.key = ? AND a.kind = 'under_way'",
            (key,),
        ).fetchone()
    )
    if found is None:
        return
    id_, remote, made, requests = found
    raise ModelError(
        f"the request waits in batch {remote or id_} (made {made[:16]}, {requests:,} requests); online it would be "
        "paid twice",
        where=model,
        todo="Go on with --batch to wait for it, or give it up first: "
        f"neuter models batches --give-up {remote or id_}",
    )


def has_open_batches(store: Store, model: str) -> bool:
    """Whether any batch of ``model`` is still to be harvested."""
    return bool(open_batches(store, model))
