"""The suite ``macro``: Table 1 of The Memorization Problem, and its Figure 3."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, ClassVar

from neuter.suites.given import check_word
from neuter.suites.recall.building import Form, empty_questions, questions_of
from neuter.suites.recall.points import points_of, readings_of
from neuter.suites.recall.specs import spec_of
from neuter.suites.recall.suite import RecallSuite

if TYPE_CHECKING:
    import polars as pl

    from neuter.data.series import DataSeries

INFLATION = ("headline", "core", "annualized")
VINTAGES = ("first", "latest")


@dataclass(frozen=True, kw_only=True)
class Macro(RecallSuite):
    """Seven macroeconomic series, month by month (GDP quarter by quarter), rates and levels.

    Args:
        vintage: ``first`` (the first print) or ``latest``, for every series that has both; by default as the paper:
            first prints but for the unemployment rate.
        inflation: ``headline`` (CPI-U over twelve months, the default), ``core`` (without food and energy) or
            ``annualized`` (the change over one month, seasonally adjusted, as a yearly rate).
    """

    name: ClassVar[str] = "macro"
    title: ClassVar[str] = "Macroeconomic data (Table 1 of The Memorization Problem)"
    all_panels: ClassVar[tuple[str, ...]] = ("rates", "levels")
    papers: ClassVar[int] = 2
    recent_from: ClassVar[date | None] = date(2014, 10, 1)

    vintage: str | None = None
    inflation: str | None = None

    def check(self) -> None:
        """As every suite's, and that there is such an inflation rate and such a vintage."""
        super().check()
        check_word(self.inflation, "inflation rate", INFLATION)
        check_word(self.vintage, "vintage", VINTAGES)

    def found(self, name: str) -> DataSeries:
        """A series; of inflation, the rate that was chosen."""
        rate = self.inflation or INFLATION[0]
        return super().found(f"inflation_{rate}" if name == "inflation" and rate != INFLATION[0] else name)

    def reading_of(self, name: str) -> str | None:
        """The vintage that is right, of a series that has several."""
        return self.vintage if len(self.found(name).readings) > 1 else None

    @property
    def other_truths(self) -> tuple[str, ...]:
        """Those of another vintage than the default, and inflation by another rate."""
        by_rate = ("inflation",) if self.inflation not in (None, INFLATION[0]) else ()
        others = {*super().other_truths, *by_rate}
        return tuple(name for name in self.names if name in others)

    def everything(self, seed: int) -> pl.DataFrame:  # noqa: ARG002  (nothing is drawn)
        """A question for each series and date."""
        import polars as pl

        return pl.concat([empty_questions(), *(self._of(name) for name in self.names)])

    def _of(self, name: str) -> pl.DataFrame:
        import polars as pl

        spec, series = spec_of(name), self.found(name)
        panel = "rates" if spec.kind == "rate" else "levels"
        if panel not in self.chosen_panels:
            return empty_questions()
        vintage = self.reading_of(name)
        form = Form(
            suite=self.name,
            panel=panel,
            task=spec.kind,
            series=name,
            spec=spec,
            frequency=series.frequency,
            other_reading=readings_of(series, vintage)[1],
        )
        points = points_of(series, vintage)
        if spec.first is not None:
            points = points.filter(pl.col("date") >= spec.first)
        return questions_of(
            form,
            points,
            self.chosen_conditions,
            self.headline_sets if "news" in self.chosen_conditions else None,
        )
