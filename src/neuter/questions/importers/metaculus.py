"""Metaculus as its API answers: ``api/posts`` with a question or a group in each post, and the older ``api2``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from neuter.questions.found import (
    AMBIGUOUS,
    ANNULLED,
    NOT_BINARY,
    UNRESOLVED,
    Aside,
    Fault,
    Found,
    Item,
    Source,
)
from neuter.questions.json_files import items_of, json_lines, json_value

#: What ``resolution`` may say, in either API.
_OUTCOMES: dict[Any, int | str] = {
    "yes": 1,
    "no": 0,
    "annulled": ANNULLED,
    "ambiguous": AMBIGUOUS,
    1: 1,
    0: 0,
    -1: AMBIGUOUS,
    -2: ANNULLED,
}


class Metaculus:
    """One post or question an object, alone, in a list, or under ``results``."""

    def matches(self, source: Source) -> bool:
        value = source.start
        if isinstance(value, Mapping) and isinstance(value.get("results"), list):
            value = next(iter(value["results"]), None)
        if isinstance(value, list):
            value = next(iter(value), None)
        if not isinstance(value, Mapping):
            return False
        post = isinstance(value.get("question"), Mapping) or isinstance(
            value.get("group_of_questions"), Mapping
        )
        return post or isinstance(value.get("possibilities"), Mapping)

    def questions(self, source: Source) -> Iterator[Item]:
        """The questions of each post; each of a group is one of its own."""
        items = json_lines(source.path) if source.lines else _all(source)
        for item in items:
            if isinstance(item, Fault):
                yield item
                continue
            where, value = item
            if not isinstance(value, Mapping):
                yield Fault(where, "is no object")
            elif isinstance(value.get("possibilities"), Mapping):
                yield _old(where, value)
            else:
                yield from _post(where, value)


def _all(source: Source) -> Iterator[tuple[str, Any]]:
    yield from items_of(json_value(source.path), source.path, "results")


def _post(where: str, post: Mapping[str, Any]) -> Iterator[Item]:
    group = post.get("group_of_questions")
    if isinstance(group, Mapping):
        for number, one in enumerate(group.get("questions") or (), 1):
            place = f"{where}, question {number}"
            yield _new(place, post, one) if isinstance(one, Mapping) else Fault(place, "is no object")
        return
    question = post.get("question")
    yield _new(where, post, question) if isinstance(question, Mapping) else Aside(where, NOT_BINARY)


def _new(where: str, post: Mapping[str, Any], question: Mapping[str, Any]) -> Item:
    if question.get("type") != "binary":
        return Aside(where, NOT_BINARY)
    outcome = _outcome(question.get("resolution"))
    if isinstance(outcome, str):
        return Aside(where, outcome)
    history = ((question.get("aggregations") or {}).get("recency_weighted") or {}).get("history") or ()
    number = post.get("id")
    several = isinstance(post.get("group_of_questions"), Mapping)
    title, label = question.get("title") or post.get("title"), question.get("label")
    fine = question.get("fine_print")
    return Found(
        where,
        id=f"metaculus-{question.get('id') if several else number}",
        question=f"{post.get('title')} ({label})" if several and label and label not in str(title) else title,
        outcome=outcome,
        resolution_date=question.get("actual_resolve_time") or question.get("resolution_set_time"),
        background=question.get("description") or post.get("description") or "",
        criteria="\n\n".join(str(part) for part in (question.get("resolution_criteria"), fine) if part),
        open=question.get("open_time") or post.get("published_at"),
        close=question.get("actual_close_time") or question.get("scheduled_close_time"),
        categories=_categories(post),
        source="Metaculus",
        url=f"https://www.metaculus.com/questions/{number}",
        cluster=f"metaculus-{number}" if several else "",
        community=[
            (one.get("start_time"), _first(one.get("centers"))) for one in history if isinstance(one, Mapping)
        ],
    )


def _old(where: str, question: Mapping[str, Any]) -> Item:
    if question["possibilities"].get("type") != "binary":
        return Aside(where, NOT_BINARY)
    outcome = _outcome(question.get("resolution"))
    if isinstance(outcome, str):
        return Aside(where, outcome)
    return Found(
        where,
        id=f"metaculus-{question.get('id')}",
        question=question.get("title"),
        outcome=outcome,
        resolution_date=question.get("resolve_time"),
        background=question.get("description") or "",
        criteria="\n\n".join(
            str(question[name]) for name in ("resolution_criteria", "fine_print") if question.get(name)
        ),
        open=question.get("publish_time") or question.get("created_time"),
        close=question.get("close_time"),
        categories=[str(one) for one in question.get("categories") or ()],
        source="Metaculus",
        url=f"https://www.metaculus.com/questions/{question.get('id')}",
        community=list(_old_history(question)),
    )


def _old_history(question: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """The crowd over time: shares, or quartiles of which the median counts."""
    found = question.get("prediction_timeseries")
    if found is None and isinstance(question.get("community_prediction"), Mapping):
        found = question["community_prediction"].get("history")
    for one in found or ():
        if isinstance(one, Mapping):
            said = one.get("community_prediction", one.get("x1", one.get("x2")))
            yield one.get("t"), said.get("q2", said.get("avg")) if isinstance(said, Mapping) else said


def _outcome(resolution: Any) -> int | str:
    """1 or 0, or why there is none."""
    if resolution is None or resolution == "":
        return UNRESOLVED
    said = resolution.lower() if isinstance(resolution, str) else resolution
    try:
        return _OUTCOMES.get(said, NOT_BINARY)
    except TypeError:
        return NOT_BINARY


def _categories(post: Mapping[str, Any]) -> list[str]:
    projects = post.get("projects")
    found = projects.get("category") if isinstance(projects, Mapping) else ()
    return [str(one.get("name")) for one in found or () if isinstance(one, Mapping)]


def _first(centers: Any) -> Any:
    return next(iter(centers), None) if isinstance(centers, list) else centers
