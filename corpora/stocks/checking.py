"""Checks each split against the daily prices: with it the days before lie on the lattice, without it they do not."""

from __future__ import annotations

from datetime import date

import numpy as np
from numpy.typing import NDArray

from lattice import ALL_CENTS, CENT, Recovered, snap
from reading import Split

#: Trading days on either side of a split that are looked at.
DAYS = 60
#: Prices moved by eighths until this day, by sixteenths until they moved by cents.
SIXTEENTHS = date(1997, 6, 24)


def checked_splits(ticker: str, splits: list[Split], found: Recovered) -> list[dict[str, object]]:
    """A row a split: the shares of days on the lattice before it (with and without its ratio) and after it."""
    return [proof(split, found) for split in splits if split.ticker == ticker]


def proof(split: Split, found: Recovered) -> dict[str, object]:
    """``before`` and ``after`` are high and ``without`` is low if the split is right in ratio and day."""
    days = np.array(found.days)
    at = int(np.searchsorted(days, np.array(split.on)))
    before, after = slice(max(0, at - DAYS), at), slice(at, at + DAYS)
    tick = tick_of(split.on)
    return {
        "ticker": split.ticker,
        "on": split.on,
        "ratio": split.ratio,
        "first_day": found.days[at],
        "tick": tick,
        "before": share(found.raw[before], tick),
        "without": share(found.raw[before] / split.ratio, tick),
        "after": share(found.raw[after], tick),
    }


def tick_of(day: date) -> float:
    return CENT if day >= ALL_CENTS else 1 / 16 if day >= SIXTEENTHS else 1 / 8


def share(values: NDArray[np.float64], tick: float) -> float:
    """The share of values within a hundredth of a tick (and 3 millionths of the price) of a lattice."""
    on = snap(values, (tick,), np.maximum(values * 3e-6, tick / 100))
    return round(float(np.mean(~np.isnan(on))), 3)
