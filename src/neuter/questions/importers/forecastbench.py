"""ForecastBench: a question set with its resolution set, or the two joined as JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from neuter.errors import DataError, UsageError
from neuter.questions.found import Aside, Fault, Found, Item, Source
from neuter.questions.json_files import first_object, json_value, listed, objects
from neuter.questions.outcomes import UNRESOLVED, outcome_of

#: Sources whose frozen value is a crowd's probability; the others freeze a value of their series.
_MARKETS = ("infer", "kalshi", "manifold", "metaculus", "polymarket")
#: The outcome of a combination follows from its two questions, which are in the set; and since each question is in
#: several, they would tie all into one cluster.
_COMBINED = "combinations of questions"
_NO_RESOLUTION = "without a resolution in the resolution set"
_LATER = "later dates of a market that had resolved"
_MISSING = (None, "", "N/A")


class ForecastBench:
    """Objects with ``freeze_datetime_value``; of a question set the resolutions come in a second file."""

    def matches(self, source: Source) -> bool:
        return "freeze_datetime_value" in first_object(source, "questions")

    def questions(self, source: Source) -> Iterator[Item]:
        """Each question, or where a series is asked about on several dates one for each of them."""
        joined = "resolved_to" in first_object(source, "questions")
        if not joined and source.resolutions is None:
            raise UsageError(
                "a question set of ForecastBench needs its resolution set",
                where=str(source.path),
                todo="Give it with --resolutions FILE (resolutions=)",
            )
        known = {} if joined else _resolutions(source.resolutions)
        due = None if joined or source.lines else _due(source)
        for item in objects(source, "questions"):
            if isinstance(item, Fault):
                yield item
            elif isinstance(item[1].get("id"), list):
                yield Aside(item[0], _COMBINED)
            elif joined:
                yield _found(*item, item[1], _plain_id(item[1]))
            else:
                where, value = item
                rows = known.get((str(value.get("source")), str(value.get("id"))), ())
                yield from _resolved(where, {"forecast_due_date": due, **value}, rows)


def _due(source: Source) -> Any:
    whole = json_value(source.path)
    return whole.get("forecast_due_date") if isinstance(whole, Mapping) else None


def _resolutions(path: Any) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    """The rows of the resolution set by source and id."""
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for where, row in listed(path, "resolutions"):
        if not isinstance(row, Mapping) or not {"id", "resolved_to"} <= set(row):
            raise DataError(
                "is no resolution",
                where=where,
                todo="Give the resolution set that belongs to the question set",
            )
        if not isinstance(row["id"], list):
            found.setdefault((str(row.get("source")), str(row["id"])), []).append(row)
    return found


def _resolved(where: str, question: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Iterator[Item]:
    """What the rows make of a question: a market resolves once, a series is asked about on each date."""
    if not rows:
        yield Aside(where, _NO_RESOLUTION)
    elif question.get("source") in _MARKETS:
        yield from _market(where, question, rows)
    else:
        for row in rows:
            id_ = (
                _plain_id(question)
                if len(rows) == 1
                else f"{_plain_id(question)}-{row.get('resolution_date')}"
            )
            yield _found(where, question, row, id_)


def _market(where: str, question: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Iterator[Item]:
    """Its first resolved row: the others tell the same outcome again, or the market's price of that day."""
    done = sorted(
        (row for row in rows if row.get("resolved") is not False),
        key=lambda row: str(row.get("resolution_date")),
    )
    if not done:
        yield Aside(where, UNRESOLVED)
        return
    if len({str(outcome_of(row.get("resolved_to"))) for row in done}) > 1:
        yield Fault(where, f"field resolved_to of {_plain_id(question)!r}: resolved in more than one way")
        return
    yield _found(where, question, done[0], _plain_id(question))
    yield from (Aside(where, _LATER) for _ in done[1:])


def _found(where: str, value: Mapping[str, Any], row: Mapping[str, Any], id_: str | None) -> Item:
    outcome = UNRESOLVED if row.get("resolved") is False else outcome_of(row.get("resolved_to"))
    if outcome is None:
        return Fault(where, f"field resolved_to: {str(row.get('resolved_to'))[:40]!r} is neither 1 nor 0")
    if isinstance(outcome, str):
        return Aside(where, outcome)
    day, source = row.get("resolution_date"), str(value.get("source") or "")
    market = source in _MARKETS
    slots = {"{resolution_date}": day, "{forecast_due_date}": value.get("forecast_due_date")}
    criteria = (_told(value, name) for name in ("resolution_criteria", "market_info_resolution_criteria"))
    frozen = (value.get("freeze_datetime"), value.get("freeze_datetime_value"))
    return Found(
        where,
        id=id_,
        question=_dated(value.get("question"), slots),
        outcome=outcome,
        resolution_date=day,
        background=_dated(_told(value, "background"), slots),
        criteria=_dated("\n\n".join(str(part) for part in criteria if part), slots),
        open=_told(value, "market_info_open_datetime") or value.get("freeze_datetime"),
        close=_told(value, "market_info_close_datetime"),
        categories=[str(value.get("category") or ""), source],
        source=f"ForecastBench, {source}",
        url=_told(value, "url"),
        cluster="" if market else f"{source}-{value.get('id')}",
        community=[frozen] if market and frozen[1] not in _MISSING else [],
    )


def _plain_id(value: Mapping[str, Any]) -> str | None:
    return None if value.get("id") in _MISSING else f"{value.get('source')}-{value.get('id')}"


def _told(value: Mapping[str, Any], name: str) -> Any:
    return None if value.get(name) in _MISSING else value[name]


def _dated(text: Any, slots: Mapping[str, Any]) -> Any:
    """The text with the dates that ForecastBench leaves open."""
    if not isinstance(text, str):
        return text
    for slot, day in slots.items():
        text = text.replace(slot, str(day)[:10])
    return text
