"""One series from two sources: the first one's, and the second's where the first does not reach."""

from __future__ import annotations

from datetime import date

import polars as pl

from neuter.data.series import DataSeries
from neuter.data.sources.known import Known
from neuter.data.sources.points import gaps_of


def filled(known: Known, held: DataSeries, further: DataSeries) -> DataSeries:
    """``held`` with what it does not reach taken from ``further``.

    That is a reading of which it has no value at all, and for the others the dates before its first value and after
    its last. A gap between these stays one: the source that the user named has the word there.
    """
    default, *others = known.readings
    joined = held.points.join(further.points, on="date", how="full", coalesce=True, suffix=" further").sort(
        "date"
    )
    taken = {name: _taken(held, name) for name in known.readings}
    points = joined.select(
        "date",
        *(_chosen(name, taken[name], name) for name in known.readings),
        _chosen("digits", taken[default], "digits"),
        _told(default, others, taken).alias("source"),
    ).filter(pl.any_horizontal(pl.col(name).is_not_null() for name in known.readings))
    reached = points.filter(pl.col(default).is_not_null())["date"]
    return DataSeries(
        name=known.name,
        frequency=known.frequency,
        readings=known.readings,
        points=points,
        gaps=gaps_of(known, reached),
        source=f"{held.source}; where it does not reach: {further.source}",
    )


def _taken(held: DataSeries, reading: str) -> pl.Expr:
    """True where a reading comes from the further source."""
    reach = held.values(reading)["date"]
    first, last = reach.min(), reach.max()
    if not isinstance(first, date) or not isinstance(last, date):
        return pl.lit(True)
    return (pl.col("date") < first) | (pl.col("date") > last)


def _chosen(name: str, taken: pl.Expr, alias: str) -> pl.Expr:
    return pl.when(taken).then(f"{name} further").otherwise(name).alias(alias)


def _told(default: str, others: list[str], taken: dict[str, pl.Expr]) -> pl.Expr:
    """The source of the default reading, and that of the other one where it is not the same."""
    main = pl.when(taken[default]).then("source further").otherwise("source").fill_null("")
    if not others:
        return main
    other = pl.when(taken[others[0]]).then("source further").otherwise("source").fill_null("")
    both = pl.concat_str(main, pl.lit(f"; {others[0]}: "), other)
    return (
        pl.when(pl.col(f"{default} further").is_null() & pl.col(default).is_null())
        .then(other)
        .when((main == other) | (other == ""))
        .then(main)
        .otherwise(both)
    )
