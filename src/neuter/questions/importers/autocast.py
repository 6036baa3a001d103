"""Autocast: a JSON list of forecasting questions, each with a daily crowd forecast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from neuter.questions.found import Aside, Fault, Found, Item, Source
from neuter.questions.json_files import as_list, as_objects, first_object, objects
from neuter.questions.outcomes import NOT_BINARY, UNRESOLVED, outcome_of


class Autocast:
    """Objects with ``qtype`` and ``crowd``; those of the type ``t/f`` are yes-or-no questions."""

    def matches(self, source: Source) -> bool:
        return {"qtype", "crowd"} <= set(first_object(source, "questions"))

    def questions(self, source: Source) -> Iterator[Item]:
        """A question's resolution date is its ``close_time``: there is no other."""
        for item in objects(source, "questions"):
            yield item if isinstance(item, Fault) else _found(*item)


def _found(where: str, value: Mapping[str, Any]) -> Item:
    if value.get("qtype") != "t/f":
        return Aside(where, NOT_BINARY)
    outcome = outcome_of(value.get("answer"))
    if value.get("status") not in (None, "Resolved"):
        return Aside(where, UNRESOLVED)
    if outcome is None:
        return Fault(where, f"answer {str(value.get('answer'))[:40]!r} is neither yes nor no")
    if isinstance(outcome, str):
        return Aside(where, outcome)
    id_ = value.get("id")
    return Found(
        where,
        id=None if id_ in (None, "") else f"autocast-{id_}",
        question=value.get("question"),
        outcome=outcome,
        resolution_date=value.get("close_time"),
        background=value.get("background"),
        open=value.get("publish_time"),
        close=value.get("close_time"),
        categories=[str(one) for one in as_list(value.get("tags"))],
        source="Autocast",
        community=[
            (one.get("date", one.get("timestamp")), _first(one.get("forecast"))) for one in _crowd(value)
        ],
    )


def _crowd(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return as_objects(value.get("crowd"))


def _first(forecast: Any) -> Any:
    """The probability of a yes; other questions have a list of several."""
    return forecast[0] if isinstance(forecast, list) and len(forecast) == 1 else forecast
