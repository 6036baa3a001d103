"""The lines of the loopback server's batch files: each request answered as online, in an order that is not its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from neuter.models.testing.answers import ANSWER_FAULTS
from neuter.models.testing.shapes import SHAPES

if TYPE_CHECKING:
    from neuter.models.testing.server import LoopbackServer

#: Statuses that a request in the error file has by turns.
_FAILING = (429, 500)
_NOT_DONE = {
    "batch-expires": ("batch_expired", "This request could not be executed before the window expired."),
    "batch-cancelled": ("batch_cancelled", "This request was not executed since the batch was cancelled."),
}
_Lines = list[dict[str, Any]]


def answer_lines(
    server: LoopbackServer, requests: Sequence[dict[str, Any]], fault: str | None
) -> tuple[_Lines, _Lines]:
    """The lines of the output file and of the error file. Requests that ``fault`` leaves undone are not counted."""
    output, errors = _Lines(), _Lines()
    for place, request in enumerate(reversed(requests)):
        is_odd = place % 2 == 1
        if is_odd and fault == "batch-forgets":
            server.count(request["body"])
        elif is_odd and fault in _NOT_DONE:
            code, message = _NOT_DONE[fault]
            errors.append(_line(request, None, {"code": code, "message": message}))
        elif is_odd and fault == "batch-partial":
            server.count(request["body"])
            errors.append(_line(request, _failed(_FAILING[place // 2 % 2])))
        else:
            response, is_good = _answered(server, request["body"])
            (output if is_good else errors).append(_line(request, response))
    return output, errors


def as_lines(lines: Sequence[dict[str, Any]]) -> bytes:
    """JSON Lines."""
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def spoilt(raw: bytes, fault: str | None) -> bytes:
    """A file as a server that has ``fault`` gives it out."""
    if fault == "batch-half-line":
        return raw[: -len(raw.splitlines()[-1]) // 2]
    if fault == "batch-duplicate":
        return raw + raw
    if fault == "batch-garbage":
        unknown = as_lines([{"custom_id": "00" * 32, "response": {"status_code": 200, "body": {}}}])
        junk = b'<html>\n\n[1]\nnull\n{"custom_id": 5}\n{"custom_id": "no key"}\n\xff\xfe\n' + unknown
        return junk + junk.join(line + b"\n" for line in raw.splitlines()) + junk
    return raw


def _answered(server: LoopbackServer, body: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """The response to one request, and whether it belongs into the output file. A fault of the connection, which a
    line does not have, is one inside the provider: 500."""
    digest = server.count(body)
    fault = server.fault(digest)
    if fault is None or fault in ANSWER_FAULTS:
        return {"status_code": 200, "body": server.answer(body, digest, fault)}, True
    if fault in SHAPES:
        return {"status_code": SHAPES[fault].status, "body": SHAPES[fault].body}, SHAPES[fault].status < 400
    if fault == "quota":
        return _failed(429, "insufficient_quota"), False
    status = fault.partition("-")[0]
    return _failed(int(status) if status.isdigit() else 500), False


def _failed(status: int, code: str | None = None) -> dict[str, Any]:
    words = {"message": f"the server was told to answer {status}", "type": code, "param": None, "code": code}
    return {"status_code": status, "body": {"error": words}}


def _line(
    request: dict[str, Any], response: dict[str, Any] | None, error: dict[str, str] | None = None
) -> dict[str, Any]:
    custom_id = request["custom_id"]
    return {"id": f"batch_req_{custom_id[:8]}", "custom_id": custom_id, "response": response, "error": error}
