"""How the loopback server misbehaves: each fault by name, and what is sent instead of an answer."""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from neuter.models.testing.answers import ANSWER_FAULTS
from neuter.models.testing.limits import waiting_headers
from neuter.models.testing.shapes import SHAPES

if TYPE_CHECKING:
    from aiohttp import web

#: A status with an error in OpenAI's shape. Those with "-" or a word are told apart by their headers or code.
STATUSES: Mapping[str, str] = {
    "429": "status 429 with Retry-After as it was given",
    "429-date": "status 429 with Retry-After as a date",
    "429-ms": "status 429 with retry-after-ms",
    "429-bare": "status 429 that does not say how long to wait",
    "503-wait": "status 503 with Retry-After",
    "500": "status 500",
    "502": "status 502 with a page in HTML",
    "503": "status 503",
    "504": "status 504",
    "524": "status 524: a gateway that waited in vain",
    "408": "status 408",
    "409": "status 409",
    "400": "status 400",
    "413": "status 413",
    "422": "status 422",
    "307": "status 307 to another server",
    "401": "status 401, with the key in the message",
    "402": "status 402",
    "403": "status 403",
    "404": "status 404",
    "quota": "status 429 with the code insufficient_quota",
    "echo-key": "status 500 that sends the key back in many forms",
}
#: What happens to the connection, or to a body with status 200.
CONNECTIONS: Mapping[str, str] = {
    "drop": "closes the connection without a word",
    "reset": "resets the connection",
    "garbled": "sends what is no HTTP",
    "half": "half a body, then closes the connection",
    "short": "half a body that claims to be whole",
    "drip": "a byte a second",
    "hang": "never answers",
    "html": "an HTML page with status 200",
    "no-body": "status 200 and nothing else",
}
#: Each fault by name, and what the server does then.
FAULTS: Mapping[str, str] = {
    **STATUSES,
    **CONNECTIONS,
    **ANSWER_FAULTS,
    **{name: shape.what for name, shape in SHAPES.items()},
}
#: Faults that pass and cost little time: what is drawn from where only a share of faults is asked for.
PASSING = ("429", "500", "502", "503", "504", "408", "drop", "half", "html", "empty")
_PAGE = "<html><body>Bad gateway</body></html>"


async def misbehave(fault: str, request: web.Request, retry_after: str = "0") -> web.StreamResponse | None:
    """What ``fault`` sends in place of an answer; None where it is a kind of answer (ANSWER_FAULTS)."""
    if fault in _CONNECTIONS:
        return await _CONNECTIONS[fault](request)
    if fault in SHAPES:
        return as_json(SHAPES[fault].body, SHAPES[fault].status, SHAPES[fault].headers)
    if fault in STATUSES:
        return _status(fault, request, retry_after)
    return None


def _status(fault: str, request: web.Request, retry_after: str) -> web.Response:
    if fault == "401":
        return wrong_key(request)
    if fault == "quota":
        return error(429, "You exceeded your current quota", code="insufficient_quota")
    if fault == "echo-key":
        return echoed_key(request)
    if fault == "502":
        return page(502)
    if fault == "307":
        return as_json({}, 307, {"Location": "https://elsewhere.invalid/v1/chat/completions"})
    status, _, how = fault.partition("-")
    return error(
        int(status), f"the server was told to answer {status}", headers=_wait(status, how, retry_after)
    )


def _wait(status: str, how: str, retry_after: str) -> dict[str, str]:
    if how in {"date", "ms"}:
        return waiting_headers(float(retry_after), how)
    named = (status, how) in {("429", ""), ("503", "wait")}
    return {"Retry-After": retry_after} if named else {}


async def _drop(request: web.Request) -> web.StreamResponse:
    return _cut_off(request)


async def _reset(request: web.Request) -> web.StreamResponse:
    """With a linger time of 0 the system sends RST in place of FIN; the structure differs on Windows."""
    opened = request.transport and request.transport.get_extra_info("socket")
    if opened:
        linger = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    return _cut_off(request)


async def _garbled(request: web.Request) -> web.StreamResponse:
    if request.transport:
        request.transport.write(b"hello\r\n\r\n")
    return _cut_off(request)


async def _half(request: web.Request) -> web.StreamResponse:
    await _begun(request, b'{"choices": [{"mess')
    return _cut_off(request)


async def _short(_: web.Request) -> web.StreamResponse:
    from aiohttp import web

    return web.Response(text='{"choices": [{"message": {"content": "Compa', content_type="application/json")


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
    return page(200)


async def _no_body(_: web.Request) -> web.StreamResponse:
    from aiohttp import web

    return web.Response()


_CONNECTIONS: Mapping[str, Callable[[web.Request], Awaitable[web.StreamResponse]]] = {
    "drop": _drop,
    "reset": _reset,
    "garbled": _garbled,
    "half": _half,
    "short": _short,
    "drip": _drip,
    "hang": _hang,
    "html": _html,
    "no-body": _no_body,
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


def page(status: int) -> web.Response:
    """What a gateway shows to a browser."""
    from aiohttp import web

    return web.Response(text=_PAGE, status=status, content_type="text/html")


def wrong_key(request: web.Request) -> web.Response:
    # Some servers send the key back; a client must not pass that on.
    return error(401, f"Incorrect API key: {_sent_key(request)}", code="invalid_api_key")


def echoed_key(request: web.Request) -> web.Response:
    """The key as sent, as in an address, in HTML, in base64, in JSON's escapes alone, and with the slashes that PHP
    puts before slashes."""
    import base64
    import html
    from urllib.parse import quote

    from aiohttp import web

    key = _sent_key(request).removeprefix("Bearer ")
    forms = [key, quote(key, safe=""), html.escape(key), base64.b64encode(key.encode()).decode()]
    text = as_text({"error": {"message": f"cannot forward: {' '.join(forms)}", "code": key}})
    text = text.replace("/", r"\/").replace("cannot", "".join(f"\\u{ord(letter):04x}" for letter in key))
    return web.Response(text=text, status=500, content_type="application/json")


def _sent_key(request: web.Request) -> str:
    return request.headers.get("Authorization") or request.headers.get("api-key") or ""


def error(
    status: int, message: str, *, code: str | None = None, headers: Mapping[str, str] | None = None
) -> web.Response:
    """An error in OpenAI's shape."""
    return as_json(
        {"error": {"message": message, "type": code, "param": None, "code": code}}, status, headers
    )


def as_text(value: object) -> str:
    import json

    return json.dumps(value)


def as_json(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    from aiohttp import web

    return web.Response(text=as_text(value), status=status, headers=headers, content_type="application/json")
