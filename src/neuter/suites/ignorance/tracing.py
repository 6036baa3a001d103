"""The chains of thought of a run, checked by rule and by a judge, and people's labels taken into the run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from neuter.errors import ModelError
from neuter.suites.answered_by import Witness
from neuter.suites.frames import read_frame, write_frame
from neuter.suites.given import several
from neuter.whole_files import write_whole

if TYPE_CHECKING:
    from neuter.suites.connecting import Models
    from neuter.suites.ignorance.suite import Ignorance
    from neuter.suites.run_folder import RunFolder
    from neuter.suites.suite import Setting
    from neuter.suites.told import Told


@dataclass(frozen=True, slots=True)
class Judging:
    """Who judges (None: nobody), and how it is reached."""

    judge: str | None
    models: Models
    told: Told
    setting: Setting


def write_traces(
    suite: Ignorance, folder: RunFolder, forecasts: pl.DataFrame, prompts: pl.DataFrame, judging: Judging
) -> Witness | None:
    """Write traces.parquet, if any chain of thought was asked for; returns who judged, where somebody did.

    Raises:
        RunError: the file cannot be written.
    """
    from neuter.traces import checked, judge, traces_of

    found = traces_of(forecasts)
    if found.is_empty():
        return None
    made = checked(found, prompts, folder_questions(folder), suite.told_cutoff)
    if judging.judge is None:
        write_frame(folder.traces(), made)
        return None
    asked = judging.models.get(judging.judge)
    if isinstance(asked, str):
        judging.told.skipped(asked, attacker="judge", model=judging.judge)
        write_frame(folder.traces(), made)
        return None
    witness = Witness(asked)
    try:
        made = judge(
            witness,
            made,
            folder_questions(folder),
            cutoff=suite.told_cutoff,
            config=judging.setting.config,
            progress=judging.setting.progress,
            background=suite.background,
        )
    except ModelError as error:
        judging.told.skipped(str(error), attacker="judge", model=judging.judge)
    write_frame(folder.traces(), made)
    judging.told.notes.append(judged_note(judging.judge, made))
    return witness


def failed_verdicts(traces: Path) -> int:
    """How many calls to the judge failed."""
    return int((read_frame(traces)["judge_outcome"] == "failed").sum()) if traces.is_file() else 0


def judged_note(judge: str, traces: pl.DataFrame) -> str:
    """How many chains of thought the judge gave a verdict on, and what became of the others."""
    counts = traces["judge_outcome"].drop_nulls().value_counts(sort=True)
    lost = ", ".join(f"{n:,} {name}" for name, n in counts.iter_rows() if name != "answered")
    answered = int((traces["judge_outcome"] == "answered").sum())
    failed = traces.filter(pl.col("judge_outcome") == "failed")["judge_reason"].drop_nulls()
    why = f"; the first failed because: {failed[0]}" if failed.len() else ""
    behind = f" ({lost}{why})" if lost else ""
    return f"{judge} judged {answered:,} of {traces.height:,} chains of thought{behind}."


def write_labels(suite: Ignorance, folder: RunFolder) -> None:
    """Copy the labels that the user gave into the run, as one file, once its chains of thought are there.

    Raises:
        DataError: a label of no chain of thought of the run; the message names file and line.
    """
    from neuter.traces import LABEL_SCHEMA, read_labels
    from neuter.traces.schema import with_keys

    files = several(suite.labels, "labels")
    if not files:
        return
    there = folder.traces().is_file()
    known = set(with_keys(read_frame(folder.traces()))["key"]) if there else set[str]()
    given = [read_labels(Path(file), known=known) for file in files]
    if given:
        write_whole(folder.labels(), pl.concat(given).select(list(LABEL_SCHEMA)).write_csv())


def folder_questions(folder: RunFolder) -> pl.DataFrame:
    """The questions of the run."""
    return read_frame(folder.questions())
