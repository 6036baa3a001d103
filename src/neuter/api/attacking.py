"""``neuter.attack``: what one attacker guesses from texts that are masked already."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.api import asking
from neuter.api.reaching import paid_once, reaching
from neuter.suites.plan import READS_NO_TEXT, guesses_in_step, quiet, watched
from neuter.suites.spending import spending
from neuter.types import Ask, Attacker, Guess, Progress

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from rich.table import Table

    from neuter.corpus.masked import MaskedCorpus


@dataclass(frozen=True)
class Guesses:
    """One attacker's guesses, in the order of the masked documents.

    ``found`` says how many are right, where the masked file says what is true; ``notes`` what the model has to tell of
    itself, and ``asked`` what was asked and spent.
    """

    guesses: tuple[Guess, ...]
    found: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    asked: str = ""

    def to_polars(self) -> pl.DataFrame:
        """A row for each guess: id, scheme, attacker, model, outcome, firm, industry, quarter, year, candidates ..."""
        from neuter.attacks import frame_of_guesses

        return frame_of_guesses(self.guesses)

    def to_pandas(self) -> pd.DataFrame:
        """The same for pandas."""
        from neuter.reports.pandas_frames import pandas_of

        return pandas_of(self.to_polars(), nullable=("quarter", "year"))

    def table(self, rows: int = 20) -> Table:
        """The first guesses, for a terminal."""
        from rich.markup import escape
        from rich.table import Table

        from neuter.firms import display_name

        table = Table("id", "outcome", "firm", "quarter", "year")
        for g in self.guesses[:rows]:
            firm = display_name(g.firm) if g.firm else "—"
            table.add_row(escape(g.id), g.outcome, escape(firm), str(g.quarter or "—"), str(g.year or "—"))
        return table

    def __iter__(self) -> Iterator[Guess]:
        return iter(self.guesses)

    def __len__(self) -> int:
        return len(self.guesses)


def attack(
    masked: str | Path,
    *,
    attacker: str | Attacker = "linkage",
    reference: Any = None,
    model: str | None = None,
    out: str | Path | None = None,
    firms: str | Path | Sequence[str | Path] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    store: str | Path | None = None,
    config: str | Path | None = None,
    max_cost: float | None = None,
    max_requests: int | None = None,
    max_minutes: float | None = None,
    retry: str | Iterable[str] = (),
    batch: bool = False,
    progress: Progress = quiet,
) -> Guesses:
    """Let one attacker guess from a masked file, and write its guesses to ``out`` (Parquet) if that is given.

    Args:
        masked: a masked corpus, as :func:`neuter.mask` writes it.
        reference: a corpus that the attacker may know; by default the masked texts themselves (each document
            but itself). Give the raw texts for the stronger attack.
        model: the model for an attacker that needs one.
        firms: files of the user's own firms, beside those that ship (:func:`neuter.firms.use_firms`).
        max_cost, max_requests, max_minutes: what this call may spend (each call is a run of its own).
        retry, batch: as of :func:`neuter.evaluate`.

    Raises:
        LimitReached: what was answered is in the store, and the same call goes on from there.
    """
    from neuter.attacks import write_guesses
    from neuter.corpus import read_masked

    spent = spending(max_cost, max_requests, max_minutes, retry, batch)
    with asking.own_firms(firms):
        (chosen,) = asking.attackers([attacker], parameters)
        read = read_masked(Path(masked))
        known = read.references() if reference is None else asking.a_corpus(reference).documents()
        with (
            reaching(
                paid_once("attack", out),
                store=asking.path(store),
                config=asking.path(config),
                spending=spent,
                progress=progress,
            ) as reached,
            asking.connected(chosen, model, reached, through=_planting(chosen, read)) as ready,
        ):
            stage = f"attack: {chosen.name}"
            guesses_made = guesses_in_step(ready.fit(known).attack, read.documents(), stage, model)
            made = list(watched(guesses_made, progress, stage))
        found = _found(read.metadata(), made)
        guesses = Guesses(tuple(made), found, tuple(reached.notes), reached.sentence)
    if out is not None:
        write_guesses(Path(out), guesses)
    return guesses


def _planting(attacker: Attacker, read: MaskedCorpus) -> Callable[[Ask], Ask]:
    """A simulated model answers from the truth of the masked file; one that is asked without a text, from its prior."""

    def through(asked: Ask) -> Ask:
        from neuter.firms import assign_sizes
        from neuter.models.simulated.names import is_simulated
        from neuter.suites.planting import planting, truths_of

        if attacker.name in READS_NO_TEXT or not is_simulated(asked.model):
            return asked
        return planting(asked, truths_of(assign_sizes(read.metadata()).frame))

    return through


def _found(truth: pl.DataFrame, guesses: Sequence[Guess]) -> tuple[str, ...]:
    """How many firms, years and quarters are right, of those that the masked file knows."""
    import polars as pl

    from neuter.attacks import frame_of_guesses
    from neuter.scoring import score_identification

    if not guesses or not truth.height:
        return ()
    scores = score_identification(truth, frame_of_guesses(guesses), draws=200)
    whole = scores.filter(pl.col("group_by") == "all", pl.col("value").is_not_null())
    wanted = ("firm_accuracy", "year_accuracy", "quarter_year_accuracy")
    rows = {row["metric"]: row for row in whole.to_dicts() if row["metric"] in wanted}
    return tuple(
        f"{name.removesuffix('_accuracy').replace('_', ' and ')}: {rows[name]['value']:.1f}% of "
        f"{rows[name]['n']} right (best constant: {rows[name]['baseline']:.1f}%)"
        for name in wanted
        if name in rows
    )
