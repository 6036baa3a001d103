"""A run scored anew, offline: every stored answer is parsed again, and the scores are made of what that gives.

Nothing is asked, and neither corpus nor store nor key is needed: a guess keeps the answer that it was read from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter._version import __version__
from neuter.errors import RunError
from neuter.suites.ignorance.names import is_ignorance
from neuter.suites.ignorance.rescoring import rescore_ignorance
from neuter.suites.recall.names import is_recall
from neuter.suites.recall.rescoring import rescore_recall
from neuter.suites.rescorable import is_ours, refuse_partial
from neuter.suites.run_folder import PANEL_A, RunFolder, read_record
from neuter.suites.scored import Scores, Series
from neuter.suites.stored_answers import bytes_of
from neuter.suites.told import Told, rescored_notes
from neuter.types import Guess, MaskedDocument, Outcome, Response

if TYPE_CHECKING:
    from neuter.suites.plan import Scorer

#: What an answer says, and so what a better parser may read otherwise.
FIELDS = ("outcome", "firm", "industry", "quarter", "year", "date")
#: Outcomes that a parser cannot change: nothing was written, or not by the model.
_SETTLED = (Outcome.FAILED, Outcome.FILTERED)
#: The reason of a truncated answer, as neuter.models.replies gives it.
_TRUNCATED = "the answer reached its limit of tokens"


@dataclass(frozen=True, slots=True)
class Change:
    """A guess before and after."""

    before: Guess
    after: Guess

    @property
    def fields(self) -> tuple[str, ...]:
        """Those that differ."""
        return tuple(name for name in FIELDS if getattr(self.before, name) != getattr(self.after, name))

    @property
    def outcomes(self) -> str:
        """``unparsed to answered``, or the outcome where that stayed."""
        before, after = self.before.outcome, self.after.outcome
        return str(after) if before is after else f"{before} to {after}"


@dataclass(slots=True)
class Rescoring:
    """What a rescoring did: guesses looked at, the changes counted, the first of them, and whether scores changed."""

    guesses: int = 0
    changed: int = 0
    by_outcome: Counter[str] = field(default_factory=Counter)
    by_field: Counter[str] = field(default_factory=Counter)
    first: list[Change] = field(default_factory=list)
    scores_changed: bool = False

    def see(self, change: Change, shown: int = 10) -> None:
        """Count a guess that was looked at; keep the first that changed."""
        self.guesses += 1
        if change.fields:
            self.changed += 1
            self.by_outcome[change.outcomes] += 1
            self.by_field.update(change.fields)
            self.first += [change] if len(self.first) < shown else []

    def add(self, other: Rescoring, shown: int = 10) -> None:
        """Take in what was done in another part of the run."""
        self.guesses += other.guesses
        self.changed += other.changed
        self.by_outcome += other.by_outcome
        self.by_field += other.by_field
        self.first = [*self.first, *other.first][:shown]
        self.scores_changed |= other.scores_changed


@dataclass(frozen=True, slots=True)
class _How:
    """What scores depend on beside truth and guesses, from a run's record."""

    suite: str
    seed: int
    draws: int


def rescore_run(path: Path) -> Rescoring:
    """Parse the answers of a run folder's guesses anew and make its scores of them; the answers stay as they are.

    A second rescoring with the same version changes nothing. What was done is noted in ``run.json``.

    Raises:
        RunError: no run folder, not finished, not whole, of a suite that scores by itself, damaged, or in use.
    """
    told = Rescoring()
    with RunFolder.reopen(path) as folder:
        _refuse_unfinished(folder)
        if own := _own(folder.record):
            own(folder, told)
            if told.changed or told.scores_changed:
                _note(folder, told)
            return told
        refuse_partial(folder)
        inner = folder.path / PANEL_A
        borrowed = inner if (inner / "run.json").is_file() else None
        if borrowed:
            told.add(rescore_run(borrowed))
        told.add(_rescored(folder, borrowed))
        if told.changed or told.scores_changed:
            _note(folder, told)
    return told


def _own(record: Mapping[str, Any]) -> Callable[[RunFolder, Rescoring], None] | None:
    """How a suite that asks questions scores its runs anew; None for one that works on a corpus."""
    if is_recall(record):
        return rescore_recall
    return rescore_ignorance if is_ignorance(record) else None


def reparsed(guess: Guess) -> Guess:
    """The guess as today's parser reads its answer; one without an answer of the model's own stays as it is."""
    from neuter.attacks.answered import CUT_OFF, guess_of_response

    cut = guess.outcome is Outcome.TRUNCATED or guess.reason == CUT_OFF
    # Any other reason is the server's: it said itself that the answer was empty, or a refusal.
    if guess.answer is None or guess.outcome in _SETTLED or (guess.reason and not cut):
        return guess
    response = Response(
        guess.id,
        Outcome.TRUNCATED if cut else Outcome.ANSWERED,
        guess.answer,
        reason=_TRUNCATED if cut else "",
    )
    read = guess_of_response(
        MaskedDocument(guess.id, None, guess.scheme), response, guess.attacker, guess.model or ""
    )
    return replace(read, model=guess.model)


def _refuse_unfinished(folder: RunFolder) -> None:
    status, config = folder.record.get("status"), folder.record.get("config") or {}
    where = str(folder.path)
    if status not in ("done", "finished with failures"):
        raise RunError(
            f"is not finished ({status})", where=where, todo="Finish it first: neuter runs resume RUN"
        )
    if _own(folder.record):
        return
    if missing := sorted({"attackers", "models", "schemes", "seed", "draws"} - set(config)):
        raise RunError(
            f"its run.json does not say which {missing[0]} it had", where=where, todo="Make it anew"
        )


def _rescored(folder: RunFolder, borrowed: Path | None) -> Rescoring:
    """The guesses of one folder, then its scores; ``borrowed`` is the run within it whose scores go before."""
    import polars as pl

    from neuter.scoring.table import read_scores

    told, beside, series = Rescoring(), Told(), list(_series(folder))
    scorer = _scorer(folder, borrowed)
    for one in series:
        if one.attacker in _parsed_by_us(folder.record):
            _reparse(folder, one, told)
    before, config = bytes_of(folder.path / "scores.csv"), folder.record["config"]
    how = _How(folder.record.get("suite") or "evaluate", config["seed"], config["draws"])
    scores = Scores(how, folder, pl.read_parquet(folder.documents()), beside, scorer)
    if borrowed is not None:
        beside.add(read_record(borrowed), "")
    scores.write(series, [] if borrowed is None else [read_scores(borrowed / "scores.parquet")])
    told.scores_changed = before != bytes_of(folder.path / "scores.csv")
    folder.save(
        outcomes=dict(sorted(beside.outcomes.items())),
        caveats=beside.caveats,
        comparisons=scores.compared(series),
    )
    return told


def _reparse(folder: RunFolder, one: Series, told: Rescoring) -> None:
    """Read the answers of one file of guesses anew, and write it again if that changed any."""
    from neuter.attacks import read_guesses, write_guesses

    path = folder.guesses(one.scheme, one.attacker, one.model)
    before = read_guesses(path)
    after = [reparsed(guess) for guess in before]
    for pair in zip(before, after, strict=True):
        told.see(Change(*pair))
    if after != before:
        write_guesses(path, after)


def _series(folder: RunFolder) -> Iterator[Series]:
    """Whose guesses the folder holds, in the order in which the run scored them."""
    config = folder.record["config"]
    for attacker in config["attackers"]:
        for model in (None, *config["models"]):
            for scheme in config["schemes"]:
                one = Series(scheme["name"], attacker["name"], model)
                if folder.guesses(one.scheme, one.attacker, one.model).exists():
                    yield one


def _parsed_by_us(record: Mapping[str, Any]) -> set[str]:
    """The attackers whose answers our parser reads."""
    return {attacker["name"] for attacker in record["config"]["attackers"] if is_ours(attacker)}


def _scorer(folder: RunFolder, borrowed: Path | None) -> Scorer | None:
    """How the run's suite scores.

    Raises:
        RunError: nobody here knows.
    """
    from neuter.suites.panels import panel_scorer

    record = folder.record
    suite = record.get("suite")
    if suite is None:
        return None
    if suite != "masking":
        raise RunError(f"the suite {suite!r} scores by itself and cannot be rescored", where=str(folder.path))
    own = [name for name, panel in record["panels"].items() if borrowed is None or not panel["borrowed"]]
    return panel_scorer("".join(own), published=record.get("documents_are") != "headline")


def _note(folder: RunFolder, told: Rescoring) -> None:
    day = datetime.now(UTC).date().isoformat()
    done = {"neuter": __version__, "on": day, "guesses": told.guesses, "changed": told.changed}
    folder.record["rescored"] = [*(folder.record.get("rescored") or ()), done]
    notes = [*(folder.record.get("notes") or ()), *rescored_notes(folder.record)]
    folder.save(notes=list(dict.fromkeys(notes)))
