"""From the guesses that lie in a run folder to its scores: made at a run's end, and anew without it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neuter.models.simulated.names import is_simulated
from neuter.suites.compared import comparisons
from neuter.suites.plan import READS_NO_TEXT, Scorer, Scoring
from neuter.suites.run_folder import RunFolder
from neuter.suites.scorers import score_plainly
from neuter.suites.told import Told, merged_caveats

if TYPE_CHECKING:
    from typing import Any

    import polars as pl


@dataclass(frozen=True, slots=True)
class Series:
    """Whose guesses a file holds: one attacker's, through one model (None: it needs none), at one scheme's texts."""

    scheme: str
    attacker: str
    model: str | None = None

    @property
    def reads_text(self) -> bool:
        """False for a baseline, whose guesses are the same under every scheme."""
        return self.attacker not in READS_NO_TEXT


class Scores:
    """The scores of a run, made of its guesses; what is to be said beside them goes into ``told``.

    ``truth`` is what is known of each document (``documents.parquet``).
    """

    def __init__(
        self, how: Scoring, folder: RunFolder, truth: pl.DataFrame, told: Told, scorer: Scorer | None = None
    ) -> None:
        self._how, self._folder, self._truth, self._told = how, folder, truth, told
        self._scorer = scorer or score_plainly

    def write(self, series: Iterable[Series], before: Sequence[pl.DataFrame] = ()) -> None:
        """Write scores.csv and scores.parquet: ``before``, then a block for each series whose guesses are there.

        Raises:
            RunError: guesses cannot be read, or a file cannot be written.
        """
        import polars as pl

        from neuter.scoring import empty_scores, write_scores

        frames = [frame for one in series for frame in self._of(one)]
        write_scores(pl.concat([empty_scores(), *before, *frames]), self._folder.path)

    def compared(self, series: Iterable[Series]) -> list[dict[str, Any]]:
        """Schemes in pairs, for each attacker that reads the text and each of its models."""
        return comparisons(self._how, self._folder, self._truth, series)

    def _of(self, one: Series) -> Iterator[pl.DataFrame]:
        import polars as pl

        from neuter.attacks import read_guess_frame

        path = self._folder.guesses(one.scheme, one.attacker, one.model)
        if not path.exists():
            return
        guesses = read_guess_frame(path)
        self._told.outcomes.update(guesses["outcome"].to_list())
        known = self._truth.filter(pl.col("id").is_in(guesses["id"].implode()))
        self._tell(one, known, guesses.height)
        scored = self._scorer(self._how, known, guesses, self._prior(one))
        self._told.caveats += merged_caveats(
            scored.caveats, scheme=one.scheme, attacker=one.attacker, model=one.model
        )
        yield scored.frame

    def _tell(self, one: Series, known: pl.DataFrame, asked: int) -> None:
        from neuter.suites.planting import planted_note, truths_of

        if one.model and asked < self._truth.height:
            self._told.notes.append(
                f"{one.attacker} ({one.model}) was asked about {asked} of {self._truth.height} documents: "
                f"a sample stratified by size, seed {self._how.seed}."
            )
        if one.model and is_simulated(one.model) and one.reads_text:
            self._told.notes.append(planted_note(one.model, known, truths_of(self._truth)))

    def _prior(self, one: Series) -> pl.DataFrame | None:
        """The guesses that the same model made without a text, if it was asked."""
        from neuter.attacks import read_guess_frame

        if one.model is None or not one.reads_text:
            return None
        path = self._folder.guesses(one.scheme, "prior", one.model)
        return read_guess_frame(path) if path.exists() else None
