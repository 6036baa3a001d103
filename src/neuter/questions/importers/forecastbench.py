"""ForecastBench: a question set with its resolution set, or the two joined as JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from neuter.errors import DataError, UsageError
from neuter.questions.found import PARTIAL, UNRESOLVED, Aside, Fault, Found, Item, Source
from neuter.questions.json_files import items_of, json_lines, json_value

#: Sources whose frozen value is a crowd's probability; the others freeze a value of their series.
_MARKETS = ("infer", "manifold", "metaculus", "polymarket")
_COMBINED = "combinations of questions"
_NO_RESOLUTION = "without a resolution in the resolution set"


class ForecastBench:
    """Objects with ``freeze_datetime_value``; of a question set the resolutions come in a second file."""

    def matches(self, source: Source) -> bool:
        value = source.start
        if isinstance(value, Mapping) and isinstance(value.get("questions"), list):
            value = next(iter(value["questions"]), None)
        return isinstance(value, Mapping) and "freeze_datetime_value" in value

    def questions(self, source: Source) -> Iterator[Item]:
        """Each question, or where it has several resolution dates one for each of them."""
        if source.lines:
            yield from _joined(source)
            return
        if source.resolutions is None:
            raise UsageError(
                "a question set of ForecastBench needs its resolution set",
                where=str(source.path),
                todo="Give it with --resolutions FILE (resolutions=)",
            )
        whole = json_value(source.path)
        due = whole.get("forecast_due_date") if isinstance(whole, Mapping) else None
        known = _resolutions(source)
        for where, value in items_of(whole, source.path, "questions"):
            if not isinstance(value, Mapping):
                yield Fault(where, "is no object")
            elif isinstance(value.get("id"), list):
                yield Aside(where, _COMBINED)
            else:
                yield from _resolved(where, value, due, known.get((value.get("source"), value.get("id")), []))


def _joined(source: Source) -> Iterator[Item]:
    for item in json_lines(source.path):
        if isinstance(item, Fault):
            yield item
            continue
        where, value = item
        if not isinstance(value, Mapping):
            yield Fault(where, "is no object")
            continue
        yield _found(
            where, value, value.get("resolved_to"), value.get("resolution_date"), f"{value.get('id')}"
        )


def _resolutions(source: Source) -> dict[tuple[Any, Any], list[Mapping[str, Any]]]:
    """The rows of the resolution set by source and id."""
    assert source.resolutions is not None
    found: dict[tuple[Any, Any], list[Mapping[str, Any]]] = {}
    for where, row in items_of(json_value(source.resolutions), source.resolutions, "resolutions"):
        if not isinstance(row, Mapping) or "id" not in row:
            raise DataError("is no resolution", where=where)
        if not isinstance(row["id"], list):
            found.setdefault((row.get("source"), row["id"]), []).append(row)
    return found


def _resolved(
    where: str, question: Mapping[str, Any], due: Any, rows: list[Mapping[str, Any]]
) -> Iterator[Item]:
    if not rows:
        yield Aside(where, _NO_RESOLUTION)
    for row in rows:
        if row.get("resolved") is False:
            yield Aside(where, UNRESOLVED)
            continue
        day = row.get("resolution_date")
        id_ = f"{question.get('id')}" if len(rows) == 1 else f"{question.get('id')}-{day}"
        told = {**question, "forecast_due_date": question.get("forecast_due_date", due)}
        yield _found(where, told, row.get("resolved_to"), day, id_)


def _found(where: str, value: Mapping[str, Any], outcome: Any, day: Any, id_: str) -> Item:
    if outcome is None:
        return Aside(where, UNRESOLVED)
    if outcome not in (0, 1):
        return Aside(where, PARTIAL)
    source, market = value.get("source"), value.get("source") in _MARKETS
    dates = {"{resolution_date}": day, "{forecast_due_date}": value.get("forecast_due_date")}
    frozen = (value.get("freeze_datetime"), value.get("freeze_datetime_value"))
    opened = value.get("market_info_open_datetime")
    return Found(
        where,
        id=f"{source}-{id_}",
        question=_dated(value.get("question"), dates),
        outcome=int(outcome),
        resolution_date=day,
        background=_dated(value.get("background") or "", dates),
        criteria=_dated(value.get("resolution_criteria") or "", dates),
        open=opened if opened not in (None, "N/A") else value.get("freeze_datetime"),
        close=None
        if value.get("market_info_close_datetime") == "N/A"
        else value.get("market_info_close_datetime"),
        categories=[str(value.get("category") or source)],
        source=f"ForecastBench, {source}",
        url=value.get("url") or "",
        cluster="" if market else f"{source}-{value.get('id')}",
        community=[frozen] if market and frozen[1] not in (None, "", "N/A") else [],
    )


def _dated(text: Any, dates: Mapping[str, Any]) -> Any:
    """The text with the dates that ForecastBench leaves open."""
    if not isinstance(text, str):
        return text
    for slot, day in dates.items():
        text = text.replace(slot, str(day)[:10])
    return text
