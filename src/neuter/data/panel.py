"""A month-end panel of firms with sizes: the one that ships, or one made of a user's own table such as CRSP's."""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import TYPE_CHECKING

from neuter.errors import DataError
from neuter.shipped import shipped_path

if TYPE_CHECKING:
    import polars as pl

#: The columns of a panel. ``firm`` is the same number for a firm's every month, whatever symbol it had.
COLUMNS = ("date", "symbol", "name", "exchange", "close", "market_cap", "size", "digits", "firm")
#: How a user's table may write the New York Stock Exchange; 1 is CRSP's code.
_NYSE = ("NYSE", "N", "1", "1.0", "XNYS")
#: Months that the shipped panel has in part: NASDAQ alone, and no sizes.
_IN_PART = (date(2021, 1, 29),)


@cache
def firm_panel() -> pl.DataFrame:
    """Common stocks of operating firms on the NYSE, NASDAQ and AMEX at month ends, 2021-01 to 2026-07.

    Funds, preferred shares, warrants, units, rights, notes, depositary receipts, partnerships and blank checks are left
    out; one line a firm (GOOGL, BRK.A). See docs/data-stocks.md.

    Returns:
        In the order of symbol and date: date (Date, the last trading day of the month), symbol (``BRK.A``), name,
        exchange (NYSE, NASDAQ, AMEX), close (Float64, as traded), market_cap (US dollars), size (Small, Mid, Large by
        the NYSE's terciles of that month; null in 2021-01, which has no breakpoints), digits (Int8: decimals of the
        close), firm (Int64).

    Raises:
        DataError: the file is damaged.
    """
    import polars as pl

    path = shipped_path("panel", "firms.parquet")
    try:
        rows = pl.read_parquet(path, columns=list(COLUMNS))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"the panel of firms cannot be read ({error})", where=str(path)) from error
    texts = pl.col("symbol", "name", "exchange", "size").cast(pl.String)
    return rows.with_columns(texts, pl.col("market_cap").cast(pl.Float64), pl.col("firm").cast(pl.Int64))


@cache
def panel_gaps() -> tuple[date, ...]:
    """Month ends that the shipped panel lacks (its last trading day), or has in part (2021-01: NASDAQ alone)."""
    from neuter.data.calendar import month_ends

    there = set(firm_panel()["date"].unique().to_list())
    due = month_ends(min(there), max(there))
    return tuple(sorted({*_IN_PART, *(day for day in due if day not in there)}))


def panel_from(frame: pl.DataFrame, where: str = "panel") -> pl.DataFrame:
    """A panel of a user's own monthly table of common stocks, with the columns of :func:`firm_panel`.

    Sizes are terciles by month: the 33⅓ and 66⅔ percentiles of market cap of the table's own NYSE stocks, interpolated
    linearly; Small is at or below the first, Large above the second (Table 5: "using the NYSE stocks only to calculate
    cutoffs"). A month with fewer than three NYSE stocks has no sizes.

    Args:
        frame: date (Date), close (positive), market_cap (US dollars), exchange (NYSE or CRSP's code 1 for the New York
            Stock Exchange), symbol, permno, or both; optionally name, size, and digits (decimals of the close, null
            where it is no trade). One row a firm and month. Rows without a close are left out.
        where: what a message calls the table.

    Raises:
        DataError: a column is missing, a close is not positive, or a firm is there twice in a month.
    """
    import polars as pl

    _see_columns(frame, where)
    rows = frame.filter(pl.col("close").is_not_null()).with_columns(month_number().alias("month"))
    permno = "permno" in rows.columns
    firm = pl.col("permno") if permno else pl.col("symbol").cast(pl.Categorical).to_physical()
    rows = rows.with_columns(firm.cast(pl.Int64).alias("firm"))
    rows = _with_defaults(rows)
    _see_rows(rows, where)
    if "size" not in rows.columns:
        rows = _with_sizes(rows)
    return rows.select(COLUMNS).sort("symbol", "date")


def _see_columns(frame: pl.DataFrame, where: str) -> None:
    need = ["date", "close", "market_cap", "exchange"]
    missing = [name for name in need if name not in frame.columns]
    if not {"symbol", "permno"} & set(frame.columns):
        missing.append("symbol (or permno)")
    if missing:
        todo = (
            "Sizes are made of the NYSE's own stocks, so the exchange is needed"
            if "exchange" in missing
            else ""
        )
        raise DataError(f"no column {', '.join(missing)}", where=where, todo=todo)


def _with_defaults(rows: pl.DataFrame) -> pl.DataFrame:
    """Text columns that the user did not give, and digits: to the cent."""
    import polars as pl

    symbol = pl.col("symbol").cast(pl.String) if "symbol" in rows.columns else pl.lit(None, pl.String)
    rows = rows.with_columns(pl.coalesce(symbol, pl.col("firm").cast(pl.String)).alias("symbol"))
    given = {"name": pl.col("symbol"), "digits": pl.lit(2)}
    rows = rows.with_columns(**{name: value for name, value in given.items() if name not in rows.columns})
    return rows.with_columns(
        pl.col("close", "market_cap").cast(pl.Float64),
        pl.col("exchange", "name").cast(pl.String),
        pl.col("digits").cast(pl.Int8),
    )


def _see_rows(rows: pl.DataFrame, where: str) -> None:
    import polars as pl

    wrong = rows.filter(~(pl.col("close").is_finite() & (pl.col("close") > 0)))
    if wrong.height:
        told = wrong.row(0, named=True)
        raise DataError(
            f"close {told['close']} of {told['symbol']} on {told['date']}", where=where, todo=_MIDPOINTS
        )
    twice = rows.filter(pl.struct("firm", "month").is_duplicated()).sort("symbol", "date")
    if twice.height:
        told = twice.row(0, named=True)
        raise DataError(f"{told['symbol']} is there twice in {told['date']:%Y-%m}", where=where)


_MIDPOINTS = "Give prices above zero; CRSP's negative prices are bid-ask midpoints, without the sign"


def _with_sizes(rows: pl.DataFrame) -> pl.DataFrame:
    """``size`` by the month's NYSE terciles; null without a market cap, or where they are too few."""
    import polars as pl

    from neuter.firms.breakpoints import own_bounds

    cap = (
        pl.when(pl.col("market_cap").is_finite() & (pl.col("market_cap") > 0)).then("market_cap").alias("cap")
    )
    rows = rows.with_columns(cap, pl.col("month").alias("unit"))
    nyse = rows.filter(pl.col("exchange").str.strip_chars().str.to_uppercase().is_in(_NYSE))
    rows = rows.join(own_bounds(nyse.drop_nulls("cap")), on="unit", how="left", maintain_order="left")
    small = pl.when(pl.col("cap") <= pl.col("lower")).then(pl.lit("Small"))
    size = small.when(pl.col("cap") > pl.col("upper")).then(pl.lit("Large")).otherwise(pl.lit("Mid"))
    known = pl.col("cap").is_not_null() & pl.col("lower").is_not_null()
    return rows.with_columns(pl.when(known).then(size).alias("size"))


def month_number() -> pl.Expr:
    """A whole number that rises by one from the month of a ``date`` to the next."""
    import polars as pl

    return pl.col("date").dt.year().cast(pl.Int64) * 12 + pl.col("date").dt.month() - 1
