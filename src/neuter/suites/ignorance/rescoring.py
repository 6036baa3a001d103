"""A run scored anew, offline: stored answers are read again, and the scores are made of what that gives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from neuter.suites.frames import frame_hash, read_frame, write_frame
from neuter.suites.ignorance.asking import reread
from neuter.suites.ignorance.frames import questions_hash
from neuter.suites.ignorance.scored import files_of, how_of, score_run
from neuter.suites.stored_answers import (
    asked_models,
    bytes_of,
    count_changes,
    lacking,
    refuse_lacking,
    refuse_other,
    refuse_unscored,
)

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
    refuse_unscored(path, record)
    how, conditions = how_of(record["scoring"]), record["conditions"]
    refuse_other_frames(folder)
    refuse_lacking(path, missing_forecasts(path, record))
    prompts = read_frame(folder.prompts())
    for _, condition, file in files_of(path, conditions, how.cutoffs):
        if file.is_file():
            _reread(file, prompts.filter(pl.col("condition") == condition), told)
    before = bytes_of(path / "scores.csv")
    scored = score_run(path, how, conditions)
    told.scores_changed = before != bytes_of(path / "scores.csv")
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
    refuse_other(folder.path, config, now)


def missing_forecasts(path: Path, record: Mapping[str, Any]) -> list[str]:
    """The files of forecasts that a finished run should have and has not, or that cannot be read."""
    files = files_of(path, record.get("conditions") or (), asked_models(record))
    return lacking(path, (file for _, _, file in files))


def _reread(file: Path, prompts: pl.DataFrame, told: Rescoring) -> None:
    before = read_frame(file)
    after = reread(before, dict(zip(prompts["id"], prompts["prompt"], strict=True)))
    if count_changes(before, after, _READ, told):
        write_frame(file, after)
