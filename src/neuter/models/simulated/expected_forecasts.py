"""What a simulated forecaster's figures are to be, in closed form: what recovered intervals are held against.

Expected over all seeds, not given one seed's draws: intervals are over questions, so they are to hold what the
respondent scores on all questions of that kind. Nothing is sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neuter.models.simulated.answers import JSON_KINDS
from neuter.models.simulated.forecasting import FARTHEST, HIGHEST, LOWEST
from neuter.models.simulated.respondent import Respondent
from neuter.scoring.forecasts.schema import CONDITIONS, WITHOUT_CUTOFF, WITHOUT_REASONING

if TYPE_CHECKING:
    import polars as pl

_Floats = NDArray[np.float64]
#: Between these, in the middle of two hundredths, a forecast is rounded to the same one.
_EDGES = np.arange(round(100 * LOWEST), round(100 * HIGHEST)) / 100 + 0.005


@dataclass(frozen=True, slots=True)
class ExpectedForecast:
    """Over all seeds, of one question under one condition.

    Attributes:
        brier: the expected Brier score of the mean of the answered runs, given that there is one.
        leaks: the probability that the forecast uses the outcome.
        clean: the probability that the chain of thought does not name what came. What is named may be no more than a
            month: one that holds C itself is not after it.
    """

    brier: float
    leaks: float
    clean: float


def expected_forecasts(
    respondent: Respondent,
    questions: pl.DataFrame,
    *,
    simulated_cutoff: date,
    conditions: Sequence[str] = CONDITIONS,
    runs: int = 3,
) -> pl.DataFrame:
    """The expected figures of every question under every condition: ``id, condition, brier, leaks, clean``.

    ``clean`` (a share from 0 to 1) is null under conditions without a chain of thought.

    Args:
        questions: ``id`` and ``resolution_date`` at least (RESOLVED_SCHEMA or QUESTION_SCHEMA).
        simulated_cutoff: C, the first day that the instruction forbids.
        runs: how often each is asked; at least once.
    """
    import polars as pl

    rows = []
    for condition in conditions:
        thinks, told = condition in WITHOUT_REASONING, condition in WITHOUT_CUTOFF
        for id_, resolved in questions.select("id", "resolution_date").iter_rows():
            found = expected_forecast(
                respondent,
                resolved,
                thinks=thinks,
                forget_from=simulated_cutoff if told else None,
                runs=runs,
            )
            rows.append((id_, condition, found.brier, found.leaks, found.clean if thinks else None))
    schema = {"id": pl.String, "condition": pl.String}
    figures = dict.fromkeys(("brier", "leaks", "clean"), pl.Float64)
    return pl.DataFrame(rows, schema={**schema, **figures}, orient="row")


def expected_forecast(
    respondent: Respondent, resolved: date, *, thinks: bool, forget_from: date | None, runs: int
) -> ExpectedForecast:
    """The expected figures of a question that resolved on a day.

    Whether the outcome is known, forgotten or lost, the side and the distance of an ignorant forecast are draws of the
    question; the jitter, and whether it is answered, are draws of each run. So the score is a mixture over the
    question's draws of (mean of a run − outcome)² + variance of a run / answered runs, with what is said rounded to two
    digits.
    """
    known = 0.0 if respondent.cutoff is not None and resolved >= respondent.cutoff else respondent.values
    told = forget_from is not None and resolved >= forget_from
    kept = 1 - respondent.compliance if told else 1.0
    lost = respondent.disrupts if thinks and forget_from is None else 0.0
    leaks = known * kept * (1 - lost)
    skill = min(1.0, respondent.skill + (respondent.thinks if thinks else 0.0))
    share = _one_over_answered(answered_share(respondent, thinks=thinks), runs)
    brier = leaks * _sure(respondent.sureness, respondent.jitter, share)
    for side, chance in ((1, (1 + skill) / 2), (-1, (1 - skill) / 2)):
        brier += (1 - leaks) * chance * _ignorant(side, respondent.jitter, share)
    return ExpectedForecast(brier, leaks, 1 - leaks * (1 - respondent.clean))


def answered_share(respondent: Respondent, *, thinks: bool) -> float:
    """The share of forecasts that can be read; plain prose cannot where a chain of thought is mixed into it.

    >>> round(answered_share(Respondent(refusals=0.1, malformed=0.3), thinks=True), 12)
    0.8
    """
    lost = respondent.malformed / len(JSON_KINDS) if thinks else 0.0
    return 1 - respondent.refusals - respondent.filtered - respondent.truncated - lost


def _one_over_answered(share: float, runs: int) -> float:
    """The expected 1 / (answered runs), given that one is answered; by convention 1 where none can be.

    >>> round(_one_over_answered(1.0, 3), 12), round(_one_over_answered(0.5, 2), 12)
    (0.333333333333, 0.833333333333)
    """
    counts = range(1, runs + 1)
    chances = [comb(runs, k) * share**k * (1 - share) ** (runs - k) for k in counts]
    total = sum(chances)
    return sum(chance / k for k, chance in zip(counts, chances, strict=True)) / total if total > 0 else 1.0


@cache
def _sure(centre: float, jitter: float, share: float) -> float:
    """The score of a forecast around ``centre``, the probability of what came."""
    return float(_scores(np.array([centre]), jitter, share)[0])


@cache
def _ignorant(side: int, jitter: float, share: float) -> float:
    """The same, over all distances from one half on one side.

    Between the distances at which an end of the jitter passes a half hundredth, mean and mean square of what is said
    are linear and the score is quadratic in the distance, so Gauss's rule with two points a piece is exact.
    """
    crossed = np.concatenate([side * (_EDGES + way * jitter - 0.5) for way in (-1, 1)])
    inside = crossed[(crossed > 0) & (crossed < FARTHEST)]
    ends = np.unique(np.concatenate([[0.0, FARTHEST], inside]))
    middle, half = (ends[1:] + ends[:-1]) / 2, np.diff(ends) / 2
    points = np.concatenate([middle - half / np.sqrt(3), middle + half / np.sqrt(3)])
    scores = _scores(0.5 + side * points, jitter, share)
    return float(np.concatenate([half, half]) @ scores / FARTHEST)


def _scores(centres: _Floats, jitter: float, share: float) -> _Floats:
    """By centre, the expected (1 − mean of the runs)², where ``share`` is the expected 1 / (number of runs)."""
    values = np.append(_EDGES - 0.005, HIGHEST)
    chances = np.stack([_chances(centre, jitter) for centre in centres])
    mean, square = chances @ values, chances @ values**2
    return np.asarray((1 - mean) ** 2 + share * (square - mean**2))


def _chances(centre: float, jitter: float) -> _Floats:
    """How likely each hundredth is: uniform around the centre, held within the ends, rounded."""
    if jitter == 0:
        return np.asarray(np.eye(_EDGES.size + 1)[np.searchsorted(_EDGES, centre)])
    low, high = centre - jitter, centre + jitter
    ends = np.clip(np.concatenate([[low], _EDGES, [high]]), low, high)
    return np.asarray(np.diff(ends) / (high - low))
