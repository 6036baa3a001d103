"""The suite ``headlines``: Table 3 of The Memorization Problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from neuter.scoring.recall.schema import QUESTIONS_SCHEMA
from neuter.suites.recall.specs import spec_of
from neuter.suites.recall.suite import RecallSuite
from neuter.suites.recall.wording import headline_prompt

if TYPE_CHECKING:
    import polars as pl

#: The index whose level on the next trading day is asked for.
INDEX = "sp500"


@dataclass(frozen=True, kw_only=True)
class Headlines(RecallSuite):
    """The date of a day's headlines, alone and together with the S&P 500 on the next trading day."""

    name: ClassVar[str] = "headlines"
    title: ClassVar[str] = "Dates of headlines (Table 3 of The Memorization Problem)"
    all_panels: ClassVar[tuple[str, ...]] = ("headline_dates", "headline_levels")
    papers: ClassVar[int] = 2

    @classmethod
    def known_series(cls) -> tuple[str, ...]:
        """The one series: headlines have none of their own."""
        return ("headlines",)

    def actual(self) -> Mapping[str, Any]:
        """Dates have no history."""
        return {}

    def everything(self, seed: int) -> pl.DataFrame:  # noqa: ARG002  (nothing is drawn)
        """A question for each day that has headlines, and one more that also asks for the index."""
        import polars as pl

        from neuter.suites.recall.building import empty_questions

        days = self.headline_sets.days
        rows = [self._row(panel, day) for panel in self.chosen_panels for day in days]
        known = [row for row in rows if row is not None]
        return pl.concat([empty_questions(), pl.DataFrame(known, schema=QUESTIONS_SCHEMA, orient="row")])

    def notes(self) -> list[str]:
        """What the headlines are, and what was counted in them."""
        told = list(self.headline_sets.notes())
        if self._headlines_read and (left := len(self._headlines_read.problems)):
            told.append(f"{left:,} invalid rows or articles were left out (--skip-invalid).")
        if self.chosen_conditions != ("none",):
            told.append("Headlines are their own context: --context does not apply to them.")
        if self.headlines is None:
            told.append(
                "The prompt is the paper's and speaks of the Wall Street Journal; the shipped headlines are our own."
            )
        return [*told, *self.unused_sources()]

    def _row(self, panel: str, day: date) -> dict[str, Any] | None:
        """None where the next trading day's level is not known."""
        with_level = panel == "headline_levels"
        level = self._next_level(day) if with_level else None
        if with_level and level is None:
            return None
        return {
            **dict.fromkeys(QUESTIONS_SCHEMA),
            "system": "",
            "id": f"{panel}:{day.isoformat()}",
            "suite": self.name,
            "panel": panel,
            "series": "headlines",
            "task": "date_level" if with_level else "date",
            "condition": "none",
            "date": day,
            "cluster": "",
            "truth": level,
            "truth_date": day,
            "digits": 2 if with_level else None,
            "prompt": headline_prompt(self.headline_sets.of(day), spec_of(INDEX) if with_level else None),
        }

    def _next_level(self, day: date) -> float | None:
        from neuter.data.calendar import FIRST_DAY, LAST_DAY, next_trading_day

        # The calendar begins after some archives of headlines do.
        if not FIRST_DAY <= day < LAST_DAY - timedelta(days=7):
            return None
        return self._levels.get(next_trading_day(day))

    @property
    def _levels(self) -> Mapping[date, float]:
        return self.once("levels", lambda: dict(self.found(INDEX).values().iter_rows()))
