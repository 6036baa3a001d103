"""Recovers traded closes from dividend-adjusted ones: a constant factor an era, pinned by the lattice of prices.

Prices are whole cents since 2001, and 64ths of a dollar before. A dividend-adjusted close is the traded one divided by
a constant that changes only on ex-dividend days. So the constant of an era is right if it puts every day on the lattice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

#: Nasdaq's move to cents: some stocks from 2001-03-12 on, all of them from 2001-04-09 on.
SOME_CENTS, ALL_CENTS = date(2001, 3, 12), date(2001, 4, 9)
CENT, FRACTION = 0.01, 1 / 64
#: How far off the lattice a recovered price may lie. Yahoo writes six decimals, as a 32-bit float ...
DECIMALS, FLOAT = 6e-7, 1.5e-7
#: ... and the factor of an era is a product of rounded ones: it may be off by this share.
DRIFT = 1.5e-6
#: An era is accepted if this share of its days is on the lattice, and chance would do that less often than this.
LEAST, BY_CHANCE = 0.97, 1e-6
#: From so few days on the lattice moves the factor; under that the dividends' own is kept.
ENOUGH = 10

Floats = NDArray[np.float64]
Dividend = tuple[date, float]


@dataclass(frozen=True)
class Era:
    """Days between two ex-dividend days (or two lattices), and what the lattice shows of their factor.

    ``moved_ppm`` is the lattice's own factor against the one that the dividends give, in millionths; ``chance`` the
    share of days that would be on the lattice if prices fell anywhere.
    """

    first: date
    last: date
    days: int
    tick: str
    factor: float
    moved_ppm: float
    on_lattice: float
    chance: float

    @property
    def accepted(self) -> bool:
        return self.on_lattice >= LEAST and self.chance ** (self.days * self.on_lattice) < BY_CHANCE


@dataclass(frozen=True)
class Recovered:
    """Traded closes by day.

    ``value`` lies on the lattice, and is NaN where the day does not or its era is not accepted; ``raw`` is what the
    factor gives.
    """

    days: Sequence[date]
    value: Floats
    raw: Floats
    eras: Sequence[Era]


def recover(
    days: Sequence[date],
    closes: Floats,
    splits: Floats,
    dividends: Sequence[Dividend],
    anchor: tuple[date, float],
) -> Recovered:
    """Walks back from a day whose traded close is known, era by era.

    Args:
        days: rising.
        closes: split- and dividend-adjusted closes.
        splits: shares today for one share that day.
        dividends: ex-date and amount in dollars of that day's share, rising.
        anchor: a day after the last dividend, and its traded close.
    """
    undone, slack = closes * splits, DECIMALS / closes + FLOAT
    factor = anchor[1] / undone[days.index(anchor[0])]
    raw, value, eras = np.empty(len(days)), np.empty(len(days)), []
    for part, paid in eras_of(days, dividends):
        if paid:
            before = undone[part.stop - 1] * factor + paid
            factor *= before / (before - paid)
        era, raw[part], value[part] = settle(days[part], undone[part], slack[part], factor)
        factor = era.factor
        eras.append(era)
    return Recovered(days, value, raw, eras[::-1])


def eras_of(days: Sequence[date], dividends: Sequence[Dividend]) -> Iterator[tuple[slice, float]]:
    """The latest era first, each with the dividend that ends it (0 where only the lattice changes)."""
    every = np.array(days)
    paid = {int(np.searchsorted(every, np.array(day))): amount for day, amount in dividends if day > days[0]}
    marks = [int(np.searchsorted(every, np.array(day))) for day in (SOME_CENTS, ALL_CENTS)]
    cuts = sorted({0, len(days), *paid, *marks} - {len(days) + 1})
    for start, stop in zip(cuts[-2::-1], cuts[:0:-1], strict=True):
        yield slice(start, stop), paid.get(stop, 0.0)


def settle(days: Sequence[date], undone: Floats, slack: Floats, factor: float) -> tuple[Era, Floats, Floats]:
    """One era: its factor moved onto the lattice, the closes that this gives, and the same on the lattice."""
    ticks = ticks_of(days[0])
    given = undone * factor
    on = snap(given, ticks, given * (slack + DRIFT))
    near = ~np.isnan(on)
    moved = float(np.median((on / undone)[near])) if near.sum() >= ENOUGH else factor
    raw = undone * moved
    names = "+".join("cent" if tick == CENT else "1/64" for tick in ticks)
    luck = sum(chance_of(given * (slack + DRIFT), tick) for tick in ticks)
    shown = moved, (moved / factor - 1) * 1e6, float(near.mean()), luck
    era = Era(days[0], days[-1], len(days), names, *shown)
    value = snap(raw, ticks, raw * (slack + DRIFT)) if era.accepted else np.full(len(days), np.nan)
    return era, raw, value


def ticks_of(day: date) -> tuple[float, ...]:
    """The lattice of prices on a day."""
    if day >= ALL_CENTS:
        return (CENT,)
    return (FRACTION, CENT) if day >= SOME_CENTS else (FRACTION,)


def snap(values: Floats, ticks: Sequence[float], tolerance: Floats) -> Floats:
    """Each value moved to the first lattice that it lies on, else NaN."""
    found = np.full(len(values), np.nan)
    for tick in reversed(ticks):
        whole = np.round(values / tick) * tick
        on = np.abs(values - whole) < np.minimum(tolerance, tick / 4)
        found = np.where(on, whole, found)
    return np.round(found, 6)


def chance_of(tolerance: Floats, tick: float) -> float:
    """The share of days that would lie on a lattice if prices fell anywhere."""
    return float(np.mean(2 * np.minimum(tolerance, tick / 4) / tick))
