"""The human baseline (Table 4): what a crowd made of the questions on either side, and models on the same ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from neuter.scoring.forecasts.averaged import Averaged
from neuter.scoring.forecasts.brier_rows import UNINFORMED, reference
from neuter.scoring.forecasts.gap_rows import gap
from neuter.scoring.forecasts.how import ForecastScoring
from neuter.scoring.forecasts.intervals import Clusters
from neuter.scoring.forecasts.row import Row
from neuter.scoring.forecasts.selecting import Panel, Whose, models_of


def human_rows(a: Averaged, how: ForecastScoring, clusters: Clusters) -> list[Row]:
    """The crowd's Brier score and gap on the questions that have a crowd, then each model's on those questions."""
    crowd = reference(a, "crowd")
    if not np.isfinite(crowd).any():
        return []
    panel = Panel.of("fixed", a, how, clusters)
    every = np.ones(a.ids.size, dtype=np.bool_)
    values = np.broadcast_to(crowd, (len(a.models), crowd.size))
    rows = list(_of(panel, values, Whose("", (0,), every), "", "crowd"))
    for condition, name in enumerate(a.conditions):
        brier = np.where(np.isfinite(crowd), a.brier[:, condition], np.nan)
        for model, places in models_of(a):
            rows += _of(panel, brier, Whose(model, places, every), name, "llm")
    return rows


def _of(panel: Panel, values: Any, whose: Whose, condition: str, attacker: str) -> Iterator[Row]:
    there = np.isfinite(values)
    names: dict[str, Any] = {"panel": "human", "unit": "brier", "condition": condition}
    names |= {"attacker": attacker, "model": whose.model}
    answered = {split: int(panel.questions(split, whose, there).sum()) for split in ("pre", "post")}
    for split, n in answered.items():
        if n:
            found = panel.clusters.share(panel.side(values, split, whose))
            yield Row.of(found, metric="brier", split=split, baseline=UNINFORMED, n=n, **names)
    found = gap(panel, values, whose)
    if found.value is not None:
        yield Row.of(found, metric="si_ti_gap", n=sum(answered.values()), **names)
