"""The Magnificent Seven: month-end closes as they were traded, and the same in shares of today."""

from __future__ import annotations

import difflib
from datetime import date
from functools import cache
from typing import TYPE_CHECKING

from neuter.data.series import DataSeries
from neuter.errors import DataError
from neuter.shipped import shipped_path

if TYPE_CHECKING:
    import polars as pl

#: In the order of Table 4 of The Memorization Problem.
STOCKS: tuple[str, ...] = ("META", "GOOGL", "AMZN", "TSLA", "NVDA", "MSFT", "AAPL")
_READINGS = ("traded", "split_adjusted")
_SOURCE = "month-end closes as traded; each point's source is in corpora/stocks/closes.csv"


@cache
def stock_series(ticker: str) -> DataSeries:
    """Month-end closes of one of the seven stocks, from its listing (or November 1988) on.

    Readings are ``traded`` (as it closed that day; fractions of a dollar before 2001 are held exactly, 102 13/16 as
    102.8125) and ``split_adjusted`` (that close in shares of the latest data; dividends are not taken off). ``digits``
    is 2, to the cent, and null where no source gives or proves the close to the cent. A point's ``source`` names the
    source, and those that agree with it; ``yahoo`` is a close recovered from adjusted ones (docs/data-stocks.md).

    Raises:
        DataError: not one of the seven, or the file is damaged.
    """
    if ticker not in STOCKS:
        near = difflib.get_close_matches(ticker.upper(), STOCKS, 1, 0.5)
        meant = f"Did you mean {near[0]}? " if near else ""
        raise DataError(
            f"no closes of {ticker!r} ship",
            todo=f"{meant}Known are {', '.join(STOCKS)}; bring others by --data, --yahoo or --crsp",
        )
    import polars as pl

    rows = _closes().filter(ticker=ticker)
    known = pl.col("traded").is_not_null()
    points = rows.filter(known).select("date", *_READINGS, "digits", _source().alias("source"))
    gaps: list[date] = rows.filter(~known)["date"].to_list()
    return DataSeries(ticker, "monthly", _READINGS, points, tuple(gaps), f"{ticker}, {_SOURCE}")


def _source() -> pl.Expr:
    """``panel (ibkr agrees)``; a source that stands alone has no one beside it."""
    import polars as pl

    agree = pl.col("agree").fill_null("")
    told = pl.format("{} (agrees: {})", "source", agree.str.replace_all(" ", ", "))
    return pl.when(agree == "").then("source").otherwise(told)


@cache
def _closes() -> pl.DataFrame:
    import polars as pl

    path = shipped_path("stocks", "closes.csv")
    numbers = dict.fromkeys(_READINGS, pl.Float64)
    schema = {"ticker": pl.String, "date": pl.Date, **numbers, "digits": pl.Int8}
    schema |= dict.fromkeys(("source", "agree"), pl.String)
    try:
        return pl.read_csv(path, schema=schema).sort("ticker", "date")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"closes cannot be read ({error})", where=str(path)) from error
