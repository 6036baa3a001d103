"""From the questions and answers in a run folder to its scores: at a run's end, and anew without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from neuter.suites.frames import read_frame
from neuter.suites.recall.points import readings_of
from neuter.suites.run_folder import slug

if TYPE_CHECKING:
    from neuter.data.series import DataSeries

#: The actual history of each series, for baselines: ``other`` is the second reading, ``cluster`` the firm of a history
#: that holds several.
ACTUAL_SCHEMA: dict[str, type[pl.DataType]] = {
    "series": pl.String,
    "date": pl.Date,
    "value": pl.Float64,
    "other": pl.Float64,
    "cluster": pl.String,
}


@dataclass(frozen=True, slots=True)
class Scoring:
    """What scores depend on beside questions and answers; ``own`` are options of the suite's.

    ``other_truths`` are series whose truth is not the paper's.
    """

    suite: str
    cutoffs: Mapping[str, date]
    recent: Mapping[str, date | None]
    seed: int
    draws: int
    own: Mapping[str, Any]
    other_truths: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For ``run.json``, so that the run can be scored anew."""
        return {
            "cutoffs": {model: str(day) for model, day in self.cutoffs.items()},
            "recent": {model: day and str(day) for model, day in self.recent.items()},
            "seed": self.seed,
            "draws": self.draws,
            "own": dict(self.own),
            "other_truths": list(self.other_truths),
        }

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Scoring:
        """As it stands in a run's record."""
        kept = record["scoring"]
        return cls(
            suite=record["suite"],
            cutoffs={model: date.fromisoformat(day) for model, day in kept["cutoffs"].items()},
            recent={model: day and date.fromisoformat(day) for model, day in kept["recent"].items()},
            seed=kept["seed"],
            draws=kept["draws"],
            own=kept["own"],
            other_truths=tuple(kept.get("other_truths") or ()),
        )


@dataclass(slots=True)
class ScoredRun:
    """What scoring a run gave beside the file: caveats as ``run.json`` holds them, and outcomes counted."""

    caveats: list[dict[str, Any]] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)


def score_run(path: Path, how: Scoring) -> ScoredRun:
    """Write scores.csv and scores.parquet of the run in ``path``.

    Raises:
        RunError: questions or answers cannot be read, or a file cannot be written.
    """
    from neuter.scoring import empty_scores, write_scores
    from neuter.suites.recall.published import with_published

    told, frames = ScoredRun(), [empty_scores()]
    questions, actual = read_frame(path / "questions.parquet"), read_frame(path / "actual.parquet")
    history = {str(name): _history(part) for (name,), part in actual.group_by("series", maintain_order=True)}
    for model in how.cutoffs:
        parts = [read_frame(file) for file in files_of(path, questions, model) if file.is_file()]
        if not parts:
            continue
        answers = pl.concat(parts)
        told.outcomes.update(answers["outcome"].to_list())
        frame, caveats = _scored(questions, answers, how, model, history)
        frames.append(frame)
        told.caveats += [
            {"attacker": "llm", "scheme": "", "model": model, **row} for row in caveats.to_dicts()
        ]
    comparable = ~pl.col("series").is_in(list(how.other_truths))
    beside = with_published(pl.concat(frames))
    write_scores(beside.with_columns(pl.when(comparable).then("published")), path)
    return told


def actual_frame(
    series: Mapping[str, DataSeries], reading_of: Callable[[str], str | None] = lambda _: None
) -> pl.DataFrame:
    """The histories of series in one frame (ACTUAL_SCHEMA): ``value`` is the reading that is right of each."""
    parts = [pl.DataFrame(schema=ACTUAL_SCHEMA)]
    for name, one in series.items():
        first, other = readings_of(one, reading_of(name))
        second = pl.col(other) if other else pl.lit(None, pl.Float64)
        parts.append(
            one.points.select(
                pl.lit(name).alias("series"),
                "date",
                pl.col(first).alias("value"),
                second.alias("other"),
                pl.lit(None, pl.String).alias("cluster"),
            ).filter(pl.col("value").is_not_null())
        )
    return pl.concat(parts)


def _history(part: pl.DataFrame) -> pl.DataFrame:
    """One series' history; a column ``cluster`` marks one of firms."""
    return part.drop("cluster") if part["cluster"].null_count() == part.height else part


def _scored(
    questions: pl.DataFrame,
    answers: pl.DataFrame,
    how: Scoring,
    model: str,
    history: Mapping[str, pl.DataFrame],
) -> tuple[pl.DataFrame, pl.DataFrame]:
    from neuter.scoring.recall.scoring import RecallScoring, score_recall

    asked = questions.drop("prompt", "system", strict=False).join(
        answers, on="id", how="inner", maintain_order="left"
    )
    scored = score_recall(
        asked,
        RecallScoring(
            suite=how.suite,
            model=model,
            cutoff=how.cutoffs[model],
            recent_from=how.recent[model],
            seed=how.seed,
            draws=how.draws,
            **_own(how.own),
        ),
        history,
    )
    return scored.frame, scored.caveats


def _own(told: Mapping[str, Any]) -> dict[str, Any]:
    """The suite's own options, with days as days."""
    given = dict(told)
    if given.get("fake_from"):
        given["fake_from"] = date.fromisoformat(given["fake_from"])
    return given


def files_of(path: Path, questions: pl.DataFrame, model: str) -> Iterator[Path]:
    """The files of a model's answers, series by series, whether or not they are there."""
    for series in questions["series"].unique(maintain_order=True):
        yield path / "answers" / f"{slug(series)}--{slug(model)}.parquet"
