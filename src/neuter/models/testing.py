"""A server on loopback that speaks the OpenAI protocol, misbehaves on demand and counts: for tests.

``python -m neuter.models.testing --port 8000 --fault 429 --times 1`` runs it by itself; ``loopback_server``
runs it inside a test.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.models.testing_faults import FAULTS, MISBEHAVIOURS, STATUSES, as_json, error, wrong_key

if TYPE_CHECKING:
    from aiohttp import web

ANSWER = (
    "Company Estimate: AAPL, Industry Estimate: Technology Hardware, Quarter Estimate: 3, Year Estimate: 2020"
)


@dataclass(slots=True)
class Behaviour:
    """What the server does. ``faults`` come in turn; each body meets ``times`` of them (None: always),
    then the answer, which is a text or a function of the request body. ``delay`` is in seconds."""

    answer: str | Callable[[dict[str, Any]], str] = ANSWER
    faults: Sequence[str] = ()
    times: int | None = None
    retry_after: str = "0"
    delay: float = 0.0
    key: str | None = None
    count_file: Path | None = None


@dataclass(slots=True)
class LoopbackServer:
    """A running server: its ``base_url``, and what it has counted."""

    behaviour: Behaviour
    base_url: str = ""
    by_body: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    at_once: int = 0
    peak: int = 0

    @property
    def requests(self) -> int:
        """Calls to the model so far, failed ones among them."""
        return self.by_body.total()

    @property
    def unique(self) -> int:
        """Different request bodies among them."""
        return len(self.by_body)

    def counts(self) -> dict[str, int]:
        """What ``GET /_count`` answers."""
        most = max(self.by_body.values(), default=0)
        return {"requests": self.requests, "unique": self.unique, "most": most, "peak": self.peak}


@contextmanager
def loopback_server(
    port: int = 0, *, keep_bodies: bool = False, **behaviour: Any
) -> Iterator[LoopbackServer]:
    """A server on a thread of its own; keyword arguments are those of ``Behaviour``.

    >>> with loopback_server(answer="hello") as server:
    ...     server.requests
    0
    """
    server = LoopbackServer(Behaviour(**behaviour))
    loop, started, ended = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    failures: list[BaseException] = []

    def run() -> None:
        try:
            loop.run_until_complete(_serve(server, port, keep_bodies, started, ended))
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


async def _serve(
    server: LoopbackServer, port: int, keep_bodies: bool, started: threading.Event, ended: asyncio.Event
) -> None:
    from aiohttp import web

    handler = _Handler(server, keep_bodies)
    app = web.Application(client_max_size=1 << 28)
    app.router.add_post("/v1/chat/completions", handler.complete)
    app.router.add_get("/v1/models", handler.models)
    app.router.add_get("/_count", handler.count)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    server.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    started.set()
    await ended.wait()
    await runner.cleanup()


class _Handler:
    def __init__(self, server: LoopbackServer, keep_bodies: bool) -> None:
        self._server, self._keep_bodies = server, keep_bodies
        self._behaviour = server.behaviour

    async def count(self, _: web.Request) -> web.Response:
        return as_json(self._server.counts())

    async def models(self, request: web.Request) -> web.Response:
        if refused := self._refused(request):
            return refused
        return as_json({"object": "list", "data": [{"id": "loopback", "object": "model"}]})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        fault = self._counted(raw)
        self._server.at_once += 1
        self._server.peak = max(self._server.peak, self._server.at_once)
        try:
            if self._behaviour.delay:
                await asyncio.sleep(self._behaviour.delay)
            if refused := self._refused(request):
                return refused
            return await self._behave(request, json.loads(raw), fault)
        finally:
            self._server.at_once -= 1

    def _counted(self, raw: bytes) -> str | None:
        """Count the request; the fault that it meets, or None."""
        digest = hashlib.sha256(raw).hexdigest()
        earlier = self._server.by_body[digest]
        self._server.by_body[digest] += 1
        if self._keep_bodies:
            self._server.bodies.append(json.loads(raw))
        if self._behaviour.count_file:
            self._behaviour.count_file.write_text(json.dumps(self._server.counts()), encoding="utf-8")
        faults, times = self._behaviour.faults, self._behaviour.times
        if not faults or (times is not None and earlier >= times):
            return None
        return faults[(self._server.requests - 1 if times is None else earlier) % len(faults)]

    def _refused(self, request: web.Request) -> web.Response | None:
        wanted = self._behaviour.key
        if wanted is None or request.headers.get("Authorization") == f"Bearer {wanted}":
            return None
        return wrong_key(request)

    async def _behave(
        self, request: web.Request, body: dict[str, Any], fault: str | None
    ) -> web.StreamResponse:
        if fault in STATUSES:
            headers = {"Retry-After": self._behaviour.retry_after} if fault == "429" else {}
            return error(int(fault), f"the server was told to answer {fault}", headers=headers)
        if fault in MISBEHAVIOURS:
            return await MISBEHAVIOURS[fault](request)
        answer = self._behaviour.answer
        text = answer(body) if callable(answer) else answer
        return as_json(_completion(body, text, fault))


def _completion(body: dict[str, Any], text: str, fault: str | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    finish = {"filter": "content_filter", "length": "length"}.get(fault or "", "stop")
    if fault == "blank":
        message["content"] = ""
    if fault == "refuse":
        message |= {"content": None, "refusal": "I'm sorry, I can't help with that."}
    words = sum(len(str(m.get("content", "")).split()) for m in body.get("messages", []))
    usage = {"prompt_tokens": words, "completion_tokens": len(text.split())}
    return {
        "id": "chatcmpl-loopback",
        "object": "chat.completion",
        "created": 0,
        "model": f"{body.get('model', '')}-loopback",
        "system_fingerprint": "fp_loopback",
        "choices": [] if fault == "empty" else [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage | {"total_tokens": sum(usage.values())},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the server until it is interrupted; prints its address first."""
    options = _parser().parse_args(arguments)
    behaviour = {
        "answer": options.answer,
        "faults": options.fault,
        "times": options.times,
        "retry_after": options.retry_after,
        "delay": options.delay,
        "key": options.key,
        "count_file": options.count_file,
    }
    with loopback_server(options.port, **behaviour) as server:
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return 0
    return 0


def _parser() -> argparse.ArgumentParser:
    faults = "; ".join(f"{name}: {what}" for name, what in FAULTS.items())
    parser = argparse.ArgumentParser(prog="python -m neuter.models.testing", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--answer", default=ANSWER, help="the text of every answer")
    parser.add_argument("--fault", action="append", default=[], choices=list(FAULTS), help=faults)
    parser.add_argument(
        "--times", type=int, help="faults that each different request meets (default: always)"
    )
    parser.add_argument("--retry-after", default="0", help="what 429 says in Retry-After")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--key", help="refuse every other key with 401")
    parser.add_argument("--count-file", type=Path, help="keep the counts in this file, as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
