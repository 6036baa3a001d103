"""Questions before and after a cutoff that are equally hard for somebody who knows only the past.

"Perhaps post-cutoff questions are simply harder to forecast" (Simulated Ignorance Fails, section 5): here each question
before has one after it of the same series, horizon and threshold, of about the same base rate, and with the same
outcome, so that forecasting the base rate has the same Brier score on both sides.
"""

from __future__ import annotations

import hashlib
from datetime import date

import polars as pl

from neuter.errors import UsageError

#: Base rates within the same of so many bins count as the same.
BINS = 20


def matched_questions(
    candidates: pl.DataFrame, count: int, *, before: date, after: date, seed: int = 0
) -> pl.DataFrame:
    """``count`` of the questions, half resolved before ``before``, half on or after ``after``, pair by pair alike.

    Pairs are drawn with the seed, spread over series and over months: a second question of one series or month comes
    after the first of all others.

    Args:
        candidates: generated questions (QUESTION_SCHEMA), each with a base rate.
        count: rounded down to an even number.

    Raises:
        UsageError: there are not so many pairs; the message says how many there are.
    """
    pairs = _pairs(candidates, before, after, seed)
    if pairs.height < count // 2:
        raise UsageError(
            f"there are only {pairs.height:,} pairs of equally hard questions before {before} and after {after}",
            where=f"--generate {count}",
            todo=f"Ask for {2 * pairs.height:,} at most, or take more series",
        )
    chosen = pairs.head(count // 2)
    wanted = pl.concat([chosen["pre"], chosen["post"]])
    return candidates.filter(pl.col("id").is_in(wanted.implode()))


def _pairs(candidates: pl.DataFrame, before: date, after: date, seed: int) -> pl.DataFrame:
    """Ids that belong together, ``pre`` and ``post``, the first to be taken first."""
    day = pl.col("resolution_date")
    side = pl.when(day < before).then(pl.lit("pre")).when(day >= after).then(pl.lit("post"))
    keyed = candidates.select(
        "id",
        side.alias("side"),
        "cluster",
        _cell().alias("cell"),
        _series().alias("series"),
        pl.col("id").map_elements(lambda id_: _draw(seed, id_), return_dtype=pl.UInt64).alias("draw"),
    ).filter(pl.col("side").is_not_null())
    turned = (
        keyed.sort("draw")
        .with_columns(pl.int_range(pl.len()).over("side", "cluster").alias("turn"))
        .sort("turn", "draw")
        .with_columns(pl.int_range(pl.len()).over("side", "cell").alias("place"))
    )
    sides = turned.partition_by("side", as_dict=True)
    if len(sides) < 2:
        return pl.DataFrame(schema={"pre": pl.String, "post": pl.String})
    pre, post = (sides[name,] for name in ("pre", "post"))
    joined = pre.join(post, on=["cell", "place"], suffix="_post").with_columns(
        pl.max_horizontal("turn", "turn_post").alias("latest")
    )
    # One pair of each series before a second of any; within a series the freshest months first.
    ordered = joined.sort("latest", "draw").with_columns(pl.int_range(pl.len()).over("series").alias("round"))
    return ordered.sort("round", "latest", "draw").select(
        pl.col("id").alias("pre"), pl.col("id_post").alias("post")
    )


def _series() -> pl.Expr:
    """The series, or ``cap`` for all firms."""
    named = pl.col("id").str.extract(r"^(.*?)-\d{4}-\d{2}-\d{2}-")
    return pl.when(pl.col("domain") == "business").then(pl.lit("cap")).otherwise(named)


def _cell() -> pl.Expr:
    """What two questions must have in common: series, horizon (in months), side and threshold, base rate, outcome."""
    ids = pl.col("id")
    dates = [
        ids.str.extract(r"-(\d{4}-\d{2}-\d{2})-(\d{4}-\d{2}-\d{2})-", place).str.to_date() for place in (1, 2)
    ]
    months = [day.dt.year() * 12 + day.dt.month() for day in dates]
    rate = (pl.col("base_rate") * BINS).floor().clip(0, BINS - 1).cast(pl.Int32)
    return pl.concat_str(
        [
            _series(),
            months[1] - months[0],
            ids.str.extract(r"-((?:above|below)-.*)$"),
            rate,
            pl.col("resolution"),
        ],
        separator="|",
    )


def _draw(seed: int, id_: str) -> int:
    digest = hashlib.blake2b(f"{seed}\x00{id_}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
