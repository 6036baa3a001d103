"""How a run scores one scheme, attacker and model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from neuter.scoring.identification import Scored
    from neuter.suites.plan import Plan


def score_plainly(plan: Plan, truth: pl.DataFrame, guesses: pl.DataFrame) -> Scored:
    """The identification scores, under the suite's name, with their caveats."""
    from neuter.scoring import identification

    if hasattr(identification, "score"):
        return identification.score(truth, guesses, suite=plan.suite, seed=plan.seed, draws=plan.draws)
    return _without_caveats(plan, truth, guesses)  # TEMPORARY


def _without_caveats(plan: Plan, truth: pl.DataFrame, guesses: pl.DataFrame) -> Scored:
    from types import SimpleNamespace

    import polars as pl

    from neuter.scoring import score_identification

    frame = score_identification(truth, guesses, suite=plan.suite, seed=plan.seed, draws=plan.draws)
    one = frame.filter(
        pl.col("ci_low").is_null(), pl.col("value").is_not_null(), pl.col("group_by") == "firm"
    )
    caveats = one.select("group_by", "group", "metric").with_columns(
        pl.lit("one firm: no interval over firms").alias("text")
    )
    return SimpleNamespace(frame=frame, caveats=caveats)  # type: ignore[return-value]
