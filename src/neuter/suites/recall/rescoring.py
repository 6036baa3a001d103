"""A recall run scored anew, offline: stored answers are read again, and the scores are made of what that gives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from neuter.suites.frames import frame_hash, read_frame, write_frame
from neuter.suites.recall.parsing import read_answers
from neuter.suites.recall.scored import Scoring, files_of, score_run
from neuter.suites.stored_answers import (
    asked_models,
    bytes_of,
    count_changes,
    lacking,
    refuse_lacking,
    refuse_other,
    refuse_unscored,
)
from neuter.types import Outcome

if TYPE_CHECKING:
    from neuter.suites.rescoring import Rescoring
    from neuter.suites.run_folder import RunFolder

#: What a better parser may read otherwise.
_READ = ("outcome", "number", "word", "day", "confidence")
#: Outcomes of a call, which no parser changes.
_SETTLED = [str(Outcome.FAILED), str(Outcome.FILTERED)]


def rescore_recall(folder: RunFolder, told: Rescoring) -> None:
    """Read the answers in ``folder`` anew and score them; what changed is counted in ``told``.

    Raises:
        RunError: something is missing or damaged.
    """
    record, path = folder.record, folder.path
    refuse_unscored(path, record)
    questions = read_frame(folder.questions())
    refuse_other_frames(folder, questions)
    refuse_lacking(path, missing_answers(path, record, questions))
    zero_is_answer = bool((record.get("config") or {}).get("zero_is_answer"))
    for file in sorted((path / "answers").glob("*.parquet")):
        before = read_frame(file)
        after = reread(questions, before, zero_is_answer=zero_is_answer)
        count_changes(before, after, _READ, told)
        if not after.equals(before):
            write_frame(file, after)
    was = bytes_of(path / "scores.csv")
    scored = score_run(path, Scoring.of(record))
    told.scores_changed = was != bytes_of(path / "scores.csv")
    folder.save(outcomes=dict(sorted(scored.outcomes.items())), caveats=scored.caveats)


def refuse_other_frames(folder: RunFolder, questions: pl.DataFrame) -> None:
    """Raises RunError where questions or histories are not those of the run: what was right then is not any more."""
    config, hashes = (folder.record.get(name) or {} for name in ("config", "hashes"))
    kept = {"questions": config.get("questions"), "actual": hashes.get("actual")}
    now = {"questions": frame_hash(questions), "actual": frame_hash(read_frame(folder.actual()))}
    refuse_other(folder.path, kept, now)


def missing_answers(path: Path, record: Mapping[str, Any], questions: pl.DataFrame) -> list[str]:
    """The files of answers that a finished run should have and has not, or that cannot be read."""
    files = (file for model in asked_models(record) for file in files_of(path, questions, model))
    return lacking(path, files)


def reread(questions: pl.DataFrame, answers: pl.DataFrame, *, zero_is_answer: bool) -> pl.DataFrame:
    """The answers as today's parser reads them; those without a text of the model's own stay as they are."""
    asked = answers.select("id").join(questions, on="id", how="left", maintain_order="left")
    open_ = pl.col("answer").is_not_null() & ~pl.col("outcome").is_in(_SETTLED)
    # What was cut off was kept apart by the server's word, which stands in the reason.
    cut = pl.col("outcome").eq(str(Outcome.TRUNCATED)) | pl.col("reason").str.contains(
        "cut off", literal=True
    )
    call = pl.when(cut).then(pl.lit(str(Outcome.TRUNCATED))).otherwise(pl.lit(str(Outcome.ANSWERED)))
    raw = answers.with_columns(pl.when(open_).then(call).otherwise(pl.col("outcome")).alias("outcome"))
    read = read_answers(asked, raw, zero_is_answer=zero_is_answer)
    kept = answers.with_columns(open_.alias("open"))["open"]
    return read.with_columns(
        [pl.when(kept).then(read[name]).otherwise(answers[name]).alias(name) for name in answers.columns]
    ).select(answers.columns)
