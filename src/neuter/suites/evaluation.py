"""The main job: mask a corpus with every scheme, attack each, score the guesses, and keep it all in a run folder."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from neuter.errors import CorpusError, ModelError, RunError
from neuter.models.simulated.names import is_simulated
from neuter.suites.answered_by import Witness, changes
from neuter.suites.connecting import Models
from neuter.suites.linkage import LinkageAttacks
from neuter.suites.plan import READS_NO_TEXT, Plan, guesses_in_step, models_of, needs_model, watched
from neuter.suites.planting import planting, truths_of
from neuter.suites.run_folder import RunFolder, read_record
from neuter.suites.scored import Scores, Series
from neuter.suites.told import Told, rescored_notes, versions
from neuter.types import Attacker, NeedsModel, Outcome, Scheme
from neuter.whole_files import write_whole

if TYPE_CHECKING:
    import polars as pl

    from neuter.models.simulated.planted import Planted

_NO_MODEL = "no model: name one with --model PROVIDER/NAME"


def run_evaluation(plan: Plan, folder: RunFolder, *, after: Path | None = None, label: str = "") -> None:
    """Carry out ``plan`` in ``folder``: stages whose file is there are not done again.

    Args:
        after: the folder of a finished run whose scores, notes and caveats go into this one's, before its own.
        label: what that run's notes begin with.

    Raises:
        CorpusError: a document cannot be read.
        RunError, StoreError: a result cannot be written.
    """
    with ExitStack() as stack:
        evaluation = _Evaluation(plan, folder, Models(plan.connect, stack))
        if after is not None:
            evaluation.take_over(after, label)
        evaluation.carry_out()


class _Evaluation:
    def __init__(self, plan: Plan, folder: RunFolder, models: Models) -> None:
        self._plan, self._folder, self._models = plan, folder, models
        self._told = Told()
        self._before: list[pl.DataFrame] = []
        self._answered_by: dict[str, Any] = dict(folder.record.get("answered_by") or {})
        self._witness: Witness | None = None

    def take_over(self, folder: Path, label: str) -> None:
        """Another run's scores and what it told, to go before this one's."""
        from neuter.scoring.table import read_scores

        record = read_record(folder)
        self._before.append(read_scores(folder / "scores.parquet"))
        self._told.add(record, label)
        stages = record.get("answered_by") or {}
        self._answered_by |= {f"{folder.name}/{stage}": told for stage, told in stages.items()}

    def carry_out(self) -> None:
        self._truth = self._read()
        for model in sorted(self._unfinished() & self._plan.required):
            self._models.need(model)
        masked = [scheme for scheme in self._plan.schemes if self._mask(scheme)]
        for attacker in self._plan.attackers:
            self._attack(attacker, masked)
        self._plan.progress("scoring", 0, None)
        scores = Scores(self._plan, self._folder, self._truth, self._told, self._plan.scorer)
        series = self._series(masked)
        scores.write(series, self._before)
        self._finish(scores.compared(series))

    def _read(self) -> pl.DataFrame:
        """What is known of each document, with sizes; kept in the run folder for the report."""
        from neuter.firms import assign_sizes

        self._plan.progress("reading", 0, None)
        metadata = self._plan.corpus.metadata()
        if metadata.is_empty():
            raise CorpusError("holds no document", where=self._plan.corpus.name)
        self._refuse_without_truth(metadata)
        plan = self._plan
        assigned = assign_sizes(metadata, breakpoints=plan.breakpoints, as_of=plan.size_as_of)
        self._told.notes += assigned.notes
        if skipped := len(self._plan.corpus.problems):
            self._told.notes.append(f"{skipped} invalid rows of the corpus were left out (--skip-invalid).")
        buffer = BytesIO()
        assigned.frame.write_parquet(buffer)
        write_whole(self._folder.documents(), buffer.getvalue())
        return assigned.frame

    def _refuse_without_truth(self, metadata: pl.DataFrame) -> None:
        """Nothing can be scored where no document says which firm or year it is of.

        Raises:
            CorpusError: with the columns that the corpus carries along, one of which may be meant.
        """
        told = ["ticker", "firm", "cik", "fiscal_year"]
        told += ["date"] if "headline" in metadata["kind"] else []
        if any(metadata[name].null_count() < metadata.height for name in told):
            return
        carried = ", ".join(map(repr, self._plan.corpus.extra_columns)) or "none"
        raise CorpusError(
            "no document says which firm or fiscal year it is of, so nothing can be scored",
            where=self._plan.corpus.name,
            todo='Name the columns, as in --column ticker="Ticker Symbol" --column fiscal_year="Fiscal Yr" '
            f"--column fiscal_quarter=... --column market_cap=... (columns not used: {carried})",
        )

    def _unfinished(self) -> set[str]:
        """The models that stages will ask which are not done yet."""
        plan, found = self._plan, set()
        for scheme in plan.schemes:
            masked = self._is_done(self._folder.masked(scheme.name), scheme)
            if not masked and needs_model(scheme):
                found.add(plan.masker)
            for attacker in filter(needs_model, plan.attackers):
                files = {m: self._folder.guesses(scheme.name, attacker.name, m) for m in plan.models}
                found |= {m for m, path in files.items() if not (masked and self._is_done(path, attacker))}
        return {model for model in found if model is not None}

    def _mask(self, scheme: Scheme) -> bool:
        """Mask the corpus with a scheme unless that is done; False where there is no masked corpus.

        One with failures is made anew; where it cannot be now, the one that is there stays.
        """
        from neuter.corpus import write_masked

        plan, path = self._plan, self._folder.masked(scheme.name)
        if not self._is_done(path, scheme):
            ready = self._ready(scheme, plan.masker)
            if isinstance(ready, str):
                self._told.skipped(ready, scheme=scheme.name, model=plan.masker)
                return path.exists()
            self._folder.forget_guesses(scheme.name)
            fitted = cast(Scheme, ready).fit(plan.corpus.documents())
            made = watched(
                fitted.mask(plan.corpus.documents()),
                plan.progress,
                f"masking: {scheme.name}",
                self._truth.height,
            )
            try:
                write_masked(path, plan.corpus, made, keep_failed=True)
            except ModelError as error:
                self._told.skipped(str(error), scheme=scheme.name, model=plan.masker)
                return path.exists()
            self._keep_witness(path)
        for id_, outcome, reason in _columns(path, "id", "outcome", "reason"):
            if outcome != Outcome.ANSWERED:
                self._told.failures.append({"scheme": scheme.name, "id": id_, "reason": reason})
        return True

    def _is_done(self, path: Path, thing: Scheme | Attacker) -> bool:
        """A stage is done when its file is there; one that asks a model, when no call of it failed, nor came to an
        outcome that is to be asked for again.

        What was answered otherwise is in the store: only those calls are made again.
        """
        if not path.exists():
            return False
        again = {Outcome.FAILED, *self._plan.spending.retry}
        return not needs_model(thing) or again.isdisjoint(outcome for (outcome,) in _columns(path, "outcome"))

    def _ready(self, thing: Scheme | Attacker, model: str | None) -> Scheme | Attacker | str:
        """The scheme or attacker, connected to its model if it needs one; or the reason why it cannot run.

        A simulated model cannot read a masked text: an attacker's requests carry the truth that it answers from.
        """
        if not needs_model(thing):
            return thing
        if model is None:
            return _NO_MODEL
        asked = self._models.get(model)
        if isinstance(asked, str):
            return asked
        self._witness = asked = Witness(asked)
        if is_simulated(model) and thing.name not in READS_NO_TEXT:
            asked = planting(asked, self._truths)
        return cast("Scheme | Attacker", cast(NeedsModel, thing).connect(asked))

    @cached_property
    def _truths(self) -> Mapping[str, Planted]:
        return truths_of(self._truth)

    def _attack(self, attacker: Attacker, masked: list[Scheme]) -> None:
        if attacker.name == "linkage":
            attacks = LinkageAttacks(self._plan, self._folder, attacker, self._truth)
            for scheme in masked:
                attacks.attack(scheme)
                self._told.notes += attacks.notes(scheme)
            return
        if needs_model(attacker) and not self._plan.models:
            self._told.skipped(_NO_MODEL, attacker=attacker.name)
        for model in models_of(self._plan, attacker):
            for scheme in masked:
                self._attack_once(attacker, model, scheme)

    def _attack_once(self, attacker: Attacker, model: str | None, scheme: Scheme) -> None:
        from neuter.attacks import write_guesses
        from neuter.corpus import read_masked

        path = self._folder.guesses(scheme.name, attacker.name, model)
        if self._is_done(path, attacker):
            return
        ready = self._ready(attacker, model)
        if isinstance(ready, str):
            self._told.skipped(ready, attacker=attacker.name, model=model)
            return
        # The prior is one call, whatever the number of documents.
        chosen = None if attacker.name in READS_NO_TEXT else self._chosen(model)
        texts = read_masked(self._folder.masked(scheme.name)).documents()
        asked = (document for document in texts if chosen is None or document.id in chosen)
        fitted = cast(Attacker, ready).fit((self._plan.reference or self._plan.corpus).documents())
        stage = f"{attacker.name}{f' ({model})' if model else ''}: {scheme.name}"
        total = self._truth.height if chosen is None else len(chosen)
        guesses = watched(
            guesses_in_step(fitted.attack, asked, stage, model), self._plan.progress, stage, total
        )
        try:
            write_guesses(path, guesses)
        except ModelError as error:
            self._told.skipped(str(error), attacker=attacker.name, model=model)
        else:
            self._keep_witness(path)

    def _keep_witness(self, path: Path) -> None:
        """Who answered in the stage that made ``path``, in the run's record from now on."""
        witness, self._witness = self._witness, None
        if witness is not None:
            self._answered_by[f"{path.parent.name}/{path.name}"] = witness.told()
            self._folder.save(answered_by=self._answered_by)

    def _chosen(self, model: str | None) -> frozenset[str] | None:
        """The documents that a model is asked about: a seeded sample, stratified by size; None for all."""
        from neuter.corpus.sampling import stratified

        size = self._plan.sample_of(model) if model else None
        if size is None or size >= self._truth.height:
            return None
        known = list(zip(self._truth["size"], self._truth["market_cap"], strict=True))
        ids = self._truth["id"].to_list()
        return frozenset(ids[at] for at in stratified(known, size, self._plan.seed))

    def _series(self, masked: list[Scheme]) -> list[Series]:
        """Everything that is scored, in the order of the scores."""
        return [
            Series(scheme.name, attacker.name, model)
            for attacker in self._plan.attackers
            for model in models_of(self._plan, attacker)
            for scheme in masked
        ]

    def _notes(self) -> list[str]:
        """What was noted, and what models had to tell of themselves in this run or in what it goes on from."""
        kept = {**(self._folder.record.get("model_notes") or {}), **self._models.notes()}
        self._folder.save(model_notes=kept)
        # Who answered is counted over all sessions of the run, and a model knows of this one alone.
        own = [note for notes in kept.values() for note in notes if not note.startswith("WARNING")]
        warned = changes(self._answered_by)
        return list(dict.fromkeys([*warned, *self._told.notes, *own, *rescored_notes(self._folder.record)]))

    def _finish(self, compared: list[dict[str, Any]]) -> None:
        plan, told, configuration = self._plan, self._told, self._folder.configuration
        failed = told.outcomes["failed"] + len(told.failures)
        missed = [n for n in told.not_run if {n["scheme"], n["attacker"], n["model"]} & plan.required]
        self._folder.save(
            status="finished with failures" if failed or missed else "done",
            corpus={
                "source": plan.corpus.name,
                "name": plan.corpus.name,
                "documents": self._truth.height,
                "hash": configuration["corpus"],
                "opening": plan.corpus.options.opening,
            },
            schemes=configuration["schemes"],
            attackers=configuration["attackers"],
            models=list(plan.models),
            seed=plan.seed,
            notes=self._notes(),
            answered_by=self._answered_by,
            not_run=told.not_run,
            failures=told.failures,
            outcomes=dict(sorted(told.outcomes.items())),
            caveats=told.caveats,
            comparisons=compared,
            versions=versions(),
        )


def _columns(path: Path, *names: str) -> list[tuple[Any, ...]]:
    """A few columns of a stage's file, row by row, without reading its texts.

    Raises:
        RunError: the file is damaged.
    """
    import polars as pl

    try:
        return pl.read_parquet(path, columns=list(names)).select(names).rows()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise RunError(
            f"cannot be read ({error})", where=str(path), todo="Delete it and run the same command again"
        ) from error
