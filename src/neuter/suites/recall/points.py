"""From a series of actual values to what questions need of each date: the truth, and what went before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from neuter.errors import DataError, UsageError
from neuter.scoring.recall.directions import in_same_shares

if TYPE_CHECKING:
    from neuter.data.series import DataSeries

#: Of each date: the truth, the second reading, decimals, the actual value one period before (in today's shares where
#: stocks were split since), that of the same period last year, and the two dates and values that a context tells.
POINTS_SCHEMA: dict[str, type[pl.DataType]] = {
    "date": pl.Date,
    **dict.fromkeys(("truth", "other"), pl.Float64),
    "digits": pl.Int8,
    **dict.fromkeys(("previous", "previous_other", "year_ago"), pl.Float64),
    **{"date_1": pl.Date, "value_1": pl.Float64, "date_2": pl.Date, "value_2": pl.Float64},
}
_PERIODS_A_YEAR = {"monthly": 12, "quarterly": 4}
#: Days by which the same day last year may have been no trading day.
_YEAR_AGO_WITHIN = "7d"


def points_of(series: DataSeries, reading: str | None = None) -> pl.DataFrame:
    """A row for each date with a truth, in the columns of ``POINTS_SCHEMA``.

    A period whose predecessor the data lacks has no ``previous``, rather than that of an earlier one.

    Args:
        reading: which column is the truth; by default the first. The other one, where there is one, is ``other``.

    Raises:
        UsageError: the series has no such reading.
        DataError: it has no value of it.
    """
    first, second = readings_of(series, reading)
    has_other = second is not None
    known = series.points.select(
        "date",
        pl.col(first).alias("truth"),
        (pl.col(second) if second else pl.lit(None, pl.Float64)).alias("other"),
        # The digits are those of the default reading.
        (pl.col("digits") if first == series.readings[0] else pl.lit(None, pl.Int8)).alias("digits"),
    ).filter(pl.col("truth").is_not_null())
    if known.is_empty():
        raise DataError(
            f"has no value of the reading {first!r}", where=series.name, todo=_other_readings(series, first)
        )
    keyed = _with_period(known, series)
    for back in (1, 2):
        earlier = keyed.select(
            (pl.col("period") + back).alias("period"),
            pl.col("date").alias(f"date_{back}"),
            pl.col("truth").alias(f"value_{back}"),
            *([pl.col("other").alias("previous_other")] if back == 1 else []),
        )
        keyed = keyed.join(earlier, on="period", how="left", maintain_order="left")
    keyed = _with_year_ago(keyed, series.frequency)
    adjusts = _splits(series) and has_other and second == "split_adjusted"
    previous = _in_same_shares(keyed) if adjusts else keyed["value_1"]
    return keyed.with_columns(previous.alias("previous")).select(list(POINTS_SCHEMA)).cast(POINTS_SCHEMA)  # type: ignore[arg-type]


def readings_of(series: DataSeries, reading: str | None) -> tuple[str, str | None]:
    """The reading that is the truth, and the one beside it (None where there is no other).

    Raises:
        UsageError: the series has no such reading.
    """
    first = reading or series.readings[0]
    if first not in series.readings:
        known = ", ".join(series.readings)
        raise UsageError(f"{series.name} has no reading {first!r}", todo=f"It has: {known}")
    others = [name for name in series.readings if name != first]
    return first, (others[0] if others else None)


def _other_readings(series: DataSeries, first: str) -> str:
    """What to do where a file holds another reading alone."""
    held = [name for name in series.readings if name != first and series.points[name].count()]
    options = {"first": "--vintage first", "latest": "--vintage latest"}
    options |= {"traded": "--price traded", "split_adjusted": "--price split_adjusted"}
    return f"Give {' or '.join(options[name] for name in held)}" if held else "Give another file or source"


def _with_period(known: pl.DataFrame, series: DataSeries) -> pl.DataFrame:
    """A column ``period``: a whole number that rises by one from each period to the next; a trading day is one too."""
    if series.frequency == "daily":
        lacking = pl.DataFrame({"date": sorted(series.gaps)}, schema={"date": pl.Date})
        counted = lacking.with_row_index("lacking", offset=1).with_columns(pl.col("lacking").cast(pl.Int64))
        return (
            known.join_asof(counted, on="date", strategy="backward")
            .with_columns((pl.int_range(pl.len()) + pl.col("lacking").fill_null(0)).alias("period"))
            .drop("lacking")
        )
    monthly = series.frequency == "monthly"
    of_year = pl.col("date").dt.month() if monthly else pl.col("date").dt.quarter()
    year = pl.col("date").dt.year().cast(pl.Int64) * _PERIODS_A_YEAR[series.frequency]
    return known.with_columns((year + of_year).alias("period"))


def _with_year_ago(keyed: pl.DataFrame, frequency: str) -> pl.DataFrame:
    if frequency == "daily":
        before = keyed.select(
            pl.col("date").alias("then"), pl.col("truth").alias("year_ago"), pl.col("date").alias("found")
        )
        asked = keyed.with_columns(pl.col("date").dt.offset_by("-1y").alias("then"))
        joined = asked.join_asof(before, on="then", strategy="backward", tolerance=_YEAR_AGO_WITHIN)
        return joined.drop("then", "found")
    year = _PERIODS_A_YEAR[frequency]
    before = keyed.select((pl.col("period") + year).alias("period"), pl.col("truth").alias("year_ago"))
    return keyed.join(before, on="period", how="left", maintain_order="left")


def _splits(series: DataSeries) -> bool:
    return {"traded", "split_adjusted"} <= set(series.readings)


def _in_same_shares(keyed: pl.DataFrame) -> pl.Series:
    """The previous close in shares of the day that is asked about: a split is no fall in price."""
    columns = (keyed[name].to_numpy() for name in ("value_1", "previous_other", "truth", "other"))
    return pl.Series(in_same_shares(*columns)[0]).fill_nan(None)
