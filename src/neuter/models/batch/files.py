"""The files of a batch, a request or an answer a line: written within the server's limits, read whatever they hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from neuter.models.calls import Call, Tried, read_reply
from neuter.models.costs import CHARACTERS_A_TOKEN
from neuter.models.keys import canonical
from neuter.models.replies import MalformedReply, Reply, json_object
from neuter.models.retry import Kind
from neuter.models.transport import encoded

#: Bytes of one answer; a longer line is no answer that anybody could use.
LONGEST_LINE = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Room:
    """What one more batch may hold: ``requests``, ``bytes`` of its input file, ``tokens`` of its prompts and
    ``dollars`` that it is estimated to cost. None is no limit."""

    requests: int
    bytes: int
    tokens: int | None = None
    dollars: float | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Calls that went into one input file; ``too_long`` are longer than any file may be."""

    calls: tuple[Call, ...]
    too_long: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """What one line of an output or error file says of the request ``key``."""

    key: bytes
    tried: Tried


def write_part(
    calls: Iterable[Call],
    into: IO[bytes],
    *,
    url: str,
    room: Room,
    dollars_of: Callable[[Mapping[str, Any]], float | None],
) -> Part:
    """Write requests to ``into`` until one more would not fit into ``room``.

    A single request has its place however many tokens it has: whether that is too much, the server says.
    """
    taken, too_long = list[Call](), list[Call]()
    size = tokens = 0
    dollars = 0.0
    for call in calls:
        line = request_line(call, url)
        if len(line) > room.bytes:
            too_long.append(call)
            continue
        tokens += queued_tokens(call.body)
        dollars += dollars_of(call.body) or 0.0
        crowded = taken and room.tokens is not None and tokens > room.tokens
        dear = room.dollars is not None and dollars > room.dollars
        if crowded or dear or len(taken) >= room.requests or size + len(line) > room.bytes:
            break
        into.write(line)
        taken.append(call)
        size += len(line)
    return Part(tuple(taken), tuple(too_long))


def queued_tokens(body: Mapping[str, Any]) -> int:
    """Tokens that a prompt takes up in a server's queue, roughly: from the characters that the store has of it."""
    return len(canonical(body["messages"])) // CHARACTERS_A_TOKEN


def request_line(call: Call, url: str) -> bytes:
    """A line of an input file. Its id is the store's key, so that no list of ids has to be kept."""
    line = {"custom_id": call.key.hex(), "method": "POST", "url": url, "body": call.body}
    return encoded(line) + b"\n"


def read_lines(file: IO[bytes], without_key: Callable[[str], str]) -> Iterator[Line | None]:
    """The lines of an output or error file from where it stands; None for one that names no request."""
    while raw := file.readline(LONGEST_LINE):
        if raw.strip():
            yield read_line(without_key(raw.decode("utf-8", "replace")))


def read_line(text: str) -> Line | None:
    """One line, read as a reply that came online would be. None: half a line, not JSON, or an id that is no key."""
    try:
        found = json_object(text)
        key = bytes.fromhex(found["custom_id"])
    except (MalformedReply, ValueError, TypeError, KeyError):
        return None
    response, error = found.get("response"), found.get("error")
    if isinstance(response, dict):
        return Line(key, read_reply(_reply(response)))
    if not isinstance(error, dict | str) or not error:
        return Line(key, Tried(Kind.AMBIGUOUS, "its line holds neither a response nor an error"))
    return Line(key, _of_error(error))


def _reply(response: Mapping[str, Any]) -> Reply:
    status, body = response.get("status_code"), response.get("body")
    known = isinstance(status, int) and 100 <= status < 600
    # Some servers put the words of an error beside the status instead of into the body.
    text = body if isinstance(body, str) else json.dumps(response if body is None else body)
    return Reply(status if known and isinstance(status, int) else 200, text)


def _of_error(error: Mapping[str, Any] | str) -> Tried:
    """A request without a response: expired, called off, or broken inside the server. Such a line has no status;
    500 stands in for it, since another try may fare better."""
    tried = read_reply(Reply(500, json.dumps({"error": error})))
    if tried.kind is Kind.ANSWERED or tried.fault is None:
        return tried
    return Tried(Kind.TRANSIENT, f"the server said: {tried.fault.message or tried.fault.code}")
