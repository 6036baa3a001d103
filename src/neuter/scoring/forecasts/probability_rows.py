"""What else a probability is scored by: the Brier score's parts, the log score, skill, and calibration curves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from neuter.scoring.calibration import murphy
from neuter.scoring.forecasts.averaged import Averaged, Bools, Floats
from neuter.scoring.forecasts.brier_rows import REFERENCES, UNINFORMED, reference
from neuter.scoring.forecasts.how import ForecastScoring
from neuter.scoring.forecasts.intervals import Clusters, Estimate, Side
from neuter.scoring.forecasts.row import Row
from neuter.scoring.forecasts.selecting import Panel, Whose, models_of

#: A forecast of 0 or 1 that is wrong has no finite log score: probabilities are held within these ends for it.
ENDS = (0.01, 0.99)
BINS = 10
_PARTS = ("reliability", "resolution", "uncertainty")


def probability_rows(a: Averaged, how: ForecastScoring) -> list[Row]:
    """Rows of the fixed partition, and the calibration curves, for each model and the mean over models."""
    panel = Panel.of("fixed", a, how, Clusters.of(a, how))
    return [
        row
        for condition in range(len(a.conditions))
        for model, places in models_of(a)
        for split in panel.splits
        for row in _rows(panel, condition, split, Whose(model, places, np.ones(a.ids.size, dtype=np.bool_)))
    ]


def log_score(forecast: Floats, outcome: Floats) -> Floats:
    """−log of the probability given to what came, held within :data:`ENDS` (natural logarithm; 0 is best)."""
    held = np.clip(forecast, *ENDS)
    return np.asarray(-np.log(np.where(outcome == 1, held, 1 - held)))


def _rows(panel: Panel, condition: int, split: str, whose: Whose) -> Iterator[Row]:
    a = panel.a
    forecast = a.forecast[:, condition]
    names: dict[str, Any] = {"condition": a.conditions[condition], "split": split, **whose.names}
    logs = panel.clusters.mean(panel.side(log_score(forecast, a.outcome), split, whose))
    if logs.value is None:
        return
    there = panel.questions(split, whose, np.isfinite(forecast))
    names["n"] = int(there.sum())
    yield _row("fixed", "log_score", logs, unit="", **names)
    yield from _decomposed(panel, condition, split, whose, names)
    for which in ("uninformed", *REFERENCES):
        found = _skill(panel, condition, split, whose, which)
        if found.value is not None:
            yield _row("fixed", "brier_skill", found, unit="share", series=which, **names)
    if split != "between":
        yield from _curve(panel, condition, split, whose)


def _decomposed(
    panel: Panel, condition: int, split: str, whose: Whose, names: dict[str, Any]
) -> Iterator[Row]:
    """By distinct forecast, so that the three parts are the Brier score; of several models the mean of each part."""
    a = panel.a
    parts = []
    for m in whose.places:
        here = panel.splits[split][m] & whose.inside & np.isfinite(a.forecast[m, condition])
        found = murphy(a.forecast[m, condition][here], a.outcome[here])
        if found is not None:
            parts.append([getattr(found, name) for name in _PARTS])
    for name, value in zip(_PARTS, np.mean(parts, axis=0), strict=True):
        yield _row("fixed", name, Estimate(float(value)), unit="brier", **names)


def _skill(panel: Panel, condition: int, split: str, whose: Whose, which: str) -> Estimate:
    """1 − B / B of the reference, on the questions that have both."""
    a = panel.a
    brier = a.brier[:, condition]
    other = np.full(a.outcome.size, UNINFORMED) if which == "uninformed" else reference(a, which)
    both = np.isfinite(brier) & np.isfinite(other)
    ours, theirs = (
        panel.side(np.where(both, values, np.nan), split, whose)
        for values in (brier, np.broadcast_to(other, brier.shape))
    )
    if not ours.n:
        return Estimate(None)
    nothing = Side(np.zeros_like(theirs.sums), theirs.counts)
    return panel.clusters.ratio((theirs, ours), (theirs, nothing))


def _curve(panel: Panel, condition: int, split: str, whose: Whose) -> Iterator[Row]:
    """The mean forecast and the share that came out yes, by tenth of the forecast."""
    a, names = panel.a, {"condition": panel.a.conditions[condition], "split": split, "model": whose.model}
    forecast = a.forecast[:, condition]
    with np.errstate(invalid="ignore"):
        number = np.minimum(np.floor(np.round(forecast * BINS, 9)), BINS - 1)
    for place in range(BINS):
        inside: Bools = number == place
        if not any((inside[m] & panel.splits[split][m]).any() for m in whose.places):
            continue
        group = {"group_by": "forecast_bin", "group": f"{place / BINS:.1f}-{(place + 1) / BINS:.1f}"}
        n = sum(int((inside[m] & panel.splits[split][m]).sum()) for m in whose.places)
        came = np.broadcast_to(a.outcome, forecast.shape)
        for metric, values in (("mean_forecast", forecast), ("observed_share", came)):
            found = panel.clusters.share(_pooled(panel, np.where(inside, values, np.nan), split, whose))
            yield _row("calibration", metric, found, unit="share", n=n, **names, **group)


def _pooled(panel: Panel, values: Floats, split: str, whose: Whose) -> Side:
    """All models' forecasts together: a bin may have none of one model."""
    sides = [panel.clusters.side(values[m], panel.splits[split][m] & whose.inside) for m in whose.places]
    return Side(np.asarray(sum(side.sums for side in sides)), np.asarray(sum(side.counts for side in sides)))


def _row(panel: str, metric: str, found: Estimate, **names: Any) -> Row:
    return Row(
        panel=panel,
        metric=metric,
        value=found.value,
        ci_low=found.low,
        ci_high=found.high,
        caveat=found.caveat,
        **names,
    )
