"""A recall suite carried out in a run folder: questions, answers, scores, and what there is to tell beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from neuter.errors import ModelError
from neuter.suites.answered_by import Witness, changes
from neuter.suites.connecting import Models
from neuter.suites.frames import frame_hash, read_frame, write_frame
from neuter.suites.recall.asking import ask_questions, is_done
from neuter.suites.recall.planted import planted_note
from neuter.suites.recall.scored import Scoring, score_run
from neuter.suites.told import Told, rescored_notes, versions

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


class _Run:
    def __init__(self, suite: RecallSuite, setting: Setting, folder: RunFolder, models: Models) -> None:
        self._suite, self._setting, self._folder, self._models = suite, setting, folder, models
        self._told = Told()
        self._answered_by: dict[str, Any] = dict(folder.record.get("answered_by") or {})

    def carry_out(self) -> None:
        self._setting.progress("reading", 0, None)
        self._questions = self._suite.questions(self._setting)
        actual = self._suite.histories(self._setting.seed)
        write_frame(self._folder.questions(), self._questions)
        write_frame(self._folder.actual(), actual)
        self._save_settings(frame_hash(actual))
        for model in self._setting.models:
            for (series,), questions in self._questions.group_by("series", maintain_order=True):
                self._answer(model, str(series), questions)
        self._refuse_without_answers()
        self._setting.progress("scoring", 0, None)
        scored = score_run(self._folder.path, self._scoring)
        self._told.caveats += scored.caveats
        self._told.outcomes = Counter(scored.outcomes)
        self._finish()

    @property
    def _missed(self) -> set[str]:
        """Models that the user named and that could not be asked."""
        return {entry["model"] for entry in self._told.not_run} & self._setting.required

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

    def _save_settings(self, actual: str) -> None:
        self._folder.save(
            models=list(self._setting.models),
            seed=self._setting.seed,
            cutoffs={model: str(day) for model, day in self._suite.cutoffs(self._setting).items()},
            cutoff_sources=self._suite.sources_of_cutoffs(self._setting),
            scoring=self._scoring.as_json(),
            hashes={"actual": actual},
            data={
                name: {"source": series.source, "hash": series.hash}
                for name, series in self._suite.actual().items()
            },
        )

    def _answer(self, model: str, series: str, questions: pl.DataFrame) -> None:
        path = self._folder.answers(series, model)
        before = read_frame(path) if path.exists() else None
        if is_done(before, questions, self._setting.spending.retry):
            return
        asked = self._models.get(model)
        if isinstance(asked, str):
            self._told.skipped(asked, attacker="llm", model=model)
            return
        witness = Witness(asked)
        try:
            made = ask_questions(
                questions, witness, self._suite, self._setting.progress, f"{model}: {series}"
            )
        except ModelError as error:
            self._told.skipped(str(error), attacker="llm", model=model)
            return
        write_frame(path, made)
        self._answered_by[self._relative(path)] = witness.told()
        self._folder.save(answered_by=self._answered_by)

    def _relative(self, path: Path) -> str:
        return path.relative_to(self._folder.path).as_posix()

    def _refuse_without_answers(self) -> None:
        """Raises ModelError where a model that the user named could not be asked, and there is nothing to score."""
        if self._missed and not any((self._folder.path / "answers").glob("*.parquet")):
            raise ModelError(self._told.not_run[0]["reason"])

    def _finish(self) -> None:
        self._folder.save(
            status="finished with failures" if self._missed or self._told.outcomes["failed"] else "done",
            notes=self._notes(),
            not_run=self._told.not_run,
            failures=[],
            outcomes=dict(sorted(self._told.outcomes.items())),
            caveats=self._told.caveats,
            versions=versions(),
        )

    def _zeros(self) -> Iterator[str]:
        """How many right answers are 0, which counts as a refusal."""
        zeros = int((self._questions["truth"] == 0).sum())
        if zeros and not self._suite.zero_is_answer:
            yield (
                f"Where the right value is 0 ({zeros:,} of those asked about), saying so counts as refusing, as in the "
                "paper (--zero-is-answer takes it for an answer)."
            )

    def _notes(self) -> list[str]:
        kept = {**(self._folder.record.get("model_notes") or {}), **self._models.notes()}
        self._folder.save(model_notes=kept)
        own = [note for notes in kept.values() for note in notes if not note.startswith("WARNING")]
        planted = [note for model in self._setting.models for note in planted_note(model, self._suite)]
        return list(
            dict.fromkeys(
                [
                    *changes(self._answered_by),
                    *self._suite.notes(),
                    *self._zeros(),
                    *planted,
                    *own,
                    *rescored_notes(self._folder.record),
                ]
            )
        )
