"""Scores: identification with baselines and intervals, paired comparisons, one tidy table for all."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neuter.scoring.calibration import brier as brier
    from neuter.scoring.calibration import expected_calibration_error as expected_calibration_error
    from neuter.scoring.calibration import reliability_curve as reliability_curve
    from neuter.scoring.identification import Scored as Scored
    from neuter.scoring.identification import score as score
    from neuter.scoring.identification import score_identification as score_identification
    from neuter.scoring.paired import Comparison as Comparison
    from neuter.scoring.paired import compare as compare
    from neuter.scoring.paired import holm as holm
    from neuter.scoring.paired import mcnemar_exact as mcnemar_exact
    from neuter.scoring.paired import mcnemar_mid_p as mcnemar_mid_p
    from neuter.scoring.paired import sign_flip as sign_flip
    from neuter.scoring.statistics import Interval as Interval
    from neuter.scoring.statistics import mean_intervals as mean_intervals
    from neuter.scoring.statistics import share_intervals as share_intervals
    from neuter.scoring.statistics import wilson as wilson
    from neuter.scoring.table import empty_scores as empty_scores
    from neuter.scoring.table import validate as validate
    from neuter.scoring.table import write_scores as write_scores

_HOME = {
    "Scored": "identification",
    "score": "identification",
    "mcnemar_exact": "paired",
    "mcnemar_mid_p": "paired",
    "sign_flip": "paired",
    "brier": "calibration",
    "expected_calibration_error": "calibration",
    "reliability_curve": "calibration",
    "share_intervals": "statistics",
    "mean_intervals": "statistics",
    "score_identification": "identification",
    "compare": "paired",
    "Comparison": "paired",
    "holm": "paired",
    "Interval": "statistics",
    "wilson": "statistics",
    "empty_scores": "table",
    "validate": "table",
    "write_scores": "table",
}

__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name == "SCORES_SCHEMA":
        from neuter.scoring.table import SCORES_SCHEMA

        return SCORES_SCHEMA
    if name not in _HOME:
        raise AttributeError(f"module 'neuter.scoring' has no attribute {name!r}")
    return getattr(importlib.import_module(f"neuter.scoring.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return ["SCORES_SCHEMA", *__all__]
