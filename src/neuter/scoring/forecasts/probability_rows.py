"""What else a probability is scored by: the Brier score's parts, the log score, skill, and calibration curves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from neuter.errors import UsageError
from neuter.scoring.calibration import murphy
from neuter.scoring.forecasts.averaged import Averaged, Floats, Ints
from neuter.scoring.forecasts.brier_rows import REFERENCES, UNINFORMED, reference, row
from neuter.scoring.forecasts.intervals import Clusters, Estimate, Side
from neuter.scoring.forecasts.partition import PANELS
from neuter.scoring.forecasts.row import Row
from neuter.scoring.forecasts.selecting import Panel, Whose, everybody

#: A forecast of 0 or 1 that is wrong has no finite log score: probabilities are held within these ends for it.
ENDS = (0.01, 0.99)
BINS = 10
#: The parts by metric: the first less the second plus the third is the Brier score; the last two are in the second.
PARTS = {
    "reliability": "reliability",
    "resolution": "generalized_resolution",
    "uncertainty": "uncertainty",
    "within_bin_variance": "within_variance",
    "within_bin_covariance": "within_covariance",
}


def probability_rows(a: Averaged, clusters: Clusters) -> list[Row]:
    """Parts, log score and skill in both partitions (by domain and group in the fixed one), and calibration curves."""
    how = clusters.how
    told = [_Told.of(a, condition) for condition in range(len(a.conditions))]
    return [
        row
        for name in PANELS
        for panel in (Panel.of(name, a, how, clusters),)
        for one in told
        for whose in everybody(a, how, name)
        if name == "fixed" or whose.group_by == "all"
        for split in panel.splits
        for row in _rows(panel, one, split, whose)
    ]


def log_score(forecast: Floats, outcome: Floats, ends: tuple[float, float] = ENDS) -> Floats:
    """−log of the probability given to what came, held within ``ends`` (natural logarithm; 0 is best).

    Raises:
        UsageError: the ends are not 0 < first < second < 1.
    """
    if not 0 < ends[0] < ends[1] < 1:
        raise UsageError(
            f"a log score of probabilities within {ends}", todo="Give ends such as 0.01 and 0.99"
        )
    held = np.clip(forecast, *ends)
    return np.asarray(-np.log(np.where(outcome == 1, held, 1 - held)))


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """What is worked out of a condition's forecasts once: all arrays are (M, Q), NaN where there is nothing."""

    condition: str
    forecast: Floats
    logs: Floats
    #: By reference, our Brier scores and its own on the questions that have both.
    scored: dict[str, tuple[Floats, Floats]]
    #: Which tenth a forecast is in; −1 where there is none.
    tenth: Ints

    @classmethod
    def of(cls, a: Averaged, condition: int) -> _Told:
        forecast, brier = a.forecast[:, condition], a.brier[:, condition]
        there = np.isfinite(forecast)
        others = {"uninformed": np.full(a.outcome.size, UNINFORMED)}
        others |= {which: reference(a, which) for which in REFERENCES}
        scored = {
            which: (np.where(np.isfinite(other), brier, np.nan), np.where(there, other, np.nan))
            for which, other in others.items()
        }
        tenth = np.minimum(np.floor(np.round(np.where(there, forecast, 0.0) * BINS, 9)), BINS - 1)
        logs = log_score(forecast, a.outcome)
        return cls(
            a.conditions[condition], forecast, logs, scored, np.where(there, tenth, -1).astype(np.int64)
        )


def _rows(panel: Panel, told: _Told, split: str, whose: Whose) -> Iterator[Row]:
    logs = panel.clusters.mean(panel.side(told.logs, split, whose))
    if logs.value is None:
        return
    n = int(panel.questions(split, whose, told.tenth >= 0).sum())
    names: dict[str, Any] = {"condition": told.condition, "split": split, **whose.names, "n": n}
    yield row(panel, "log_score", logs, unit="", **names)
    for name, value in _decomposed(panel, told, split, whose).items():
        yield row(panel, name, Estimate(value), **names)
    for which in told.scored:
        found = _skill(panel, told.scored[which], split, whose)
        if found.value is not None:
            yield row(panel, "brier_skill", found, unit="share", series=which, **names)
    if panel.name == "fixed" and split != "between" and whose.group_by == "all":
        yield from _curve(panel, told, split, whose)


def _decomposed(panel: Panel, told: _Told, split: str, whose: Whose) -> dict[str, float]:
    """The Brier score's parts over :data:`BINS` bins; of several models the mean of each part.

    ``resolution`` is the generalized one, so that the three parts are the Brier score although forecasts of a bin
    differ. By distinct forecast the mean of three runs is hardly ever said twice, and reliability would be the Brier
    score itself, however good the forecasts are.
    """
    parts = []
    for m in whose.places:
        here = panel.splits[split][m] & whose.inside & (told.tenth[m] >= 0)
        found = murphy(told.forecast[m][here], panel.a.outcome[here], BINS)
        if found is not None:
            parts.append([getattr(found, part) for part in PARTS.values()])
    return dict(zip(PARTS, map(float, np.mean(parts, axis=0)), strict=True))


def _skill(panel: Panel, scored: tuple[Floats, Floats], split: str, whose: Whose) -> Estimate:
    """1 − B / B of the reference, on the questions that have both."""
    ours, theirs = (panel.side(values, split, whose) for values in scored)
    if not ours.n:
        return Estimate(None)
    nothing = Side(np.zeros_like(theirs.sums), theirs.counts)
    return panel.clusters.ratio((theirs, ours), (theirs, nothing))


def _curve(panel: Panel, told: _Told, split: str, whose: Whose) -> Iterator[Row]:
    """The mean forecast and the share that came out yes, by tenth of the forecast."""
    places = list(whose.places)
    inside = panel.splits[split][places] & whose.inside
    tenths = np.where(inside, told.tenth[places], -1)
    names: dict[str, Any] = {"condition": told.condition, "split": split, "model": whose.model}
    came = np.broadcast_to(panel.a.outcome, told.forecast.shape)
    for tenth in np.unique(tenths[tenths >= 0]):
        group = f"{tenth / BINS:.1f}-{(tenth + 1) / BINS:.1f}"
        names |= {"group_by": "forecast_bin", "group": group, "n": int((tenths == tenth).any(axis=0).sum())}
        for metric, values in (("mean_forecast", told.forecast), ("observed_share", came)):
            in_bin = np.where(told.tenth == tenth, values, np.nan)
            found = panel.clusters.share(_pooled(panel, in_bin, split, whose))
            yield Row.of(found, panel="calibration", metric=metric, unit="share", **names)


def _pooled(panel: Panel, values: Floats, split: str, whose: Whose) -> Side:
    """All models' forecasts together: a bin may have none of one model."""
    sides = [panel.clusters.side(values[m], panel.splits[split][m] & whose.inside) for m in whose.places]
    return Side(np.asarray(sum(side.sums for side in sides)), np.asarray(sum(side.counts for side in sides)))
