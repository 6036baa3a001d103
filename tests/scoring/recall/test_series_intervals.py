"""Intervals over time: right values by formula, edges, and how often they hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import t as student

from neuter.scoring.recall.block_bootstrap import block_interval, block_length
from neuter.scoring.recall.series_intervals import (
    correlation_interval,
    cosines_of,
    mean_interval,
    share_interval,
    skill_interval,
    spread,
)

#: What arch 8.0 gives (its 0.50 is held at the least length, 1).
ARCH = (1.0, 5.917050667151558, 20.003190947195478)


def autoregressive(n: int, rho: float, seeds: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    drawn = rng.standard_normal((seeds, n + 100))
    for at in range(1, n + 100):
        drawn[:, at] = rho * drawn[:, at - 1] + math.sqrt(1 - rho**2) * drawn[:, at]
    return drawn[:, 100:]


def held(intervals: list, truth: float) -> float:
    return float(np.mean([i.low <= truth <= i.high for i in intervals if i.low is not None]))


def test_so_many_cosines_as_lazarus_and_others_say() -> None:
    # 0.41 · 400^(2/3) = 22.26, 0.41 · 60^(2/3) = 6.28; of three values there are two.
    assert [cosines_of(n) for n in (400, 60, 3)] == [22, 6, 2]


def test_the_error_of_a_slow_wave_is_by_its_cosines() -> None:
    # One cosine of height 1 over n points has a first coefficient of √(n/2), so that the variance is n / (2 B).
    n = 400
    wave = np.cos(np.pi * (np.arange(n) + 0.5) / n)
    assert spread(wave).error >= math.sqrt(n / (2 * cosines_of(n)) / n)
    # Against independence: 1/√(2 n).
    assert spread(wave).error > 2 / math.sqrt(2 * n)


def test_no_interval_is_surer_than_independence_makes_it() -> None:
    alternating = np.tile([1.0, -1.0], 50)
    assert spread(alternating).error == pytest.approx(alternating.std(ddof=1) / 10)


def test_a_mean_has_students_t() -> None:
    values = np.random.default_rng(1).standard_normal(200)
    error, freedom = spread(values)
    interval = mean_interval(values, 0.9, positive=False)
    assert freedom <= cosines_of(200)
    assert interval.high - interval.low == pytest.approx(2 * student.ppf(0.95, freedom) * error)


def test_few_large_errors_are_worth_few_degrees_of_freedom() -> None:
    plain, rare = np.tile([0.0, 1.0], 50), np.zeros(100)
    rare[[20, 70]] = 1
    assert spread(rare).freedom < 5 < spread(plain).freedom


def test_an_interval_of_absolute_errors_is_above_zero_and_ends_beyond_the_mean() -> None:
    values = np.zeros(60)
    values[30] = 100
    interval = mean_interval(values, 0.95, positive=True)
    assert 0 < interval.low < values.mean() < interval.high < 100


def test_all_right_is_never_of_no_width() -> None:
    interval = share_interval(np.ones(60), 0.95)
    t = student.ppf(0.975, 6)
    assert interval.high == 1
    assert interval.low == pytest.approx(60 / (60 + t**2))
    assert share_interval(np.zeros(60), 0.95).high == pytest.approx(1 - interval.low)


def test_long_runs_of_right_answers_make_a_share_less_sure() -> None:
    runs, mixed = np.repeat([1.0, 0.0], 100), np.tile([1.0, 0.0], 100)
    wide, narrow = share_interval(runs, 0.95), share_interval(mixed, 0.95)
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_fewer_than_three_have_none(n) -> None:
    values = np.arange(float(n))
    for interval in (
        mean_interval(values, 0.95, positive=False),
        share_interval(values, 0.95),
        correlation_interval(values, values, 0.95),
        skill_interval(values, values, 0.95),
    ):
        assert interval.low is None
        assert interval.caveat == f"only {n} answer{'s' * (n != 1)}: no interval"


def test_no_spread_or_a_line_or_no_error_has_none_and_says_so() -> None:
    assert (
        mean_interval(np.full(9, 2.5), 0.95, positive=True).caveat == "all values are the same: no interval"
    )
    line = np.arange(9.0)
    assert "on a line" in correlation_interval(line, 2 * line, 0.95).caveat
    assert "no error" in skill_interval(np.zeros(9), line, 0.95).caveat


def test_a_correlation_and_a_skill_lie_within_their_intervals() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.standard_normal((2, 300))
    second += first
    interval = correlation_interval(first, second, 0.95)
    assert interval.low < np.corrcoef(first, second)[0, 1] < interval.high < 1
    # Independent normals: Fisher's z has an error of 1/√n.
    assert math.atanh(interval.high) - math.atanh(interval.low) == pytest.approx(
        2 * 2.02 / math.sqrt(300), rel=0.3
    )
    skill = skill_interval(np.abs(first), 2 * np.abs(second), 0.95)
    assert skill.low < 1 - np.abs(first).mean() / (2 * np.abs(second).mean()) < skill.high < 1


@pytest.mark.parametrize(("n", "rho"), [(60, 0.0), (60, 0.6), (134, 0.3), (400, 0.6)])
def test_intervals_hold_the_truth_in_93_percent_of_samples(n, rho) -> None:
    latent, second = autoregressive(n, rho, 800), autoregressive(n, rho, 800, seed=1)
    mean = math.sqrt(2 / math.pi)
    assert held([mean_interval(x, 0.95, positive=False) for x in latent], 0) >= 0.93
    assert held([mean_interval(np.abs(x), 0.95, positive=True) for x in latent], mean) >= 0.93
    mixed = np.abs(second) * (ndtr(latent) > 0.8)
    assert held([mean_interval(x, 0.95, positive=True) for x in mixed], 0.2 * mean) >= 0.93
    for share in (0.5, 0.95):
        right = (ndtr(latent) < share).astype(float)
        assert held([share_interval(x, 0.95) for x in right], share) >= 0.93
    pairs = zip(np.round(2 * second) / 2, np.abs(latent), strict=True)
    assert held([correlation_interval(a, b, 0.95) for a, b in pairs], 0) >= 0.93
    pairs = zip(np.abs(latent) / 2, np.abs(second), strict=True)
    assert held([skill_interval(a, b, 0.95) for a, b in pairs], 0.5) >= 0.93


def test_block_lengths_are_those_of_arch() -> None:
    # optimal_block_length, column circular, of these very series.
    rng = np.random.default_rng(5)
    found = []
    for n, rho in ((134, 0.0), (400, 0.3), (2000, 0.6)):
        values = rng.standard_normal(n)
        for at in range(1, n):
            values[at] += rho * values[at - 1]
        found.append(block_length(values))
    assert found == pytest.approx(ARCH, rel=1e-9)


def test_block_lengths_follow_arch_where_it_is_installed() -> None:
    bootstrap = pytest.importorskip("arch.bootstrap")
    same = []
    for seed in range(60):
        values = autoregressive(400, (0.0, 0.3, 0.6)[seed % 3], 1, seed=seed)[0]
        theirs = float(bootstrap.optimal_block_length(values)["circular"].iloc[0])
        same.append(abs(max(theirs, 1.0) - block_length(values)) < 1e-9)
    # Its autocorrelations are scaled by parts of the series, which now and then moves the first small lag.
    assert np.mean(same) >= 0.9


def test_a_block_interval_is_wider_where_values_hang_together() -> None:
    alone, together = autoregressive(400, 0.0, 1)[0], autoregressive(400, 0.9, 1)[0]
    widths = [i.high - i.low for i in (block_interval(v, seed=0, draws=500) for v in (alone, together))]
    assert widths[1] > 2 * widths[0]
    assert block_interval(alone, seed=0, draws=500) == block_interval(alone, seed=0, draws=500)
    assert block_interval(np.ones(50), seed=0, draws=10).low is None


def test_block_intervals_hold_the_truth() -> None:
    found = [block_interval(x, seed=k, draws=400) for k, x in enumerate(autoregressive(134, 0.3, 300))]
    assert held(found, 0) >= 0.88


def test_a_block_interval_of_independent_values_is_students_at_least() -> None:
    values = np.random.default_rng(5).standard_normal(134)
    assert block_length(values) == 1
    interval, error = block_interval(values, seed=0, draws=2000), values.std(ddof=1) / math.sqrt(134)
    reach = student.ppf(0.975, 133) * error
    assert min(interval.high - values.mean(), values.mean() - interval.low) >= reach * (1 - 1e-9)
