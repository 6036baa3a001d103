"""How the loopback server misbehaves: each fault by name, and what is sent instead of an answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp import web

#: Each fault by name, and what the server does then.
FAULTS = {
    "429": "status 429 with Retry-After",
    "500": "status 500",
    "408": "status 408",
    "400": "status 400",
    "401": "status 401, with the key in the message",
    "404": "status 404",
    "quota": "status 429 with the code insufficient_quota",
    "drop": "closes the connection without a word",
    "half": "half a body, then closes the connection",
    "drip": "a byte a second",
    "hang": "never answers",
    "html": "an HTML page with status 200",
    "empty": "no choice",
    "blank": "an answer without text",
    "filter": "finish_reason content_filter",
    "refuse": "a refusal",
    "length": "finish_reason length",
}


async def _drop(request: web.Request) -> web.StreamResponse:
    return _cut_off(request)


async def _half(request: web.Request) -> web.StreamResponse:
    await _begun(request, b'{"choices": [{"mess')
    return _cut_off(request)


async def _drip(request: web.Request) -> web.StreamResponse:
    response = await _begun(request, b" ")
    for _ in range(999):
        await asyncio.sleep(1)
        await response.write(b" ")
    return response


async def _hang(request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(3600)
    return _cut_off(request)


async def _html(_: web.Request) -> web.StreamResponse:
    from aiohttp import web

    return web.Response(text="<html><body>Bad gateway</body></html>", content_type="text/html")


async def _quota(_: web.Request) -> web.StreamResponse:
    return error(429, "You exceeded your current quota", code="insufficient_quota")


async def _unauthorized(request: web.Request) -> web.StreamResponse:
    return wrong_key(request)


STATUSES = ("429", "500", "408", "400", "404")
MISBEHAVIOURS = {
    "drop": _drop,
    "half": _half,
    "drip": _drip,
    "hang": _hang,
    "html": _html,
    "quota": _quota,
    "401": _unauthorized,
}


async def _begun(request: web.Request, first: bytes) -> web.StreamResponse:
    from aiohttp import web

    response = web.StreamResponse(headers={"Content-Length": "1000", "Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(first)
    return response


def _cut_off(request: web.Request) -> web.StreamResponse:
    from aiohttp import web

    if request.transport:
        request.transport.close()
    return web.Response()


def wrong_key(request: web.Request) -> web.Response:
    # Some servers send the key back; a client must not pass that on.
    return error(401, f"Incorrect API key: {request.headers.get('Authorization')}", code="invalid_api_key")


def error(
    status: int, message: str, *, code: str | None = None, headers: dict[str, str] | None = None
) -> web.Response:
    return as_json({"error": {"message": message, "type": code, "code": code}}, status, headers)


def as_json(value: object, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    from aiohttp import web

    return web.json_response(value, status=status, headers=headers)
