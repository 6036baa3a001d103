"""The suite ``indices``: Table 2 of The Memorization Problem, and its Figure 1."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from neuter.suites.given import check_word
from neuter.suites.recall.building import Form, empty_questions, questions_of
from neuter.suites.recall.points import points_of
from neuter.suites.recall.returns import (
    daily_directions,
    monthly_directions,
    monthly_pairs,
    monthly_returns,
    yearly_pairs,
)
from neuter.suites.recall.specs import spec_of
from neuter.suites.recall.suite import RecallSuite

if TYPE_CHECKING:
    import polars as pl

#: Errors of a return in percentage points, or relative to the return itself.
Returns = Literal["points", "relative"]
#: Pairs in the order in which the paper names them: S&P 500 and DJIA, S&P 500 and Nasdaq, Nasdaq and DJIA.
_ORDER = ("sp500", "nasdaq", "djia")
_ALONE = {
    "daily_levels": ("level", "daily", points_of),
    "monthly_returns": ("return", "monthly", monthly_returns),
    "monthly_directions": ("direction", "monthly", monthly_directions),
    "daily_directions": ("direction", "daily", daily_directions),
}
_PAIRS = {"yearly_pairs": ("yearly", yearly_pairs), "monthly_pairs": ("monthly", monthly_pairs)}


@dataclass(frozen=True, kw_only=True)
class Indices(RecallSuite):
    """Levels, returns, directions and relative performance of three indices.

    Daily levels are asked for without context and with the two previous closes, everything else without; another
    ``context`` is for all. Pairs are compared by year, as the paper's prompt reads; ``monthly_pairs`` and
    ``daily_directions`` are ours.

    Args:
        returns: ``points`` (errors of monthly returns in percentage points) or ``relative`` (to the return).
    """

    name: ClassVar[str] = "indices"
    title: ClassVar[str] = "Market indices (Table 2 of The Memorization Problem)"
    all_panels: ClassVar[tuple[str, ...]] = (
        "daily_levels",
        "monthly_returns",
        "monthly_directions",
        "yearly_pairs",
        "daily_directions",
        "monthly_pairs",
    )
    papers: ClassVar[int] = 4
    default_context: ClassVar[tuple[str, ...]] = ("none", "history")

    returns: Returns = "points"

    def check(self) -> None:
        """As every suite's, and that ``returns`` is one of the two."""
        super().check()
        check_word(self.returns, "returns in", get_args(Returns))

    @property
    def scored_by(self) -> dict[str, Any]:
        return {**super().scored_by, "returns": self.returns}

    def everything(self, seed: int) -> pl.DataFrame:  # noqa: ARG002  (nothing is drawn)
        """Questions of every kind that is asked, index by index."""
        import polars as pl

        alone = [
            self._alone(panel, name) for panel in self.chosen_panels if panel in _ALONE for name in self.names
        ]
        pairs = [
            self._pair(panel, *pair)
            for panel in self.chosen_panels
            if panel in _PAIRS
            for pair in pairs_of(self.names)
        ]
        return pl.concat([empty_questions(), *alone, *pairs])

    def _alone(self, panel: str, name: str) -> pl.DataFrame:
        import polars as pl

        task, frequency, points = _ALONE[panel]
        form = Form(self.name, panel, task, name, spec_of(name), frequency)  # type: ignore[arg-type]
        made = points(self.found(name))
        first = spec_of(name).first if frequency == "daily" else first_month(spec_of(name).first)
        return questions_of(form, made.filter(pl.col("date") >= first), self._told(panel), self._news)

    def _pair(self, panel: str, one: str, other: str) -> pl.DataFrame:
        frequency, points = _PAIRS[panel]
        form = Form(
            self.name,
            panel,
            "pair",
            f"{one},{other}",
            spec_of(one),
            frequency,  # type: ignore[arg-type]
            second=spec_of(other),
        )
        names = (spec_of(one).data_name, spec_of(other).data_name)
        made = points(self.found(one), self.found(other), names)
        return questions_of(form, made, self._told(panel), self._news)

    def _told(self, panel: str) -> tuple[str, ...]:
        """The contexts of a panel: those asked for, else the paper's."""
        return self.chosen_conditions if self.context or panel == "daily_levels" else ("none",)

    @property
    def _news(self) -> Any:
        return self.headline_sets if "news" in self.chosen_conditions else None


def first_month(first: date) -> date:
    """The first month whose return is asked for, where levels are asked for from ``first`` on.

    Its own month where the close before that is known, as in December 1989; the next where the data begin with a
    year, as the paper's DJIA does in January 1992 (Table 2).

    >>> first_month(date(1989, 12, 29)), first_month(date(1992, 1, 2))
    (datetime.date(1989, 12, 1), datetime.date(1992, 2, 1))
    """
    return first.replace(day=1) if first.month == 12 else first.replace(month=first.month + 1, day=1)


def pairs_of(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """The pairs of the indices that are asked about, named as the paper does.

    >>> pairs_of(("sp500", "djia", "nasdaq"))
    [('sp500', 'djia'), ('sp500', 'nasdaq'), ('nasdaq', 'djia')]
    """
    known = [name for name in _ORDER if name in names]
    return sorted(combinations(known, 2), key=lambda pair: (pair[0] != "sp500", pair[1] != "djia"))
