"""JSON Lines with a crowd series, as Halawi et al. (2024) publish their questions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from neuter.questions.found import NOT_BINARY, PARTIAL, UNRESOLVED, Aside, Fault, Found, Item, Source
from neuter.questions.json_files import items_of, json_lines, json_value

#: A series longer than this, written as text, is no series of one question.
_LONGEST_TEXT = 4_000_000


class Halawi:
    """Objects with ``date_begin`` and ``date_resolve_at``; the series is a list, or such a list as text."""

    def matches(self, source: Source) -> bool:
        value = source.start
        if isinstance(value, list):
            value = next(iter(value), None)
        return isinstance(value, Mapping) and {"date_begin", "date_resolve_at"} <= set(value)

    def questions(self, source: Source) -> Iterator[Item]:
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
    if value.get("question_type") not in (None, "binary"):
        return Aside(where, NOT_BINARY)
    outcome = value.get("resolution")
    if outcome in (None, "") or value.get("is_resolved") is False:
        return Aside(where, UNRESOLVED)
    try:
        number = float(outcome)
    except (TypeError, ValueError):
        return Aside(where, NOT_BINARY)
    if number not in (0.0, 1.0):
        return Aside(where, PARTIAL)
    series = _series(value.get("community_predictions"))
    if series is None:
        return Fault(where, "community_predictions is no list of [date, probability]")
    source = str(value.get("data_source") or "Halawi et al. (2024)")
    url = str(value.get("url") or value.get("page_url") or "")
    named = value.get("id", url or None)
    return Found(
        where,
        id=None if named is None else f"{source}-{named}",
        question=value.get("question"),
        outcome=int(number),
        resolution_date=value.get("date_resolve_at"),
        background=value.get("background") or "",
        criteria=value.get("resolution_criteria") or "",
        open=value.get("date_begin"),
        close=value.get("date_close"),
        categories=[str(value.get("gpt_3p5_category") or value.get("category") or "")],
        source=source,
        url=url,
        community=series,
    )


def _series(told: Any) -> list[tuple[Any, Any]] | None:
    if isinstance(told, str):
        try:
            told = ast.literal_eval(told) if told.strip() and len(told) <= _LONGEST_TEXT else []
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    if told is None:
        return []
    pairs = [tuple(one) for one in told if isinstance(one, list | tuple)] if isinstance(told, list) else None
    return None if pairs is None or any(len(pair) != 2 for pair in pairs) else pairs
