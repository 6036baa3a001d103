"""Schemes compared in pairs, on the documents that both answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.suites.plan import Scoring
from neuter.suites.run_folder import RunFolder

if TYPE_CHECKING:
    import polars as pl

    from neuter.suites.scored import Series


def comparisons(
    how: Scoring, folder: RunFolder, truth: pl.DataFrame, series: Iterable[Series]
) -> list[dict[str, Any]]:
    """A dict for each pair of schemes, for each attacker that reads the text and each of its models."""
    files: dict[tuple[str, str | None], dict[str, Path]] = {}
    for one in series:
        if one.reads_text:
            path = folder.guesses(one.scheme, one.attacker, one.model)
            files.setdefault((one.attacker, one.model), {})[one.scheme] = path
    return [
        {"attacker": attacker, "model": model, **row}
        for (attacker, model), by_scheme in files.items()
        for row in _compared(how, truth, by_scheme)
    ]


def _compared(how: Scoring, truth: pl.DataFrame, files: Mapping[str, Path]) -> Iterator[dict[str, Any]]:
    from neuter.attacks import read_guess_frame
    from neuter.scoring import compare

    series = {name: read_guess_frame(path) for name, path in files.items() if path.exists()}
    if len(series) < 2:
        return
    for one in compare(truth, series, seed=how.seed):
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
