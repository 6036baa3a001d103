"""What suites that put questions to models do alike in a run folder: asking, and telling at the end what there is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.errors import ModelError
from neuter.suites.answered_by import Witness, changes
from neuter.suites.connecting import Models
from neuter.suites.frames import write_frame
from neuter.suites.told import Told, rescored_notes, versions

if TYPE_CHECKING:
    import polars as pl

    from neuter.suites.run_folder import RunFolder
    from neuter.suites.suite import Setting


class QuestionRun:
    """One run: who was asked and could not be, who answered, and what there is to tell beside the scores."""

    def __init__(self, setting: Setting, folder: RunFolder, models: Models) -> None:
        self._setting, self._folder, self._models = setting, folder, models
        self._told = Told()
        self._answered_by: dict[str, Any] = dict(folder.record.get("answered_by") or {})

    @property
    def _named(self) -> frozenset[str]:
        """Models that the user named."""
        return self._setting.required

    @property
    def _missed(self) -> set[str]:
        """Models that the user named and that could not be asked."""
        return {entry["model"] for entry in self._told.not_run} & self._named

    def _save_settings(self, cutoffs: Mapping[str, date], sources: Mapping[str, str], **others: Any) -> None:
        """Write what the run will be scored by, so that it can be scored anew."""
        self._folder.save(
            models=list(self._setting.models),
            seed=self._setting.seed,
            cutoffs={model: str(day) for model, day in cutoffs.items()},
            cutoff_sources=sources,
            **others,
        )

    def _ask(self, model: str, path: Path, ask: Callable[[Witness], pl.DataFrame]) -> None:
        """Write a model's answers to ``path``; one that cannot be asked is told of instead."""
        asked = self._models.get(model)
        if isinstance(asked, str):
            self._told.skipped(asked, attacker="llm", model=model)
            return
        witness = Witness(asked)
        try:
            made = ask(witness)
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

    @property
    def _failed(self) -> bool:
        """Whether a model that the user named could not be asked, or a call failed."""
        return bool(self._missed or self._told.outcomes["failed"])

    def _finish(self, notes: Iterable[str], **others: Any) -> None:
        """Write the record of a run that is done; ``notes`` are the suite's own."""
        self._folder.save(
            status="finished with failures" if self._failed else "done",
            notes=self._notes(notes),
            not_run=self._told.not_run,
            failures=[],
            outcomes=dict(sorted(self._told.outcomes.items())),
            caveats=self._told.caveats,
            versions=versions(),
            **others,
        )

    def _notes(self, suites: Iterable[str]) -> list[str]:
        kept = {**(self._folder.record.get("model_notes") or {}), **self._models.notes()}
        self._folder.save(model_notes=kept)
        models = [note for notes in kept.values() for note in notes if not note.startswith("WARNING")]
        told = [*changes(self._answered_by), *suites, *self._told.notes, *models]
        return list(dict.fromkeys([*told, *rescored_notes(self._folder.record)]))
