"""Autocast: a JSON list of forecasting questions, each with a daily crowd forecast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from neuter.questions.found import NOT_BINARY, UNRESOLVED, Aside, Fault, Found, Item, Source
from neuter.questions.json_files import items_of, json_lines, json_value

_OUTCOMES = {"yes": 1, "no": 0, True: 1, False: 0}


class Autocast:
    """Objects with ``qtype`` and ``crowd``; those of the type ``t/f`` are yes-or-no questions."""

    def matches(self, source: Source) -> bool:
        value = source.start
        if isinstance(value, list):
            value = next(iter(value), None)
        return isinstance(value, Mapping) and "qtype" in value and "crowd" in value

    def questions(self, source: Source) -> Iterator[Item]:
        """A question's resolution date is its ``close_time``: there is no other."""
        items = json_lines(source.path) if source.lines else _all(source)
        for item in items:
            if isinstance(item, Fault):
                yield item
                continue
            where, value = item
            yield _found(where, value) if isinstance(value, Mapping) else Fault(where, "is no object")


def _all(source: Source) -> Iterator[tuple[str, Any]]:
    yield from items_of(json_value(source.path), source.path, "questions")


def _found(where: str, value: Mapping[str, Any]) -> Item:
    if value.get("qtype") != "t/f":
        return Aside(where, NOT_BINARY)
    answer = value.get("answer")
    said = answer.lower() if isinstance(answer, str) else answer
    if value.get("status") not in (None, "Resolved") or said is None:
        return Aside(where, UNRESOLVED)
    if said not in _OUTCOMES:
        return Fault(where, f"answer {str(answer)[:40]!r} is neither yes nor no")
    crowd = [one for one in value.get("crowd") or () if isinstance(one, Mapping)]
    return Found(
        where,
        id=f"autocast-{value.get('id')}",
        question=value.get("question"),
        outcome=_OUTCOMES[said],
        resolution_date=value.get("close_time"),
        background=value.get("background") or "",
        open=value.get("publish_time"),
        close=value.get("close_time"),
        categories=[str(one) for one in value.get("tags") or ()],
        source="Autocast",
        url=next(iter(value.get("source_links") or ()), "")
        if isinstance(value.get("source_links"), list)
        else "",
        community=[(one.get("date"), one.get("forecast")) for one in crowd],
    )
