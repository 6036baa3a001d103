"""What is planted for a simulated model: the truth that it answers from, since it cannot read a masked text.

The truth travels in the request's parameters. So it is part of the store's key (a changed truth is a new question,
and two documents with one masked text have an answer each) and of the stored row, but not of the prompt.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any

from neuter.errors import UsageError
from neuter.types import Request

#: The request parameter that carries the truth.
PARAMETER = "planted"
_INTEGERS = (
    "fiscal_year",
    "fiscal_quarter",
    "calendar_year",
    "calendar_quarter",
    "call_year",
    "call_quarter",
)


@dataclass(frozen=True, slots=True)
class Planted:
    """The truth of one document or question; None (or an empty label) where it is unknown.

    ``label`` is the firm's, as the scorer clusters by it. ``date`` is the document's day, an assumed one too;
    ``call_year`` and ``call_quarter`` are that day's. ``value`` is the number (or word) that a recall question asks,
    in ``unit``; ``other`` is the number by another reading of the data, which ``other_reading`` names (``latest``,
    ``split_adjusted``; ``first`` and ``traded`` where those are not the truth).

    Raises:
        UsageError: the value is infinite or not a number.
    """

    id: str
    kind: str = "transcript"
    ticker: str | None = None
    firm: str | None = None
    label: str = ""
    sector: str | None = None
    size: str | None = None
    fiscal_year: int | None = None
    fiscal_quarter: int | None = None
    calendar_year: int | None = None
    calendar_quarter: int | None = None
    call_year: int | None = None
    call_quarter: int | None = None
    date: date | None = None
    value: float | str | None = None
    unit: str | None = None
    other: float | None = None
    other_reading: str | None = None

    def __post_init__(self) -> None:
        for value in (self.value, self.other):
            if isinstance(value, float) and not math.isfinite(value):
                raise UsageError(f"the value {value} cannot be planted", where=self.id, todo="Leave it out")

    @property
    def cluster(self) -> str:
        """Whose draws the document shares: its firm's, or its own where no firm is known."""
        return self.label or f"document:{self.id}"

    def to_json(self) -> dict[str, Any]:
        """What is known, as JSON has it: dates in ISO 8601, nothing that is None."""
        every = ((field.name, getattr(self, field.name)) for field in fields(self))
        known = {name: value for name, value in every if value not in (None, "")}
        return {**known, **({"date": self.date.isoformat()} if self.date else {})}


def plant(request: Request, planted: Planted) -> Request:
    """``request`` with its truth in the parameters, for a simulated model to answer from.

    >>> plant(Request("q", (("user", "?"),)), Planted("q", value=2.5)).parameters
    {'planted': {'id': 'q', 'kind': 'transcript', 'value': 2.5}}
    """
    return replace(request, parameters={**request.parameters, PARAMETER: planted.to_json()})


def planted_in(body: Mapping[str, Any]) -> Planted | None:
    """The truth in a request's body, or None where nothing was planted.

    Raises:
        UsageError: something else is under that name.
    """
    raw = body.get(PARAMETER)
    if raw is None:
        return None
    if not isinstance(raw, Mapping) or not isinstance(raw.get("id"), str):
        raise UsageError("the planted truth is not an object with an id", todo="Plant it with plant()")
    if strange := sorted(set(raw) - {field.name for field in fields(Planted)}):
        raise UsageError(f"the planted truth has no field {strange[0]!r}", todo="Plant it with plant()")
    try:
        return Planted(**{**raw, **{name: _checked(name, value) for name, value in raw.items()}})
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"the planted truth cannot be read: {error}", todo="Plant it with plant()"
        ) from error


def _checked(name: str, value: Any) -> Any:
    if name == "date":
        return date.fromisoformat(value)
    if name in _INTEGERS and (isinstance(value, bool) or not isinstance(value, int)):
        raise ValueError(f"{name} = {value!r} is no whole number")
    if name == "value" and not isinstance(value, int | float | str):
        raise ValueError(f"{name} = {value!r} is neither a number nor a word")
    if name == "other" and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise ValueError(f"{name} = {value!r} is no number")
    if name not in (*_INTEGERS, "value", "other") and not isinstance(value, str):
        raise ValueError(f"{name} = {value!r} is no text")
    return value
