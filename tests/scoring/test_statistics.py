"""Intervals: right values by hand, edge cases, and coverage by simulation."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from neuter.errors import UsageError
from neuter.scoring.bootstrap import effective_firms, studentised_quantiles, t_quantile
from neuter.scoring.significance import holm, mcnemar_exact
from neuter.scoring.statistics import (
    firm_sums,
    firm_weights,
    mean_interval,
    mean_intervals,
    share_interval,
    share_intervals,
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


@pytest.mark.parametrize(("right", "n"), [(0, 7), (3, 7), (7, 7), (41, 480), (1, 1)])
def test_wilson_agrees_with_statsmodels(right: int, n: int) -> None:
    interval = wilson(right, n)
    assert (interval.low, interval.high) == pytest.approx(
        proportion_confint(right, n, method="wilson"), abs=1e-12
    )


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


def test_the_percentile_interval_is_widened_by_just_the_factor() -> None:
    draw = np.random.default_rng(8)
    counts, sums = np.full(50, 4.0), draw.binomial(4, draw.random(50)).astype(float)
    weights = firm_weights(labels(50), seed=1, draws=600)
    ratios = (weights @ sums) / (weights @ counts)
    share = sums.sum() / counts.sum()
    low, high = np.quantile(ratios, [0.025, 0.975])
    interval = share_interval(sums, counts, weights)
    assert interval.method == "firm bootstrap"
    assert interval.low == pytest.approx(share - (share - low) * widening(50), abs=1e-6)
    assert interval.high == pytest.approx(share + (high - share) * widening(50), abs=1e-6)


def test_sums_too_large_for_single_precision_are_exact() -> None:
    draw = np.random.default_rng(9)
    counts = np.full(40, 2.0**24) + draw.integers(0, 2, 40)
    sums = np.floor(counts * draw.random(40))
    weights = firm_weights(labels(40), seed=1, draws=300)
    doubles = weights.astype(float)
    share, factor = sums.sum() / counts.sum(), widening(effective_firms(counts))
    low = np.quantile((doubles @ sums) / (doubles @ counts), 0.025)
    assert share_interval(sums, counts, weights).low == pytest.approx(
        share - (share - low) * factor, abs=1e-12
    )


def test_a_mean_far_from_zero_has_the_interval_of_one_near_it() -> None:
    draw = np.random.default_rng(10)
    counts = draw.integers(1, 9, 40).astype(float)
    sums, weights = counts * draw.normal(0, 1e-3, 40), firm_weights(labels(40), seed=1, draws=300)
    near, far = mean_interval(sums, counts, weights), mean_interval(sums + 1e6 * counts, counts, weights)
    assert far.low - 1e6 == pytest.approx(near.low, abs=1e-8)
    assert far.high - 1e6 == pytest.approx(near.high, abs=1e-8)


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


def test_an_outcome_of_few_firms_by_hand() -> None:
    # 12 firms of 4; 10 have 2 right, one has 4, one none: share 0.5, residuals 2 and -2, error sqrt(8 / (11 / 12)) / 48
    # = 0.061546, less than sqrt(0.25 / 48) = 0.072169 of independent documents, which counts. t(11) = 2.200985.
    sums, counts = np.array([2.0] * 10 + [4, 0]), np.full(12, 4.0)
    interval = share_interval(sums, counts, firm_weights(labels(12), seed=0, draws=50))
    odds = math.exp(2.200985 * 0.072169 / 0.25)
    assert interval.low == pytest.approx(1 / (1 + odds), abs=1e-5)
    assert interval.high == pytest.approx(odds / (1 + odds), abs=1e-5)
    assert interval.method == "t on the logit scale over firms"
    assert interval.caveat == "only 12 firms"


def test_a_rare_outcome_is_no_surer_than_none_at_all() -> None:
    counts, sums = np.full(200, 5.0), np.zeros(200)
    weights = firm_weights(labels(200), seed=0, draws=400)
    none = share_interval(sums, counts, weights)
    sums[:3] = 1
    rare = share_interval(sums, counts, weights)
    assert rare.high > none.high > 0
    assert rare.high >= wilson(200 * 3 / 1000, 200).high
    assert rare.low == pytest.approx(wilson(200 * 3 / 1000, 200).low)
    assert rare.caveat == "only 3 firms with an outcome of the rarer kind"


def test_firms_that_are_all_half_right_still_have_a_width() -> None:
    counts = np.full(50, 8.0)
    interval = share_interval(counts / 2, counts, firm_weights(labels(50), seed=0, draws=200))
    assert 0.08 < interval.high - interval.low < 0.12  # as 400 independent documents: 0.098


def test_firms_of_very_uneven_size_count_as_fewer() -> None:
    counts = np.array([100.0] + [1.0] * 99)
    assert effective_firms(counts) == pytest.approx(199**2 / (100**2 + 99))
    sums = np.where(np.arange(100) % 2, counts, 0)
    interval = share_interval(sums, counts, firm_weights(labels(100), seed=0, draws=200))
    assert interval.caveat == "100 firms, but as uneven as 4 equal ones"
    assert interval.high - interval.low > 0.7


def test_the_standard_error_of_uneven_firms_by_hand() -> None:
    # 3 right of 3, 0 of 1: share 0.75, residuals 0.75 and -0.75; 0.5625 / (1/4) + 0.5625 / (3/4) = 3; sqrt(3) / 4.
    assert standard_error(np.array([3.0, 0, 0]), np.array([3.0, 1, 0])) == pytest.approx(math.sqrt(3) / 4)


def some_columns(firms: int = 70) -> tuple[np.ndarray, np.ndarray]:
    """Columns of every kind: plain, few firms, one firm, none, all right, all wrong, one document a firm, rare."""
    draw = np.random.default_rng(1)
    counts = np.tile(draw.integers(1, 9, firms).astype(float)[:, None], (1, 9))
    sums = draw.binomial(counts.astype(int), draw.beta(2, 2, (firms, 1))).astype(float)
    counts[12:, 1] = counts[1:, 2] = counts[:, 3] = 0
    sums[12:, 1] = sums[1:, 2] = sums[:, 3] = 0
    sums[:, 4], sums[:, 5] = counts[:, 4], 0
    counts[:, 6], sums[:, 6] = 1, sums[:, 6] > 2
    sums[4:, 7] = 0
    sums[:, 8] /= 3
    return sums, counts


def test_many_columns_are_one_by_one() -> None:
    sums, counts = some_columns()
    weights = firm_weights(labels(70), seed=0, draws=300)
    for many, one in ((share_intervals, share_interval), (mean_intervals, mean_interval)):
        apart = [one(sums[:, column], counts[:, column], weights) for column in range(9)]
        assert many(sums, counts, weights)[:8] == apart[:8]  # whole numbers: to the last bit
        assert many(sums, counts, weights)[8].low == pytest.approx(apart[8].low, abs=1e-12)


def test_a_firm_without_documents_takes_no_part() -> None:
    sums, counts = some_columns()
    weights = firm_weights(labels(70), seed=0, draws=300)
    names = [*labels(70), "a firm of another column", "one more"]
    wider = firm_weights(names, seed=0, draws=300)
    nothing = np.zeros((2, 9))
    for intervals in (share_intervals, mean_intervals):
        assert (
            intervals(np.vstack([sums, nothing]), np.vstack([counts, nothing]), wider)[:8]
            == intervals(sums, counts, weights)[:8]
        )


def test_nothing_is_nan_or_of_no_width() -> None:
    sums, counts = some_columns()
    weights = firm_weights(labels(70), seed=0, draws=300)
    for interval in share_intervals(sums, counts, weights):
        if interval.low is None:
            assert interval.high is None
            assert interval.caveat
        else:
            assert 0 <= interval.low < interval.high <= 1
    two = share_interval(np.array([4.0, 4]), np.array([8.0, 8]), weights[:, :2])
    assert two.low < 0.1
    assert two.high > 0.9
    assert two.caveat == "only 2 firms"
    assert (
        share_intervals(np.empty((0, 3)), np.empty((0, 3)), np.empty((5, 0), np.float32))[2].caveat
        == "no documents"
    )
    assert share_intervals(np.empty((70, 0)), np.empty((70, 0)), weights) == []


@pytest.mark.parametrize(
    ("sums", "counts"),
    [([[2.0]], [[1.0]]), ([[-1.0]], [[1.0]]), ([[math.nan]], [[1.0]]), ([[1.0]], [[-1.0]])],
)
def test_sums_that_cannot_be_are_refused(sums: list[list[float]], counts: list[list[float]]) -> None:
    with pytest.raises(UsageError):
        share_intervals(np.array(sums), np.array(counts), np.ones((3, 1), np.float32))


def test_shapes_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(UsageError, match="do not belong together"):
        share_intervals(np.ones((3, 2)), np.ones((3, 2)), np.ones((10, 4), np.float32))
    with pytest.raises(UsageError, match="at least 1"):
        firm_weights(["a"], seed=0, draws=0)


def test_the_bootstrap_t_agrees_with_a_loop() -> None:
    draw = np.random.default_rng(4)
    counts = draw.integers(1, 9, 25).astype(float)
    sums = counts * draw.exponential(1, 25)
    weights = firm_weights(labels(25), seed=3, draws=500)
    mean, found = sums.sum() / counts.sum(), []
    for row in weights.astype(float):
        drawn = (row * sums).sum() / (row * counts).sum()
        error = math.sqrt(25 / 24 * (row * (sums - counts * drawn) ** 2).sum()) / (row * counts).sum()
        found.append((drawn - mean) / error)
    low, high = studentised_quantiles(sums[:, None], counts[:, None], weights)
    assert (low[0], high[0]) == pytest.approx(tuple(np.quantile(found, [0.025, 0.975])))
    interval = mean_interval(sums, counts, weights)
    # A mean of skewed values may lie much higher, and hardly lower: at least Student's t on either side.
    error = standard_error(sums, counts)
    t = t_quantile(effective_firms(counts))
    assert interval.low == pytest.approx(mean - max(t, high[0]) * error)
    assert interval.high == pytest.approx(mean - low[0] * error)
    assert -low[0] > t


def test_the_bootstrap_t_of_firms_that_are_nearly_all_alike_is_finite() -> None:
    values = np.array([0.0] * 9 + [1.0])
    interval = mean_interval(values, np.ones(10), firm_weights(labels(10), seed=0, draws=500))
    assert interval.high == pytest.approx(0.1 + 2 * 2.262157 * 0.1)  # twice t(9) standard errors, no more


def test_firm_sums() -> None:
    sums, counts = firm_sums(np.array([1.0, 0, 1, 1]), np.array([0, 0, 2, 2]), 3)
    assert sums.tolist() == [1, 0, 2]
    assert counts.tolist() == [2, 0, 2]


def coverage(firms: int, share: float, seeds: int, *, within: float = 0.5) -> float:
    """How often the interval holds the truth, with documents of a firm alike (beta-binomial)."""
    weights = firm_weights(labels(firms), seed=11, draws=800)
    a, b = share * (1 - within) / within, (1 - share) * (1 - within) / within
    draw = np.random.default_rng(firms)
    counts = np.full((firms, seeds), 8.0)
    sums = draw.binomial(8, draw.beta(a, b, (firms, seeds))).astype(float)
    found = share_intervals(sums, counts, weights)
    return sum(i.low <= share <= i.high for i in found) / seeds


@pytest.mark.parametrize("within", [0.2, 0.9])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.9])
def test_coverage_at_sixty_firms_of_eight(share: float, within: float) -> None:
    # 1,000 samples: 93 to 97% with two standard errors of the count on either side.
    assert 0.917 <= coverage(60, share, 1000, within=within) <= 0.983


@pytest.mark.slow
@pytest.mark.parametrize("within", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
def test_coverage_at_sixty_firms_over_ten_thousand_samples(share: float, within: float) -> None:
    assert 0.93 <= coverage(60, share, 10_000, within=within) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("firms", [10, 20])
def test_coverage_at_few_firms_is_no_less_than_it_says(firms: int, share: float) -> None:
    assert coverage(firms, share, 2000) >= 0.94


@pytest.mark.parametrize("firms", [20, 60])
def test_means_of_skewed_values_are_covered(firms: int) -> None:
    # Years off: how far a firm's documents are off on average is exponential, with a mean of 1 year.
    draw = np.random.default_rng(firms)
    counts = draw.integers(1, 16, (firms, 1000)).astype(float)
    sums = draw.poisson(counts * draw.exponential(1, (firms, 1000))).astype(float)
    found = mean_intervals(sums, counts, firm_weights(labels(firms), seed=2, draws=800))
    assert 0.925 <= np.mean([i.low <= 1 <= i.high for i in found]) <= 0.975


@pytest.mark.slow
def test_the_benchmark_of_intervals_and_tests_passes() -> None:
    script = Path(__file__).parents[2] / "benchmarks" / "interval_coverage.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAILS" not in done.stdout
    assert done.stdout.count("PASS") == 6 + 15 + 2


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(UsageError, match="5 of 3"):
        wilson(5, 3)
    with pytest.raises(UsageError, match="not negative"):
        mcnemar_exact(-1, 2)
    with pytest.raises(UsageError, match="p-values that are none"):
        holm([float("nan"), 0.01])
