"""Schemes compared in pairs, on the documents that both answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from neuter.suites.plan import READS_NO_TEXT, Plan, models_of
from neuter.suites.run_folder import RunFolder
from neuter.types import Attacker, Scheme

if TYPE_CHECKING:
    import polars as pl


def comparisons(
    plan: Plan, folder: RunFolder, truth: pl.DataFrame, masked: Sequence[Scheme]
) -> list[dict[str, Any]]:
    """A dict for each pair of schemes, for each attacker that reads the text and each of its models."""
    return [
        row
        for attacker in plan.attackers
        if attacker.name not in READS_NO_TEXT
        for model in models_of(plan, attacker)
        for row in _compared(plan, folder, truth, masked, attacker, model)
    ]


def _compared(
    plan: Plan,
    folder: RunFolder,
    truth: pl.DataFrame,
    masked: Sequence[Scheme],
    attacker: Attacker,
    model: str | None,
) -> Iterator[dict[str, Any]]:
    from neuter.attacks import read_guess_frame
    from neuter.scoring import compare

    files = {s.name: folder.guesses(s.name, attacker.name, model) for s in masked}
    series = {name: read_guess_frame(path) for name, path in files.items() if path.exists()}
    if len(series) < 2:
        return
    for one in compare(truth, series, seed=plan.seed):
        yield {
            "attacker": attacker.name,
            "model": model,
            "metric": one.metric,
            "scheme_a": one.first,
            "scheme_b": one.second,
            "n": one.n,
            "firms": one.firms,
            "difference": one.difference,
            "ci_low": one.low,
            "ci_high": one.high,
            "p_value": one.p_value,
            "p_holm": one.adjusted,
            "test": one.test,
            "detectable": one.detectable,
        }
