"""Difficulty adjusted for by two-way fixed effects: each question's and each model's own level taken out.

B(m, q) = α(m) + δ(q) + β · [q resolved on or after K(m)] + ε. β is what not being able to know costs, on questions
of the same difficulty. Only questions between cutoffs say anything of it: elsewhere all models are on the same side.
"""

from __future__ import annotations

import numpy as np

from neuter.scoring.forecasts.averaged import Averaged, Bools, Floats
from neuter.scoring.forecasts.how import ForecastScoring
from neuter.scoring.forecasts.intervals import FEW_CLUSTERS, Estimate
from neuter.scoring.forecasts.linear import fitted
from neuter.scoring.forecasts.partition import splits
from neuter.scoring.forecasts.row import Row


def fixed_effects_rows(a: Averaged, how: ForecastScoring) -> list[Row]:
    """A row a condition, ``si_effect``: β with its interval over clusters of questions; ``n`` counts those between."""
    after = splits(a, how, "own")["post"]
    rows = []
    for condition, name in enumerate(a.conditions):
        found, between = effect(a.brier[:, condition], after, a, how)
        rows.append(
            Row(
                panel="fixed_effects",
                metric="si_effect",
                unit="brier",
                value=found.value,
                ci_low=found.low,
                ci_high=found.high,
                condition=name,
                n=between,
                caveat=found.caveat,
            )
        )
    return rows


def effect(brier: Floats, after: Bools, a: Averaged, how: ForecastScoring) -> tuple[Estimate, int]:
    """β, and how many questions have models on both sides."""
    answered = np.isfinite(brier)
    several = answered.sum(axis=0) >= 2
    mixed = several & (after & answered).any(axis=0) & (~after & answered).any(axis=0)
    if not mixed.any():
        why = (
            "one cutoff" if np.unique([str(day) for day in how.cutoffs.values()]).size < 2 else "none between"
        )
        return Estimate(
            None, caveat=f"no question is before one model's cutoff and after another's ({why})"
        ), 0
    used = answered & several
    m, q = np.nonzero(used)
    y = _within(np.where(used, brier, np.nan))[used]
    treated = _within(np.where(used, after.astype(np.float64), np.nan))[used]
    models = [
        _within(np.where(used, (np.arange(brier.shape[0])[:, None] == one).astype(np.float64), np.nan))[used]
        for one in np.unique(m)[1:]
    ]
    fit = fitted(y, np.column_stack([treated, *models]), a.cluster[q])
    if fit is None:
        return Estimate(None, caveat="the models' levels explain it all"), int(mixed.sum())
    of_mixed = np.unique(a.cluster[mixed]).size
    few = f"rests on {of_mixed} clusters of questions between the cutoffs" if of_mixed < FEW_CLUSTERS else ""
    return fit.estimate(0, how.level, caveat=few), int(mixed.sum())


def _within(values: Floats) -> Floats:
    """Each question's mean over its models taken off (M, Q); NaN stays."""
    there = np.isfinite(values)
    mean = np.where(there, values, 0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    return np.asarray(values - mean)
