"""Answers of an ignorance run that gave no forecast, with what was asked, for its report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from neuter.reports.ignorance.run_frames import read_forecasts, read_questions
from neuter.reports.recall.answers import TROUBLE, TroubledAnswer, shown
from neuter.reports.run_files import read_frame
from neuter.reports.wording import one_line


def troubled_answers(folder: Path, most: int = 200) -> tuple[list[TroubledAnswer], int]:
    """The first answers that could not be used (refusals are none of them), and how many there are.

    Raises:
        RunError: a file is damaged or lacks a column; the message names it.
    """
    import polars as pl

    questions, forecasts = read_questions(folder), read_forecasts(folder, "answer", "reason")
    if questions is None or forecasts is None:
        return [], 0
    bad = forecasts.filter(pl.col("outcome").is_in(TROUBLE))
    asked = questions.select("id", "question", "resolution_date")
    first = bad.head(most).join(asked, on="id", how="left", maintain_order="left")
    return [
        _troubled(row, prompts) for prompts in [_prompts(folder)] for row in first.iter_rows(named=True)
    ], bad.height


def _prompts(folder: Path) -> dict[tuple[str, str], str]:
    path = folder / "prompts.parquet"
    if not path.is_file():
        return {}
    frame = read_frame(path, ("id", "condition", "prompt"))
    return {(row[0], row[1]): row[2] for row in frame.iter_rows()}


def _troubled(row: dict[str, Any], prompts: dict[tuple[str, str], str]) -> TroubledAnswer:
    return TroubledAnswer(
        model=one_line(str(row["model"])),
        series=one_line(str(row["id"])),
        panel=f"{row['condition']}, run {row['run']}",
        day=row["resolution_date"],
        outcome=one_line(str(row["outcome"])),
        reason=one_line(str(row["reason"] or "")),
        answer=shown(row["answer"]),
        prompt=shown(prompts.get((row["id"], row["condition"]), row["question"])),
    )
