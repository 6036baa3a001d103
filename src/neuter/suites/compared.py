"""Schemes compared in pairs, on the documents that both answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
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
        {"attacker": attacker.name, "model": model, **row}
        for attacker in plan.attackers
        if attacker.name not in READS_NO_TEXT
        for model in models_of(plan, attacker)
        for row in _compared(plan, truth, _files(folder, masked, attacker, model))
    ]


def _files(
    folder: RunFolder, masked: Sequence[Scheme], attacker: Attacker, model: str | None
) -> dict[str, Path]:
    """The guesses of one attacker and model, by scheme."""
    return {scheme.name: folder.guesses(scheme.name, attacker.name, model) for scheme in masked}


def _compared(plan: Plan, truth: pl.DataFrame, files: Mapping[str, Path]) -> Iterator[dict[str, Any]]:
    from neuter.attacks import read_guess_frame
    from neuter.scoring import compare

    series = {name: read_guess_frame(path) for name, path in files.items() if path.exists()}
    if len(series) < 2:
        return
    for one in compare(truth, series, seed=plan.seed):
        yield {
            "metric": one.metric,
            "scheme_a": one.first,
            "scheme_b": one.second,
            "n": one.n,
            "firms": one.firms,
            "difference": one.difference,
            "ci_low": one.low,
            "ci_high": one.high,
            "p_value": one.p_value,
            "mid_p": one.mid_p,
            "p_holm": one.adjusted,
            "test": one.test,
            "detectable": one.detectable,
            "caveat": one.caveat,
        }
