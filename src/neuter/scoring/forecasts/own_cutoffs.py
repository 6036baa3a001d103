"""Each model's cutoff as section 5 of Simulated Ignorance Fails takes it: Table 1's, but for one model."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib.resources import files

from neuter.scoring.forecasts.how import ForecastScoring


def own_cutoff(how: ForecastScoring, model: str) -> date:
    """The cutoff of a model for Table 3 and Figure 6 (``experiment_cutoffs.toml``)."""
    return section_5_cutoff(model, how.cutoffs[model])


def section_5_cutoff(model: str, stated: date) -> date:
    """The same where the stated cutoff is given."""
    other = _others().get(model.rpartition("/")[2].lower())
    return other["section_5"] if other and other["table_1"] == stated else stated


@cache
def _others() -> Mapping[str, Mapping[str, date]]:
    return tomllib.loads((files(__package__) / "experiment_cutoffs.toml").read_text(encoding="utf-8"))
