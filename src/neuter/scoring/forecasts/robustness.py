"""The checks of Simulated Ignorance Fails, section 5: is the gap the model's, or the questions'?"""

from __future__ import annotations

from neuter.scoring.forecasts.averaged import Averaged
from neuter.scoring.forecasts.discontinuity import discontinuity_rows
from neuter.scoring.forecasts.fixed_effects import fixed_effects_rows
from neuter.scoring.forecasts.horizon import horizon_rows
from neuter.scoring.forecasts.human import human_rows
from neuter.scoring.forecasts.intervals import Clusters
from neuter.scoring.forecasts.natural_experiment import natural_experiment_rows
from neuter.scoring.forecasts.quarters import quarter_rows
from neuter.scoring.forecasts.row import Row


def robustness_rows(a: Averaged, clusters: Clusters) -> list[Row]:
    """All rows of section 5 (docs/ignorance-scores.md)."""
    how = clusters.how
    return [
        *natural_experiment_rows(a, how, clusters),
        *quarter_rows(a, clusters),
        *discontinuity_rows(a, how),
        *horizon_rows(a, how, clusters),
        *human_rows(a, how, clusters),
        *fixed_effects_rows(a, clusters),
    ]
