"""Correlations and skill over firms: as wide as firms are many, and holding the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from neuter.errors import UsageError
from neuter.scoring.recall.firm_intervals import FirmIntervals
from neuter.scoring.recall.sample import Sample

FIRMS = tuple(f"F{k:02d}" for k in range(60))


def sample(kind: str, seed: int) -> Sample:
    """Sixty firms of five points; half of what is measured is the firm's own."""
    rng = np.random.default_rng(seed)
    firm = np.repeat(np.arange(60), 5)
    first, second = (rng.standard_normal(60)[firm] + rng.standard_normal(300) for _ in range(2))
    if kind == "skill":
        return Sample(kind, np.abs(first) / 2, np.abs(second), firm)
    return Sample(kind, first, first + second, firm)


def test_correlations_and_skill_over_firms_hold_the_truth() -> None:
    intervals = FirmIntervals(FIRMS, 0.95, 0, 500)
    for kind, truth in (("correlation", math.sqrt(0.5)), ("skill", 0.5)):
        found = intervals([sample(kind, seed) for seed in range(300)])
        assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.92
        assert all(one.high < 1 for one in found)


def test_the_same_points_of_each_firm_say_no_more_than_one() -> None:
    once = sample("correlation", 1)
    one_each = Sample("correlation", once.values[::5], once.beside[::5], once.firm[::5])
    fivefold = Sample(
        "correlation", *(np.repeat(c, 5) for c in (one_each.values, one_each.beside, one_each.firm))
    )
    first, second = FirmIntervals(FIRMS, 0.95, 0, 500)([one_each, fivefold])
    assert (second.low, second.high) == pytest.approx((first.low, first.high))


def test_one_firm_has_none_and_another_level_is_refused() -> None:
    intervals = FirmIntervals(FIRMS, 0.95, 0, 10)
    values = np.arange(5.0)
    alone = Sample("correlation", values, values**2, np.zeros(5, dtype=np.int64))
    assert intervals([alone])[0].caveat == "one firm: no interval over firms"
    with pytest.raises(UsageError, match=r"at a level of 0\.9"):
        FirmIntervals(FIRMS, 0.9, 0, 10)
