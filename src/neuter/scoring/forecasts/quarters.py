"""Brier scores by the quarter of resolution (Figure 6)."""

from __future__ import annotations

import numpy as np

from neuter.scoring.forecasts.averaged import Averaged
from neuter.scoring.forecasts.brier_rows import UNINFORMED
from neuter.scoring.forecasts.intervals import Clusters
from neuter.scoring.forecasts.row import Row


def quarter_rows(a: Averaged, clusters: Clusters) -> list[Row]:
    """A row for each model, condition and quarter that has a forecast; ``group`` is ``2024Q3``."""
    months = a.resolved.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    quarter = months // 3
    rows = []
    for m, model in enumerate(a.models):
        for condition, name in enumerate(a.conditions):
            brier = a.brier[m, condition]
            for number in np.unique(quarter[np.isfinite(brier)]):
                side = clusters.side(brier, quarter == number)
                rows.append(
                    Row.of(
                        clusters.share(side),
                        panel="quarters",
                        metric="brier",
                        unit="brier",
                        condition=name,
                        model=model,
                        group_by="quarter",
                        group=f"{1970 + number // 4}Q{number % 4 + 1}",
                        baseline=UNINFORMED,
                        n=round(side.n),
                    )
                )
    return rows
