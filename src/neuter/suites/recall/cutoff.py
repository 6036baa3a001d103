"""The suite ``cutoff``: Table 6 of The Memorization Problem. Does a model that is told a cutoff hold to it?"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from neuter.errors import UsageError
from neuter.suites.days import read_day
from neuter.suites.given import several
from neuter.suites.recall.building import Form, questions_of
from neuter.suites.recall.points import points_of, readings_of
from neuter.suites.recall.specs import spec_of
from neuter.suites.recall.suite import RecallSuite
from neuter.suites.recall.wording import prompt_of, said_cutoff, said_day_in_full

if TYPE_CHECKING:
    import polars as pl

    from neuter.suites.suite import Setting

SERIES = "gdp_growth"
#: How the cutoff is told: in the system message and the user's, in one of them, or (ours) in none.
CONDITIONS = ("both", "system", "user", "none")
#: The paper's three (Table 6).
PAPERS = CONDITIONS[:3]
#: The cutoff and the current date of appendix B.5.
FAKE_CUTOFF, CURRENT_DATE = date(2010, 12, 31), date(2023, 10, 1)


@dataclass(frozen=True, kw_only=True)
class Cutoff(RecallSuite):
    """GDP growth, quarter by quarter, under an instruction to know nothing after a fake cutoff.

    Args:
        conditions: of ``both``, ``system``, ``user`` (the paper's) and ``none`` (ours: without a cutoff).
        fake_cutoff: the last day that may be known.
        current_date: the day that the system message says it is.
    """

    name: ClassVar[str] = "cutoff"
    title: ClassVar[str] = "A fake knowledge cutoff (Table 6 of The Memorization Problem)"
    all_panels: ClassVar[tuple[str, ...]] = ("rates",)
    #: Every condition that ``--condition`` may name.
    all_conditions: ClassVar[tuple[str, ...]] = CONDITIONS

    conditions: str | Sequence[str] = ()
    fake_cutoff: str | date = FAKE_CUTOFF
    current_date: str | date = CURRENT_DATE

    @classmethod
    def known_series(cls) -> tuple[str, ...]:
        """GDP growth alone."""
        return (SERIES,)

    @classmethod
    def takes_condition(cls, name: str) -> bool:
        """Whether a condition of that name may be this suite's to ask under."""
        return name in CONDITIONS

    @property
    def chosen_conditions(self) -> tuple[str, ...]:
        """The conditions that are asked under, in the paper's order.

        Raises:
            UsageError: there is none of that name.
        """
        given = several(self.conditions, "conditions")
        if strange := [name for name in given if name not in CONDITIONS]:
            raise UsageError(
                f"the suite {self.name!r} has no condition {strange[0]!r}",
                todo=f"Known: {', '.join(CONDITIONS)}",
            )
        return tuple(name for name in CONDITIONS if name in (given or PAPERS))

    @cached_property
    def last_known(self) -> date:
        """The last day that may be known."""
        return read_day(self.fake_cutoff, "--fake-cutoff", last=True)

    @cached_property
    def today(self) -> date:
        """The day that the system message says it is."""
        return read_day(self.current_date, "--current-date")

    @property
    def papers_dates(self) -> bool:
        """Whether the dates that are told are those of appendix B.5."""
        return (self.last_known, self.today) == (FAKE_CUTOFF, CURRENT_DATE)

    @property
    def fake_from(self) -> date:
        """The first quarter (its first day) that may not be known: the first whose last day is after the fake cutoff.

        So the fourth quarter of 2010 is before a cutoff of 2010-12-31, as in Table 6, and after one of 2010-11-15.
        """
        day = self.last_known
        last = day.month + (-day.month) % 3
        ended = date(day.year, last, monthrange(day.year, last)[1]) <= day
        first = date(day.year, last - 2, 1)
        return _next_quarter(first) if ended else first

    def check(self) -> None:
        """As every recall suite's, and that the days and conditions are some."""
        if several(self.context, "context"):
            raise UsageError(
                f"the suite {self.name!r} has no contexts", todo="It has conditions: --condition both"
            )
        told = {"both", "system"} & set(self.chosen_conditions)
        if self.today <= self.last_known and told:
            raise UsageError(
                f"the current date that is told ({self.today}) is not after the fake cutoff ({self.last_known})",
                where="--current-date",
                todo="Choose a later day (--current-date), or an earlier fake cutoff (--fake-cutoff)",
            )
        super().check()

    def split_days(self, cutoffs: Mapping[str, date]) -> list[date]:
        """The models' cutoffs and the fake one."""
        return [self.fake_from, *super().split_days(cutoffs)]

    def _asked(self, seed: int, cutoffs: Mapping[str, date]) -> pl.DataFrame:
        asked = super()._asked(seed, cutoffs)
        self._see_both_sides(asked)
        if late := [model for model, cutoff in cutoffs.items() if cutoff <= self.fake_from]:
            raise UsageError(
                f"the fake cutoff ({self.last_known}) is not before that of {late[0]} ({cutoffs[late[0]]}): there is "
                "nothing that it knows and is told to forget",
                where="--fake-cutoff",
                todo="Choose an earlier day",
            )
        return asked

    def _see_both_sides(self, asked: pl.DataFrame) -> None:
        """Raises UsageError where all quarters are on one side of the fake cutoff."""
        before = int((asked["date"] < self.fake_from).sum())
        if before not in (0, asked.height):
            return
        side, days = "before" if before else "after", asked["date"].dt.to_string("%Y-%m-%d").sort()
        few = "A few of each side: --sample 10 in place of --limit" if self.limit else ""
        raise UsageError(
            f"every quarter asked about is {side} the fake cutoff ({self.last_known})",
            where="--limit" if self.limit else "--fake-cutoff",
            todo=few or f"Choose a day between {days[0]} and {days[-1]}, the quarters asked about",
        )

    def everything(self, seed: int) -> pl.DataFrame:  # noqa: ARG002  (nothing is drawn)
        """A question for each quarter and condition."""
        import polars as pl

        spec, series = spec_of(SERIES), self.found(SERIES)
        form = Form(
            suite=self.name,
            panel="rates",
            task="rate",
            series=SERIES,
            spec=spec,
            frequency=series.frequency,
            other_reading=readings_of(series, None)[1],
        )
        points = points_of(series).filter(pl.col("date") >= spec.first)
        plain = questions_of(form, points, ("none",))
        return pl.concat([self._told(plain, condition) for condition in self.chosen_conditions]).sort("id")

    def _told(self, plain: pl.DataFrame, condition: str) -> pl.DataFrame:
        """The questions under one condition: what the system message says, and what stands before the question."""
        import polars as pl

        by_user = condition in ("both", "user")
        prompts = [
            prompt_of("cutoff_user", cutoff=said_cutoff(self.last_known), question=prompt)
            if by_user
            else prompt
            for prompt in plain["prompt"]
        ]
        return plain.with_columns(
            pl.col("id").str.replace(":none:", f":{condition}:", literal=True),
            pl.lit(condition).alias("condition"),
            pl.lit(self._system(condition)).alias("system"),
            pl.Series("prompt", prompts, pl.String),
        )

    def _system(self, condition: str) -> str:
        if condition not in ("both", "system"):
            return prompt_of("cutoff_system_none")
        return prompt_of(
            "cutoff_system",
            cutoff=said_day_in_full(self.last_known),
            current_date=said_day_in_full(self.today),
        )

    @property
    def other_truths(self) -> tuple[str, ...]:
        """GDP growth, where the dates that are told are not the paper's: its figures do not stand beside ours."""
        return super().other_truths if self.papers_dates else (SERIES,)

    @property
    def scored_by(self) -> dict[str, Any]:
        """As every suite's, and where the fake cutoff lies."""
        return {**super().scored_by, "fake_from": str(self.fake_from)}

    def configuration(self, setting: Setting) -> dict[str, Any]:
        """Everything that decides the result."""
        return {
            **super().configuration(setting),
            "conditions": list(self.chosen_conditions),
            "fake_cutoff": str(self.last_known),
            "current_date": str(self.today),
        }

    def about(self) -> dict[str, Any]:
        """The suite, and what its tables need beside the scores."""
        return {
            **super().about(),
            "fake_cutoff": str(self.last_known),
            "fake_from": str(self.fake_from),
            "papers_dates": self.papers_dates,
        }


def _next_quarter(first: date) -> date:
    """The first day of the quarter after the one that begins on ``first``."""
    return (first + timedelta(days=95)).replace(day=1)
