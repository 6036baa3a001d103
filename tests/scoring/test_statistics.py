"""Intervals: right values by hand, edge cases, and coverage by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from neuter.scoring.statistics import (
    firm_sums,
    firm_weights,
    mean_interval,
    share_interval,
    standard_error,
    widening,
    wilson,
)


def labels(n: int) -> list[str]:
    return [f"firm {i}" for i in range(n)]


def test_wilson_by_hand() -> None:
    # 8 of 10: centre (0.8 + 0.19207) / 1.38415, half-width from the textbook formula.
    interval = wilson(8, 10)
    assert interval.low == pytest.approx(0.4902, abs=1e-4)
    assert interval.high == pytest.approx(0.9433, abs=1e-4)
    assert wilson(10, 10).high == 1.0
    assert wilson(10, 10).low == pytest.approx(0.7225, abs=1e-4)
    assert wilson(0, 10).low == 0.0
    assert wilson(0, 0).low is None


def test_widening_by_hand() -> None:
    # 10 firms: sqrt(10/9) * 2.2622 / 1.9600
    assert widening(10) == pytest.approx(1.2166, abs=1e-4)


def test_one_document_a_firm_is_wilson() -> None:
    sums, counts = np.array([1.0, 0, 1, 1, 1, 1, 1, 1, 1, 0]), np.ones(10)
    interval = share_interval(sums, counts, firm_weights(labels(10), seed=0, draws=100))
    assert (interval.low, interval.high) == (wilson(8, 10).low, wilson(8, 10).high)


def test_weights_are_poisson_and_a_firms_own() -> None:
    weights = firm_weights(labels(200), seed=1, draws=2000)
    assert weights.shape == (2000, 200)
    assert weights.mean() == pytest.approx(1, abs=0.01)
    assert weights.var() == pytest.approx(1, abs=0.02)
    alone = firm_weights(["firm 7"], seed=1, draws=2000)
    assert (weights[:, 7] == alone[:, 0]).all()
    assert (firm_weights(["firm 7"], seed=2, draws=2000) != alone).any()
    assert abs(np.corrcoef(weights[:, 0], weights[:, 1])[0, 1]) < 0.08


def test_bootstrap_agrees_with_a_loop_that_resamples_firms() -> None:
    draw = np.random.default_rng(3)
    counts = draw.integers(2, 9, 60).astype(float)
    sums = draw.binomial(counts.astype(int), draw.beta(2, 2, 60)).astype(float)
    ratios = []
    for _ in range(4000):
        firms = draw.integers(0, 60, 60)
        ratios.append(sums[firms].sum() / counts[firms].sum())
    share = sums.sum() / counts.sum()
    factor = math.sqrt(60 / 59) * 2.0010 / 1.9600
    low, high = np.quantile(ratios, [0.025, 0.975])
    interval = share_interval(sums, counts, firm_weights(labels(60), seed=0, draws=4000))
    assert interval.low == pytest.approx(share - (share - low) * factor, abs=0.008)
    assert interval.high == pytest.approx(share + (high - share) * factor, abs=0.008)


def test_standard_error_over_firms_by_hand() -> None:
    # Two firms of 2 documents, shares 1 and 0: residuals 1 and -1, sqrt(2 * 2) / 4.
    assert standard_error(np.array([2.0, 0.0]), np.array([2.0, 2.0])) == pytest.approx(0.5)


def test_all_right_is_not_certain() -> None:
    counts = np.full(20, 5.0)
    interval = share_interval(counts, counts, firm_weights(labels(20), seed=0, draws=200))
    assert interval.high == 1.0
    assert interval.low == pytest.approx(wilson(20, 20).low)  # 20 firms, not 100 documents
    wrong = share_interval(np.zeros(20), counts, firm_weights(labels(20), seed=0, draws=200))
    assert (wrong.low, wrong.high) == (0.0, pytest.approx(1 - interval.low))


def test_one_firm_or_none_has_no_interval() -> None:
    weights = firm_weights(labels(1), seed=0, draws=50)
    interval = share_interval(np.array([3.0]), np.array([5.0]), weights)
    assert (interval.low, interval.high) == (None, None)
    assert "one firm" in interval.caveat
    assert mean_interval(np.array([3.0]), np.array([5.0]), weights).low is None
    assert share_interval(np.array([0.0]), np.array([0.0]), weights).caveat == "no documents"


def test_few_firms_carry_a_caveat_and_stay_within_bounds() -> None:
    interval = share_interval(
        np.array([2.0, 1, 3]), np.array([3.0, 3, 3]), firm_weights(labels(3), seed=0, draws=500)
    )
    assert 0 <= interval.low < 2 / 3 < interval.high <= 1
    assert interval.caveat == "only 3 firms"


def test_a_mean_without_spread_has_no_interval() -> None:
    interval = mean_interval(np.full(9, 4.0), np.full(9, 2.0), firm_weights(labels(9), seed=0, draws=50))
    assert interval.low is None


def test_firm_sums() -> None:
    sums, counts = firm_sums(np.array([1.0, 0, 1, 1]), np.array([0, 0, 2, 2]), 3)
    assert sums.tolist() == [1, 0, 2]
    assert counts.tolist() == [2, 0, 2]


def coverage(firms: int, share: float, seeds: int, *, within: float = 0.5) -> float:
    """How often the interval holds the truth, with documents of a firm alike (beta-binomial)."""
    weights = firm_weights(labels(firms), seed=11, draws=800)
    counts, held = np.full(firms, 8.0), 0
    a, b = share * (1 - within) / within, (1 - share) * (1 - within) / within
    for seed in range(seeds):
        draw = np.random.default_rng(seed)
        sums = draw.binomial(8, draw.beta(a, b, firms)).astype(float)
        interval = share_interval(sums, counts, weights)
        held += interval.low <= share <= interval.high
    return held / seeds


def test_coverage_at_sixty_firms_of_eight() -> None:
    assert 0.92 <= coverage(60, 0.7, 400) <= 0.985


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 0.5, 0.7, 0.9, 0.95])
def test_coverage_at_sixty_firms_over_two_thousand_seeds(share: float) -> None:
    assert 0.93 <= coverage(60, share, 2000) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
def test_coverage_at_twenty_firms(share: float) -> None:
    assert 0.92 <= coverage(20, share, 2000) <= 0.98
