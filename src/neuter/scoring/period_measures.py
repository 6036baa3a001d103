"""Was the time found? Year and quarter under three readings of what a call's quarter is, and dates of headlines.

A prompt asks when a text was WRITTEN, a corpus knows its fiscal quarter, and the two differ. So three truths are
scored: the fiscal quarter; the calendar quarter of the fiscal period's end (``calendar_``); the calendar quarter of
the call's date (``call_``). Source: paper-decisions on Table 7 of The Memorization Problem (AAPL 92%, MSFT 2%).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from neuter.firms.fiscal_years import ASSUMED
from neuter.firms.periods import period_ends
from neuter.scoring.measures import Bools, Floats, Measure, classes, numbers

#: Days from the first day of year 1 to 1970.
_YEAR_1 = 719163


@dataclass(frozen=True, slots=True)
class Reading:
    """One truth about a document's time: year and quarter (NaN where unknown), and where it was assumed."""

    prefix: str
    year: Floats
    quarter: Floats
    assumed: Bools
    assumption: str = ""

    @property
    def index(self) -> Floats:
        """Quarters counted through, so that neighbours differ by one also across a turn of the year."""
        return self.year * 4 + self.quarter


def period_measures(frame: pl.DataFrame, answered: Bools) -> list[Measure]:
    """Years and quarters under the three readings; nothing for an attacker that never names a year."""
    said_year, said_quarter = _said_period(frame)
    if answered.any() and not np.isfinite(said_year[answered]).any():
        return []
    if not answered.any() and not frame["said_model"].is_not_null().any():
        return []
    quarters = bool(np.isfinite(said_quarter[answered]).any()) or not answered.any()
    measures = [
        measure
        for reading in (_fiscal(frame), calendar_reading(frame), _call(frame))
        for measure in _of_reading(reading, said_year, said_quarter, quarters=quarters)
    ]
    return [*measures, *_date_measures(frame, answered)]


def _of_reading(reading: Reading, said_y: Floats, said_q: Floats, *, quarters: bool) -> list[Measure]:
    year = _Asked(reading, reading.year, said_y)
    index = _Asked(reading, reading.index, said_y * 4 + said_q)
    right_year, off = said_y == reading.year, said_y - reading.year
    right_quarter = (index.said == index.true) & right_year
    fiscal = not reading.prefix
    measures = [year.measure("year_accuracy", "share", right_year, skill="year_skill" if fiscal else "")]
    if quarters:
        skill = "quarter_year_skill" if fiscal else ""
        near = np.abs(index.said - index.true) <= 1
        measures.append(index.measure("quarter_year_accuracy", "share", right_quarter, skill=skill))
        measures.append(index.measure("quarter_within_one", "window", near))
    measures.append(year.measure("mean_years_difference", "mean_years", off))
    measures.append(year.measure("mean_absolute_years_difference", "absolute_years", np.abs(off)))
    return measures


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question of one reading: the truth and what was said, as numbers."""

    reading: Reading
    true: Floats
    said: Floats

    def measure(self, metric: str, kind: str, values: Floats | Bools, skill: str = "") -> Measure:
        reading, known = self.reading, np.isfinite(self.true)
        return Measure(
            reading.prefix + metric,
            kind,
            values.astype(np.float64),
            known,
            classes(self.true),
            said=classes(self.said) if kind in {"share", "window"} else None,
            assumed=reading.assumed & known,
            assumption=reading.assumption,
            skill=skill,
        )


def _said_period(frame: pl.DataFrame) -> tuple[Floats, Floats]:
    """Year and quarter as guessed; from a guessed date where the attacker gave that instead."""
    year = pl.coalesce("said_year", pl.col("said_date").dt.year().cast(pl.Int64))
    quarter = pl.coalesce("said_quarter", pl.col("said_date").dt.quarter().cast(pl.Int64))
    picked = frame.select(year.alias("year"), quarter.alias("quarter"))
    said_quarter = numbers(picked["quarter"])
    said_quarter[~np.isin(said_quarter, (1, 2, 3, 4))] = np.nan
    return numbers(picked["year"]), said_quarter


def _fiscal(frame: pl.DataFrame) -> Reading:
    """The fiscal period; for a headline, which has none, year and calendar quarter of its own date."""
    none = (pl.col("kind") == "headline") & pl.col("fiscal_year").is_null()
    day = pl.when(none & ~pl.col("date_assumed").fill_null(False)).then(pl.col("date"))
    picked = frame.select(
        pl.coalesce("fiscal_year", day.dt.year().cast(pl.Int64)).alias("year"),
        pl.coalesce("fiscal_quarter", day.dt.quarter().cast(pl.Int64)).alias("quarter"),
    )
    quarter = numbers(picked["quarter"])
    quarter[~np.isin(quarter, (1, 2, 3, 4))] = np.nan
    return Reading("", numbers(picked["year"]), quarter, np.zeros(frame.height, dtype=bool))


def calendar_reading(frame: pl.DataFrame) -> Reading:
    """Year and calendar quarter in which the fiscal period ends; December where the year's end is not known."""
    quarters = frame.select(pl.when(pl.col("fiscal_quarter").is_between(1, 4)).then("fiscal_quarter"))
    whole = quarters.to_series().is_not_null()
    ends = period_ends(frame["fiscal_year"], quarters.to_series(), frame["year_end"], frame["by_start"])
    ends = pl.DataFrame({"end": ends}).select(pl.when(whole).then("end")).to_series()
    assumed = (frame["year_end_source"] == ASSUMED).to_numpy()
    text = "fiscal year ends are assumed to be December"
    return Reading("calendar_", numbers(ends.dt.year()), numbers(ends.dt.quarter()), assumed, text)


def _call(frame: pl.DataFrame) -> Reading:
    """Year and calendar quarter of the document's date, assumed from its fiscal period where it has none."""
    day, assumed = frame["on"], frame["on_assumed"].to_numpy()
    text = "dates are assumed (end of the fiscal period + 30 days)"
    return Reading("call_", numbers(day.dt.year()), numbers(day.dt.quarter()), assumed, text)


def _date_measures(frame: pl.DataFrame, answered: Bools) -> list[Measure]:
    """Month, exact date and days off, for attackers that guess dates; never against an assumed date."""
    said = frame["said_date"]
    if not (said.is_not_null().to_numpy() & answered).any():
        return []
    given = frame.select(pl.when(~pl.col("date_assumed").fill_null(False)).then(pl.col("date")).alias("d"))[
        "d"
    ]
    known = given.is_not_null().to_numpy()
    # Counted from year 1, so that no day is the class that stands for none.
    true_day, said_day = (numbers(days.to_physical()) + _YEAR_1 for days in (given, said))
    true_month, said_month = _months(given), _months(said)
    off = said_day - true_day
    days = classes(true_day)
    return [
        _dated("month_year_accuracy", known, true_month, said_month),
        _dated("exact_date_accuracy", known, true_day, said_day),
        Measure("mean_days_difference", "mean_days", off, known, days),
        Measure("mean_absolute_days_difference", "absolute_days", np.abs(off), known, days),
    ]


def _dated(metric: str, known: Bools, true: Floats, said: Floats) -> Measure:
    right = (said == true).astype(np.float64)
    return Measure(metric, "share", right, known, classes(true), said=classes(said))


def _months(days: pl.Series) -> Floats:
    return np.asarray(numbers(days.dt.year()) * 12 + numbers(days.dt.month()))
