"""How a command reaches its models: each connected once, within one budget; what that has cost is told at the end."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.errors import Interrupted, LimitReached, StoreError
from neuter.suites.plan import quiet
from neuter.suites.spending import Spending
from neuter.types import Ask, Progress

if TYPE_CHECKING:
    from neuter.models import Model
    from neuter.models.store.doubt import Doubt
    from neuter.models.store.ledger import Spent
    from neuter.suites.run_folder import RunFolder

_FINISHING = "interrupted: finishing the calls under way (Ctrl-C once more does not wait for them)"


@dataclass(frozen=True, slots=True)
class Paid:
    """Who pays: an id in the ledger, the command, and its folder or file.

    A run folder keeps its id; ``neuter mask`` and ``neuter attack`` have none, and each call of them is a run of its
    own.
    """

    run: str
    command: str
    path: Path | None = None
    resumable: bool = False

    @property
    def where(self) -> str:
        """Folder or file, for a message."""
        return str(self.path or "")


def paid_by(folder: RunFolder) -> Paid:
    """The run of a folder."""
    return Paid(folder.id, str(folder.record.get("command") or ""), folder.path, resumable=True)


def paid_once(command: str, out: str | Path | None = None) -> Paid:
    """A run of its own."""
    return Paid(uuid.uuid4().hex, command, None if out is None else Path(out))


class Reached:
    """The models of one run (a ``Connect``): a context for each name, in which it may be asked.

    ``spent`` and ``in_all`` are filled when the models are let go: what was spent since they were connected, and by
    the whole run, a dict for each model: the fields of :class:`neuter.models.ledger.Spent`, ``reused`` (responses that
    the store had; only in ``spent``), ``free`` (a model inside the process) and ``price_as_of``.
    """

    def __init__(
        self, paid: Paid, store: Path | None, config: Path | None, spending: Spending, progress: Progress
    ) -> None:
        from neuter.models.budget import Budget

        self._paid, self._store, self._config, self._spending = paid, store, config, spending
        self._progress = progress
        self._budget = Budget(paid.run, spending.limits)
        self._stack = ExitStack()
        self._models: dict[str, Model] = {}
        self._before: dict[str, Spent] | None = None
        self._earlier: Doubt | None = None
        self.spent: dict[str, dict[str, Any]] = {}
        self.in_all: dict[str, dict[str, Any]] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[Ask]:
        """The model, connected at the first call; it stays so until :meth:`close`.

        Raises:
            ModelError, MissingExtra, UsageError, StoreError: as :func:`neuter.models.connect`; no key.
        """
        if name not in self._models:
            self._models[name] = self._connect(name)
        yield self._models[name]

    @property
    def sentence(self) -> str:
        """What was asked and spent, in words; empty where no model was connected. After :meth:`close`.

        It ends with what earlier sessions of the run may have been billed: those that were killed told nobody.
        """
        from neuter.reports.money import earlier, sentence

        told = sentence(self.spent)
        before = self._earlier
        if not told or before is None or not before.attempts:
            return told
        return f"{told}; {earlier(before.attempts, before.dollars, before.unpriced)}"

    @property
    def notes(self) -> list[str]:
        """What the models have to tell of themselves."""
        return [note for model in self._models.values() for note in model.notes]

    @property
    def kept(self) -> tuple[str, str]:
        """What is there after an interruption, and what to do then."""
        if not (self._models or self._paid.resumable):
            return "nothing was written", ""
        kept = "what is done is kept" if self._paid.resumable else "what was answered is in the store"
        return kept, "The same command goes on from there"

    def finishing(self) -> None:
        """Say that an interruption waits for what is under way."""
        if self._models:
            self._progress(_FINISHING, 0, None)

    def close(self, keep: Callable[[Mapping[str, Any]], None] = lambda _: None) -> None:
        """Let the models go, and add up what was spent; ``keep`` gets what the whole run has."""
        try:
            self._stack.close()
        finally:
            # Also where the user would not wait for the calls under way.
            self._add_up()
            if self.in_all:
                keep(self.in_all)

    def _connect(self, name: str) -> Model:
        from neuter.models import connect, pull
        from neuter.models.local import is_installed
        from neuter.models.weights import is_pulled

        if name.startswith("local/") and is_installed() and not is_pulled(name):
            self._progress(f"pulling the weights of {name}, once", 0, None)
            pull(name)
        self._enter()
        asked = connect(
            name,
            store=self._store,
            config=self._config,
            budget=self._budget,
            progress=self._of_batches,
            retry=self._spending.retry,
            batch=self._spending.batch,
        )
        try:
            asked.check(online=False)
        except BaseException:
            asked.close()
            raise
        return self._stack.enter_context(asked)

    def _of_batches(self, stage: str, done: int, total: int | None) -> None:
        """A batch's progress, which has a total; single responses are told by whoever asks for them."""
        if total is not None:
            self._progress(stage, done, total)

    def _enter(self) -> None:
        """Give the run its row in the ledger, and look up what it has spent before, once."""
        from neuter.models import Store
        from neuter.models.providers import EMBEDDED
        from neuter.models.store.doubt import doubt_of
        from neuter.models.store.ledger import enter_run, spent_by_model

        if self._before is not None:
            return
        # Before the models open the store: on a network file system one connection is all there may be.
        with Store(self._store) as store:
            folder = str(self._paid.path.absolute()) if self._paid.path else None
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            enter_run(store, self._paid.run, self._paid.command, folder, now)
            self._before = spent_by_model(store, self._paid.run)
            self._earlier = doubt_of(store, self._paid.run, EMBEDDED)

    def _add_up(self) -> None:
        from neuter.models import Store
        from neuter.models.store.ledger import Spent, spent_by_model

        if not self._models:
            return
        try:
            with Store(self._store) as store:
                after = spent_by_model(store, self._paid.run)
        except StoreError:
            # What ended the run says what is wrong with the store; a figure that is missing is none that is wrong.
            return
        before = self._before or {}
        self.in_all = {name: {**asdict(spent), **self._facts(name)} for name, spent in after.items()}
        for name, asked in self._models.items():
            since = _difference(after.get(name, Spent()), before.get(name, Spent()))
            self.spent[name] = {**asdict(since), "reused": asked.usage.reused, **self._facts(name)}

    def _facts(self, name: str) -> dict[str, Any]:
        from neuter.models.prices import price_of
        from neuter.models.providers import EMBEDDED

        price = price_of(name, self._config)
        day = price.as_of.isoformat() if price and price.as_of else None
        return {"free": name.partition("/")[0] in EMBEDDED, "price_as_of": day}


def _difference(after: Spent, before: Spent) -> Spent:
    return type(after)(*(getattr(after, f.name) - getattr(before, f.name) for f in fields(after)))


@contextmanager
def reaching(
    paid: Paid,
    *,
    store: Path | None = None,
    config: Path | None = None,
    spending: Spending | None = None,
    progress: Progress = quiet,
    keep: Callable[[Mapping[str, Any]], None] = lambda _: None,
) -> Iterator[Reached]:
    """The models of a run, as long as this lasts; ``keep`` gets what the whole run has spent, however it ends.

    Raises:
        LimitReached: the run may send no more; the message ends with what was spent.
        Interrupted: the user stopped it, likewise.
    """
    reached = Reached(paid, store, config, spending or Spending(), progress)
    try:
        try:
            yield reached
        except KeyboardInterrupt:
            reached.finishing()
            raise
        finally:
            reached.close(keep)
    except LimitReached as limit:
        todo = ". ".join(filter(None, [limit.todo, reached.sentence]))
        raise LimitReached(limit.what, where=paid.where, todo=todo) from limit
    except KeyboardInterrupt as stop:
        kept, todo = reached.kept
        todo = ". ".join(filter(None, [todo, reached.sentence]))
        raise Interrupted(f"interrupted; {kept}", where=paid.where, todo=todo) from stop


@contextmanager
def reaching_for(
    folder: RunFolder, store: Path | None, config: Path | None, spending: Spending, progress: Progress
) -> Iterator[Reached]:
    """The models of a run folder's run, as :func:`reaching`; what it has spent goes into its record."""

    def keep(spent: Mapping[str, Any]) -> None:
        folder.save(spent=spent)

    with reaching(
        paid_by(folder), store=store, config=config, spending=spending, progress=progress, keep=keep
    ) as reached:
        yield reached
