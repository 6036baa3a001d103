"""Samples of firms by size: so many from each tercile, drawn anew each calendar year, as the paper draws stocks."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neuter.errors import UsageError
from neuter.firms.fiscal_years import known_days
from neuter.firms.labels import labels_of
from neuter.firms.sizes import SIZES, assign_sizes

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Resample:
    """A draw: ``frame`` holds the documents of the firms drawn, in the corpus's order, with ``size`` filled.

    ``firms`` has a row a firm drawn (year, size, label); ``notes`` name terciles with fewer firms than asked for,
    and what ``assign_sizes`` had to say.
    """

    frame: pl.DataFrame
    firms: pl.DataFrame
    notes: list[str]


def resample(metadata: pl.DataFrame, per_tercile: int = 10, seed: int = 0) -> Resample:
    """Draws firms from each tercile for each calendar year, and keeps their documents of that year.

    The paper's "sample 10 stocks from each tercile, resampling each year" (The Memorization Problem, Table 5). A
    firm is drawn by a hash of the seed, the year and its label, so the draw of a year depends on the firms of that
    year alone: not on other years, the order of the rows, or how many documents a firm has. GOOG and GOOGL are
    one firm. A size that the corpus does not give is assigned as of the year's start (``assign_sizes``); where a
    firm has several within a year, that of its first document counts. Documents without a firm, a year or a size
    are never drawn.

    Args:
        metadata: a corpus's columns, as for ``assign_sizes``.
        per_tercile: how many firms to draw from each tercile and year.
        seed: another seed, another draw.

    Raises:
        UsageError: ``per_tercile`` under 1.
    """
    import polars as pl

    if per_tercile < 1:
        raise UsageError(f"cannot draw {per_tercile} firms from a tercile", todo="Ask for at least 1")
    labels = metadata["label"] if "label" in metadata.columns else labels_of(metadata)
    sized = assign_sizes(metadata.with_columns(labels.alias("label")), as_of="year")
    rows = sized.frame.with_columns(known_days(metadata)[0].alias("_on"), labels.alias("_label"))
    rows = rows.with_columns(pl.col("_on").dt.year().cast(pl.Int64).alias("_year"))
    pool = _pool(rows)
    drawn = _drawn(pool, per_tercile, seed)
    kept = rows.join(
        drawn, left_on=["_year", "_label"], right_on=["year", "label"], how="semi", maintain_order="left"
    )
    kept = kept.select(*dict.fromkeys([*metadata.columns, "size"]))
    return Resample(kept, drawn, [*sized.notes, *_short(pool, per_tercile)])


def _pool(rows: pl.DataFrame) -> pl.DataFrame:
    """A row a firm and year with its size there: year, size, label."""
    import polars as pl

    told = pl.col("size").is_in(SIZES) & (pl.col("_label") != "") & pl.col("_year").is_not_null()
    tie = ["id"] if "id" in rows.columns else []
    first = rows.filter(told).sort("_year", "_label", "_on", *tie).unique(["_year", "_label"], keep="first")
    return first.select(pl.col("_year").alias("year"), "size", pl.col("_label").alias("label"))


def _drawn(pool: pl.DataFrame, per_tercile: int, seed: int) -> pl.DataFrame:
    import polars as pl

    lots = [_lot(seed, year, label) for year, label in pool.select("year", "label").iter_rows()]
    ordered = pool.with_columns(pl.Series("lot", lots, dtype=pl.String)).sort("year", "size", "lot")
    return ordered.group_by("year", "size", maintain_order=True).head(per_tercile).drop("lot")


def _lot(seed: int, year: int, label: str) -> str:
    """A firm's lot in a year's draw: the lowest are drawn."""
    return hashlib.blake2b(f"{seed}\x1f{year}\x1f{label}".encode(), digest_size=16).hexdigest()


def _short(pool: pl.DataFrame, per_tercile: int) -> list[str]:
    """A note for each tercile with years of fewer firms than asked for; a tercile without any among them."""
    counts = {(y, s): n for y, s, n in pool.group_by("year", "size").len().iter_rows()}
    years = sorted({year for year, _ in counts})
    notes = []
    for size in SIZES:
        few = {
            year: counts.get((year, size), 0) for year in years if counts.get((year, size), 0) < per_tercile
        }
        if few:
            told = ", ".join(f"{year}: {n}" for year, n in few.items())
            notes.append(f"{size}: fewer than {per_tercile} firms ({told}); all of them are taken")
    return notes
