"""Which questions are before a model's cutoff and which after: the paper's fixed partition, and each model's own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

import numpy as np

from neuter.scoring.forecasts.averaged import Averaged, Bools, Ints
from neuter.scoring.forecasts.how import ForecastScoring

PANELS = ("fixed", "own")
_EPOCH = date(1970, 1, 1)


def days_since_1970(day: date) -> int:
    """A day as the arrays hold it."""
    return (day - _EPOCH).days


def day_of(number: Ints | int) -> date:
    """The day that the arrays hold as a number."""
    return _EPOCH + timedelta(days=int(number))


def splits(a: Averaged, how: ForecastScoring, panel: str) -> Mapping[str, Bools]:
    """By split, which question belongs to it for each model (M, Q).

    ``fixed``: ``pre`` resolved before the earliest cutoff of all models, ``post`` on or after the latest, ``between``
    the rest, the same for all (Simulated Ignorance Fails, section 3.3; a cutoff is the first day that is not known,
    so what resolved on it is after it). ``own``: ``pre`` and ``post`` by each model's own cutoff.
    """
    own = np.array([days_since_1970(how.cutoffs[model]) for model in a.models])[:, None]
    if panel == "own":
        return {"pre": a.resolved < own, "post": a.resolved >= own}
    earliest, latest = (days_since_1970(pick(how.cutoffs.values())) for pick in (min, max))
    pre = np.broadcast_to(a.resolved < earliest, (len(a.models), a.resolved.size))
    post = np.broadcast_to(a.resolved >= latest, pre.shape)
    return {"pre": pre, "between": ~pre & ~post, "post": post}
