"""A run scored anew, offline: stored answers are read again, and the scores are made of what that gives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from neuter.errors import RunError
from neuter.suites.frames import frame_hash, read_frame, write_frame
from neuter.suites.ignorance.asking import reread
from neuter.suites.ignorance.frames import questions_hash
from neuter.suites.ignorance.scored import files_of, how_of, score_run

if TYPE_CHECKING:
    from neuter.suites.rescoring import Rescoring
    from neuter.suites.run_folder import RunFolder

#: What a better parser may read otherwise.
_READ = ("outcome", "probability")


def rescore_ignorance(folder: RunFolder, told: Rescoring) -> None:
    """Read the forecasts in ``folder`` anew and score them; what changed is counted in ``told``.

    Traces stay as they were checked and judged.

    Raises:
        RunError: something is missing or damaged, or is not what the run wrote.
    """
    record, path = folder.record, folder.path
    if "scoring" not in record:
        raise RunError("does not say how it was scored", where=str(path), todo="Make it anew")
    how, conditions = how_of(record["scoring"]), record["conditions"]
    refuse_other_frames(folder)
    if lacking := missing_forecasts(path, record):
        raise RunError(
            f"{lacking[0]} is missing or damaged",
            where=str(path),
            todo=f"Make it again: neuter runs resume {path}",
        )
    prompts = read_frame(folder.prompts())
    for _, condition, file in files_of(path, conditions, how.cutoffs):
        if file.is_file():
            _reread(file, prompts.filter(pl.col("condition") == condition), told)
    before = _bytes(path / "scores.csv")
    scored = score_run(path, how, conditions)
    told.scores_changed = before != _bytes(path / "scores.csv")
    folder.save(
        outcomes=dict(sorted(scored.outcomes.items())), caveats=scored.caveats, verdicts=scored.verdicts
    )


def refuse_other_frames(folder: RunFolder) -> None:
    """Raises RunError where questions or prompts are not those of the run: what was right then is not any more."""
    config = folder.record.get("config") or {}
    now = {
        "questions": questions_hash(read_frame(folder.questions())),
        "prompts": frame_hash(read_frame(folder.prompts())),
    }
    for name, hashed in now.items():
        if config.get(name) not in (None, hashed):
            raise RunError(
                f"{name}.parquet is not the one that the run wrote",
                where=str(folder.path),
                todo="Make the run anew",
            )


def missing_forecasts(path: Path, record: Mapping[str, Any]) -> list[str]:
    """The files of forecasts that a finished run should have and has not, or that cannot be read."""
    left_out = {entry["model"] for entry in record.get("not_run") or ()}
    asked = {model: None for model in record.get("models") or () if model not in left_out}
    files = (file for _, _, file in files_of(path, record.get("conditions") or (), asked))
    return [file.relative_to(path).as_posix() for file in files if not _is_readable(file)]


def _is_readable(file: Path) -> bool:
    try:
        read_frame(file)
    except RunError:
        return False
    return True


def _reread(file: Path, prompts: pl.DataFrame, told: Rescoring) -> None:
    before = read_frame(file)
    after = reread(before, dict(zip(prompts["id"], prompts["prompt"], strict=True)))
    differs = {name: ~before[name].eq_missing(after[name]) for name in _READ}
    either = pl.DataFrame(differs).select(pl.any_horizontal(pl.all()).alias("any"))["any"]
    told.guesses += before.height
    told.changed += int(either.sum())
    for name, different in differs.items():
        if count := int(different.sum()):
            told.by_field[name] += count
    for was, now in zip(before["outcome"].filter(either), after["outcome"].filter(either), strict=True):
        told.by_outcome[was if was == now else f"{was} to {now}"] += 1
    if either.any():
        write_frame(file, after)


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
