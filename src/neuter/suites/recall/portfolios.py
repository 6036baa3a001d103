"""The suite ``portfolios``: Table 5 of The Memorization Problem, and its Figure 7."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar

from neuter.data.panel import month_number
from neuter.data.portfolios import SIZES
from neuter.suites.given import check_whole
from neuter.suites.recall.building import Form, empty_questions, questions_of
from neuter.suites.recall.points import POINTS_SCHEMA
from neuter.suites.recall.specs import spec_of
from neuter.suites.recall.suite import RecallSuite

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, kw_only=True)
class Portfolios(RecallSuite):
    """Month-end closes of firms drawn from each size tercile, drawn anew each year (section 4.5 of the paper).

    Args:
        per_size: firms of each tercile and year; the paper's ten.
    """

    name: ClassVar[str] = "portfolios"
    title: ClassVar[str] = "Stocks by size (Table 5 of The Memorization Problem)"
    all_panels: ClassVar[tuple[str, ...]] = ("month_end_closes",)
    default_context: ClassVar[tuple[str, ...]] = ("none", "history")
    recent_from: ClassVar[date | None] = date(2014, 1, 1)

    per_size: int = 10

    def check(self) -> None:
        """As every suite's, and that portfolios hold a firm."""
        super().check()
        check_whole(self.per_size, "per_size")

    @classmethod
    def known_series(cls) -> tuple[str, ...]:
        """The sizes."""
        return SIZES

    def everything(self, seed: int) -> pl.DataFrame:
        """A question for each firm of each portfolio, month end and context."""
        import polars as pl

        return pl.concat([empty_questions(), *self._made_of(self._closes(seed))])

    def actual(self) -> Mapping[str, Any]:
        """No series is asked about alone; :meth:`histories` has the firms'."""
        return {}

    def histories(self, seed: int) -> pl.DataFrame:
        """The closes of every firm that was drawn for a size, in all years."""
        import polars as pl

        from neuter.data.sources import find_panel

        drawn = self._closes(seed).select("series", "firm", "cluster").unique(maintain_order=True)
        closes = find_panel(self.sources).select("firm", "date", pl.col("close").alias("value"))
        return (
            drawn.join(closes, on="firm", maintain_order="left")
            .sort("series", "cluster", "date")
            .select(
                "series",
                "date",
                "value",
                pl.lit(None, pl.Float64).alias("other"),
                "cluster",
            )
        )

    def notes(self) -> list[str]:
        """Months that the panel lacks."""
        from neuter.data.panel import panel_gaps

        gaps = panel_gaps() if not self.crsp else ()
        told = ", ".join(f"{day:%Y-%m}" for day in gaps)
        lacking = [f"Months that the panel of firms lacks or holds in part: {told}."] if gaps else []
        return [*lacking, *self.unused_sources(panel=True)]

    def _closes(self, seed: int) -> pl.DataFrame:
        """Closes of the drawn firms, in the columns of POINTS_SCHEMA, with series and symbol."""
        return self.once(f"closes {seed}", lambda: closes_of(self.sources, self.per_size, seed))

    def _made_of(self, closes: pl.DataFrame) -> Iterator[pl.DataFrame]:
        import polars as pl

        news = self.headline_sets if "news" in self.chosen_conditions else None
        for size in self.names:
            of_size = closes.filter(pl.col("series") == size)
            for (symbol, firm), points in of_size.group_by("symbol", "cluster", maintain_order=True):
                form = Form(
                    self.name,
                    "month_end_closes",
                    "level",
                    size,
                    spec_of(str(symbol)),
                    "monthly",
                    cluster=str(firm),
                )
                yield questions_of(form, points, self.chosen_conditions, news)


def closes_of(sources: Any, per_size: int, seed: int) -> pl.DataFrame:
    """The closes of firms drawn from a panel, with those of the two months before."""
    import polars as pl

    from neuter.data.portfolios import draw_portfolios, portfolio_closes
    from neuter.data.sources import find_panel

    panel = find_panel(sources)
    drawn = draw_portfolios(panel, per_size=per_size, seed=seed)
    closes = portfolio_closes(panel, drawn)
    # By the firm's number: a symbol may be new, or another firm's before.
    every = panel.select("firm", "date", "close").with_columns(month_number().alias("month"))
    told = closes.with_columns(month_number().alias("month"))
    for back in (1, 2):
        earlier = every.select(
            "firm",
            (pl.col("month") + back).alias("month"),
            pl.col("date").alias(f"date_{back}"),
            pl.col("close").alias(f"value_{back}"),
        )
        told = told.join(earlier, on=["firm", "month"], how="left", maintain_order="left")
    none = pl.lit(None, pl.Float64)
    # A firm that was renamed is one firm, under its last symbol.
    last = panel.sort("date").group_by("firm").agg(pl.col("symbol").last().alias("cluster"))
    told = told.join(last, on="firm", how="left", maintain_order="left")
    made = told.with_columns(
        pl.col("close").alias("truth"), none.alias("other"), none.alias("previous_other")
    )
    return made.sort("series", "symbol", "date").select("series", "firm", "cluster", "symbol", *POINTS_SCHEMA)
