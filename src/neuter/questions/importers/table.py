"""Our own format, and tables: a row a question, under our names or names that are usual."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from neuter.corpus.columns import nearest
from neuter.corpus.csvfile import CsvTable
from neuter.corpus.fields import Problem
from neuter.corpus.importers.encodings import in_utf8
from neuter.errors import CorpusError, DataError, UsageError
from neuter.questions.found import Aside, Fault, Found, Item, Source
from neuter.questions.json_files import first_object, objects
from neuter.questions.outcomes import outcome_of
from neuter.questions.schema import QUESTION_SCHEMA

#: What columns are often called.
NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "question_id"),
    "question": ("question", "title", "text"),
    "background": ("background", "description"),
    "resolution_criteria": ("resolution_criteria", "criteria"),
    "open": ("open", "open_date", "open_time", "opened", "created", "created_at", "publish_time"),
    "close": ("close", "close_date", "close_time", "closed"),
    "resolution_date": ("resolution_date", "resolve_date", "resolved_at", "resolve_time", "resolution_time"),
    "resolution": ("resolution", "outcome", "answer", "resolved_to", "result"),
    "domain": ("domain", "category", "topic"),
    "source": ("source", "platform"),
    "url": ("url", "link"),
    "cluster": ("cluster", "group", "event"),
    "base_rate": ("base_rate",),
    "community": ("community", "community_predictions", "crowd_series"),
    "crowd": ("crowd", "crowd_probability", "community_prediction"),
    "crowd_date": ("crowd_date", "freeze_date"),
}
_REQUIRED = ("id", "question", "resolution_date", "resolution")


class OwnLines:
    """JSON Lines, or a list, with our names (QUESTION_SCHEMA) or usual ones; more fields are passed over."""

    def matches(self, source: Source) -> bool:
        if source.lines:
            return True
        fields = {str(name).lower() for name in first_object(source, "questions")}
        return not fields.isdisjoint(NAMES["question"]) and not fields.isdisjoint(NAMES["resolution"])

    def questions(self, source: Source) -> Iterator[Item]:
        kept: dict[tuple[str, ...], dict[str, str]] = {}
        for item in objects(source, "questions"):
            if isinstance(item, Fault):
                yield item
                continue
            where, value = item
            fields = tuple(value)
            names = kept.get(fields) or column_names(fields, source, required=False)
            if len(kept) < 1000:
                kept[fields] = names
            yield found_row(
                where, {field: value.get(name) for field, name in names.items()}, verbatim=is_own(fields)
            )


class Table:
    """CSV or TSV with a line of names."""

    def matches(self, source: Source) -> bool:
        return source.path.suffix.lower() in (".csv", ".tsv")

    def questions(self, source: Source) -> Iterator[Item]:
        shown = str(source.path)
        try:
            with in_utf8(source.path, shown, None) as file:
                table = CsvTable(file, shown)
                columns = table.columns()
                names, own = column_names(columns, source, required=True), is_own(columns)
                for row in table.rows():
                    if isinstance(row, Problem):
                        yield Fault(f"{shown}, line {row.line}", row.what, row.todo)
                        continue
                    held = {field: row.values.get(name) for field, name in names.items()}
                    yield found_row(f"{shown}, line {row.line}", held, verbatim=own)
        except CorpusError as error:
            raise DataError(error.what, where=error.where, todo=error.todo) from error


def is_own(columns: Iterable[str]) -> bool:
    """Whether these are all the columns of our format: its texts are plain already."""
    return set(QUESTION_SCHEMA) <= set(columns)


def column_names(found: Iterable[str], source: Source, *, required: bool) -> dict[str, str]:
    """Field → the file's column: as given, else by its usual names whatever their case.

    Raises:
        UsageError: ``columns`` names a field that questions do not have.
        DataError: a column that is given, or needed, is not there.
    """
    given, columns = source.columns, list(found)
    if strange := next((field for field in given if field not in NAMES), None):
        raise UsageError(
            f"questions have no field {strange!r}", where="columns", todo=f"The fields are {', '.join(NAMES)}"
        )
    lower = {name.strip().lower(): name for name in reversed(columns)}
    names = {}
    for field, usual in NAMES.items():
        if field in given:
            if given[field] not in columns and required:
                raise DataError(
                    f"no column {given[field]!r}", where=str(source.path), todo=nearest(given[field], columns)
                )
            names[field] = given[field]
        elif name := next((lower[one] for one in usual if one in lower), None):
            names[field] = name
    if required and (missing := [field for field in _REQUIRED if field not in names]):
        raise DataError(
            f"no column for {missing[0]}",
            where=str(source.path),
            todo=f'Name it: --column {missing[0]}="COLUMN". The file has {", ".join(columns)}',
        )
    return names


def found_row(where: str, held: Mapping[str, Any], *, verbatim: bool) -> Item:
    """A row's values by field as a question."""
    outcome = outcome_of(held.get("resolution"))
    if outcome is None:
        what = f"{str(held.get('resolution'))[:40]!r} is neither yes nor no"
        return Fault(
            where, f"field resolution: {what}", "Write yes or no, 1 or 0; annulled, ambiguous or nothing else"
        )
    if isinstance(outcome, str):
        return Aside(where, outcome)
    community = _community(held)
    if community is None:
        return Fault(where, "field community: is no list of [date, probability]")
    return Found(
        where,
        id=held.get("id"),
        question=held.get("question"),
        outcome=outcome,
        resolution_date=held.get("resolution_date"),
        background=held.get("background"),
        criteria=held.get("resolution_criteria"),
        open=held.get("open"),
        close=held.get("close"),
        categories=[str(held.get("domain") or "")],
        source=held.get("source"),
        url=held.get("url"),
        cluster=held.get("cluster"),
        base_rate=held.get("base_rate"),
        community=community,
        shares=False,
        verbatim=verbatim,
    )


def _community(held: Mapping[str, Any]) -> list[tuple[Any, Any]] | None:
    told = held.get("community")
    if isinstance(told, str) and told.strip():
        try:
            told = json.loads(told)
        except (ValueError, RecursionError):
            return None
    if told is None or told == "" or (isinstance(told, str) and not told.strip()):
        told = []
    if not isinstance(told, list):
        return None
    pairs = [_pair(one) for one in told]
    if held.get("crowd") not in (None, ""):
        pairs.append((held.get("crowd_date") or held.get("open"), held["crowd"]))
    return None if any(pair is None for pair in pairs) else [pair for pair in pairs if pair]


def _pair(one: Any) -> tuple[Any, Any] | None:
    if isinstance(one, list | tuple):
        return (one[0], one[1]) if len(one) == 2 else None
    if isinstance(one, Mapping):
        return one.get("date"), one.get("probability", one.get("forecast"))
    return None
