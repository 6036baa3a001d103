"""The suite carried out in a run folder: questions, forecasts, traces, scores, and what there is to tell."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import polars as pl

from neuter.suites.connecting import Models
from neuter.suites.frames import read_frame, write_frame
from neuter.suites.ignorance.asking import Part, ask_questions, is_done
from neuter.suites.ignorance.frames import FILE_NAMES
from neuter.suites.ignorance.notes import notes_of
from neuter.suites.ignorance.scored import as_json, files_of, score_run
from neuter.suites.ignorance.tracing import Judging, failed_verdicts, write_labels, write_traces
from neuter.suites.question_run import QuestionRun

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


class _Run(QuestionRun):
    def __init__(self, suite: Ignorance, setting: Setting, folder: RunFolder, models: Models) -> None:
        super().__init__(setting, folder, models)
        self._suite = suite

    def carry_out(self) -> None:
        self._setting.progress("reading", 0, None)
        questions = self._suite.asked(self._setting)
        prompts = self._suite.prompts(self._setting)
        write_frame(self._folder.questions(), questions)
        write_frame(self._folder.prompts(), prompts)
        self._how = self._suite.scoring(self._setting)
        self._save_settings(
            self._how.cutoffs,
            self._suite.sources_of_cutoffs(self._setting),
            groups=dict(self._how.groups),
            scoring=as_json(self._how),
            set_aside=self._suite.set_aside(self._setting),
        )
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
        notes = notes_of(self._suite, self._setting, self._folder.record)
        self._finish(notes, verdicts=scored.verdicts)

    @property
    def _named(self) -> frozenset[str]:
        """Models that the user named, the judge among them."""
        return super()._named | ({self._suite.judge} if self._suite.judge else frozenset())

    @property
    def _failed(self) -> bool:
        """Whether a model or the judge could not be asked, or a call to either failed."""
        return super()._failed or bool(failed_verdicts(self._folder.traces()))

    def _answer(self, model: str, part: Part) -> None:
        path = self._folder.answers(FILE_NAMES[part.condition], model)
        before = read_frame(path) if path.exists() else None
        if is_done(before, part.places, self._setting.spending.retry):
            return
        suite, setting = self._suite, self._setting
        self._ask(
            model, path, lambda asked: ask_questions(part, asked, suite, setting.config, setting.progress)
        )

    def _trace(self, prompts: pl.DataFrame) -> None:
        """The chains of thought checked by rule, and by the judge where there is one."""
        files = files_of(self._folder.path, self._suite.chosen_conditions, self._how.cutoffs)
        forecasts = [read_frame(file) for _, _, file in files if file.is_file()]
        judging = Judging(self._suite.judge, self._models, self._told, self._setting)
        witness = write_traces(self._suite, self._folder, pl.concat(forecasts), prompts, judging)
        if witness is not None:
            self._note_witness(self._folder.traces(), witness)
        write_labels(self._suite, self._folder)


def _of(prompts: pl.DataFrame, condition: str) -> dict[str, str]:
    """The prompts of a condition by question's id."""
    part = prompts.filter(pl.col("condition") == condition)
    return dict(zip(part["id"], part["prompt"], strict=True))
