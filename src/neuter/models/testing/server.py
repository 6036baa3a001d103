"""A server on loopback that speaks the OpenAI protocol, misbehaves on demand and counts: for tests.

``python -m neuter.models.testing --port 8000 --fault 429 --times 1`` runs it by itself, ``loopback_server`` on a
thread inside a test, ``process.loopback_process`` in a process of its own.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.models.testing.answers import completion, prompt_tokens
from neuter.models.testing.batch import add_routes as add_batch_routes
from neuter.models.testing.faults import PASSING, as_json, error, misbehave, wrong_key
from neuter.models.testing.limits import Gate, waiting_headers

if TYPE_CHECKING:
    from aiohttp import web

ANSWER = (
    "Company Estimate: AAPL, Industry Estimate: Technology Hardware, Quarter Estimate: 3, Year Estimate: 2020"
)
#: What may change under a model's name, and what it changes to.
CHANGES: Mapping[str, str] = {"model": "-changed", "fingerprint": "_changed"}


@dataclass(slots=True)
class Behaviour:
    """What the server does. ``delay`` is in seconds; ``answer`` is a text or a function of the request body.

    ``faults`` come in turn; each body meets ``times`` of them (None: always), then the answer. With
    ``fault_share`` each sending meets one of them by chance instead (of PASSING where none is named), whatever
    its body. ``rate`` is requests a second out of a bucket of ``burst`` (a second's worth); beyond it, beyond
    ``tokens_per_minute`` and ``most_at_once`` calls are refused, with the wait said as ``retry_after_as`` has it.
    After ``change_after`` answers, ``changes`` (of CHANGES) have another value.
    """

    answer: str | Callable[[dict[str, Any]], str] = ANSWER
    faults: Sequence[str] = ()
    times: int | None = None
    fault_share: float = 0.0
    seed: int = 0
    retry_after: str = "0"
    retry_after_as: str = "seconds"
    rate: float | None = None
    burst: float | None = None
    tokens_per_minute: float | None = None
    most_at_once: int | None = None
    busy_status: int = 429
    change_after: int | None = None
    changes: Sequence[str] = ("model",)
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    delay: float = 0.0
    key: str | None = None
    count_file: Path | None = None

    def gate(self) -> Gate:
        """The limits, their buckets full."""
        return Gate(
            rate=self.rate,
            burst=self.burst,
            tokens_per_minute=self.tokens_per_minute,
            most_at_once=self.most_at_once,
            busy_status=self.busy_status,
        )


@dataclass(slots=True)
class LoopbackServer:
    """A running server: its ``base_url``, and what it has counted.

    ``granted`` calls were within the limits and ``refused`` ones were not; of those granted, ``faulted`` met a
    fault and ``answered`` got an answer that a provider would bill.
    """

    behaviour: Behaviour
    base_url: str = ""
    by_body: Counter[str] = field(default_factory=Counter)
    answered_by_body: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    requests: int = 0
    most: int = 0
    granted: int = 0
    refused: int = 0
    faulted: int = 0
    answered: int = 0
    at_once: int = 0
    peak: int = 0
    keep_bodies: bool = False
    _met: Counter[str] = field(default_factory=Counter)
    _random: random.Random | None = None

    @property
    def unique(self) -> int:
        """Different request bodies among the requests."""
        return len(self.by_body)

    def counts(self) -> dict[str, int]:
        """What ``GET /_count`` answers."""
        names = ("requests", "unique", "most", "peak", "granted", "refused", "faulted", "answered")
        return {name: int(getattr(self, name)) for name in names}

    def count(self, body: Mapping[str, Any]) -> str:
        """Count a call for the model, on whatever channel; returns the name under which its body is counted."""
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        self.by_body[digest] += 1
        self.requests += 1
        self.most = max(self.most, self.by_body[digest])
        if self.keep_bodies:
            self.bodies.append(dict(body))
        return digest

    def fault(self, digest: str) -> str | None:
        """The fault that this sending of a body meets, or None."""
        faults, times = self.behaviour.faults, self.behaviour.times
        if self.behaviour.fault_share:
            return self._by_chance(faults or PASSING)
        if not faults or (times is not None and self._met[digest] >= times):
            return None
        place = self.faulted if times is None else self._met[digest]
        self._met[digest] += 1
        self.faulted += 1
        return faults[place % len(faults)]

    def answer(self, body: dict[str, Any], digest: str, fault: str | None = None) -> dict[str, Any]:
        """The completion for ``body``, counted as answered; ``fault`` is one of ANSWER_FAULTS."""
        told = self.behaviour
        changed = told.changes if told.change_after is not None and self.answered >= told.change_after else ()
        self.answered += 1
        self.answered_by_body[digest] += 1
        return completion(
            body,
            self.text(body),
            fault=fault,
            model=f"{body.get('model', '')}-loopback{CHANGES['model'] if 'model' in changed else ''}",
            fingerprint=f"fp_loopback{CHANGES['fingerprint'] if 'fingerprint' in changed else ''}",
            cached_tokens=told.cached_tokens,
            reasoning_tokens=told.reasoning_tokens,
        )

    def text(self, body: dict[str, Any]) -> str:
        """What the model says to ``body``."""
        answer = self.behaviour.answer
        return answer(body) if callable(answer) else answer

    def _by_chance(self, faults: Sequence[str]) -> str | None:
        if self._random is None:
            self._random = random.Random(self.behaviour.seed)  # noqa: S311
        if self._random.random() >= self.behaviour.fault_share:
            return None
        self.faulted += 1
        return self._random.choice(faults)


@contextmanager
def loopback_server(
    port: int = 0, *, keep_bodies: bool = False, **behaviour: Any
) -> Iterator[LoopbackServer]:
    """A server on a thread of its own; keyword arguments are those of ``Behaviour``.

    >>> with loopback_server(answer="hello") as server:
    ...     server.requests
    0
    """
    server = LoopbackServer(Behaviour(**behaviour), keep_bodies=keep_bodies)
    loop, started, ended = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    failures: list[BaseException] = []

    def run() -> None:
        try:
            loop.run_until_complete(_serve(server, port, started, ended))
        except OSError as error:
            failures.append(error)
            started.set()
        finally:
            loop.close()

    thread = threading.Thread(target=run, name="neuter-loopback", daemon=True)
    thread.start()
    started.wait()
    if failures:
        raise failures[0]
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()


async def _serve(server: LoopbackServer, port: int, started: threading.Event, ended: asyncio.Event) -> None:
    from aiohttp import web

    handler = _Handler(server)
    app = web.Application(client_max_size=1 << 28)
    app.router.add_post("/v1/chat/completions", handler.complete)
    app.router.add_get("/v1/models", handler.models)
    app.router.add_get("/_count", handler.count)
    add_batch_routes(app, server)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    server.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    started.set()
    await ended.wait()
    await runner.cleanup()


class _Handler:
    def __init__(self, server: LoopbackServer) -> None:
        self._server, self._told = server, server.behaviour
        self._gate = server.behaviour.gate()

    async def count(self, _: web.Request) -> web.Response:
        return as_json(self._server.counts())

    async def models(self, request: web.Request) -> web.Response:
        if refused := self._wrong_key(request):
            return refused
        return as_json({"object": "list", "data": [{"id": "loopback", "object": "model"}]})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        body = _read_body(await request.read())
        if body is None:
            return error(400, "the body is not a JSON object", code="invalid_request_error")
        server = self._server
        digest = server.count(body)
        server.at_once += 1
        server.peak = max(server.peak, server.at_once)
        try:
            return await self._reply(request, body, digest)
        finally:
            server.at_once -= 1

    async def _reply(self, request: web.Request, body: dict[str, Any], digest: str) -> web.StreamResponse:
        if refused := self._wrong_key(request) or self._too_much(body):
            self._write_counts()
            return refused
        self._server.granted += 1
        fault = self._server.fault(digest)
        self._write_counts()
        if self._told.delay:
            await asyncio.sleep(self._told.delay)
        if fault and (instead := await misbehave(fault, request, self._told.retry_after)):
            return instead
        reply = as_json(self._server.answer(body, digest, fault))
        self._write_counts()
        return reply

    def _wrong_key(self, request: web.Request) -> web.Response | None:
        wanted = self._told.key
        if wanted is None or request.headers.get("Authorization") == f"Bearer {wanted}":
            return None
        return wrong_key(request)

    def _too_much(self, body: dict[str, Any]) -> web.Response | None:
        tokens = 0
        if self._told.tokens_per_minute:
            tokens = prompt_tokens(body) + len(self._server.text(body).split())
        refusal = self._gate.refusal(tokens, self._server.at_once - 1)
        if refusal is None:
            return None
        self._server.refused += 1
        headers = waiting_headers(refusal.wait, self._told.retry_after_as)
        return error(refusal.status, "Rate limit reached", code="rate_limit_exceeded", headers=headers)

    def _write_counts(self) -> None:
        if self._told.count_file:
            self._told.count_file.write_text(json.dumps(self._server.counts()), encoding="utf-8")


def _read_body(raw: bytes) -> dict[str, Any] | None:
    try:
        body = json.loads(raw)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the server until it is interrupted; prints its address first."""
    from neuter.models.testing.options import read_options

    port, behaviour = read_options(arguments, ANSWER, tuple(CHANGES))
    with loopback_server(port, **behaviour) as server:
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        # Windows does not interrupt a wait without an end.
        try:
            while not threading.Event().wait(0.5):
                pass
        except KeyboardInterrupt:
            return 0
    return 0
