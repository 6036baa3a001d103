"""What a simulated forecaster's figures are to be, in closed form: what recovered intervals are held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

import numpy as np
from numpy.typing import NDArray

from neuter.models.simulated.forecasting import FARTHEST, HIGHEST, LOWEST
from neuter.models.simulated.respondent import Respondent

#: Steps in which an ignorant forecast's distance from one half is integrated over.
_STEPS = 4_000


@dataclass(frozen=True, slots=True)
class ExpectedForecast:
    """Over all seeds, of one question under one condition.

    Attributes:
        brier: the expected Brier score of the mean of the runs.
        leaks: the probability that the forecast uses the outcome.
        clean: the probability that the chain of thought does not name what came.
    """

    brier: float
    leaks: float
    clean: float


def expected_forecast(
    respondent: Respondent, resolved: date, *, thinks: bool, forget_from: date | None, runs: int
) -> ExpectedForecast:
    """The expected figures of a question that resolved on a day.

    Whether the outcome is known, forgotten or lost, the side and the distance of an ignorant forecast are draws of the
    question; the jitter is one of each run. So the score is a mixture over the question's draws of
    (mean of a run − outcome)² + variance of a run / runs, with what is said rounded to two digits.
    """
    known = 0.0 if respondent.cutoff is not None and resolved >= respondent.cutoff else respondent.values
    told = forget_from is not None and resolved >= forget_from
    kept = 1 - respondent.compliance if told else 1.0
    lost = respondent.disrupts if thinks and forget_from is None else 0.0
    leaks = known * kept * (1 - lost)
    skill = min(1.0, respondent.skill + (respondent.thinks if thinks else 0.0))
    right = (1 + skill) / 2
    sure = _score(respondent.sureness, respondent.jitter, runs)
    ignorant = right * _ignorant(1, respondent.jitter, runs) + (1 - right) * _ignorant(
        -1, respondent.jitter, runs
    )
    return ExpectedForecast(leaks * sure + (1 - leaks) * ignorant, leaks, 1 - leaks * (1 - respondent.clean))


def mean_brier(
    respondent: Respondent, days: Sequence[date], *, thinks: bool, forget_from: date | None, runs: int
) -> float:
    """The mean expected Brier score of questions that resolved on these days."""
    found = [
        expected_forecast(respondent, day, thinks=thinks, forget_from=forget_from, runs=runs).brier
        for day in days
    ]
    return float(np.mean(found))


@cache
def _score(centre: float, jitter: float, runs: int) -> float:
    """Of a forecast around ``centre`` (the probability of what came), in ``runs`` runs."""
    values, chances = _said(centre, jitter)
    mean = float(values @ chances)
    variance = float(((values - mean) ** 2) @ chances)
    return (1 - mean) ** 2 + variance / runs


@cache
def _ignorant(side: int, jitter: float, runs: int) -> float:
    """The same, over all distances from one half on one side."""
    distances = (np.arange(_STEPS) + 0.5) / _STEPS * FARTHEST
    return float(np.mean([_score(round(0.5 + side * far, 9), jitter, runs) for far in distances]))


def _said(centre: float, jitter: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What may be said, in hundredths, and how likely each is: uniform around the centre, held within the ends."""
    low, high = centre - jitter, centre + jitter
    values = np.arange(round(100 * LOWEST), round(100 * HIGHEST) + 1) / 100
    if jitter == 0:
        return np.array([round(min(HIGHEST, max(LOWEST, centre)), 2)]), np.ones(1)
    edges = np.concatenate([[-np.inf], (values[:-1] + values[1:]) / 2, [np.inf]])
    ends = np.clip(edges, low, high)
    return values, np.diff(ends) / (high - low)
