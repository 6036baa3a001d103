"""Metaculus as its API answers: ``api/posts`` with a question or a group in each post, and the older ``api2``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from neuter.questions.found import Aside, Fault, Found, Item, Source
from neuter.questions.json_files import as_list, as_object, as_objects, first_object, objects
from neuter.questions.outcomes import NOT_BINARY, outcome_of

_SITE = "https://www.metaculus.com/questions"
#: Which of its aggregations is the crowd: the one that its pages show, then the plain one.
_CROWDS = ("recency_weighted", "unweighted")


class Metaculus:
    """One post or question an object, alone, in a list, or under ``results``."""

    def matches(self, source: Source) -> bool:
        value = first_object(source, "results")
        return any(
            isinstance(value.get(name), Mapping)
            for name in ("question", "group_of_questions", "possibilities")
        )

    def questions(self, source: Source) -> Iterator[Item]:
        """The questions of each post; each of a group is one of its own."""
        for item in objects(source, "results"):
            if isinstance(item, Fault):
                yield item
            elif isinstance(item[1].get("possibilities"), Mapping) and not item[1].get("question"):
                yield _old(*item)
            else:
                yield from _post(*item)


def _post(where: str, post: Mapping[str, Any]) -> Iterator[Item]:
    group = as_object(post.get("group_of_questions"))
    if group:
        for number, one in enumerate(as_list(group.get("questions")), 1):
            place = f"{where}, question {number}"
            yield (
                _of_group(place, post, group, one)
                if isinstance(one, Mapping)
                else Fault(place, "is no object")
            )
        return
    question = as_object(post.get("question"))
    where_else = {"id": post.get("id"), "title": post.get("title"), "description": post.get("description")}
    yield _new(where, post, question, where_else) if question else Aside(where, NOT_BINARY)


def _of_group(
    where: str, post: Mapping[str, Any], group: Mapping[str, Any], question: Mapping[str, Any]
) -> Item:
    """A question of a group: what it does not say itself, the group says."""
    title, label = str(post.get("title") or ""), str(question.get("label") or "")
    own = str(question.get("title") or "")
    named = own if title and title in own else f"{title} ({label or own})"
    return _new(where, post, question, {**group, "id": question.get("id"), "title": named}, group=True)


def _new(
    where: str,
    post: Mapping[str, Any],
    question: Mapping[str, Any],
    beside: Mapping[str, Any],
    *,
    group: bool = False,
) -> Item:
    """A question of ``api/posts``; ``beside`` has its id and title, and what to take where it has no texts."""
    if question.get("type") != "binary":
        return Aside(where, NOT_BINARY)
    outcome = outcome_of(question.get("resolution"))
    if not isinstance(outcome, int):
        return _none(where, question, outcome)
    number, id_ = post.get("id"), beside.get("id")
    return Found(
        where,
        id=None if id_ is None else f"metaculus-{id_}" if not group else f"metaculus-{number}-{id_}",
        question=beside.get("title") if group else question.get("title") or beside.get("title"),
        outcome=outcome,
        resolution_date=question.get("actual_resolve_time") or question.get("resolution_set_time"),
        background=question.get("description") or beside.get("description"),
        criteria=_criteria(question, beside),
        open=question.get("open_time") or post.get("published_at"),
        close=question.get("actual_close_time") or question.get("scheduled_close_time"),
        categories=[
            str(one.get("name")) for one in as_objects(as_object(post.get("projects")).get("category"))
        ],
        source="Metaculus",
        url=f"{_SITE}/{number}",
        cluster=f"metaculus-{number}" if group else "",
        community=_crowd(as_object(question.get("aggregations"))),
    )


def _criteria(question: Mapping[str, Any], beside: Mapping[str, Any]) -> str:
    parts = (question.get(name) or beside.get(name) for name in ("resolution_criteria", "fine_print"))
    return "\n\n".join(str(part) for part in parts if part)


def _crowd(aggregations: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """When the crowd's forecast began to be what it was, and what it was."""
    for name in _CROWDS:
        history = as_objects(as_object(aggregations.get(name)).get("history"))
        if history:
            return _in_order([(one.get("start_time"), _center(one.get("centers"))) for one in history])
    return []


def _center(centers: Any) -> Any:
    """The median forecast of a yes; a dump of the database has that of a no before it."""
    return centers[-1] if isinstance(centers, list) and len(centers) in (1, 2) else None


def _in_order(series: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """By seconds, where all have them: the last of a day is the last that was said on it."""
    if all(isinstance(when, int | float) for when, _ in series):
        return sorted(series, key=lambda pair: pair[0])
    return series


def _old(where: str, question: Mapping[str, Any]) -> Item:
    """A question of ``api2``."""
    if question["possibilities"].get("type") != "binary":
        return Aside(where, NOT_BINARY)
    outcome = outcome_of(question.get("resolution"))
    if not isinstance(outcome, int):
        return _none(where, question, outcome)
    id_ = question.get("id")
    return Found(
        where,
        id=None if id_ is None else f"metaculus-{id_}",
        question=question.get("title"),
        outcome=outcome,
        resolution_date=question.get("resolve_time"),
        background=question.get("description"),
        criteria=_criteria(question, {}),
        open=question.get("publish_time") or question.get("created_time"),
        close=question.get("close_time"),
        categories=[
            str(one.get("name") if isinstance(one, Mapping) else one)
            for one in as_list(question.get("categories"))
        ],
        source="Metaculus",
        url=f"{_SITE}/{id_}",
        community=_in_order(list(_old_history(question))),
    )


def _old_history(question: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """The crowd over time: shares, or quartiles of which the median counts."""
    found = question.get("prediction_timeseries")
    if found is None:
        found = as_object(question.get("community_prediction")).get("history")
    for one in as_objects(found):
        said = next((one[name] for name in ("community_prediction", "x1", "x2") if name in one), None)
        yield one.get("t"), said.get("q2", said.get("avg")) if isinstance(said, Mapping) else said


def _none(where: str, question: Mapping[str, Any], outcome: str | None) -> Item:
    if outcome is not None:
        return Aside(where, outcome)
    return Fault(where, f"field resolution: {str(question.get('resolution'))[:40]!r} is neither yes nor no")
