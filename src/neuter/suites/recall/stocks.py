"""The suite ``stocks``: Table 4 of The Memorization Problem, and its Figures 4 to 6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from neuter.errors import UnknownName
from neuter.suites.recall.building import Form, empty_questions, questions_of
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

    @classmethod
    def takes(cls, name: str) -> bool:
        """A ticker may be any stock's: whether its closes can be had is seen when they are asked for."""
        try:
            return spec_of(name).suite == cls.name
        except UnknownName:
            return False

    def has_further(self, name: str) -> bool:
        """Any stock's closes may be had where a source of the user's has them."""
        named = {pair.partition("=")[0] for pair in self.sources.data}
        return name in named or self.yahoo or bool(self.sources.crsp)

    def known_in_words(self, strange: str) -> str:
        """The seven, and how others are given."""
        return f"{super().known_in_words(strange)}; of others give the closes: --data {strange}=FILE, --crsp, --yahoo"

    def reading_of(self, name: str) -> str | None:  # noqa: ARG002  (of all stocks the same)
        """The price that is right."""
        return self.price

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
            other_reading=readings_of(series, self.reading_of(name))[1] if closes else None,
        )
        points = points_of(series, self.reading_of(name))
        if spec.first is not None:
            points = points.filter(pl.col("date") >= spec.first)
        if not closes:
            points = directions_of(changes_of(points)).with_columns(pl.lit(None, pl.Float64).alias("other"))
        news = self.headline_sets if "news" in self.chosen_conditions else None
        told = self.chosen_conditions if self.context or closes else ("none",)
        return questions_of(form, points, told, news)
