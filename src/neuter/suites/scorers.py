"""How a run scores one scheme, attacker and model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from neuter.scoring.identification import Scored
    from neuter.suites.plan import Scoring


def score_plainly(
    how: Scoring, truth: pl.DataFrame, guesses: pl.DataFrame, prior: pl.DataFrame | None = None
) -> Scored:
    """The identification scores, under the suite's name, with their caveats.

    ``prior`` are the guesses of the same model without a text, to stand beside.
    """
    from neuter.scoring.identification import score

    return score(truth, guesses, prior=prior, suite=how.suite, seed=how.seed, draws=how.draws)
