"""From the questions, forecasts and traces in a run folder to its scores: at a run's end, and anew without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from neuter.scoring.forecasts.how import ForecastScoring
from neuter.suites.frames import read_frame, write_frame
from neuter.suites.ignorance.frames import FILE_NAMES
from neuter.suites.run_folder import slug

if TYPE_CHECKING:
    from neuter.scoring.forecasts.row import Row


#: C of Simulated Ignorance Fails (section 3.4).
PAPERS_CUTOFF = date(2023, 1, 1)


@dataclass(slots=True)
class ScoredRun:
    """What scoring a run gave beside the file: verdicts and caveats as ``run.json`` holds them, outcomes counted."""

    verdicts: list[dict[str, Any]] = field(default_factory=list)
    caveats: list[dict[str, Any]] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)


def as_json(how: ForecastScoring) -> dict[str, Any]:
    """How a run is scored, for ``run.json``, so that it can be scored anew."""
    told = asdict(how)
    return told | {
        "cutoffs": {model: str(day) for model, day in how.cutoffs.items()},
        "simulated_cutoff": str(how.simulated_cutoff),
        "groups": dict(how.groups),
    }


def how_of(kept: Mapping[str, Any]) -> ForecastScoring:
    """As it stands in a run's record (:func:`as_json`)."""
    days = {
        "cutoffs": {model: date.fromisoformat(day) for model, day in kept["cutoffs"].items()},
        "simulated_cutoff": date.fromisoformat(kept["simulated_cutoff"]),
    }
    return ForecastScoring(**{**kept, **days})


def score_run(path: Path, how: ForecastScoring, conditions: Sequence[str]) -> ScoredRun:
    """Write scores.csv, scores.parquet and tests.parquet of the run in ``path``.

    Raises:
        RunError: questions, forecasts or traces cannot be read, or a file cannot be written.
    """
    from neuter.questions import resolved_frame
    from neuter.scoring import empty_scores, write_scores
    from neuter.scoring.forecasts import score_forecasts
    from neuter.scoring.forecasts.row import caveats_of, score_frame
    from neuter.suites.ignorance.published import with_published

    told = ScoredRun()
    resolved = resolved_frame(read_frame(path / "questions.parquet"))
    parts = [read_frame(file) for _, _, file in files_of(path, conditions, how.cutoffs) if file.is_file()]
    if not parts:
        write_scores(empty_scores(), path)
        return told
    forecasts = pl.concat(parts)
    told.outcomes.update(forecasts["outcome"].to_list())
    scored = score_forecasts(resolved, forecasts.drop("answer", "reason"), how)
    traced = _trace_rows(path, resolved, how)
    frame = pl.concat([scored.frame, score_frame(traced, how.suite)])
    # Under another day than the paper's its figures stand beside nothing of ours.
    write_scores(with_published(frame) if how.simulated_cutoff == PAPERS_CUTOFF else frame, path)
    write_frame(path / "tests.parquet", scored.tests)
    told.verdicts = [_plain(asdict(verdict)) for verdict in scored.verdicts]
    told.caveats = [*scored.caveats.to_dicts(), *caveats_of(traced)]
    return told


def files_of(path: Path, conditions: Sequence[str], models: Iterable[str]) -> Iterator[tuple[str, str, Path]]:
    """Model, condition and file of a run's forecasts, whether or not they are there."""
    for model in models:
        for condition in conditions:
            yield model, condition, path / "answers" / f"{FILE_NAMES[condition]}--{slug(model)}.parquet"


def _trace_rows(path: Path, resolved: pl.DataFrame, how: ForecastScoring) -> list[Row]:
    from neuter.traces import read_labels, score_traces

    file, labels = path / "traces.parquet", path / "labels.csv"
    if not file.is_file():
        return []
    told = read_labels(labels) if labels.is_file() else None
    return score_traces(read_frame(file), told, resolved, how)


def _plain(told: Mapping[str, Any]) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, date) else value for name, value in told.items()}
