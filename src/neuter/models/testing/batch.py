"""The loopback server's batch API: files and batches, misbehaving as told through ``POST /_batch``.

Each line of a batch is answered and counted as a call online would be, and meets the same faults of ``Behaviour``; the
faults of files and batches are set here. ``tell_batches(base_url, ...)`` sets them and answers what has been counted.
"""

from __future__ import annotations

import json
import time
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from neuter.models.testing.answers import ANSWER_FAULTS
from neuter.models.testing.batch_state import BATCH_FAULTS, Batch, State, shown
from neuter.models.testing.faults import FAULTS, as_json, error, misbehave, wrong_key
from neuter.models.testing.lines import answer_lines, as_lines, spoilt

if TYPE_CHECKING:
    from aiohttp import web

    from neuter.models.testing.server import LoopbackServer

_PAGE = 20


def tell_batches(base_url: str, **behaviour: Any) -> dict[str, Any]:
    """Set some of ``BatchBehaviour`` on a running server (faults begin to count anew); returns its counts: ``files``,
    ``batches`` made, ``calls`` by name and ``states`` of the batches."""
    url = base_url.removesuffix("/v1") + "/_batch"
    request = urllib.request.Request(url, json.dumps(behaviour).encode(), method="POST")  # noqa: S310
    directly = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with directly.open(request, timeout=30) as reply:
        counts: dict[str, Any] = json.loads(reply.read())
    return counts


def add_routes(app: web.Application, server: LoopbackServer) -> None:
    """Let ``app`` serve the batch API."""
    part = _BatchApi(server)
    routes: Sequence[tuple[str, str, str, _Handler]] = (
        ("POST", "/v1/files", "upload", part.upload),
        ("GET", "/v1/files/{id}/content", "content", part.content),
        ("DELETE", "/v1/files/{id}", "delete", part.delete),
        ("POST", "/v1/batches", "create", part.create),
        ("GET", "/v1/batches", "list", part.list),
        ("GET", "/v1/batches/{id}", "retrieve", part.retrieve),
        ("POST", "/v1/batches/{id}/cancel", "cancel", part.cancel),
    )
    for method, path, name, handler in routes:
        app.router.add_route(method, path, part.guarded(name, handler))
    app.router.add_post("/_batch", part.tell)


_Handler = Callable[["web.Request"], Awaitable["web.StreamResponse"]]


class _BatchApi:
    def __init__(self, server: LoopbackServer) -> None:
        self._server, self._state = server, State()

    def guarded(self, name: str, handler: _Handler) -> _Handler:
        """Count the call, check its key, and let it meet its fault, before ``handler`` sees to it."""

        async def handle(request: web.Request) -> web.StreamResponse:
            self._state.calls[name] += 1
            wanted = self._server.behaviour.key
            if wanted is not None and request.headers.get("Authorization") != f"Bearer {wanted}":
                return wrong_key(request)
            told = self._state.told
            fault = self._state.next_fault(name, FAULTS) if name in told.scope else None
            if fault in ANSWER_FAULTS:
                return as_json({"choices": []})
            instead = await misbehave(fault, request, self._server.behaviour.retry_after) if fault else None
            return instead or await handler(request)

        return handle

    async def tell(self, request: web.Request) -> web.Response:
        for name, value in json.loads(await request.read() or b"{}").items():
            setattr(self._state.told, name, value)
            self._state.met.clear()
        state = self._state
        return as_json(
            {
                "files": len(state.files),
                "batches": len(state.batches),
                "calls": dict(state.calls),
                "states": dict(Counter(batch.status for batch in state.batches.values())),
                "told": asdict(state.told),
            }
        )

    async def upload(self, request: web.Request) -> web.Response:
        from aiohttp import web

        form = await request.post()
        file = form.get("file")
        if not isinstance(file, web.FileField) or form.get("purpose") != "batch":
            return error(400, "a file and the purpose batch are needed", code="invalid_request_error")
        name, raw = self._state.name("file"), file.file.read()
        self._state.files[name] = raw
        return as_json({"id": name, "object": "file", "bytes": len(raw), "purpose": "batch"})

    async def content(self, request: web.Request) -> web.Response:
        from aiohttp import web

        raw = self._state.files.get(request.match_info["id"])
        return self._unknown("file") if raw is None else web.Response(body=raw)

    async def delete(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        if self._state.files.pop(name, None) is None:
            return self._unknown("file")
        return as_json({"id": name, "object": "file", "deleted": True})

    async def create(self, request: web.Request) -> web.StreamResponse:
        asked = json.loads(await request.read())
        if asked.get("input_file_id") not in self._state.files:
            return self._unknown("file")
        fault = self._state.next_fault("batch", BATCH_FAULTS)
        if fault == "batch-create-500":
            return error(500, "the server was told to create nothing")
        if fault == "batch-full":
            return error(429, "Enqueued token limit reached for the model", code="token_limit_exceeded")
        told = self._state.told
        batch = Batch(
            self._state.name("batch"),
            asked["input_file_id"],
            asked.get("endpoint", ""),
            asked.get("metadata") if told.keeps_metadata else None,
            time.time(),
            told.window,
            fault,
        )
        self._state.batches[batch.id] = batch
        if fault == "batch-lost-reply":
            dropped = await misbehave("drop", request)
            assert dropped is not None
            return dropped
        return as_json(shown(batch))

    async def list(self, request: web.Request) -> web.Response:
        """Newest first, as OpenAI lists them."""
        after, limit = request.query.get("after"), min(int(request.query.get("limit", _PAGE)), _PAGE)
        youngest = time.time() - self._state.told.hidden
        listed = [batch for batch in self._state.batches.values() if batch.created_at <= youngest][::-1]
        start = next((place + 1 for place, batch in enumerate(listed) if batch.id == after), 0)
        page = listed[start : start + limit]
        more = start + limit < len(listed)
        return as_json({"object": "list", "data": [shown(batch) for batch in page], "has_more": more})

    async def retrieve(self, request: web.Request) -> web.Response:
        batch = self._state.batches.get(request.match_info["id"])
        if batch is None:
            return self._unknown("batch")
        self._go_on(batch)
        return as_json(shown(batch))

    async def cancel(self, request: web.Request) -> web.Response:
        batch = self._state.batches.get(request.match_info["id"])
        if batch is None:
            return self._unknown("batch")
        if batch.ended_at is None:
            batch.fault = "batch-cancelled"
            self._end(batch)
        return as_json(shown(batch))

    def _unknown(self, what: str) -> web.Response:
        return error(404, f"no such {what}", code="not_found")

    def _go_on(self, batch: Batch) -> None:
        """Let the batch go one step on, as time and looks have it."""
        if batch.ended_at is not None:
            return
        batch.polls += 1
        batch.status = "in_progress"
        told = self._state.told
        if batch.fault != "batch-hang" and self._is_too_much(batch):
            self._fail(batch, "token_limit_exceeded", "Enqueued token limit reached for the model")
        elif batch.fault == "batch-fails":
            self._fail(batch, "invalid_json_line", "This line is not parseable as valid JSON", 1)
        elif batch.fault == "batch-hang":
            return
        elif batch.polls > told.polls and time.time() >= batch.created_at + told.delay:
            self._end(batch)

    def _is_too_much(self, batch: Batch) -> bool:
        most = self._state.told.most_tokens
        if most is None or batch.polls > 1:
            return False
        return sum(self._tokens(other) for other in self._state.batches.values()) > most

    def _tokens(self, batch: Batch) -> int:
        if batch.ended_at is not None:
            return 0
        lines = self._state.files.get(batch.input_file, b"").splitlines()
        return sum(len(json.dumps(json.loads(line)["body"]["messages"])) for line in lines) // 4

    def _fail(self, batch: Batch, code: str, message: str, line: int | None = None) -> None:
        batch.status, batch.ended_at = "failed", time.time()
        batch.errors = [{"code": code, "message": message, "line": line, "param": None}]

    def _end(self, batch: Batch) -> None:
        """Answer the lines, and write the files."""
        requests = [json.loads(line) for line in self._state.files[batch.input_file].splitlines()]
        output, errors = answer_lines(self._server, requests, batch.fault)
        batch.counts = (len(requests), len(output), len(errors))
        batch.status = {"batch-expires": "expired", "batch-cancelled": "cancelled"}.get(
            batch.fault or "", "completed"
        )
        batch.ended_at = time.time()
        batch.output_file = self._keep(spoilt(as_lines(output), batch.fault)) if output else None
        batch.error_file = self._keep(spoilt(as_lines(errors), batch.fault)) if errors else None
        if batch.fault == "batch-no-files":
            self._state.files.pop(batch.output_file or "", None)

    def _keep(self, raw: bytes) -> str:
        name = self._state.name("file")
        self._state.files[name] = raw
        return name
