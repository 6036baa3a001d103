"""The suite ``stocks``: Table 4 of The Memorization Problem, and its Figures 4 to 6."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from neuter.errors import UsageError
from neuter.suites.recall.building import Form, empty_questions, questions_of
from neuter.suites.recall.given import several
from neuter.suites.recall.points import points_of, readings_of
from neuter.suites.recall.returns import changes_of, directions_of
from neuter.suites.recall.specs import spec_of
from neuter.suites.recall.suite import RecallSuite

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, kw_only=True)
class Stocks(RecallSuite):
    """Month-end closes of the Magnificent Seven, without context and with the closes of the two months before.

    Whether a month went up or down (``stock_directions``) is ours: section 2 names it, and no prompt is printed.

    Args:
        price: ``traded`` (the close on the day, by default) or ``split_adjusted`` (in today's shares).
    """

    name: ClassVar[str] = "stocks"
    title: ClassVar[str] = "The Magnificent Seven (Table 4 of The Memorization Problem)"
    all_panels: ClassVar[tuple[str, ...]] = ("month_end_closes", "stock_directions")
    default_context: ClassVar[tuple[str, ...]] = ("none", "history")

    price: str | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The stocks that are asked about: the seven, or those named; others where a source of the user's has them."""
        known, given = self.known_series(), several(self.series, "series")
        own = {pair.partition("=")[0] for pair in self.sources.data}
        anyones = self.yahoo or bool(self.sources.crsp)
        others = [name for name in given if name not in known and (name in own or anyones)]
        strange = [name for name in given if name not in (*known, *others)]
        if strange:
            raise UsageError(
                f"the suite {self.name!r} has no series {strange[0]!r}",
                todo=f"Known: {', '.join(known)}; of others give the closes: --data {strange[0]}=FILE, --crsp, --yahoo",
            )
        return (*(name for name in known if not given or name in given), *dict.fromkeys(others))

    @property
    def other_truths(self) -> tuple[str, ...]:
        """All, where the traded close is not the truth."""
        return tuple(n for n in self.names if self.price not in (None, self.found(n).readings[0]))

    def everything(self, seed: int) -> pl.DataFrame:  # noqa: ARG002  (nothing is drawn)
        """Questions of each kind that is asked, stock by stock."""
        import polars as pl

        made = [self._of(panel, name) for panel in self.chosen_panels for name in self.names]
        return pl.concat([empty_questions(), *made])

    def _of(self, panel: str, name: str) -> pl.DataFrame:
        import polars as pl

        series, spec = self.found(name), spec_of(name)
        closes = panel == "month_end_closes"
        form = Form(
            self.name,
            panel,
            "level" if closes else "direction",
            name,
            spec,
            "monthly",
            other_reading=readings_of(series, self.price)[1] if closes else None,
        )
        points = points_of(series, self.price)
        if spec.first is not None:
            points = points.filter(pl.col("date") >= spec.first)
        if not closes:
            points = directions_of(changes_of(points)).with_columns(pl.lit(None, pl.Float64).alias("other"))
        news = self.headline_sets if "news" in self.conditions else None
        told = self.conditions if self.context or closes else ("none",)
        return questions_of(form, points, told, news)
