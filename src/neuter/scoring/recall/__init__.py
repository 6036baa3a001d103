"""Recall scored: errors, directions, exactness, baselines, intervals, and the month at which recall breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.scoring.recall.scoring import RecallScoring as RecallScoring
    from neuter.scoring.recall.scoring import ScoredRecall as ScoredRecall
    from neuter.scoring.recall.scoring import score_recall as score_recall

_HOME = {"RecallScoring": "scoring", "ScoredRecall": "scoring", "score_recall": "scoring"}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
