"""Our own format in JSON Lines, and tables in CSV: a row a question, under our names or names that are usual."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from neuter.corpus.columns import nearest
from neuter.corpus.csvfile import CsvTable
from neuter.corpus.fields import Problem
from neuter.corpus.importers.encodings import in_utf8
from neuter.errors import CorpusError, DataError, UsageError
from neuter.questions.found import AMBIGUOUS, ANNULLED, PARTIAL, UNRESOLVED, Aside, Fault, Found, Item, Source
from neuter.questions.json_files import json_lines

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
#: What a resolution may say, in lower case.
_OUTCOMES: dict[str, int | str] = {
    **dict.fromkeys(("yes", "true", "y", "1", "1.0"), 1),
    **dict.fromkeys(("no", "false", "n", "0", "0.0"), 0),
    **dict.fromkeys(("annulled", "n/a", "na", "cancelled", "canceled", "void"), ANNULLED),
    "ambiguous": AMBIGUOUS,
    **dict.fromkeys(("", "open", "unresolved", "pending", "none", "null", "closed"), UNRESOLVED),
}


class OwnLines:
    """JSON Lines with our names (QUESTION_SCHEMA), or names that are usual; more fields are passed over."""

    def matches(self, source: Source) -> bool:
        return source.lines and (source.start is None or isinstance(source.start, Mapping))

    def questions(self, source: Source) -> Iterator[Item]:
        for item in json_lines(source.path):
            if isinstance(item, Fault):
                yield item
                continue
            where, value = item
            if not isinstance(value, Mapping):
                yield Fault(where, "is no object")
                continue
            names = column_names(list(value), source, required=False)
            yield _found(where, {field: value.get(name) for field, name in names.items()})


class Table:
    """CSV or TSV with a line of names."""

    def matches(self, source: Source) -> bool:
        return source.path.suffix.lower() in (".csv", ".tsv")

    def questions(self, source: Source) -> Iterator[Item]:
        shown = str(source.path)
        try:
            with in_utf8(source.path, shown, None) as file:
                table = CsvTable(file, shown)
                names = column_names(table.columns(), source, required=True)
                for row in table.rows():
                    if isinstance(row, Problem):
                        yield Fault(f"{shown}, line {row.line}", row.what)
                        continue
                    held = {field: row.values.get(name) for field, name in names.items()}
                    yield _found(f"{shown}, line {row.line}", held)
        except CorpusError as error:
            raise DataError(error.what, where=error.where, todo=error.todo) from error


def column_names(found: list[str], source: Source, *, required: bool) -> dict[str, str]:
    """Field → the file's column: as given, else by its usual names whatever their case.

    Raises:
        UsageError: ``columns`` names a field that questions do not have.
        DataError: a column that is given, or needed, is not there.
    """
    given = source.columns
    if strange := next((field for field in given if field not in NAMES), None):
        raise UsageError(
            f"questions have no field {strange!r}", where="columns", todo=f"The fields are {', '.join(NAMES)}"
        )
    lower = {name.strip().lower(): name for name in reversed(found)}
    names = {}
    for field, usual in NAMES.items():
        if field in given:
            if given[field] not in found and required:
                raise DataError(
                    f"no column {given[field]!r}", where=str(source.path), todo=nearest(given[field], found)
                )
            names[field] = given[field]
        elif name := next((lower[one] for one in usual if one in lower), None):
            names[field] = name
    if required and (missing := [field for field in _REQUIRED if field not in names]):
        raise DataError(
            f"no column for {missing[0]}",
            where=str(source.path),
            todo=f'Name it: --column {missing[0]}="COLUMN". The file has {", ".join(found)}',
        )
    return names


def _found(where: str, held: Mapping[str, Any]) -> Item:
    outcome = _outcome(held.get("resolution"))
    if isinstance(outcome, str):
        return Aside(where, outcome)
    community = _community(held)
    if community is None:
        return Fault(where, "community is no list of [date, probability]")
    return Found(
        where,
        id=held.get("id"),
        question=held.get("question"),
        outcome=outcome,
        resolution_date=held.get("resolution_date"),
        background=held.get("background") or "",
        criteria=held.get("resolution_criteria") or "",
        open=held.get("open"),
        close=held.get("close"),
        categories=[str(held.get("domain") or "")],
        source=held.get("source") or "",
        url=held.get("url") or "",
        cluster=held.get("cluster") or "",
        base_rate=held.get("base_rate"),
        community=community,
        shares=False,
    )


def _outcome(given: Any) -> int | str:
    """1 or 0, why there is none, or what was given where it is neither."""
    if isinstance(given, bool):
        return int(given)
    said = "" if given is None else str(given).strip().lower()
    if said in _OUTCOMES:
        return _OUTCOMES[said]
    try:
        share = float(said.rstrip("%"))
    except ValueError:
        return f"resolved to {said[:30]!r}"
    return ANNULLED if share < 0 else PARTIAL


def _community(held: Mapping[str, Any]) -> list[tuple[Any, Any]] | None:
    told = held.get("community")
    if isinstance(told, str) and told.strip():
        try:
            told = json.loads(told)
        except (ValueError, RecursionError):
            return None
    if told in (None, ""):
        told = []
    if not isinstance(told, list):
        return None
    pairs = [_pair(one) for one in told]
    if held.get("crowd") not in (None, ""):
        pairs.append((held.get("crowd_date") or held.get("open"), held["crowd"]))
    return None if any(pair is None for pair in pairs) else [pair for pair in pairs if pair]


def _pair(one: Any) -> tuple[Any, Any] | None:
    if isinstance(one, Mapping):
        return one.get("date"), one.get("probability", one.get("forecast"))
    return (one[0], one[1]) if isinstance(one, list) and len(one) == 2 else None
