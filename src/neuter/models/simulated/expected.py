"""What a simulated respondent is expected to score on planted truths: the figures that intervals are held against.

Expected over all draws (all seeds), given that the document is answered. An outcome is drawn apart from what is known,
so being answered says nothing of being right. Every figure is a finite sum over what can be said; nothing is sampled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from neuter.models.simulated.answers import LINE_KINDS
from neuter.models.simulated.knowledge import (
    believed,
    date_share,
    days_of,
    early_share,
    firm_share,
    luck,
    off_chances,
    year_share,
)
from neuter.models.simulated.planted import Planted
from neuter.models.simulated.respondent import Respondent

_QUARTERS = (1, 2, 3, 4)
_YEARS = ("year_accuracy", "mean_years_difference", "mean_absolute_years_difference")


class _Knowledge(NamedTuple):
    """The shares that decide which year and quarter are said."""

    years: float
    quarters: float
    noise: float
    early: float


def expected(respondent: Respondent, planted: Iterable[Planted]) -> dict[str, dict[str, float]]:
    """Metric, then id: the chance of being right, or the expected difference in years or days.

    ``firm_accuracy``; ``year_accuracy``, ``quarter_year_accuracy``, ``quarter_within_one``,
    ``mean_years_difference`` and ``mean_absolute_years_difference``, each also with ``calendar_`` and ``call_``
    before it; for headlines ``year_accuracy`` and the differences in years against the date, ``month_year_accuracy``,
    ``exact_date_accuracy``, ``mean_days_difference`` and ``mean_absolute_days_difference``. A document is in a metric
    where it has the truth in question.
    """
    found: dict[str, dict[str, float]] = {}
    for one in planted:
        for metric, value in _of_one(respondent, one):
            found.setdefault(metric, {})[one.id] = value
    return found


def answered_share(respondent: Respondent) -> float:
    """The share of identification answers that can be read: one kind of malformed answer cannot.

    >>> round(answered_share(Respondent(refusals=0.1, malformed=0.6)), 12)
    0.8
    """
    lost = respondent.malformed / len(LINE_KINDS)
    return 1 - respondent.refusals - respondent.filtered - respondent.truncated - lost


def _of_one(respondent: Respondent, planted: Planted) -> Iterator[tuple[str, float]]:
    if planted.label:
        known = firm_share(respondent, planted)
        yield "firm_accuracy", known * (1 - respondent.slips) + (1 - known) * luck(respondent, planted)
    if planted.kind == "headline":
        yield from _of_date(respondent, planted)
    else:
        yield from _of_period(respondent, planted)


# Years and quarters: what is said, relative to the year that the respondent believes in


def _of_period(respondent: Respondent, planted: Planted) -> Iterator[tuple[str, float]]:
    truth = believed(respondent, planted)
    if truth is None:
        return
    knowledge = _knowledge(respondent, planted)
    for prefix, year, quarter in (
        ("", planted.fiscal_year, planted.fiscal_quarter),
        ("calendar_", planted.calendar_year, planted.calendar_quarter),
        ("call_", planted.call_year, planted.call_quarter),
    ):
        if year is not None:
            scores = _scores(knowledge, truth[1], year - truth[0], quarter)
            yield from ((prefix + metric, value) for metric, value in scores.items())


def _knowledge(respondent: Respondent, planted: Planted) -> _Knowledge:
    return _Knowledge(
        year_share(respondent, planted),
        respondent.quarters,
        respondent.noise,
        early_share(respondent, planted),
    )


@lru_cache(maxsize=4096)
def _scores(knowledge: _Knowledge, believed: int | None, year: int, quarter: int | None) -> dict[str, float]:
    """Scores against a truth that is ``year`` years after the one believed in, and of ``quarter``."""
    said = _said(knowledge, believed)
    scores = {
        "year_accuracy": sum(chance for off, _, chance in said if off == year),
        "mean_years_difference": sum(chance * (off - year) for off, _, chance in said),
        "mean_absolute_years_difference": sum(chance * abs(off - year) for off, _, chance in said),
    }
    if quarter is not None:
        true = year * 4 + quarter
        scores["quarter_year_accuracy"] = sum(p for off, q, p in said if off * 4 + q == true)
        scores["quarter_within_one"] = sum(p for off, q, p in said if abs(off * 4 + q - true) <= 1)
    return scores


@lru_cache(maxsize=4096)
def _said(knowledge: _Knowledge, believed: int | None) -> tuple[tuple[int, int, float], ...]:
    """Years off, quarter, and the chance of saying that."""
    wrong = [
        (off, quarter, (1 - knowledge.years) * chance / len(_QUARTERS))
        for off, chance in _offs(knowledge)
        for quarter in _QUARTERS
    ]
    right = [(0, quarter, knowledge.years * _chance(knowledge, believed, quarter)) for quarter in _QUARTERS]
    return (*right, *wrong)


def _chance(knowledge: _Knowledge, believed: int | None, quarter: int) -> float:
    """The chance of saying ``quarter`` where the year is known and the quarter believed in is ``believed``."""
    if believed is None:
        return 1 / len(_QUARTERS)
    return knowledge.quarters if quarter == believed else (1 - knowledge.quarters) / (len(_QUARTERS) - 1)


def _offs(knowledge: _Knowledge) -> Iterator[tuple[int, float]]:
    """Each number of years that a wrong year can be off, with its chance."""
    for off, chance in enumerate(off_chances(knowledge.noise), 1):
        yield -off, chance * knowledge.early
        yield off, chance * (1 - knowledge.early)


# Dates: exact, else another day of the right year, else any day of a wrong year


def _of_date(respondent: Respondent, planted: Planted) -> Iterator[tuple[str, float]]:
    if planted.date is not None:
        exact = date_share(respondent, planted)
        scores = _date_scores(exact, _knowledge(respondent, planted), planted.date)
        # A headline with a fiscal year is scored against that one, which nothing is known of.
        yield from ((m, v) for m, v in scores.items() if planted.fiscal_year is None or m not in _YEARS)


@lru_cache(maxsize=4096)
def _date_scores(exact: float, knowledge: _Knowledge, true: date) -> dict[str, float]:
    same_year = (1 - exact) * knowledge.years
    wrong_year = (1 - exact) * (1 - knowledge.years)
    others = [day for day in days_of(true.year) if day != true]
    same_month = sum(day.month == true.month for day in others) / len(others)
    near = [(day - true).days for day in others]
    offs = list(_offs(knowledge))
    far = [(chance, _mean_days(true, off)) for off, chance in offs if chance]
    return {
        "year_accuracy": exact + same_year,
        "month_year_accuracy": exact + same_year * same_month,
        "exact_date_accuracy": exact,
        "mean_days_difference": same_year * _mean(near) + wrong_year * sum(p * days for p, days in far),
        "mean_absolute_days_difference": same_year * _mean([abs(days) for days in near])
        + wrong_year * sum(p * abs(days) for p, days in far),
        "mean_years_difference": wrong_year * sum(p * off for off, p in offs),
        "mean_absolute_years_difference": wrong_year * sum(p * abs(off) for off, p in offs),
    }


def _mean_days(true: date, off: int) -> float:
    """The mean difference from ``true`` to a day of the year ``off`` years away: all have one sign."""
    days = days_of(true.year + off)
    return ((days[0] - true).days + (days[-1] - true).days) / 2


def _mean(numbers: list[int]) -> float:
    return sum(numbers) / len(numbers)
