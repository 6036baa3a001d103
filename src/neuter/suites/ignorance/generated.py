"""Generated questions for the models that are asked: equally hard before the earliest cutoff and after the latest."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import polars as pl

from neuter.questions.generating import generate_questions, matched_questions

#: Of so many questions one is between the cutoffs, where they differ: section 5 of the paper needs them.
_BETWEEN = 5


def generated(count: int, opens_from: date, cutoffs: Mapping[str, date], seed: int) -> pl.DataFrame:
    """``count`` questions that open from a day on: a fifth between the cutoffs where they differ, the rest in pairs.

    Raises:
        UsageError: there are not so many.
    """
    earliest, latest = min(cutoffs.values()), max(cutoffs.values())
    candidates = generate_questions(opens_from=opens_from)
    between = candidates.filter(
        (pl.col("resolution_date") >= earliest) & (pl.col("resolution_date") < latest)
    )
    some = min(between.height, count // _BETWEEN)
    paired = matched_questions(candidates, count - some, before=earliest, after=latest, seed=seed)
    drawn = between.sample(some, seed=seed, shuffle=True) if some else between.head(0)
    return pl.concat([paired, drawn]).sort("resolution_date", "id")
