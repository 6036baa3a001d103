"""A batch as a server describes it: read leniently, since servers that speak this protocol differ in what they send."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neuter.models.replies import MalformedReply, json_object

#: Statuses after which nothing changes any more (types/batch.py of the openai client lists all of them).
ENDED = frozenset({"completed", "expired", "cancelled", "failed"})
_FULL = "token_limit_exceeded"


@dataclass(frozen=True, slots=True)
class Remote:
    """A batch at the server. Times are in seconds since 1970, None where the server gave none.

    ``intent`` is our own id of it, out of its metadata; ``done`` of ``total`` requests have ended. ``complaint`` is
    what the server found wrong with the batch as a whole; ``full`` says that it was one of too many tokens at once.
    """

    id: str
    status: str
    intent: str = ""
    input_file: str = ""
    output_file: str | None = None
    error_file: str | None = None
    created_at: float | None = None
    ended_at: float | None = None
    expires_at: float | None = None
    done: int = 0
    complaint: str = ""
    full: bool = False

    @property
    def ended(self) -> bool:
        """Whether its files will not change any more."""
        return self.status in ENDED


def read_remote(body: str) -> Remote:
    """The batch in a reply.

    Raises:
        MalformedReply: there is none, or it has no id or no status.
    """
    return _remote(json_object(body))


def read_page(body: str) -> tuple[list[Remote], bool]:
    """The batches of a page of the server's list, and whether more may follow. What is no batch is passed over.

    Raises:
        MalformedReply: it is no list.
    """
    raw = json_object(body)
    data = raw.get("data")
    if not isinstance(data, list):
        raise MalformedReply("the reply holds no list of batches")
    batches = [_remote(entry) for entry in data if isinstance(entry, dict) and _is_batch(entry)]
    return batches, bool(raw.get("has_more"))


def string_in(body: str, name: str) -> str:
    """The string under ``name`` in a reply.

    Raises:
        MalformedReply: there is none.
    """
    value = json_object(body).get(name)
    if not isinstance(value, str) or not value:
        raise MalformedReply(f"the reply holds no {name}")
    return value


def is_full(code: str, message: str) -> bool:
    """Whether a server complains of too many tokens in its queue: that passes as running batches end.

    >>> is_full("token_limit_exceeded", "Enqueued token limit reached for m in organization o.")
    True
    """
    return code == _FULL or "enqueued token" in message.lower()


def _remote(raw: Mapping[str, Any]) -> Remote:
    if not _is_batch(raw):
        raise MalformedReply("the reply holds no batch (no id or no status)")
    metadata, counts = _mapping(raw.get("metadata")), _mapping(raw.get("request_counts"))
    complaints = _complaints(raw.get("errors"))
    ended = (_time(raw.get(f"{status}_at")) for status in ENDED)
    return Remote(
        id=raw["id"],
        status=raw["status"].lower(),
        intent=str(metadata.get("neuter") or ""),
        input_file=str(raw.get("input_file_id") or ""),
        output_file=_file(raw.get("output_file_id")),
        error_file=_file(raw.get("error_file_id")),
        created_at=_time(raw.get("created_at")),
        ended_at=next((moment for moment in ended if moment), None),
        expires_at=_time(raw.get("expires_at")),
        done=_count(counts.get("completed")) + _count(counts.get("failed")),
        complaint="; ".join(text for _, text in complaints[:3]),
        full=any(is_full(code, text) for code, text in complaints),
    )


def _is_batch(raw: Mapping[str, Any]) -> bool:
    return all(isinstance(raw.get(name), str) and raw[name] for name in ("id", "status"))


def _complaints(errors: object) -> list[tuple[str, str]]:
    """Code and words of each error, with the line of the input file that it is about."""
    data = _mapping(errors).get("data") if isinstance(errors, Mapping) else errors
    found = []
    for entry in data if isinstance(data, list) else [errors] if errors else []:
        if not isinstance(entry, Mapping):
            found.append(("", _short(str(entry))))
            continue
        code, line = str(entry.get("code") or ""), entry.get("line")
        words = str(entry.get("message") or code or "no reason given")
        found.append((code, _short(words) + (f" (line {line})" if line is not None else "")))
    return found


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _file(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _time(value: object) -> float | None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e11
    return float(value) if good and isinstance(value, int | float) else None


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else 0


def _short(text: str, most: int = 300) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"
