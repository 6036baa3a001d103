"""Month-end closes of a stock from CRSP: as traded and split-adjusted, by the firm's permno."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import polars as pl

from neuter.data.series import DataSeries
from neuter.data.sources.crsp_file import ROW, Crsp, collected, crsp_file, days_of, priced, with_days
from neuter.data.sources.known import Known
from neuter.data.sources.points import series_of
from neuter.data.sources.prices import with_both_prices
from neuter.errors import DataError

#: CRSP's numbers may be 32-bit floats: 85.35 is then 85.3499985.
_RELATIVE = 1.2e-7


def crsp_series(known: Known, path: str) -> DataSeries | None:
    """A stock's month-end closes from a monthly or daily file, or None where no security had the ticker.

    The security is the permno that had the ticker last, with all its rows, also those under former tickers (FB of
    META). ``traded`` is the price without its sign; a midpoint of bid and ask, which CRSP writes as a negative price
    (CIZ: flag BA), has no ``digits``, for nothing was traded there. ``split_adjusted`` is that over the cumulative
    factor (cfacpr), in shares of the file's last day. ``source`` counts midpoints and months without a price.

    Raises:
        DataError: the file cannot be read, lacks a column, has a day twice, or two securities had the ticker last.
    """
    permno = permno_of(path, known.name)
    if permno is None:
        return None
    file = crsp_file(path)
    rows = _rows_of(file, permno)
    told_source = f"CRSP {Path(path).name}, permno {rows['permno'][0]}"
    series = series_of(known, with_both_prices(known, rows), source=told_source)
    counts = _counts(rows, series)
    return series if not counts else _renamed(series, f"{told_source} ({counts})")


def permno_of(path: str, ticker: str) -> str | None:
    """The permno, as the file writes it, that had a ticker last; None where no security had it.

    Raises:
        DataError: the file cannot be read, lacks a column, or two securities had the ticker last.
    """
    crsp_file(path).needs("ticker")
    told = Path(path).expanduser().stat()
    return _permno(path, ticker, told.st_mtime_ns, told.st_size)


@lru_cache(maxsize=256)
def _permno(path: str, ticker: str, changed: int, size: int) -> str | None:
    last = _holders(path, changed, size).filter(pl.col("ticker") == ticker)
    held = last.filter(pl.col("day") == pl.col("day").max())
    if held.height > 1:
        named = ", ".join(held["permno"].sort())
        told = f"{ticker} is the ticker of permnos {named} on {held['day'][0]}"
        raise DataError(told, where=path, todo="Leave the other share class out of the file")
    return str(held["permno"][0]) if held.height else None


@lru_cache(maxsize=4)
def _holders(path: str, changed: int, size: int) -> pl.DataFrame:  # noqa: ARG001 (they tell a changed file)
    """The last day on which each permno had each ticker: one pass over the file for all stocks."""
    file = crsp_file(path)
    raw = [pl.col(file.columns[word]).cast(pl.String).alias(word) for word in ("permno", "ticker")]
    rows = with_days(file, days_of(path)).select(*raw, "day").drop_nulls()
    last = collected(rows.group_by("permno", "ticker").agg(pl.col("day").max()), path)
    return last.with_columns(pl.col("ticker").str.strip_chars().str.to_uppercase())


def _rows_of(file: Crsp, permno: str) -> pl.DataFrame:
    """``day``, ``price``, ``midpoint``, ``traded``, ``digits`` and, where there is a factor, ``split_adjusted``."""
    factor = [file.number("factor")] if file.has("factor") else []
    chosen = with_days(file, days_of(file.path)).filter(
        pl.col(file.columns["permno"]).cast(pl.String) == permno
    )
    asked = chosen.select(ROW, file.code("permno"), "day", *priced(file), *factor)
    rows = file.checked(collected(asked, file.path))
    adjusted = [adjusted_of_price()] if factor else []
    was_trade = ~pl.col("midpoint") & pl.col("price").is_not_null()
    digits = pl.when(was_trade).then(pl.lit(2, pl.Int8)).alias("digits")
    return rows.with_columns(traded_of_price()).with_columns(digits, *adjusted)


def traded_of_price() -> pl.Expr:
    """The price without the noise of 32-bit floats: rounded to the fewest decimals (2 to 5) that lie within it."""
    price = pl.col("price")
    near = [
        ((price - price.round(places)).abs() <= price * _RELATIVE, price.round(places))
        for places in (2, 3, 4, 5)
    ]
    chosen = price
    for close, rounded in reversed(near):
        chosen = pl.when(close).then(rounded).otherwise(chosen)
    return chosen.alias("traded")


def adjusted_of_price() -> pl.Expr:
    """The traded price over the cumulative factor; null where the factor is missing or not positive."""
    return pl.when(pl.col("factor") > 0).then(pl.col("traded") / pl.col("factor")).alias("split_adjusted")


def _counts(rows: pl.DataFrame, series: DataSeries) -> str:
    midpoints = rows.filter(pl.col("midpoint") & pl.col("day").is_in(series.points["date"].implode())).height
    counts = {"midpoints": midpoints, "rows without a price": int(rows["price"].null_count())}
    return ", ".join(f"{word}: {count}" for word, count in counts.items() if count)


def _renamed(series: DataSeries, source: str) -> DataSeries:
    return replace(series, source=source, points=series.points.with_columns(source=pl.lit(source)))
