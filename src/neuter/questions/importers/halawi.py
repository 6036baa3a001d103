"""JSON Lines with a crowd series, as Halawi et al. (2024) publish their questions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from neuter.questions.found import Aside, Fault, Found, Item, Source
from neuter.questions.json_files import first_object, objects
from neuter.questions.outcomes import NOT_BINARY, UNRESOLVED, outcome_of

#: A series longer than this, written as text, is no series of one question.
_LONGEST_TEXT = 4_000_000
_SITES = {"metaculus": "https://www.metaculus.com"}


class Halawi:
    """Objects with ``date_begin`` and ``date_resolve_at``; the series is a list, or such a list as text."""

    def matches(self, source: Source) -> bool:
        return {"date_begin", "date_resolve_at"} <= set(first_object(source, "questions"))

    def questions(self, source: Source) -> Iterator[Item]:
        """Each line's, or each of a list."""
        for item in objects(source, "questions"):
            yield item if isinstance(item, Fault) else _found(*item)


def _found(where: str, value: Mapping[str, Any]) -> Item:
    if value.get("question_type") not in (None, "", "binary"):
        return Aside(where, NOT_BINARY)
    outcome = (
        UNRESOLVED if value.get("is_resolved") in (False, "False") else outcome_of(value.get("resolution"))
    )
    if outcome is None:  # Of several answers, or a number: the one that came.
        outcome = NOT_BINARY
    if isinstance(outcome, str):
        return Aside(where, outcome)
    series = _series(value.get("community_predictions"))
    if series is None:
        return Fault(where, "field community_predictions: is no list of [date, probability]")
    source, url = str(value.get("data_source") or "Halawi et al. (2024)"), _url(value)
    named = value.get("id") or url
    return Found(
        where,
        id=f"{source}-{named}" if named else None,
        question=value.get("question"),
        outcome=outcome,
        resolution_date=value.get("date_resolve_at"),
        background=value.get("background"),
        criteria=value.get("resolution_criteria"),
        open=value.get("date_begin"),
        close=value.get("date_close"),
        categories=[str(value.get("gpt_3p5_category") or value.get("category") or "")],
        source=source,
        url=url,
        community=series,
    )


def _url(value: Mapping[str, Any]) -> str:
    """The page of the question; Metaculus' are written without their site."""
    path = str(value.get("url") or value.get("page_url") or "")
    return f"{_SITES.get(str(value.get('data_source')), '')}{path}" if path.startswith("/") else path


def _series(told: Any) -> list[tuple[Any, Any]] | None:
    if isinstance(told, str) and len(told) <= _LONGEST_TEXT:
        try:
            told = ast.literal_eval(told.strip() or "[]")
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return None
    if told is None:
        return []
    if not isinstance(told, list):
        return None
    pairs = [tuple(one) for one in told if isinstance(one, list | tuple) and len(one) == 2]
    return pairs if len(pairs) == len(told) else None
