"""The suite ``summary``: Table A1 of The Memorization Problem, computed from the data. It asks no model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from neuter._version import __version__
from neuter.data.sources import check_sources, hash_of
from neuter.suites.days import read_day
from neuter.suites.given import check_word
from neuter.suites.recall.sourced import Sourced

if TYPE_CHECKING:
    import polars as pl

    from neuter.suites.run_folder import RunFolder
    from neuter.suites.suite import Setting

PRICES = ("split_adjusted", "traded")


@dataclass(frozen=True, kw_only=True)
class Summary(Sourced):
    """Means, deviations and directions of every series, over the paper's sample or from ``since`` to ``until``.

    Args:
        price: of the stocks' returns: ``split_adjusted`` (by default) or ``traded``, as the paper's seem to be.
    """

    name: ClassVar[str] = "summary"
    title: ClassVar[str] = "Summary statistics of the data (Table A1 of The Memorization Problem)"
    #: It only computes.
    asks: ClassVar[bool] = False

    since: str | date | None = None
    until: str | date | None = None
    price: str | None = None

    def check(self) -> None:
        """Refuse dates that are none, and sources that cannot be had."""
        _ = self._dates
        check_word(self.price, "price", PRICES)
        check_sources(self.sources)

    def configuration(self, setting: Setting) -> dict[str, Any]:
        """The dates and the sources."""
        self.check()
        first, last = self._dates
        return {
            "neuter": __version__,
            "suite": self.name,
            "since": str(first),
            "until": str(last),
            "price": self.price,
            "sources": hash_of(self.sources),
            "seed": setting.seed,
        }

    def about(self) -> dict[str, Any]:
        """The suite."""
        return {"suite": self.name}

    def reads(self) -> Iterable[Path]:
        """The user's own files."""
        return self.source_files()

    def requests(self, setting: Setting) -> list[dict[str, Any]]:  # noqa: ARG002
        """Nothing is asked."""
        return []

    def run(self, setting: Setting, folder: RunFolder) -> None:
        """Compute the table."""
        from neuter.scoring import write_scores
        from neuter.suites.recall.published import with_published
        from neuter.suites.recall.summary_table import summary_scores
        from neuter.suites.told import versions

        setting.progress("computing", 0, None)
        first, last = self._dates
        scores = summary_scores(
            first,
            last,
            series_of=self.found,
            portfolios=self._portfolios(setting.seed),
            price=self.price or PRICES[0],  # type: ignore[arg-type]
        )
        write_scores(with_published(scores), folder.path)
        told = dict.fromkeys(("models", "notes", "not_run", "failures", "caveats"), ())
        folder.save(status="done", **told, outcomes={}, versions=versions())

    def _portfolios(self, seed: int) -> pl.DataFrame | None:
        """Closes of firms by size, which need a panel from 1990 on: the user's, where there is one."""
        from neuter.data.portfolios import draw_portfolios, portfolio_closes
        from neuter.data.sources import find_panel

        if not self.crsp:
            return None
        panel = find_panel(self.sources)
        return portfolio_closes(panel, draw_portfolios(panel, seed=seed))

    @property
    def _dates(self) -> tuple[date, date]:
        from neuter.suites.recall.summary_table import FIRST, LAST

        first = FIRST if self.since is None else read_day(self.since, "--since")
        return first, LAST if self.until is None else read_day(self.until, "--until", last=True)
