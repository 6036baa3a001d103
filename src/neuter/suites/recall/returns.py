"""What levels make of themselves: monthly returns, directions, and which of two did better."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from neuter.suites.recall.points import POINTS_SCHEMA, points_of

if TYPE_CHECKING:
    from neuter.data.series import DataSeries


def at_month_ends(values: pl.DataFrame) -> pl.DataFrame:
    """The values (``date, value``) on the last trading day of each month.

    None from before 1985 or after 2030, where the calendar does not reach.
    """
    from neuter.data.calendar import FIRST_DAY, LAST_DAY, month_ends

    return values.filter(pl.col("date").is_in(month_ends(FIRST_DAY, LAST_DAY)))


def period_closes(series: DataSeries, every: str) -> pl.DataFrame:
    """Closes on the last trading day of each period (``1mo``, ``1y``): ``period`` (its first day), ``date``, ``close``.

    A period without that day is left out: the day before is not taken in its place.
    """
    ends = at_month_ends(series.values())
    if every == "1y":
        ends = ends.filter(pl.col("date").dt.month() == 12)
    return ends.select(
        pl.col("date").dt.truncate(every).alias("period"), "date", pl.col("value").alias("close")
    )


def monthly_returns(series: DataSeries) -> pl.DataFrame:
    """A point for each month: its return from month end to month end, in percent. The date is the month's first day.

    The values that a context tells are the closes of the two months before.
    """
    closes = _with_neighbours(period_closes(series, "1mo"), "1mo")
    returns = closes.with_columns(_change("close", "close_1").alias("truth")).filter(
        pl.col("truth").is_not_null()
    )
    year_ago = returns.select(pl.col("period").dt.offset_by("1y"), pl.col("truth").alias("year_ago"))
    return (
        returns.with_columns(_change("close_1", "close_2").alias("previous"))
        .join(year_ago, on="period", how="left", maintain_order="left")
        .select(
            pl.col("period").alias("date"),
            "truth",
            pl.lit(None, pl.Float64).alias("other"),
            pl.lit(None, pl.Int8).alias("digits"),
            "previous",
            pl.lit(None, pl.Float64).alias("previous_other"),
            "year_ago",
            date_1="date_1",
            value_1="close_1",
            date_2="date_2",
            value_2="close_2",
        )
        .cast(POINTS_SCHEMA)  # type: ignore[arg-type]
    )


def monthly_directions(series: DataSeries) -> pl.DataFrame:
    """The same months, with ``truth_word`` up or down; a month that ended where it began is left out."""
    return directions_of(monthly_returns(series))


def daily_directions(series: DataSeries) -> pl.DataFrame:
    """Days with ``truth_word``: up or down against the day before; a day without a change is left out."""
    return directions_of(changes_of(points_of(series)))


def changes_of(points: pl.DataFrame) -> pl.DataFrame:
    """Points whose truth is the change in percent against the previous value; those without one are left out."""
    return points.with_columns(_change("truth", "previous").alias("truth")).filter(
        pl.col("truth").is_not_null()
    )


def directions_of(changes: pl.DataFrame) -> pl.DataFrame:
    """Changes with the word for them; those that are none are left out."""
    word = pl.when(pl.col("truth") > 0).then(pl.lit("up")).otherwise(pl.lit("down"))
    return changes.filter(pl.col("truth") != 0).with_columns(word.alias("truth_word"))


def yearly_pairs(one: DataSeries, other: DataSeries, names: tuple[str, str]) -> pl.DataFrame:
    """A point for each calendar year that both have whole: which did better. The date is the year's last day.

    The outcome of a year is not known before it ends, so a year is before a cutoff only where its end is.
    """
    return _pairs(one, other, names, "1y").with_columns(
        pl.col("date").dt.offset_by("1y").dt.offset_by("-1d").alias("date")
    )


def monthly_pairs(one: DataSeries, other: DataSeries, names: tuple[str, str]) -> pl.DataFrame:
    """A point for each month that both have: which did better. The date is the month's first day."""
    return _pairs(one, other, names, "1mo")


def _pairs(one: DataSeries, other: DataSeries, names: tuple[str, str], every: str) -> pl.DataFrame:
    returns = [
        _with_neighbours(period_closes(series, every), every).select(
            "period", _change("close", "close_1").alias("r")
        )
        for series in (one, other)
    ]
    both = returns[0].join(returns[1], on="period", suffix="_2").drop_nulls().sort("period")
    better = pl.when(pl.col("r") > pl.col("r_2")).then(pl.lit(names[0])).otherwise(pl.lit(names[1]))
    # What a context could tell of two series at once the paper does not print, so a pair has none.
    empty = [
        pl.lit(None, kind).alias(name)
        for name, kind in POINTS_SCHEMA.items()
        if name not in ("date", "truth")
    ]
    return both.filter(pl.col("r") != pl.col("r_2")).select(
        pl.col("period").alias("date"),
        (pl.col("r") - pl.col("r_2")).alias("truth"),
        *empty,
        better.alias("truth_word"),
    )


def _with_neighbours(closes: pl.DataFrame, every: str) -> pl.DataFrame:
    """The closes of the two periods before beside each: null where there is none."""
    for back in (1, 2):
        earlier = closes.select(
            pl.col("period").dt.offset_by(f"{back}{every[1:]}"),
            pl.col("date").alias(f"date_{back}"),
            pl.col("close").alias(f"close_{back}"),
        )
        closes = closes.join(earlier, on="period", how="left", maintain_order="left")
    return closes


def _change(now: str, before: str) -> pl.Expr:
    """In percent."""
    return 100 * (pl.col(now) / pl.col(before) - 1)
