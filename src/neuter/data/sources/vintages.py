"""First prints and latest values from vintages: what was known of each period, and when.

A frame of vintages has a row for each value of a period: ``period`` (its first day), ``since`` and ``until`` (the days
or vintages between which the value stood), ``level`` (Float64) and ``decimals`` (Int8) of the level as printed.
"""

from __future__ import annotations

import polars as pl

from neuter.data.sources.known import Known

VINTAGES_SCHEMA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("period", "since", "until"), pl.Date),
    "level": pl.Float64,
    "decimals": pl.Int8,
}


def values_of(known: Known, vintages: pl.DataFrame, first: pl.DataFrame | None = None) -> pl.DataFrame:
    """``day``, ``first``, ``latest`` and ``digits`` of a series.

    ``latest`` is from the last vintage. What a value is made from (the level of a month, a quarter or a year before)
    is of the same vintage: levels of two vintages may have other base years and benchmarks.

    Args:
        first: the rows of ``vintages`` that are first prints (``first_prints``); None where all that is wanted, or
            known, is the latest.
    """
    latest = _made(known, vintages.filter(pl.col("until") == pl.col("until").max()), vintages)
    prints = latest.clear() if first is None else _made(known, first, vintages)
    if known.unrevised and first is None:
        prints = latest
    digits = {"latest": latest, "first": prints}[known.readings[0]]
    both = prints.select(day="period", first="value").join(
        latest.select(day="period", latest="value"), on="day", how="full", coalesce=True
    )
    return both.join(digits.select("digits", day="period"), on="day", how="left").sort("day")


def first_prints(
    vintages: pl.DataFrame, *, prompt_days: int, late: bool = False, late_days: int | None = None
) -> pl.DataFrame:
    """The rows that are the first print of their period.

    Of vintages taken once a month or quarter, one that holds a period within ``prompt_days`` holds its first print.
    A later one may hold a revision already: with ``late`` it counts if no newer period first appears in it, and if it
    is not the first vintage that there is. With ``late_days`` the vintages are the days of the releases themselves, so
    that every first appearance is a first print, but for those of the first vintage (the history that an archive
    begins with) and those that came later than any release does (which the archive missed).

    Args:
        prompt_days, late_days: days from the first of the period to the vintage.
    """
    appeared = vintages.drop_nulls("level").sort("since").unique("period", keep="first", maintain_order=True)
    lag = (pl.col("since") - pl.col("period")).dt.total_days()
    newest = pl.col("period") == pl.col("period").max().over("since")
    begins = pl.col("since") == pl.lit(vintages["since"].min(), pl.Date)
    if late_days is not None:
        kept = (lag <= late_days) & (~begins | (newest & (lag <= prompt_days)))
    else:
        kept = (lag <= prompt_days) | (newest & ~begins & late)
    return appeared.filter(kept).sort("period")


def _made(known: Known, rows: pl.DataFrame, vintages: pl.DataFrame) -> pl.DataFrame:
    """``period``, ``value`` and ``digits`` of each of ``rows``, by the arithmetic of the series."""
    if known.made == "level":
        most = rows["decimals"].max()
        return rows.select("period", value="level", digits=pl.lit(most, pl.Int8)).drop_nulls("value")
    held = rows.drop_nulls("level").join(_before(known, vintages), on="period", how="inner")
    held = held.filter((pl.col("b_since") <= pl.col("since")) & (pl.col("b_until") >= pl.col("since")))
    value = _arithmetic(known).round(known.decimals or 0)
    return held.select(
        "period",
        # Rounding makes -0.0 of a small fall.
        value=pl.when(value == 0).then(0.0).otherwise(value),
        digits=pl.when(_is_sure(known)).then(pl.lit(known.digits, pl.Int8)),
    )


def _before(known: Known, vintages: pl.DataFrame) -> pl.DataFrame:
    """The level that each period's value is made from, under that period."""
    months = known.steps * (3 if known.frequency == "quarterly" else 1)
    return vintages.drop_nulls("level").select(
        pl.col("period").dt.offset_by(f"{months}mo"), b_since="since", b_until="until", before="level"
    )


def _is_sure(known: Known) -> pl.Expr:
    """Whether growth from rounded levels can be rounded as its publisher does.

    BEA rounds growth from levels with more decimals than it prints. Levels known to within half a unit give growth at
    an annual rate to within 100 * periods a year * unit / level percentage points; nearer than that to the middle of
    two prints, either may be the one.
    """
    if known.made != "annualized" or known.decimals == known.digits:
        return pl.lit(True)
    unit = pl.lit(10.0).pow(-pl.col("decimals").cast(pl.Float64))
    to_the_middle = ((_arithmetic(known).abs() * 10).mod(1.0) - 0.5).abs() / 10
    return to_the_middle > 100 * _periods_a_year(known) * unit / pl.col("level")


def _periods_a_year(known: Known) -> int:
    return 4 if known.frequency == "quarterly" else 12


def _arithmetic(known: Known) -> pl.Expr:
    """A value from ``level`` and ``before``: a difference, or percent."""
    ratio = pl.col("level") / pl.col("before")
    made = {
        "change": pl.col("level") - pl.col("before"),
        "annualized": (ratio.pow(_periods_a_year(known)) - 1) * 100,
        "over_year": (ratio - 1) * 100,
    }
    return made[known.made]
