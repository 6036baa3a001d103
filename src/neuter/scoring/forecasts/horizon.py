"""The horizon check: do forecasts get worse with distance, rather than at the cutoff?

Distance is counted in days from the model's own cutoff to the resolution (before it: from the resolution to the
cutoff), and from the cutoff that the instruction names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from neuter.scoring.forecasts.averaged import Averaged, Bools, Floats, Ints
from neuter.scoring.forecasts.brier_rows import UNINFORMED
from neuter.scoring.forecasts.how import ForecastScoring
from neuter.scoring.forecasts.intervals import Clusters, Estimate, averaged_sides
from neuter.scoring.forecasts.linear import fitted
from neuter.scoring.forecasts.partition import days_since_1970, splits
from neuter.scoring.forecasts.row import Row
from neuter.scoring.forecasts.selecting import models_of

#: Days at which bands begin; the last has no end.
BANDS = (0, 90, 180, 365)
DAYS_A_YEAR = 365.25
#: Fewer questions have no slope.
FEWEST = 10


def horizon_rows(a: Averaged, how: ForecastScoring, clusters: Clusters) -> list[Row]:
    """Brier scores by band of distance, and the slope over it (a year), within ``pre`` and within ``post``."""
    own = np.array([days_since_1970(how.cutoffs[model]) for model in a.models])[:, None]
    told = days_since_1970(how.simulated_cutoff)
    distances = {
        "own_cutoff": np.abs(a.resolved[None, :] - own),
        "simulated_cutoff": np.broadcast_to(a.resolved - told, (len(a.models), a.resolved.size)),
    }
    inside = splits(a, how, "own")
    return [
        row
        for series, distance in distances.items()
        for condition in range(len(a.conditions))
        for model, places in models_of(a)
        for split in ("pre", "post")
        for row in _rows(
            _Part(a, clusters, how, condition, places, inside[split], distance),
            {"series": series, "condition": a.conditions[condition], "split": split, "model": model},
        )
    ]


class _Part:
    """The forecasts of some models under a condition on one side of their cutoffs, with their distances."""

    def __init__(  # noqa: PLR0917
        self,
        a: Averaged,
        clusters: Clusters,
        how: ForecastScoring,
        condition: int,
        places: tuple[int, ...],
        inside: Bools,
        distance: Ints,
    ) -> None:
        self.a, self.clusters, self.how, self.places = a, clusters, how, places
        self.brier: Floats = np.where(inside, a.brier[:, condition], np.nan)
        self.distance = distance

    def band(self, low: int, high: float) -> tuple[Estimate, int]:
        inside = (self.distance >= low) & (self.distance < high)
        sides = [self.clusters.side(self.brier[m], inside[m]) for m in self.places]
        n = int((inside & np.isfinite(self.brier))[list(self.places)].any(axis=0).sum())
        return (self.clusters.share(averaged_sides(sides)) if n else Estimate(None)), n

    def slope(self) -> tuple[Estimate, int]:
        """Brier points a year, each model with a level of its own."""
        there = np.isfinite(self.brier[list(self.places)])
        n = int(there.any(axis=0).sum())
        if n < FEWEST:
            return Estimate(None, caveat=f"of {n} questions: no slope"), n
        model, question = np.nonzero(there)
        years = self.distance[list(self.places)][there] / DAYS_A_YEAR
        levels = [(model == one).astype(np.float64) for one in np.unique(model)]
        y = self.brier[list(self.places)][there]
        fit = fitted(y, np.column_stack([years, *levels]), self.a.cluster[question])
        if fit is None:
            return Estimate(None, caveat="all are at one distance: no slope"), n
        return fit.estimate(0, self.how.level), n


def _rows(part: _Part, names: dict[str, Any]) -> Iterator[Row]:
    for low, high in zip(BANDS, (*BANDS[1:], np.inf), strict=True):
        found, n = part.band(low, high)
        if found.value is not None:
            group = f"{low}-{high:.0f}" if np.isfinite(high) else f"{low}+"
            yield _row("brier", found, n, group_by="horizon", group=group, baseline=UNINFORMED, **names)
    found, n = part.slope()
    if n:
        yield _row("horizon_slope", found, n, **names)


def _row(metric: str, found: Estimate, n: int, **names: Any) -> Row:
    return Row.of(found, panel="horizon", metric=metric, unit="brier", n=n, **names)
