"""Portfolios by size: ten firms drawn from each tercile, anew each year, and their month-end closes."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

from neuter.data.panel import month_number
from neuter.errors import DataError, UsageError

if TYPE_CHECKING:
    import polars as pl

#: The smallest first, as Table 5 of The Memorization Problem has them.
SIZES = ("Small", "Mid", "Large")
#: Shares that grow or shrink by the factor within a month, while the close goes the other way, are taken for a split:
#: the two may miss each other by the share (in logs). The number of shares is often entered a month or two late, and
#: then more is asked for.
SPLIT, LATE_SPLIT = (1.4, 0.5), (1.9, 0.25)
#: Months between the split and its entry.
LATE = (-1, 1, 2)


def draw_portfolios(panel: pl.DataFrame, *, per_size: int = 10, seed: int = 0) -> pl.DataFrame:
    """Draws firms from each size tercile, anew each year (section 4.5 of The Memorization Problem).

    A year's portfolio is drawn from the firms that have a size and a close at the last month end of the year before;
    in the panel's first year at its first month end with sizes. A firm's place in the draw depends on seed, year and
    symbol alone: neither the order of rows nor another year changes it. A tercile with fewer firms gives all of them.

    Args:
        panel: as :func:`neuter.data.panel.firm_panel` returns.
        per_size: firms of each tercile.
        seed: of the draw.

    Returns:
        year (Int32), size, symbol (as of the draw), firm, formed (the month end that the sizes are of); in the order of
        year, size (Small, Mid, Large) and symbol.

    Raises:
        UsageError: ``per_size`` is below 1.
        DataError: the panel has no sizes.
    """
    import polars as pl

    if per_size < 1:
        raise UsageError(f"per_size = {per_size}", todo="Give a whole number above 0")
    candidates = _candidates(panel)
    if not candidates.height:
        raise DataError("no firm has a size and a close", where="panel of firms")
    keys = [_key(seed, year, symbol) for year, symbol in candidates.select("year", "symbol").iter_rows()]
    drawn = candidates.with_columns(pl.Series("key", keys)).sort("key")
    drawn = drawn.group_by("year", "size").head(per_size)
    place = pl.col("size").replace_strict({size: at for at, size in enumerate(SIZES)}, return_dtype=pl.Int8)
    return drawn.sort("year", place, "symbol").select("year", "size", "symbol", "firm", "formed")


def _candidates(panel: pl.DataFrame) -> pl.DataFrame:
    """A row a year and firm that may be drawn for it."""
    import polars as pl

    sized = panel.filter(pl.col("size").is_in(SIZES) & pl.col("close").is_not_null())
    year = pl.col("date").dt.year()
    months = sized.select("date", year.alias("year")).unique()
    last = months.group_by("year").agg(pl.col("date").max().alias("formed"))
    last = last.select((pl.col("year") + 1).alias("year"), "formed")
    first = months.sort("date").head(1).select("year", pl.col("date").alias("formed"))
    asked = panel.select(year.alias("year")).unique()
    formed = pl.concat([first, last]).join(asked, on="year", how="semi")
    return sized.join(formed, left_on="date", right_on="formed", how="inner").with_columns(
        pl.col("date").alias("formed")
    )


def _key(seed: int, year: int, symbol: str) -> str:
    return hashlib.blake2b(f"{seed} {year} {symbol}".encode(), digest_size=12).hexdigest()


def portfolio_closes(panel: pl.DataFrame, portfolios: pl.DataFrame) -> pl.DataFrame:
    """The month-end closes of the drawn firms, in the year that each was drawn for.

    A firm is followed by its number, so a new symbol is the symbol from that month on. One that leaves within the year
    has no later months (:func:`missing_months` counts them); nobody takes its place. In the first year months begin
    with the one that the sizes are of.

    Returns:
        series (the size), firm (its number), symbol (as of the date), date, close, previous (the firm's close one
        month end before, as traded; null over a gap, or where the number of shares shows a split between the two),
        year_ago (likewise, twelve month ends before), digits; in the order of series, symbol and date.
    """
    import polars as pl

    rows = _with_shares(panel).with_columns(
        _is_split().fill_null(False).alias("split"), pl.col("date").dt.year().alias("year")
    )
    rows = _with_year_ago(rows).with_columns(pl.when(~pl.col("split")).then("previous").alias("previous"))
    drawn = portfolios.select("year", "firm", "formed", series="size")
    held = rows.join(drawn, on=["year", "firm"], how="inner").filter(pl.col("date") >= pl.col("formed"))
    place = pl.col("series").replace_strict({size: at for at, size in enumerate(SIZES)}, return_dtype=pl.Int8)
    return held.sort(place, "symbol", "date").select(
        "series", "firm", "symbol", "date", "close", "previous", "year_ago", "digits"
    )


def _with_year_ago(rows: pl.DataFrame) -> pl.DataFrame:
    """``year_ago``: the firm's close twelve months before, null where the number of shares shows a split since."""
    import polars as pl

    before = rows.select("firm", month=pl.col("month") + 12, year_ago="close")
    splits = rows.filter("split").select("firm", at="month")
    split_since = (
        rows.join(splits, on="firm")
        .filter((pl.col("at") > pl.col("month") - 12) & (pl.col("at") <= pl.col("month")))
        .select("firm", "month", pl.lit(True).alias("since"))
        .unique()
    )
    told = rows.join(before, on=["firm", "month"], how="left").join(
        split_since, on=["firm", "month"], how="left"
    )
    return told.with_columns(pl.when(pl.col("since").is_null()).then("year_ago").alias("year_ago")).drop(
        "since"
    )


def _with_shares(panel: pl.DataFrame) -> pl.DataFrame:
    """``previous``, ``price`` (log of close by previous), and ``shares`` with its neighbours: how much that number grew
    (in logs) in this month, the one before, and the next two.
    """
    import polars as pl

    count = (pl.col("market_cap") / pl.col("close")).log()
    rows = panel.select(
        "firm", "symbol", "date", "close", "digits", month_number().alias("month"), count.alias("count")
    )
    before = rows.select("firm", month=pl.col("month") + 1, previous="close", count_before="count")
    rows = rows.join(before, on=["firm", "month"], how="left").with_columns(
        (pl.col("close") / pl.col("previous")).log().alias("price"),
        (pl.col("count") - pl.col("count_before")).alias("shares_0"),
    )
    for late in LATE:
        grown = rows.select("firm", pl.col("month") - late, pl.col("shares_0").alias(f"shares_{late}"))
        rows = rows.join(grown, on=["firm", "month"], how="left")
    return rows


def _is_split() -> pl.Expr:
    import polars as pl

    entered = [_against("shares_0", *SPLIT), *(_against(f"shares_{late}", *LATE_SPLIT) for late in LATE)]
    return pl.any_horizontal(found.fill_null(False) for found in entered)


def _against(shares: str, factor: float, miss: float) -> pl.Expr:
    """The number of shares jumps by a factor, and the close by about as much the other way."""
    import polars as pl

    jump = pl.col(shares)
    return (jump.abs() >= math.log(factor)) & ((pl.col("price") + jump).abs() <= jump.abs() * miss)


def missing_months(panel: pl.DataFrame, portfolios: pl.DataFrame) -> pl.DataFrame:
    """Drawn firms without a close at some month end of their year that the panel has.

    Returns:
        year, size, symbol (as of the draw), missing (how many month ends), last (the firm's last close in the panel);
        firms without any missing are left out.
    """
    import polars as pl

    months = panel.select("date", pl.col("date").dt.year().alias("year")).unique()
    due = portfolios.join(months, on="year").filter(pl.col("date") >= pl.col("formed"))
    there = (
        panel.select("firm", "date", "close").drop_nulls("close").with_columns(pl.lit(True).alias("there"))
    )
    asked = due.join(there, on=["firm", "date"], how="left")
    counts = asked.group_by("year", "size", "symbol", "firm").agg(
        pl.col("there").is_null().sum().alias("missing")
    )
    last = there.group_by("firm").agg(pl.col("date").max().alias("last"))
    found = counts.filter(pl.col("missing") > 0).join(last, on="firm", how="left")
    return found.sort("year", "size", "symbol").select("year", "size", "symbol", "missing", "last")
