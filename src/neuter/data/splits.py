"""Splits of the seven stocks, as data: what a share of some day is in shares of today."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any

from neuter.errors import DataError
from neuter.shipped import shipped_path

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, order=True)
class Split:
    """``ratio`` new shares for one old share; ``on`` is the first trading day at the new price."""

    ticker: str
    on: date
    ratio: float


def splits_of(ticker: str) -> tuple[Split, ...]:
    """The splits of one of the seven stocks, the earliest first; META has none.

    Source: ``corpora/stocks/splits.toml``, each checked against prices (``splits_checked.csv`` beside it).

    Raises:
        DataError: nothing is known of the splits of this ticker. That is not the same as having none.
    """
    known = _shipped_splits()
    if ticker not in known:
        raise DataError(
            f"no splits are known of {ticker!r}",
            where=str(shipped_path("stocks", "splits.toml")),
            todo=f"Known are {', '.join(known)}; for another stock give its splits",
        )
    return known[ticker]


def split_factor(ticker: str, on: date, splits: Sequence[Split] | None = None) -> float:
    """Shares today for one share on ``on``: the product of the ratios of all later splits.

    On the day of a split its price is already the new one, so that split does not count.

    >>> split_factor("AAPL", date(2014, 6, 6)), split_factor("AAPL", date(2014, 6, 9))
    (28.0, 4.0)
    """
    known = splits_of(ticker) if splits is None else splits
    return prod((split.ratio for split in known if on < split.on), start=1.0)


def split_factors(ticker: str, dates: pl.Series, splits: Sequence[Split] | None = None) -> pl.Series:
    """``split_factor`` of many days at once: Float64, null where the day is."""
    import polars as pl

    known = splits_of(ticker) if splits is None else splits
    found = pl.Series("factor", [1.0], dtype=pl.Float64).new_from_index(0, len(dates))
    for split in known:
        found = found * (dates < split.on).replace_strict({True: split.ratio, False: 1.0}, default=None)
    return found.rename("factor")


def traded_of(
    ticker: str, dates: pl.Series, adjusted: pl.Series, splits: Sequence[Split] | None = None
) -> pl.Series:
    """Split-adjusted prices as they were traded on their day: price times the ratios of all later splits.

    Args:
        ticker: one of the seven, or any with its own ``splits``.
        dates: Date.
        adjusted: prices in shares of today, as many as dates.
        splits: those of the ticker that the prices count, where they are not the ones that ship.
    """
    return (adjusted * split_factors(ticker, dates, splits)).rename("traded")


@cache
def _shipped_splits() -> dict[str, tuple[Split, ...]]:
    path = shipped_path("stocks", "splits.toml")
    try:
        told = tomllib.loads(path.read_text("utf-8"))
        rows = [_split(row) for row in told["splits"]]
        return {name: tuple(sorted(row for row in rows if row.ticker == name)) for name in told["tickers"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"splits cannot be read ({error})", where=str(path)) from error


def _split(row: dict[str, Any]) -> Split:
    new, old = float(row["new"]), float(row["old"])
    if not isinstance(row["on"], date) or new <= 0 or old <= 0:
        raise ValueError(f"not a split: {row}")
    return Split(str(row["ticker"]), row["on"], new / old)
