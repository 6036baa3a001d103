"""Questions, forecasts, traces and tests of an ignorance run, as its tables and figures need them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from neuter.errors import RunError
from neuter.reports.ignorance.about_run import AboutRun
from neuter.reports.run_files import read_frame

if TYPE_CHECKING:
    import polars as pl

_AGAIN = "Give the folder that neuter benchmark wrote, or run the same command again"
_ASKED = ("id", "question", "open", "resolution_date", "resolution", "domain")
_SAID = ("id", "model", "condition", "run", "outcome", "probability")


def read_questions(folder: Path) -> pl.DataFrame | None:
    """id, question, open, resolution_date, resolution and domain of each question; None where there are none.

    Raises:
        RunError: the file is damaged or lacks a column; the message names it.
    """
    path = folder / "questions.parquet"
    return read_frame(path, _ASKED, _AGAIN) if path.is_file() else None


def read_forecasts(folder: Path, *more: str) -> pl.DataFrame | None:
    """A row a call: id, model, condition, run, outcome, probability, and the columns ``more``; None where none is.

    Raises:
        RunError: as of :func:`read_questions`.
    """
    import polars as pl

    files = sorted((folder / "answers").glob("*.parquet"))
    return pl.concat([read_frame(file, [*_SAID, *more], _AGAIN) for file in files]) if files else None


def answers_where(folder: Path, chosen: pl.Expr) -> pl.DataFrame:
    """run, probability and answer of the chosen calls; the other answers are never in memory.

    Raises:
        RunError: as of :func:`read_questions`.
    """
    return _where(sorted((folder / "answers").glob("*.parquet")), chosen, ("run", "probability", "answer"))


def traces_where(folder: Path, chosen: pl.Expr) -> pl.DataFrame | None:
    """run and trace of the chosen chains of thought; None where the run has kept none."""
    path = folder / "traces.parquet"
    return _where([path], chosen, ("run", "trace")) if path.is_file() else None


def _where(files: Sequence[Path], chosen: pl.Expr, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    try:
        return pl.scan_parquet(list(files)).filter(chosen).select(columns).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        where = str(files[0].parent if len(files) > 1 else files[0])
        raise RunError(f"cannot be read, it may be damaged ({error})", where=where, todo=_AGAIN) from error


def read_tests(folder: Path) -> pl.DataFrame | None:
    """The paired tests of the run; None where it has none."""
    path = folder / "tests.parquet"
    return read_frame(path, None, _AGAIN) if path.is_file() else None


def averaged_forecasts(forecasts: pl.DataFrame, condition: str) -> pl.DataFrame:
    """id, model and p: the mean over the answered runs of one condition (S, section 3.2)."""
    import polars as pl

    answered = (pl.col("condition") == condition) & pl.col("probability").is_not_null()
    return (
        forecasts.filter(answered)
        .group_by("id", "model", maintain_order=True)
        .agg(pl.col("probability").mean().alias("p"))
    )


def with_split(questions: pl.DataFrame, run: AboutRun) -> pl.DataFrame:
    """The questions with ``split`` of the fixed partition (S, section 3.3): before all cutoffs, after all, between."""
    import polars as pl

    first, last = run.first_cutoff or date.max, run.last_cutoff or date.max
    day = pl.col("resolution_date")
    split = pl.when(day < first).then(pl.lit("pre")).when(day >= last).then(pl.lit("post"))
    return questions.with_columns(split.otherwise(pl.lit("between")).alias("split"))
