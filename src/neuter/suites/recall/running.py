"""A recall suite carried out in a run folder: questions, answers, scores, and what there is to tell beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import polars as pl

from neuter.suites.connecting import Models
from neuter.suites.frames import frame_hash, read_frame, write_frame
from neuter.suites.question_run import QuestionRun
from neuter.suites.recall.asking import ask_questions, is_done
from neuter.suites.recall.planted import planted_note
from neuter.suites.recall.scored import Scoring, score_run

if TYPE_CHECKING:
    from neuter.suites.recall.suite import RecallSuite
    from neuter.suites.run_folder import RunFolder
    from neuter.suites.suite import Setting


def run_recall(suite: RecallSuite, setting: Setting, folder: RunFolder) -> None:
    """Ask what is not answered yet, score it all, and keep it in ``folder``.

    Raises:
        ModelError: a model that the user named cannot be asked.
        RunError, StoreError: something cannot be written or read.
        LimitReached: the run may spend no more.
    """
    with ExitStack() as stack:
        _Run(suite, setting, folder, Models(setting.connect, stack)).carry_out()


class _Run(QuestionRun):
    def __init__(self, suite: RecallSuite, setting: Setting, folder: RunFolder, models: Models) -> None:
        super().__init__(setting, folder, models)
        self._suite = suite

    def carry_out(self) -> None:
        self._setting.progress("reading", 0, None)
        self._questions = self._suite.questions(self._setting)
        actual = self._suite.histories(self._setting.seed)
        write_frame(self._folder.questions(), self._questions)
        write_frame(self._folder.actual(), actual)
        self._save_settings(
            self._suite.cutoffs(self._setting),
            self._suite.sources_of_cutoffs(self._setting),
            scoring=self._scoring.as_json(),
            hashes={"actual": frame_hash(actual)},
            data={
                name: {"source": series.source, "hash": series.hash}
                for name, series in self._suite.actual().items()
            },
        )
        for model in self._setting.models:
            for (series,), questions in self._questions.group_by("series", maintain_order=True):
                self._answer(model, str(series), questions)
        self._refuse_without_answers()
        self._setting.progress("scoring", 0, None)
        scored = score_run(self._folder.path, self._scoring)
        self._told.caveats += scored.caveats
        self._told.outcomes = Counter(scored.outcomes)
        self._finish(self._own_notes())

    @property
    def _scoring(self) -> Scoring:
        suite, setting = self._suite, self._setting
        cutoffs = suite.cutoffs(setting)
        return Scoring(
            suite=suite.name,
            cutoffs=cutoffs,
            recent={model: suite.recent(cutoff) for model, cutoff in cutoffs.items()},
            seed=setting.seed,
            draws=setting.draws,
            own=suite.scored_by,
            other_truths=suite.other_truths,
        )

    def _answer(self, model: str, series: str, questions: pl.DataFrame) -> None:
        path = self._folder.answers(series, model)
        before = read_frame(path) if path.exists() else None
        if is_done(before, questions, self._setting.spending.retry):
            return
        suite, progress, stage = self._suite, self._setting.progress, f"{model}: {series}"
        self._ask(model, path, lambda asked: ask_questions(questions, asked, suite, progress, stage))

    def _own_notes(self) -> Iterator[str]:
        yield from self._suite.notes()
        yield from self._zeros()
        for model in self._setting.models:
            yield from planted_note(model, self._suite)

    def _zeros(self) -> Iterator[str]:
        """How many right answers are 0, which counts as a refusal."""
        zeros = int((self._questions["truth"] == 0).sum())
        if zeros and not self._suite.zero_is_answer:
            yield (
                f"Where the right value is 0 ({zeros:,} of those asked about), saying so counts as refusing, as in the "
                "paper (--zero-is-answer takes it for an answer)."
            )
