"""Difficulty adjusted for by two-way fixed effects: each question's and each model's own level taken out.

B(m, q) = α(m) + δ(q) + β · [q resolved on or after K(m)] + ε. β is what not being able to know costs, on questions
of the same difficulty. Only questions between cutoffs say anything of it: elsewhere all models are on the same side.
"""

from __future__ import annotations

import numpy as np

from neuter.scoring.forecasts.averaged import Averaged, Bools, Floats, Ints
from neuter.scoring.forecasts.fit_bootstrap import bootstrapped
from neuter.scoring.forecasts.intervals import Clusters, Estimate
from neuter.scoring.forecasts.linear import Fit, fitted
from neuter.scoring.forecasts.natural_experiment import rough
from neuter.scoring.forecasts.partition import splits
from neuter.scoring.forecasts.row import Row

#: Fewer clusters of questions between the cutoffs give no interval: of 13 its 95% held the truth in 80% of simulated
#: studies, since the one or two outcomes that a model knows may be in none of them.
FEWEST = 20
#: With so many, Student's t is enough: it held in 94% and more.
_MANY = 100


def fixed_effects_rows(a: Averaged, clusters: Clusters) -> list[Row]:
    """A row a condition, ``si_effect``: β with its interval over clusters of questions; ``n`` counts those between."""
    after = splits(a, clusters.how, "own")["post"]
    rows = []
    for condition, name in enumerate(a.conditions):
        found, between = effect(a.brier[:, condition], after, a.cluster, clusters)
        rows.append(
            Row.of(found, panel="fixed_effects", metric="si_effect", unit="brier", condition=name, n=between)
        )
    return rows


def effect(brier: Floats, after: Bools, cluster: Ints, clusters: Clusters) -> tuple[Estimate, int]:
    """β of the scores (M, Q), and how many questions have models on both sides; ``cluster`` is the questions' (Q)."""
    answered = np.isfinite(brier)
    used = answered & (answered.sum(axis=0) >= 2)
    mixed = (after & used).any(axis=0) & (~after & used).any(axis=0)
    n = int(mixed.sum())
    if not n:
        return Estimate(None, caveat="no question is before one model's cutoff and after another's"), 0
    of_question = cluster[np.nonzero(used)[1]]
    fit = fitted(_within(brier, used), _columns(after, used), of_question)
    if fit is None:
        return Estimate(None, caveat="the models' levels explain it all"), n
    return _interval(fit, np.unique(of_question), np.unique(cluster[mixed]).size, clusters), n


def _interval(fit: Fit, numbers: Ints, between: int, clusters: Clusters) -> Estimate:
    """``numbers`` are the fit's clusters in their order, ``between`` how many of them lie between the cutoffs."""
    level = clusters.how.level
    if between < FEWEST:
        why = f"rests on {between} clusters of questions between the cutoffs: no interval under {FEWEST}"
        return Estimate(float(fit.coefficients[0]), caveat=why)
    few = between < _MANY
    found = bootstrapped(fit, 0, clusters.weights[:, numbers], level) if few else fit.estimate(0, level)
    return rough(found, between).within(-1.0, 1.0)


def _columns(after: Bools, used: Bools) -> Floats:
    """Being after the cutoff, and the models but for the first of them; each question's mean taken off."""
    models = np.unique(np.nonzero(used)[0])[1:]
    places = np.arange(used.shape[0])[:, None]
    columns = [after, *(np.broadcast_to(places == one, used.shape) for one in models)]
    return np.column_stack([_within(column.astype(np.float64), used) for column in columns])


def _within(values: Floats, used: Bools) -> Floats:
    """The values (M, Q) that are used, each question's mean over its models taken off."""
    there = np.where(used, values, 0.0)
    mean = there.sum(axis=0) / np.maximum(used.sum(axis=0), 1)
    return np.asarray((there - mean)[used])
