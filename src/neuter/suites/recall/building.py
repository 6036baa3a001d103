"""Rows of questions: one for each date and context of one kind of question about one series."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, Protocol

import polars as pl

from neuter.errors import UsageError
from neuter.scoring.recall.schema import QUESTIONS_SCHEMA
from neuter.suites.recall.wording import Task, history_context, news_context, question_prompt

if TYPE_CHECKING:
    from neuter.suites.recall.specs import SeriesSpec

#: What a prompt tells beside the question: nothing, what went before, or the headlines of the days before (section 2).
CONDITIONS = ("none", "history", "news")
Frequency = Literal["daily", "monthly", "quarterly", "yearly"]


class Headlines(Protocol):
    """Headlines by day, as far as a context needs them."""

    def before(self, day: date) -> tuple[tuple[str, str], ...]: ...


@dataclass(frozen=True, slots=True)
class Form:
    """One kind of question about one series.

    ``series`` and ``panel`` are as in the scores; ``second`` is the other index of a pair. ``cluster`` is the firm
    where a series holds several.
    """

    suite: str
    panel: str
    task: Task
    series: str
    spec: SeriesSpec
    frequency: Frequency
    second: SeriesSpec | None = None
    cluster: str = ""
    other_reading: str | None = None


def questions_of(
    form: Form, points: pl.DataFrame, conditions: Sequence[str], headlines: Headlines | None = None
) -> pl.DataFrame:
    """A row for each date of ``points`` (POINTS_SCHEMA, and truth_word where the answer is a word) and condition.

    Where the news are the context, a date without headlines before it is not asked about.
    """
    rows = [
        row
        for point in points.iter_rows(named=True)
        for condition in conditions
        if (row := _row(form, point, condition, headlines)) is not None
    ]
    return pl.DataFrame(rows, schema=QUESTIONS_SCHEMA, orient="row")


def check_conditions(conditions: Sequence[str]) -> tuple[str, ...]:
    """The conditions, each once.

    Raises:
        UsageError: one is none of the three.
    """
    strange = [name for name in conditions if name not in CONDITIONS]
    if strange:
        raise UsageError(f"no context {strange[0]!r}", todo=f"Known: {', '.join(CONDITIONS)}")
    return tuple(dict.fromkeys(conditions))


def empty_questions() -> pl.DataFrame:
    """A frame of questions without rows."""
    return pl.DataFrame(schema=QUESTIONS_SCHEMA)


def _row(
    form: Form, point: Mapping[str, Any], condition: str, headlines: Headlines | None
) -> dict[str, Any] | None:
    on: date = point["date"]
    context = _context(form, point, condition, headlines)
    if context is None:
        return None
    word = point.get("truth_word")
    return {
        "id": ":".join(filter(None, (form.panel, form.series, form.cluster, condition, on.isoformat()))),
        "suite": form.suite,
        "panel": form.panel,
        "series": form.series,
        "task": form.task,
        "condition": condition,
        "date": on,
        "cluster": form.cluster,
        "truth": None if word else point["truth"],
        "truth_word": word,
        "truth_date": None,
        "other": point["other"],
        "other_reading": form.other_reading if point["other"] is not None else None,
        "previous": point["previous"],
        "previous_other": point["previous_other"],
        "year_ago": point["year_ago"],
        "threshold": form.spec.threshold if form.task in ("level", "rate") else None,
        "digits": point["digits"],
        "prompt": question_prompt(
            form.task, form.spec, on, context=context, second=form.second, frequency=form.frequency
        ),
        "system": "",
    }


def _context(form: Form, point: Mapping[str, Any], condition: str, headlines: Headlines | None) -> str | None:
    """The context's text; None where the condition cannot be had."""
    if condition == "none":
        return ""
    if condition == "history" and form.task == "pair":
        return None  # the paper prints no context that tells of two series
    if condition == "history":
        return history_context(form.spec, list(_told(point)))
    told = headlines.before(point["date"]) if headlines else ()
    return news_context(told) if told else None


def _told(point: Mapping[str, Any]) -> Iterator[tuple[date, float]]:
    for back in (1, 2):
        if point[f"value_{back}"] is not None:
            yield point[f"date_{back}"], point[f"value_{back}"]
