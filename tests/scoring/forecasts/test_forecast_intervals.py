"""Intervals over clusters: against scipy and statsmodels, and by how often they hold the truth."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from neuter.scoring.forecasts.intervals import (
    MANY_CLUSTERS,
    Clusters,
    Side,
    averaged_sides,
    difference_of,
    mean_of,
)

RNG = np.random.default_rng(3)


def symmetric(values):
    """The values and their mirror images: no skewness, so that Student's interval is the right one."""
    return np.concatenate([values, 1 - values])


def test_many_independent_values_that_are_not_skewed_have_students_interval(make):
    values = symmetric(RNG.uniform(0, 1, MANY_CLUSTERS))
    found = mean_of(values, np.arange(values.size), make.how())
    low, high = stats.t.interval(0.95, values.size - 1, values.mean(), stats.sem(values))
    assert (found.value, found.low, found.high) == (
        values.mean(),
        pytest.approx(low, abs=1e-9),
        pytest.approx(high, abs=1e-9),
    )


def test_a_difference_of_many_has_welchs_interval(make):
    a, b = symmetric(RNG.uniform(0, 1, MANY_CLUSTERS)), symmetric(RNG.uniform(0.3, 1, 2 * MANY_CLUSTERS))
    found = difference_of(a, np.arange(a.size), b, 9000 + np.arange(b.size), make.how())
    welch = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    assert (found.low, found.high) == (
        pytest.approx(welch.low, abs=1e-5),
        pytest.approx(welch.high, abs=1e-5),
    )


@pytest.mark.parametrize("n", [MANY_CLUSTERS - 60, MANY_CLUSTERS + 60])
def test_skewed_values_have_the_interval_of_a_plain_bootstrap_t(make, n):
    """Resampled by scipy's own means, on both sides of where the expansion takes over."""
    values = np.random.default_rng(n).beta(0.3, 4, n)
    found = mean_of(values, np.arange(n), make.how(draws=20_000))
    drawn = values[np.random.default_rng(1).integers(0, n, (20_000, n))]
    told = (drawn.mean(axis=1) - values.mean()) / stats.sem(drawn, axis=1)
    low, high = values.mean() - np.quantile(told, [0.975, 0.025]) * stats.sem(values)
    assert found.high == pytest.approx(high, rel=0.01)
    # Never nearer than Student's t.
    assert found.low <= low
    assert found.low == pytest.approx(values.mean() - stats.t.ppf(0.975, n - 1) * stats.sem(values), rel=0.01)


def test_a_variance_that_few_clusters_make_up_has_fewer_degrees_of_freedom():
    """Of 100, 98 at 0 and one each at ±1: kurtosis 50, so 2 / (2 / 99 + 47 / 100)."""
    values = np.array([1.0, -1.0, *np.zeros(98)])
    assert Side(values, np.ones(100)).freedom == pytest.approx(2 / (2 / 99 + 47 / 100))
    assert Side(np.array([1.0, -1.0] * 50), np.ones(100)).freedom == pytest.approx(99)


def test_the_error_over_clusters_is_that_of_a_clustered_regression(make):
    size = RNG.integers(1, 6, 150)
    cluster = np.repeat(np.arange(150), size)
    values = RNG.normal(0, 1, 150)[cluster] + RNG.normal(0, 0.5, cluster.size)
    found = mean_of(values, cluster, make.how())
    fit = sm.OLS(values, np.ones(values.size)).fit(
        cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": False}
    )
    effective = size.sum() ** 2 / (size**2).sum()
    assert found.error == pytest.approx(fit.bse[0] * np.sqrt(effective / (effective - 1)), rel=1e-9)


def test_a_cluster_on_both_sides_counts_as_such(make):
    """Paired through their clusters, a difference is as sure as the mean of the differences."""
    base = RNG.normal(0.4, 0.2, 300)
    a, b = base + RNG.normal(0, 0.01, 300), base + 0.1 + RNG.normal(0, 0.01, 300)
    paired = difference_of(b, np.arange(300), a, np.arange(300), make.how())
    apart = difference_of(b, np.arange(300), a, 500 + np.arange(300), make.how())
    assert paired.error == pytest.approx(stats.sem(b - a), rel=5e-3)
    assert apart.error > 10 * paired.error


def test_both_ways_of_drawing_agree_where_no_cluster_is_on_two_sides(make):
    clusters = Clusters(np.arange(60), [str(i) for i in range(60)], make.how())
    values, first = RNG.beta(1, 4, 60), np.arange(60) < 35
    sides = [clusters.side(values, first), clusters.side(values, ~first)]
    for one, other in zip(
        clusters._apart(sides, [1.0, -1.0]), clusters._together(sides, [1.0, -1.0]), strict=True
    ):
        assert np.allclose(one, other)


def test_fiellers_interval_holds_the_ratios_that_a_test_does_not_reject(make):
    """Each end is a ratio at which numerator − ratio · denominator is exactly t errors from 0."""
    n = 400
    clusters = Clusters(np.arange(n), [str(i) for i in range(n)], make.how())
    plain, told, ignorant = RNG.beta(1, 9, n), RNG.beta(2, 9, n), RNG.beta(3, 7, n)
    before = np.arange(n) < 200
    low_side, told_side = clusters.side(plain, before), clusters.side(told, before)
    post = clusters.side(ignorant, ~before)
    found = clusters.ratio((told_side, low_side), (post, low_side))
    assert found.value == pytest.approx(
        (told[:200].mean() - plain[:200].mean()) / (ignorant[200:].mean() - plain[:200].mean())
    )
    t = abs(stats.t.ppf(0.025, 200))
    for end in (found.low, found.high):
        moved = told[:200] - plain[:200] + end * plain[:200]
        off = moved.mean() - end * ignorant[200:].mean()
        error = np.sqrt(moved.var(ddof=1) / 200 + end**2 * ignorant[200:].var(ddof=1) / 200)
        assert abs(off / error) == pytest.approx(t, rel=0.01)


def test_there_is_no_share_of_a_gap_that_is_not_there(make):
    clusters = Clusters(np.arange(80), [str(i) for i in range(80)], make.how())
    values, before = RNG.beta(2, 4, 80), np.arange(80) < 40
    side, other = clusters.side(values, before), clusters.side(values - 0.5, ~before)
    assert clusters.ratio((side, side), (other, side)).value is None
    noisy = clusters.side(values + 0.001, ~before)
    found = clusters.ratio((side, side), (noisy, side))
    assert found.low is None
    assert "too uncertain" in found.caveat or found.value is None


@pytest.mark.parametrize(("n", "told"), [(1, "one cluster"), (19, "of 19 effective clusters")])
def test_few_clusters_are_said(make, n, told):
    assert told in mean_of(RNG.random(n), np.arange(n), make.how()).caveat


def test_values_that_are_all_alike_have_no_interval(make):
    found = mean_of(np.full(30, 0.25), np.arange(30), make.how())
    assert (found.value, found.low) == (0.25, None)
    assert "alike" in found.caveat


def test_nothing_has_no_mean(make):
    assert mean_of(np.array([np.nan, np.nan]), np.arange(2), make.how()).value is None


def test_models_have_the_same_weight_whatever_they_answered():
    first = Side(np.array([0.1, 0.3]), np.array([1.0, 1.0]))
    second = Side(np.array([0.6, 0.0]), np.array([1.0, 0.0]))
    assert averaged_sides([first, second]).mean == pytest.approx((0.2 + 0.6) / 2)
    nothing = Side(np.zeros(2), np.zeros(2))
    assert averaged_sides([first, nothing]).mean == pytest.approx(0.2)


def test_the_same_seed_gives_the_same_interval(make):
    values = RNG.beta(1, 4, 40)
    one, same, other = (mean_of(values, np.arange(40), make.how(seed=seed)) for seed in (1, 1, 2))
    assert one == same
    assert one.high != other.high


@pytest.mark.slow
@pytest.mark.parametrize(("before", "after", "size"), [(30, 30, 1), (60, 40, 1), (60, 40, 5)])
def test_intervals_of_a_gap_hold_the_truth(make, before, after, size):
    """Brier scores as they are: mostly near 0 where the outcome is known, spread where it is not."""
    rng, how, held = np.random.default_rng(11), make.how(), 0

    def drawn(n, known):
        groups = n // size
        level = np.where(rng.random(groups) < known, 0.01 * rng.random(groups), rng.beta(1.2, 2.5, groups))
        return np.repeat(level, size), np.repeat(np.arange(groups), size)

    truth = 1.2 / 3.7 - (0.6 * 0.005 + 0.4 * 1.2 / 3.7)
    for _ in range(300):
        (pre, first), (post, second) = drawn(before, 0.6), drawn(after, 0.0)
        found = difference_of(post, 1000 + second, pre, first, how)
        held += found.low <= truth <= found.high
    assert held / 300 >= 0.93


def test_the_interval_of_a_score_stays_within_what_it_can_be(make):
    """Of few questions Student's t reaches beyond 0 and 1, where no Brier score is."""
    values = np.array([0.0, 0.001, 0.9, 1.0])
    clusters = Clusters(np.arange(4), list("abcd"), make.how())
    side = clusters.side(values, np.ones(4, dtype=bool))
    free, held = clusters.mean(side), clusters.share(side)
    assert free.low < 0
    assert free.high > 1
    assert (held.low, held.high, held.value) == (0.0, 1.0, free.value)
