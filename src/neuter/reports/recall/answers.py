"""Questions and answers of a recall run, as figures and the report need them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from neuter.reports.run_files import read_frame
from neuter.reports.wording import one_line, visible

if TYPE_CHECKING:
    import polars as pl

_AGAIN = "Give the folder that neuter benchmark wrote, or run the same command again"
_ASKED = ("id", "panel", "series", "condition", "date", "cluster", "truth")
_SAID = ("id", "model", "outcome", "number")
#: Outcomes that somebody may want to look into.
TROUBLE = ("unparsed", "truncated", "failed", "filtered")
#: Characters of a prompt or an answer that are shown.
_MOST = 2_000


@dataclass(frozen=True, slots=True)
class TroubledAnswer:
    """An answer that gave no figure, with what was asked and what came back."""

    model: str
    series: str
    panel: str
    day: date
    outcome: str
    reason: str
    answer: str
    prompt: str


def read_estimates(folder: Path) -> pl.DataFrame:
    """A row a question and model: panel, series, condition, date, cluster, model, outcome, actual, estimated.

    Empty where the run asked nothing. ``estimated`` is null where there is no number.

    Raises:
        RunError: a file is damaged or lacks a column; the message names it.
    """
    import polars as pl

    asked, said = _joined_parts(folder, _ASKED, _SAID)
    renamed = {"truth": "actual", "number": "estimated"}
    if asked is None or said is None:
        names = ("panel", "series", "condition", "date", "cluster", "model", "outcome", "actual", "estimated")
        kinds: dict[str, type[pl.DataType]] = {"date": pl.Date, "actual": pl.Float64, "estimated": pl.Float64}
        return pl.DataFrame(schema={name: kinds.get(name, pl.String) for name in names})
    return asked.join(said, on="id", how="inner", maintain_order="left").drop("id").rename(renamed)


def troubled_answers(folder: Path, most: int = 200) -> tuple[list[TroubledAnswer], int]:
    """The first answers that could not be used (refusals are none of them), and how many there are.

    Raises:
        RunError: as of :func:`read_estimates`.
    """
    import polars as pl

    asked, said = _joined_parts(
        folder, ("id", "panel", "series", "date", "prompt"), ("id", "model", "outcome", "answer", "reason")
    )
    if asked is None or said is None:
        return [], 0
    trouble = asked.join(said.filter(pl.col("outcome").is_in(TROUBLE)), on="id", maintain_order="left")
    return [_troubled(row) for row in trouble.head(most).iter_rows(named=True)], trouble.height


def _troubled(row: dict[str, object]) -> TroubledAnswer:
    day = row["date"]
    assert isinstance(day, date)
    return TroubledAnswer(
        model=one_line(str(row["model"])),
        series=one_line(str(row["series"])),
        panel=one_line(str(row["panel"])),
        day=day,
        outcome=one_line(str(row["outcome"])),
        reason=one_line(str(row["reason"] or "")),
        answer=shown(row["answer"]),
        prompt=shown(row["prompt"]),
    )


def shown(text: object) -> str:
    """A prompt or an answer for a page: made visible, and cut with its length said."""
    told = visible("" if text is None else str(text))
    return told if len(told) <= _MOST else f"{told[:_MOST]} … ({len(told) - _MOST:,} more characters)"


def _joined_parts(
    folder: Path, asked: tuple[str, ...], said: tuple[str, ...]
) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """The questions, and all answers, with these columns; None where there are none."""
    import polars as pl

    path = folder / "questions.parquet"
    files = sorted((folder / "answers").glob("*.parquet"))
    questions = read_frame(path, asked, _AGAIN) if path.is_file() else None
    answers = pl.concat([read_frame(file, said, _AGAIN) for file in files]) if files else None
    return questions, answers
