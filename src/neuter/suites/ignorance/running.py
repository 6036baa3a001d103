"""The suite carried out in a run folder: questions, forecasts, traces, scores, and what there is to tell."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from neuter.errors import ModelError
from neuter.suites.answered_by import Witness, changes
from neuter.suites.connecting import Models
from neuter.suites.frames import read_frame, write_frame
from neuter.suites.ignorance.asking import Part, ask_questions, is_done
from neuter.suites.ignorance.frames import FILE_NAMES
from neuter.suites.ignorance.notes import notes_of
from neuter.suites.ignorance.scored import as_json, files_of, score_run
from neuter.suites.ignorance.tracing import Judging, failed_verdicts, write_labels, write_traces
from neuter.suites.told import Told, rescored_notes, versions

if TYPE_CHECKING:
    from neuter.suites.ignorance.suite import Ignorance
    from neuter.suites.run_folder import RunFolder
    from neuter.suites.suite import Setting


def run_ignorance(suite: Ignorance, setting: Setting, folder: RunFolder) -> None:
    """Ask what is not answered yet, judge it, score it all, and keep it in ``folder``.

    Raises:
        ModelError: a model that the user named cannot be asked.
        RunError, StoreError: something cannot be written or read.
        LimitReached: the run may spend no more.
    """
    with ExitStack() as stack:
        _Run(suite, setting, folder, Models(setting.connect, stack)).carry_out()


class _Run:
    def __init__(self, suite: Ignorance, setting: Setting, folder: RunFolder, models: Models) -> None:
        self._suite, self._setting, self._folder, self._models = suite, setting, folder, models
        self._told = Told()
        self._answered_by: dict[str, Any] = dict(folder.record.get("answered_by") or {})

    def carry_out(self) -> None:
        self._setting.progress("reading", 0, None)
        questions = self._suite.asked(self._setting)
        prompts = self._suite.prompts(self._setting)
        write_frame(self._folder.questions(), questions)
        write_frame(self._folder.prompts(), prompts)
        self._how = self._suite.scoring(self._setting)
        self._save_settings()
        for condition in self._suite.chosen_conditions:
            part = Part(condition, questions, _of(prompts, condition), self._suite.runs)
            for model in self._setting.models:
                self._answer(model, part)
        self._refuse_without_answers()
        self._trace(prompts)
        self._setting.progress("scoring", 0, None)
        scored = score_run(self._folder.path, self._how, self._suite.chosen_conditions)
        self._told.caveats += scored.caveats
        self._told.outcomes = scored.outcomes
        self._finish(scored.verdicts)

    @property
    def _missed(self) -> set[str]:
        """Models that the user named and that could not be asked."""
        named = self._setting.required | ({self._suite.judge} if self._suite.judge else set())
        return {entry["model"] for entry in self._told.not_run} & named

    def _save_settings(self) -> None:
        self._folder.save(
            models=list(self._setting.models),
            seed=self._setting.seed,
            cutoffs={model: str(day) for model, day in self._how.cutoffs.items()},
            cutoff_sources=self._suite.sources_of_cutoffs(self._setting),
            groups=dict(self._how.groups),
            scoring=as_json(self._how),
            set_aside=self._suite.set_aside(self._setting),
        )

    def _answer(self, model: str, part: Part) -> None:
        path = self._folder.answers(FILE_NAMES[part.condition], model)
        before = read_frame(path) if path.exists() else None
        if is_done(before, part.places, self._setting.spending.retry):
            return
        asked = self._models.get(model)
        if isinstance(asked, str):
            self._told.skipped(asked, attacker="llm", model=model)
            return
        witness = Witness(asked)
        try:
            made = ask_questions(part, witness, self._suite, self._setting.config, self._setting.progress)
        except ModelError as error:
            self._told.skipped(str(error), attacker="llm", model=model)
            return
        write_frame(path, made)
        self._note_witness(path, witness)

    def _note_witness(self, path: Path, witness: Witness) -> None:
        self._answered_by[path.relative_to(self._folder.path).as_posix()] = witness.told()
        self._folder.save(answered_by=self._answered_by)

    def _refuse_without_answers(self) -> None:
        """Raises ModelError where a model that the user named could not be asked, and there is nothing to score."""
        if self._missed and not any((self._folder.path / "answers").glob("*.parquet")):
            raise ModelError(self._told.not_run[0]["reason"])

    def _trace(self, prompts: pl.DataFrame) -> None:
        """The chains of thought checked by rule, and by the judge where there is one."""
        files = files_of(self._folder.path, self._suite.chosen_conditions, self._how.cutoffs)
        forecasts = [read_frame(file) for _, _, file in files if file.is_file()]
        judging = Judging(self._suite.judge, self._models, self._told, self._setting)
        witness = write_traces(self._suite, self._folder, pl.concat(forecasts), prompts, judging)
        if witness is not None:
            self._note_witness(self._folder.traces(), witness)
        write_labels(self._suite, self._folder)

    def _finish(self, verdicts: list[dict[str, Any]]) -> None:
        self._folder.save(
            status="finished with failures" if self._failed else "done",
            notes=self._notes(),
            not_run=self._told.not_run,
            failures=[],
            outcomes=dict(sorted(self._told.outcomes.items())),
            caveats=self._told.caveats,
            verdicts=verdicts,
            versions=versions(),
        )

    @property
    def _failed(self) -> bool:
        """Whether a model or the judge could not be asked, or a call to either failed."""
        return bool(self._missed or self._told.outcomes["failed"] or failed_verdicts(self._folder.traces()))

    def _notes(self) -> list[str]:
        kept = {**(self._folder.record.get("model_notes") or {}), **self._models.notes()}
        self._folder.save(model_notes=kept)
        own = [note for notes in kept.values() for note in notes if not note.startswith("WARNING")]
        told = notes_of(self._suite, self._setting, self._folder.record)
        return list(
            dict.fromkeys(
                [
                    *changes(self._answered_by),
                    *told,
                    *self._told.notes,
                    *own,
                    *rescored_notes(self._folder.record),
                ]
            )
        )


def _of(prompts: pl.DataFrame, condition: str) -> dict[str, str]:
    """The prompts of a condition by question's id."""
    part = prompts.filter(pl.col("condition") == condition)
    return dict(zip(part["id"], part["prompt"], strict=True))
