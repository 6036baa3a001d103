"""Which questions are asked: all that fit, spread over time, domain and outcome where they are a sample."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import date

import polars as pl

from neuter.errors import UsageError

_EXAMPLES = 3


def usable(
    questions: pl.DataFrame, simulated_cutoff: date, *, skip_invalid: bool
) -> tuple[pl.DataFrame, int]:
    """The questions that resolved after the simulated cutoff, and how many did not.

    "We prompt models with a simulated cutoff C preceding all question resolutions" (Simulated Ignorance Fails, 3.1):
    to be told to forget what came after C hides nothing of a question that was resolved before.

    Raises:
        UsageError: there are questions that did not, unless they may be left out; or none is left.
    """
    late = questions.filter(pl.col("resolution_date") > simulated_cutoff)
    early = questions.height - late.height
    if early and not skip_invalid:
        first = questions.filter(pl.col("resolution_date") <= simulated_cutoff)["id"].head(_EXAMPLES)
        more = " ..." if early > _EXAMPLES else ""
        raise UsageError(
            f"{early:,} of {questions.height:,} questions were resolved by {simulated_cutoff}, so that an instruction "
            f"to forget what came after hides nothing of them ({', '.join(first)}{more})",
            where="--simulated-cutoff",
            todo="Give an earlier day, or leave them out with --skip-invalid",
        )
    if late.is_empty():
        raise UsageError(
            "no question is left", where="--questions", todo="Give questions that resolve after the cutoff"
        )
    return late, early


def see_both_sides(questions: pl.DataFrame, cutoffs: Mapping[str, date]) -> None:
    """See that there are questions before the earliest cutoff and after the latest.

    Raises:
        UsageError: there are none; the message says how late, or early, the questions reach.
    """
    days = questions["resolution_date"].sort()
    first, last = days[0], days[-1]
    earliest, latest = (pick(cutoffs, key=lambda model: cutoffs[model]) for pick in (min, max))
    if questions.filter(pl.col("resolution_date") >= cutoffs[latest]).is_empty():
        raise UsageError(
            f"no question was resolved after the cutoff of {latest} ({cutoffs[latest]}): the last one was on {last}, "
            "and without any there is no true ignorance to compare with",
            where="--questions",
            todo="Add later questions (neuter questions generate), or leave that model out",
        )
    if questions.filter(pl.col("resolution_date") < cutoffs[earliest]).is_empty():
        raise UsageError(
            f"no question was resolved before the cutoff of {earliest} ({cutoffs[earliest]}): the first one was on "
            f"{first}, and without any there is nothing to forget",
            where="--questions",
            todo="Add earlier questions, or leave that model out",
        )


def sampled(
    questions: pl.DataFrame, sample: int | None, limit: int | None, seed: int, cutoffs: Mapping[str, date]
) -> pl.DataFrame:
    """The first ``limit`` questions, or ``sample`` of them, in their order.

    A sample has as many before the earliest cutoff as after the latest (where there are so many), and none between
    until those are used up; within each it is spread over domains and outcomes. Which are drawn depends on the seed
    and their ids.
    """
    if limit is not None:
        questions = questions.head(limit)
    if sample is None or sample >= questions.height:
        return questions
    earliest, latest = min(cutoffs.values()), max(cutoffs.values())
    day = pl.col("resolution_date")
    side = pl.when(day < earliest).then(0).when(day >= latest).then(1).otherwise(2)
    keyed = questions.select(
        "id",
        side.alias("side"),
        "domain",
        "resolution",
        pl.col("id").map_elements(lambda id_: _draw(seed, id_), return_dtype=pl.String).alias("draw"),
    )
    # The turn of a question within its domain and outcome, then within its side: one of each before a second of any.
    turns = keyed.sort("draw").with_columns(
        pl.int_range(pl.len()).over("side", "domain", "resolution").alias("turn")
    )
    ordered = turns.sort("turn", "draw").with_columns(pl.int_range(pl.len()).over("side").alias("place"))
    wanted = ordered.with_columns(pl.when(pl.col("side") == 2).then(1).otherwise(0).alias("later")).sort(
        "later", "place", "draw"
    )
    return questions.filter(pl.col("id").is_in(wanted["id"].head(sample).implode()))


def _draw(seed: int, id_: str) -> str:
    return hashlib.blake2b(f"{seed}\x00{id_}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
