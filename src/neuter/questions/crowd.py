"""What the crowd said, as one forecast a question: of its first two weeks, or the last before it was frozen."""

from __future__ import annotations

from datetime import date

import polars as pl

from neuter.questions.schema import QUESTION_SCHEMA
from neuter.scoring.forecasts.schema import RESOLVED_SCHEMA

#: "To avoid hindsight bias, we use only predictions from the first two weeks of each question" (Simulated Ignorance
#: Fails, section 5.1, Table 4).
FIRST_DAYS = 14
FIRST_TWO_WEEKS, FREEZE = "first_two_weeks", "freeze"


def with_crowd(questions: pl.DataFrame) -> pl.DataFrame:
    """Questions (QUESTION_SCHEMA) with ``crowd`` and ``crowd_from``.

    ``first_two_weeks``: the mean over the days that have a prediction of each day's last one, from the day of opening
    (where that is unknown, of the first prediction) to the fourteenth; the paper does not say how it averages.
    ``freeze``: the one prediction of a question that has no other, from later than that. Null and "" where there is
    none. A prediction of the day of resolution is none: the outcome may have been known.
    """
    placed = questions.select("id", "open", "resolution_date", "community").with_row_index("place")
    said = placed.explode("community", empty_as_null=True).unnest("community").drop_nulls("date")
    said = said.filter((pl.col("date") < pl.col("resolution_date")) & pl.col("probability").is_not_null())
    first = pl.coalesce("open", pl.col("date").min().over("place"))
    early = said.filter(pl.col("date").is_between(first, first + pl.duration(days=FIRST_DAYS - 1)))
    daily = early.group_by("place", "date", maintain_order=True).agg(pl.col("probability").last())
    of_weeks = daily.group_by("place").agg(pl.col("probability").mean().alias("first"))
    frozen = said.group_by("place").agg(pl.col("probability").last().alias("frozen"), pl.len().alias("said"))
    joined = (
        placed.select("place").join(of_weeks, on="place", how="left").join(frozen, on="place", how="left")
    )
    joined = joined.sort("place")
    only = pl.when(pl.col("said") == 1).then("frozen")
    crowd = joined.select(
        pl.coalesce("first", only).alias("crowd"),
        pl.when(pl.col("first").is_not_null())
        .then(pl.lit(FIRST_TWO_WEEKS))
        .when(pl.col("said") == 1)
        .then(pl.lit(FREEZE))
        .otherwise(pl.lit(""))
        .alias("crowd_from"),
    )
    return pl.concat([questions, crowd], how="horizontal")


def crowd_at(questions: pl.DataFrame, day: date | pl.Expr) -> pl.Series:
    """The crowd's last prediction of each question on or before a day; null where there is none."""
    until = pl.lit(day) if isinstance(day, date) else day
    placed = questions.with_row_index("place").with_columns(until.alias("until"))
    said = (
        placed.select("place", "until", "community")
        .explode("community", empty_as_null=True)
        .unnest("community")
    )
    last = said.filter(pl.col("date") <= pl.col("until")).group_by("place").agg(pl.col("probability").last())
    return (
        placed.select("place").join(last, on="place", how="left").sort("place")["probability"].alias("crowd")
    )


def resolved_frame(questions: pl.DataFrame) -> pl.DataFrame:
    """Questions (QUESTION_SCHEMA) as they are scored (RESOLVED_SCHEMA)."""
    told = with_crowd(questions.select(list(QUESTION_SCHEMA)))
    return told.select(
        "id",
        "open",
        "resolution_date",
        pl.col("resolution").cast(pl.Float64).alias("outcome"),
        "domain",
        "cluster",
        "crowd",
        "crowd_from",
        "base_rate",
    ).select(list(RESOLVED_SCHEMA))
