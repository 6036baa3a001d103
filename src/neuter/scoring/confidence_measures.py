"""Does an attacker that says how sure it is know when it is right?"""

from __future__ import annotations

import numpy as np
import polars as pl

from neuter.errors import RunError
from neuter.scoring.measures import Bools, Measure, numbers


def confidence_measures(frame: pl.DataFrame, firm: Measure, answered: Bools) -> list[Measure]:
    """``brier`` of the confidence that the guessed firm is right; nothing where no guess says one.

    Args:
        firm: the measure ``firm_accuracy`` of the same documents.

    Raises:
        RunError: a confidence that is not within 0 and 1.
    """
    said = numbers(frame["said_confidence"])
    if not np.isfinite(said[answered]).any():
        return []
    outside = np.flatnonzero(answered & ~np.isnan(said) & ~((said >= 0) & (said <= 1)))
    if outside.size:
        at = int(outside[0])
        raise RunError(
            f"a confidence of {said[at]:g} is not within 0 and 1",
            where=f"the guess of {frame['id'][at]!r}",
            todo="A guess's confidence is a share: 0.9, not 90",
        )
    right = np.where(firm.values > 0, 1, 0)
    return [Measure("brier", "brier", (said - right) ** 2, firm.known, right, confidence=said)]
