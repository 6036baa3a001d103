"""Checks each split against prices: with its ratio the days before it are whole cents, without it they are not."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
from lattice import ALL_CENTS, CENT, Floats, Recovered, snap
from reading import Source, Split

#: Trading days (or month ends) on either side of a split that are looked at.
DAYS, MONTHS = 60, 6
#: Prices moved by quarters, eighths or sixteenths before cents, by how high they were: the coarsest that holds this share.
BEFORE_CENTS, HOLDS = (1 / 4, 1 / 8, 1 / 16, 1 / 64), 0.9


def checked_splits(
    ticker: str, splits: list[Split], found: Recovered, traded: Source, split_adjusted: Source
) -> list[dict[str, object]]:
    """A row a split. ``before`` and ``after`` are high and ``without`` is low if it is right in ratio and day.

    They are shares of days on the lattice of prices: the days before the split with and without its ratio, and the
    days after it. Where no daily closes were recovered they are shares of month ends at which a split-adjusted source
    times the ratio is the traded close.
    """
    own = [split for split in splits if split.ticker == ticker]
    by_day = [by_lattice(split, found) for split in own if split.on <= found.days[-1]]
    return by_day + [
        by_month_ends(split, traded, split_adjusted) for split in own if split.on > found.days[-1]
    ]


def by_lattice(split: Split, found: Recovered) -> dict[str, object]:
    at = int(np.searchsorted(np.array(found.days), np.array(split.on)))
    before, after = found.raw[max(0, at - DAYS) : at], found.raw[at : at + DAYS]
    tick = tick_of(before, split.on)
    shares = share(before, tick), share(before / split.ratio, tick), share(after, tick_of(after, split.on))
    return row(split, found.days[at], f"lattice of {tick}", shares)


def by_month_ends(split: Split, traded: Source, split_adjusted: Source) -> dict[str, object]:
    both = traded.frame.join(split_adjusted.frame, on="date", suffix="_other").sort("date")
    both = both.with_columns(near=pl.max_horizontal("within", "within_other"))
    before = both.filter(pl.col("date") < split.on).tail(MONTHS)
    after = both.filter(pl.col("date") >= split.on).head(MONTHS)
    shares = equal(before, 1.0), equal(before, split.ratio), equal(after, 1.0)
    return row(split, split.on, f"{traded.name} against {split_adjusted.name}", shares)


def row(split: Split, first: date, by: str, shares: tuple[float, float, float]) -> dict[str, object]:
    told = {"ticker": split.ticker, "on": split.on, "ratio": split.ratio, "first_day": first, "by": by}
    return told | dict(zip(("before", "without", "after"), (round(one, 3) for one in shares), strict=True))


def equal(frame: pl.DataFrame, ratio: float) -> float:
    return frame.select(
        ((pl.col("value_other") / ratio - pl.col("value")).abs() <= pl.col("near")).mean()
    ).item()


def tick_of(values: Floats, day: date) -> float:
    if day >= ALL_CENTS:
        return CENT
    return next((tick for tick in BEFORE_CENTS if share(values, tick) >= HOLDS), BEFORE_CENTS[-1])


def share(values: Floats, tick: float) -> float:
    """The share of values within a hundredth of a tick (and 3 millionths of the price) of a lattice."""
    return float(np.mean(~np.isnan(snap(values, (tick,), np.maximum(values * 3e-6, tick / 100)))))
