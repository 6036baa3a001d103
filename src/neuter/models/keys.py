"""The body of a request as it is sent, and the key under which the store holds its response."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from neuter.models.abilities import fitted
from neuter.models.catalog import ModelFacts
from neuter.types import Request

#: Part of every key: a change in what a key means makes new keys.
VERSION = 1


def request_body(request: Request, name: str, facts: ModelFacts) -> dict[str, Any]:
    """The JSON body for ``request`` to the model ``name``: what is not set is not sent.

    Parameters go out as the model takes them (``abilities.fitted``), and a system message under the role that
    it has there. What the configuration says of the body (``extra_body``, Azure's deployment) is part of the key.

    Raises:
        UsageError: the model is known to refuse what the answer would depend on.
    """
    roles = {"system": facts.system_role}
    return {
        "model": facts.deployment or name,
        "messages": [
            {"role": roles.get(role, role), "content": content} for role, content in request.messages
        ],
        **fitted(request.parameters, facts),
    }


def request_key(body: Mapping[str, Any], base_url: str, sample: int = 0) -> bytes:
    """SHA-256 over version, body, server and sample index; time-outs and other transport are not in it."""
    return _digest([VERSION, body, base_url, sample])


def prompt_hash(body: Mapping[str, Any]) -> bytes:
    """SHA-256 over the messages alone: a prompt asked of many models is stored once."""
    return _digest(body["messages"])


def canonical(value: object) -> str:
    """JSON in the one form that is hashed: sorted names, no blanks, characters as they are.

    >>> canonical({"b": 1.0, "a": ["é"]})
    '{"a":["é"],"b":1.0}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def kept(value: object) -> str:
    """JSON as the store keeps it: the canonical form, with half surrogate pairs (which no file holds) escaped.

    >>> kept(["é"]), kept([chr(0xD83D)])
    ('["é"]', '["\\\\ud83d"]')
    """
    text = canonical(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text


def _digest(value: object) -> bytes:
    # A lone surrogate has no UTF-8 form, but it must still have a key.
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).digest()
