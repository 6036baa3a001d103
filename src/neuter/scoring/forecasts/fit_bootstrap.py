"""The interval of a regression's coefficient where few clusters decide: the bootstrap-t over clusters.

Brier scores are skewed, so a coefficient that rests on few clusters is as well, and Student's t is too short on one
side. As in ``intervals``, the bootstrapped quantiles may lengthen the interval of Student's t and never shorten it.
"""

from __future__ import annotations

import math

import numpy as np

from neuter.scoring.bootstrap import Weights
from neuter.scoring.forecasts.averaged import Floats
from neuter.scoring.forecasts.intervals import Estimate
from neuter.scoring.forecasts.linear import Fit

#: No end is farther from the coefficient than so many times Student's t.
_TIMES_T = 3.0
#: So many draws are worked out together: with 10,000 clusters 16 MB.
_TOGETHER = 200


def bootstrapped(fit: Fit, place: int, weights: Weights, level: float) -> Estimate:
    """A coefficient whose interval the bootstrap may lengthen; ``weights`` are draws x the clusters of the fit."""
    found = fit.estimate(place, level)
    if found.value is None or found.low is None or found.high is None:
        return found
    told = _told(fit, place, weights)
    tail = (1 - level) / 2
    below, above = np.quantile(told, [tail, 1 - tail]) if told.size else (0.0, 0.0)
    plain = math.sqrt(float((fit.scores @ fit.inverse[place]) @ (fit.scores @ fit.inverse[place])))
    plain *= math.sqrt(fit.clusters / (fit.clusters - 1))
    half = found.high - found.value
    down, up = (min(max(float(end) * plain, half), _TIMES_T * half) for end in (above, -below))
    return Estimate(found.value, found.value - down, found.value + up, found.error, found.caveat)


def _told(fit: Fit, place: int, weights: Weights) -> Floats:
    """By draw, how far the coefficient moved over its own error; draws that do not determine it are left out."""
    parts = [
        _part(fit, place, weights[first : first + _TOGETHER].astype(np.float64))
        for first in range(0, weights.shape[0], _TOGETHER)
    ]
    told = np.concatenate(parts)
    return np.asarray(told[np.isfinite(told)])


def _part(fit: Fit, place: int, weights: Floats) -> Floats:
    p, (draws, groups) = fit.inverse.shape[0], weights.shape
    flat = fit.crossed().reshape(groups, p * p)
    cross = (weights @ flat).reshape(draws, p, p)
    size = np.sqrt(np.maximum(np.einsum("dii->di", cross), 1e-300))
    fine = np.linalg.cond(cross / (size[:, :, None] * size[:, None, :])) < 1e10
    inverse = np.full_like(cross, np.nan)
    inverse[fine] = np.linalg.inv(cross[fine])
    moved = (inverse @ (weights @ fit.scores)[..., None])[..., 0]
    row = inverse[:, place]
    of_cluster = row @ fit.scores.T - (row[:, :, None] * moved[:, None, :]).reshape(draws, p * p) @ flat.T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(moved[:, place] / np.sqrt((weights * of_cluster**2).sum(axis=1)))
