"""What the crowd said, as one forecast a question: of its first two weeks, or the last before it was frozen."""

from __future__ import annotations

from datetime import date

import polars as pl

from neuter.errors import UsageError
from neuter.questions.schema import QUESTION_SCHEMA
from neuter.scoring.forecasts.schema import RESOLVED_SCHEMA

#: "To avoid hindsight bias, we use only predictions from the first two weeks of each question" (Simulated Ignorance
#: Fails, section 5.1, Table 4).
FIRST_DAYS = 14
FIRST_TWO_WEEKS, FREEZE = "first_two_weeks", "freeze"
#: How the predictions of those days become one forecast; the paper does not say.
AVERAGES = ("daily", "carried", "every")


def with_crowd(questions: pl.DataFrame, *, average: str = "daily") -> pl.DataFrame:
    """Questions (QUESTION_SCHEMA) with ``crowd`` and ``crowd_from``.

    ``first_two_weeks``: the mean of the predictions from the day of opening (where that is unknown, of the first
    prediction) to the fourteenth day. ``freeze``: the one prediction of a question that has no other, from later than
    that. Null and "" where there is none. A prediction of the day of resolution is none: the outcome may have been
    known.

    Args:
        average: ``daily``, the mean over the days with a prediction of each day's last; ``carried``, the mean over all
            days from the first prediction on, a day without one having that of the day before; ``every``, the mean of
            all predictions, so that busy days weigh more.

    Raises:
        UsageError: no such average.
    """
    if average not in AVERAGES:
        raise UsageError(f"no average {average!r}", todo=f"Known: {', '.join(AVERAGES)}")
    placed = questions.select("open", "resolution_date", "community").with_row_index("place")
    said = _said(placed).filter(pl.col("date") < pl.col("resolution_date"))
    first = pl.coalesce("open", pl.col("date").min().over("place"))
    last = pl.min_horizontal(
        first + pl.duration(days=FIRST_DAYS - 1), pl.col("resolution_date") - pl.duration(days=1)
    )
    early = said.with_columns(last.alias("until")).filter(pl.col("date").is_between(first, pl.col("until")))
    frozen = said.group_by("place").agg(pl.col("probability").last().alias("frozen"), pl.len().alias("said"))
    joined = (
        placed.select("place")
        .join(_averaged(early, average), on="place", how="left")
        .join(frozen, on="place", how="left")
        .sort("place")
    )
    only = pl.col("said") == 1
    source = (
        pl.when(pl.col("first").is_not_null()).then(pl.lit(FIRST_TWO_WEEKS)).when(only).then(pl.lit(FREEZE))
    )
    crowd = joined.select(
        pl.coalesce("first", pl.when(only).then("frozen")).alias("crowd"),
        source.otherwise(pl.lit("")).alias("crowd_from"),
    )
    return pl.concat([questions, crowd], how="horizontal")


def crowd_at(questions: pl.DataFrame, day: date | pl.Expr) -> pl.Series:
    """The crowd's last prediction of each question on or before a day; null where there is none.

    Args:
        questions: QUESTION_SCHEMA.
        day: one day, or an expression of the questions' columns, as ``pl.col("close")``.
    """
    until = pl.lit(day) if isinstance(day, date) else day
    placed = questions.with_row_index("place").with_columns(until.alias("until"))
    said = _said(placed.select("place", "until", "community"))
    last = said.filter(pl.col("date") <= pl.col("until")).group_by("place").agg(pl.col("probability").last())
    joined = placed.select("place").join(last, on="place", how="left").sort("place")
    return joined["probability"].alias("crowd")


def resolved_frame(questions: pl.DataFrame, *, average: str = "daily") -> pl.DataFrame:
    """Questions (QUESTION_SCHEMA) as they are scored (RESOLVED_SCHEMA)."""
    told = with_crowd(questions.select(list(QUESTION_SCHEMA)), average=average)
    outcome = pl.col("resolution").cast(pl.Float64).alias("outcome")
    return told.with_columns(outcome).select(list(RESOLVED_SCHEMA))


def _said(placed: pl.DataFrame) -> pl.DataFrame:
    """A row a prediction, question by question in the order of days."""
    told = placed.explode("community", empty_as_null=True).unnest("community")
    return told.filter(pl.col("date").is_not_null() & pl.col("probability").is_not_null()).sort(
        "place", "date", maintain_order=True
    )


def _averaged(early: pl.DataFrame, average: str) -> pl.DataFrame:
    """``first``, one forecast a place, of predictions that have ``until``, the last day that counts."""
    if average == "every":
        return early.group_by("place").agg(pl.col("probability").mean().alias("first"))
    daily = early.group_by("place", "date", maintain_order=True).agg(pl.col("probability", "until").last())
    if average == "daily":
        return daily.group_by("place").agg(pl.col("probability").mean().alias("first"))
    # How many days each stands: until the next, or through the last day that counts.
    after = pl.col("date").shift(-1).over("place").fill_null(pl.col("until") + pl.duration(days=1))
    stood = (after - pl.col("date")).dt.total_days()
    weighted = daily.with_columns(stood.alias("stood"))
    mean = (pl.col("probability") * pl.col("stood")).sum() / pl.col("stood").sum()
    return weighted.group_by("place").agg(mean.alias("first"))
