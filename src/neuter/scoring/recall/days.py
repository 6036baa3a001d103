"""How far a date is from the true one, and is its year, month or day right (Table 3)."""

from __future__ import annotations

import numpy as np

from neuter.scoring.recall.points import NO_DAY, Floats, Ints


def days_difference(said: Ints, true: Ints) -> Floats:
    """Predicted − actual date in days: a model that guesses too early is below 0; NaN where either is unknown.

    Source: Table 3, note; the sign: ../shared/paper-decisions.md (the table prints the opposite one).

    >>> days_difference(np.array([10, 20]), np.array([12, NO_DAY]))
    array([-2., nan])
    """
    unknown = (said == NO_DAY) | (true == NO_DAY)
    return np.where(unknown, np.nan, np.where(unknown, 0, said - true).astype(np.float64))


def same_date(said: Ints, true: Ints, part: str) -> Floats:
    """1 where the ``year``, the year and ``month``, or the very ``day`` are the same; NaN where unknown. Table 3.

    >>> days = lambda *told: np.array(told, dtype="datetime64[D]").astype(np.int64)
    >>> same_date(days("2020-03-05"), days("2020-03-09"), "month")
    array([1.])
    """
    same = dated(said, part) == dated(true, part)
    return np.where((said == NO_DAY) | (true == NO_DAY), np.nan, same.astype(np.float64))


def dated(days: Ints, part: str) -> Ints:
    """Days as the number of their year, month or day; ``NO_DAY`` stays."""
    unit = {"year": "Y", "month": "M", "day": "D"}[part]
    known = np.where(days == NO_DAY, 0, days).astype("datetime64[D]").astype(f"datetime64[{unit}]")
    return np.where(days == NO_DAY, NO_DAY, known.astype(np.int64))
