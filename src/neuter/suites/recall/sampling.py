"""Which questions are asked where not all are: each month's last, or a seeded sample spread over time and split."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, get_args

import numpy as np
import polars as pl

from neuter.errors import UsageError

Every = Literal["month", "quarter", "year"]
_TRUNCATED = {"month": "1mo", "quarter": "1q", "year": "1y"}


def check_every(every: str | None) -> None:
    """Raises UsageError where ``every`` is none of the periods."""
    if every is not None and every not in get_args(Every):
        raise UsageError(f"no sampling every {every!r}", todo=f"Known: {', '.join(get_args(Every))}")


def sampled(
    questions: pl.DataFrame,
    *,
    every: str | None = None,
    sample: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    cutoffs: Sequence[date] = (),
) -> pl.DataFrame:
    """The questions that are asked, in their order.

    Dates are chosen for each panel and series, and every condition asks about the same ones, so that conditions can be
    compared. What is chosen of one series does not depend on the others.

    Args:
        every: the last date of each month, quarter or year.
        sample: so many dates (of each firm, where a series has several: so many of its firm-dates) at most, a part
            before and a part after each cutoff.
        limit: the first so many.
    """
    check_every(every)
    places = questions.select("panel", "series", "cluster", "date").unique(maintain_order=True)
    drawn = _Drawn(every, sample, limit, seed, tuple(sorted(set(cutoffs))))
    chosen = [
        drawn.of_series(part.sort("date", "cluster"))
        for part in places.partition_by("panel", "series", maintain_order=True)
    ]
    if not chosen:
        return questions
    return questions.join(
        pl.concat(chosen), on=["panel", "series", "cluster", "date"], how="semi", maintain_order="left"
    )


@dataclass(frozen=True, slots=True)
class _Drawn:
    """How the places of a series are drawn; see :func:`sampled`."""

    every: str | None
    sample: int | None
    limit: int | None
    seed: int
    cutoffs: tuple[date, ...]

    def of_series(self, places: pl.DataFrame) -> pl.DataFrame:
        if self.every:
            period = pl.col("date").dt.truncate(_TRUNCATED[self.every])
            places = places.filter(pl.col("date") == pl.col("date").max().over("cluster", period))
        if self.sample and places.height > self.sample:
            places = self._spread_over_zones(places, self.sample)
        return places.head(min(self.limit, places.height)) if self.limit else places

    def _spread_over_zones(self, places: pl.DataFrame, sample: int) -> pl.DataFrame:
        """A part of each stretch between two cutoffs."""
        after = [(pl.col("date") >= cutoff).cast(pl.Int8) for cutoff in self.cutoffs]
        zone = pl.sum_horizontal(after) if after else pl.lit(0, pl.Int8)
        zones = places.with_columns(zone.alias("zone")).partition_by("zone", maintain_order=True)
        takes = shares_of([part.height for part in zones], sample)
        named = f"{places['panel'][0]} {places['series'][0]}"
        picked = [
            part[spread(part.height, take, f"{self.seed} {named} {at}")]
            for at, (part, take) in enumerate(zip(zones, takes, strict=True))
        ]
        return pl.concat(picked).drop("zone")


def shares_of(sizes: Sequence[int], total: int) -> list[int]:
    """How many of ``total`` each zone gives: half of them equally, half by size; no zone more than it has.

    The post-cutoff part is short: by size alone it would hardly be asked about.

    >>> shares_of([400, 20], 10)
    [7, 3]
    """
    everything = sum(sizes)
    if everything <= total:
        return list(sizes)
    wanted = [total * (0.5 / len(sizes) + 0.5 * size / everything) for size in sizes]
    takes = [min(size, math.floor(want)) for size, want in zip(sizes, wanted, strict=True)]
    while sum(takes) < total:
        # The one that is furthest below what it should give, the earlier one of equals.
        short = [
            want - take if take < size else -math.inf
            for size, want, take in zip(sizes, wanted, takes, strict=True)
        ]
        takes[short.index(max(short))] += 1
    return takes


def spread(size: int, take: int, key: str) -> list[int]:
    """``take`` of ``size`` places, one from each of so many equal stretches, drawn by ``key`` alone.

    >>> spread(4, 4, "any")
    [0, 1, 2, 3]
    """
    digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
    draws = np.random.default_rng(int.from_bytes(digest, "big")).random(take)
    edges = [at * size // take for at in range(take)] + [size]
    stretches = zip(edges[:-1], edges[1:], draws, strict=True)
    return [first + int(draw * (end - first)) for first, end, draw in stretches]
