"""A recall run scored anew, offline: stored answers are read again, and the scores are made of what that gives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from neuter.errors import RunError
from neuter.suites.frames import frame_hash, read_frame, write_frame
from neuter.suites.recall.parsing import read_answers
from neuter.suites.recall.scored import Scoring, files_of, score_run
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
    if "scoring" not in record:
        raise RunError("does not say how it was scored", where=str(path), todo="Make it anew")
    questions = read_frame(folder.questions())
    refuse_other_frames(folder, questions)
    if lacking := missing_answers(path, record, questions):
        raise RunError(
            f"{lacking[0]} is missing or damaged",
            where=str(path),
            todo=f"Make it again: neuter runs resume {path}",
        )
    zero_is_answer = bool((record.get("config") or {}).get("zero_is_answer"))
    for file in sorted((path / "answers").glob("*.parquet")):
        before = read_frame(file)
        after = reread(questions, before, zero_is_answer=zero_is_answer)
        _count(before, after, told)
        if not after.equals(before):
            write_frame(file, after)
    scores = path / "scores.csv"
    was = scores.read_bytes() if scores.is_file() else None
    scored = score_run(path, Scoring.of(record))
    told.scores_changed = was != scores.read_bytes()
    folder.save(outcomes=dict(sorted(scored.outcomes.items())), caveats=scored.caveats)


def refuse_other_frames(folder: RunFolder, questions: pl.DataFrame) -> None:
    """Raises RunError where questions or histories are not those of the run: what was right then is not any more."""
    config, hashes = (folder.record.get(name) or {} for name in ("config", "hashes"))
    kept = {"questions": config.get("questions"), "actual": hashes.get("actual")}
    now = {"questions": frame_hash(questions), "actual": frame_hash(read_frame(folder.actual()))}
    for name, hashed in now.items():
        if kept[name] not in (None, hashed):
            raise RunError(
                f"{name}.parquet is not the one that the run wrote",
                where=str(folder.path),
                todo="Make the run anew",
            )


def missing_answers(path: Path, record: Mapping[str, Any], questions: pl.DataFrame) -> list[str]:
    """The files of answers that a finished run should have and has not, or that cannot be read."""
    left_out = {entry["model"] for entry in record.get("not_run") or ()}
    asked = [model for model in record.get("models") or () if model not in left_out]
    files = [file for model in asked for file in files_of(path, questions, model)]
    return [file.relative_to(path).as_posix() for file in files if not _is_readable(file)]


def _is_readable(file: Path) -> bool:
    try:
        read_frame(file)
    except RunError:
        return False
    return True


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


def _count(before: pl.DataFrame, after: pl.DataFrame, told: Rescoring) -> None:
    told.guesses += before.height
    differs = {name: ~before[name].eq_missing(after[name]) for name in _READ}
    any_ = pl.DataFrame(differs).select(pl.any_horizontal(pl.all()).alias("any"))["any"]
    told.changed += int(any_.sum())
    for name, different in differs.items():
        if count := int(different.sum()):
            told.by_field[name] += count
    for was, now in zip(before["outcome"].filter(any_), after["outcome"].filter(any_), strict=True):
        told.by_outcome[was if was == now else f"{was} to {now}"] += 1
