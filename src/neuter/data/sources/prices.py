"""A stock's second price from the one that a source has: the splits that ship tie them together."""

from __future__ import annotations

import polars as pl

from neuter.data.sources.known import STOCK_READINGS, Known
from neuter.data.splits import split_factors, splits_of
from neuter.errors import DataError


def with_both_prices(known: Known, rows: pl.DataFrame, *, decimals: int | None = None) -> pl.DataFrame:
    """Rows with ``traded`` and ``split_adjusted``, the missing one of them by the splits of a stock that ships.

    Of another stock nothing is known of splits: what the source lacks stays out. A traded price that is made of an
    adjusted one is to the cent (``digits`` 2) only where the adjusted one has decimals enough to tell.

    Args:
        rows: ``day`` and one or both of the prices (Float64).
        decimals: that the adjusted price is printed with.
    """
    if not known.is_stock or set(STOCK_READINGS) <= set(rows.columns):
        return rows
    try:
        factor = split_factors(known.name, rows["day"], splits_of(known.name))
    except DataError:
        return rows
    if "traded" in rows.columns:
        return rows.with_columns(split_adjusted=pl.col("traded") / factor)
    told = rows.with_columns(traded=pl.col("split_adjusted") * factor, factor=factor)
    rounded = pl.col("traded").round(2)
    slack = pl.col("factor") * 0.5 * 10.0 ** -(decimals or 0) + pl.col("traded") * 1.2e-7
    exact = (slack < 0.005) & ((pl.col("traded") - rounded).abs() <= slack)
    exact = exact | ((pl.col("factor") == 1) & (pl.lit(decimals) == 2))
    return told.with_columns(
        traded=pl.when(exact).then(rounded).otherwise("traded"),
        digits=pl.when(exact).then(pl.lit(2, pl.Int8)),
    ).drop("factor")
