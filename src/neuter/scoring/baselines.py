"""What the best guess would score that never reads the text: one answer for all of a group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def best_constant(kind: str, truth: NDArray[np.int64]) -> float | None:
    """The score of the best constant answer to documents whose truths are ``truth``, or None.

    ``kind``: "share" the most frequent class; "top5" the five most frequent; "mrr" all classes ranked by
    frequency; "window" the quarter with the most documents within one of it; "absolute" the median's mean
    absolute error; "skill" 0 by its definition; "mean" none, since a constant can make any mean error 0.
    Shares are between 0 and 1. It knows the group's truths, so it is an upper bound on guessing blind.
    """
    if truth.size == 0 or kind == "mean":
        return None
    if kind == "skill":
        return 0.0
    if kind == "absolute":
        return float(np.abs(truth - np.median(truth)).mean())
    classes, counts = np.unique(truth, return_counts=True)
    if kind == "window":
        return _best_window(classes, counts) / truth.size
    ranked = np.sort(counts)[::-1]
    places = np.arange(1, ranked.size + 1)
    worth = {"top5": places <= 5, "mrr": 1 / places}.get(kind, places == 1)
    return float((ranked * worth).sum() / truth.size)


def _best_window(classes: NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    centres = np.unique(np.concatenate([classes - 1, classes, classes + 1]))
    near = np.abs(centres[:, None] - classes[None, :]) <= 1
    return float((near * counts[None, :]).sum(axis=1).max())
