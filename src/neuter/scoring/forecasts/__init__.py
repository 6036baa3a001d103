"""What forecasts of resolved questions are worth: Brier scores, gaps between simulated and true ignorance, tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.scoring.forecasts.how import ForecastScoring as ForecastScoring
    from neuter.scoring.forecasts.scoring import ScoredForecasts as ScoredForecasts
    from neuter.scoring.forecasts.scoring import score_forecasts as score_forecasts
    from neuter.scoring.forecasts.verdict import Verdict as Verdict

_HOME = {
    "ForecastScoring": "how",
    "ScoredForecasts": "scoring",
    "score_forecasts": "scoring",
    "Verdict": "verdict",
}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
