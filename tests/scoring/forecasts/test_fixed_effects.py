"""Two-way fixed effects: errors of leaving clusters out, few clusters, and what an interval of them holds."""

from datetime import date

import numpy as np
import pytest
import statsmodels.api as sm

from neuter.scoring.forecasts.fit_bootstrap import bootstrapped
from neuter.scoring.forecasts.fixed_effects import effect
from neuter.scoring.forecasts.how import ForecastScoring
from neuter.scoring.forecasts.intervals import Clusters
from neuter.scoring.forecasts.linear import fitted


def clusters_of(cluster, draws=400):
    how = ForecastScoring({"m": date(2024, 1, 1)}, date(2023, 1, 1), draws=draws)
    return Clusters(cluster, [str(one) for one in range(int(cluster.max()) + 1)], how)


def panel(rng, size=1, between=60, outside=80, jump=0.1, share=0.5, missing=0.05):
    """Three models; two thirds of the first two cutoffs lie around ``between`` questions."""
    n = between + outside
    place = np.r_[np.zeros(outside // 2), np.ones(between), np.full(outside - outside // 2, 2)]
    after = np.stack([place >= 1, place >= 2, place >= 2])
    hard = np.repeat(rng.beta(1.2, 2.5, n // size), size)[:n]
    scores = hard + rng.normal(0, 0.03, (3, n)) + np.array([0.0, 0.01, 0.03])[:, None]
    known = ~after & (rng.random((3, n)) < share)
    scores = scores - np.where(known, jump / share, 0)
    scores[rng.random((3, n)) < missing] = np.nan
    return scores, after, np.arange(n) // size


def with_dummies(scores, after, kept):
    """β by least squares on a dummy for every question and model, from the normal equations."""
    m, q = np.nonzero(np.isfinite(scores) & kept)
    questions = [(q == one).astype(float) for one in np.unique(q)]
    models = [(m == one).astype(float) for one in (1, 2)]
    x = np.column_stack([after[m, q].astype(float), *questions, *models])
    return np.linalg.solve(x.T @ x, x.T @ scores[m, q])[0]


@pytest.mark.parametrize("size", [1, 4])
def test_the_error_is_what_leaving_out_clusters_does_to_a_regression_on_dummies(size):
    scores, after, cluster = panel(np.random.default_rng(0), size, between=25 * size, outside=8 * size)
    found, between = effect(scores, after, cluster, clusters_of(cluster))
    everything = np.ones_like(after)
    whole = with_dummies(scores, after, everything)
    moved = [with_dummies(scores, after, everything & (cluster != one)) - whole for one in np.unique(cluster)]
    assert found.value == pytest.approx(whole)
    assert found.error == pytest.approx(np.sqrt(np.square(moved).sum()))
    assert 0 < between <= 25 * size


def test_questions_that_are_between_for_nobody_say_nothing_of_the_effect():
    scores, after, cluster = panel(np.random.default_rng(1), missing=0.0)
    changed = scores.copy()
    outside = after.all(axis=0) | (~after).all(axis=0)
    changed[:, outside] += np.random.default_rng(2).normal(0, 0.3, outside.sum())
    first, second = (effect(one, after, cluster, clusters_of(cluster))[0] for one in (scores, changed))
    assert first.value == pytest.approx(second.value)


def test_one_answered_model_is_no_comparison():
    scores, after, cluster = panel(np.random.default_rng(3))
    scores[1:] = np.nan
    found, between = effect(scores, after, cluster, clusters_of(cluster))
    assert (found.value, between) == (None, 0)
    assert "before one model's cutoff and after another's" in found.caveat


@pytest.mark.parametrize(("between", "given"), [(19, False), (20, True)])
def test_few_clusters_between_have_no_interval(between, given):
    scores, after, cluster = panel(np.random.default_rng(4), between=between, missing=0.0)
    found, _ = effect(scores, after, cluster, clusters_of(cluster))
    assert found.value is not None
    assert (found.low is not None) == given
    assert found.caveat


def test_a_single_row_a_cluster_has_the_error_hc3_of_statsmodels():
    rng = np.random.default_rng(5)
    x = np.column_stack([np.ones(50), rng.normal(size=50), rng.random(50) < 0.2])
    y = x @ [1.0, 0.5, 2.0] + rng.normal(size=50) * (1 + x[:, 2])
    fit = fitted(y, x, np.arange(50))
    wanted = sm.OLS(y, x).fit().get_robustcov_results("HC3").bse
    assert [fit.estimate(place, 0.95).error for place in range(3)] == pytest.approx(list(wanted))


def test_degrees_of_freedom_are_those_of_all_questions_alike():
    # A mean of G values: G - 1. A mean of two groups: about those of the smaller one.
    y, ones = np.random.default_rng(6).normal(size=40), np.ones((40, 1))
    assert fitted(y, ones, np.arange(40)).freedom(0) == pytest.approx(39)
    after = np.arange(40) >= 36
    fit = fitted(y, np.column_stack([ones, after]), np.arange(40))
    assert 2.9 < fit.freedom(1) < 4


def test_degrees_of_freedom_match_the_matrices_written_out():
    rng = np.random.default_rng(7)
    cluster = np.sort(rng.integers(0, 12, 60))
    x, w = np.column_stack([np.ones(60), rng.normal(size=60)]), rng.random(60)
    fit = fitted(x @ [1, 2] + rng.normal(size=60), x, cluster, w)
    inverse = np.linalg.inv(x.T @ (w[:, None] * x))
    hat = x @ inverse @ x.T * w
    parts = np.zeros((12, 60))
    for row, one in enumerate(np.unique(cluster)):
        here = cluster == one
        left = np.eye(here.sum()) - hat[np.ix_(here, here)]
        parts[row, here] = (inverse[1] @ x[here].T * w[here]) @ np.linalg.inv(left)
    covariance = parts @ (np.eye(60) - hat) @ (np.eye(60) - hat).T @ parts.T
    wanted = np.trace(covariance) ** 2 / np.trace(covariance @ covariance)
    assert fit.freedom(1) == pytest.approx(wanted)


def test_a_column_that_one_cluster_alone_has_gives_no_interval():
    y, cluster = np.random.default_rng(8).normal(size=30), np.repeat(np.arange(10), 3)
    fit = fitted(y, np.column_stack([np.ones(30), cluster == 0]), cluster)
    found = fit.estimate(1, 0.95)
    assert (found.low, found.high) == (None, None)
    assert "one cluster" in found.caveat


def test_the_bootstrap_lengthens_the_side_of_the_skew_and_shortens_none():
    rng = np.random.default_rng(9)
    y, ones = np.where(rng.random(60) < 0.12, 1.0, 0.0) + 0.01 * rng.random(60), np.ones((60, 1))
    fit, clusters = fitted(y, ones, np.arange(60)), clusters_of(np.arange(60), 1000)
    plain, drawn = fit.estimate(0, 0.95), bootstrapped(fit, 0, clusters.weights, 0.95)
    assert drawn.value == plain.value
    assert drawn.low <= plain.low + 1e-12
    assert drawn.high > plain.high + 0.1 * (plain.high - plain.value)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "between", "share"), [(1, 25, 0.5), (1, 60, 0.15), (5, 300, 0.3)])
def test_intervals_of_the_effect_hold_what_was_planted(size, between, share):
    rng = np.random.default_rng(11)
    cluster = np.arange(between + 80) // size
    clusters, held = clusters_of(cluster), []
    for _ in range(300):
        scores, after, _ = panel(rng, size, between=between, jump=0.05, share=share)
        found, _ = effect(scores, after, cluster, clusters)
        held.append(found.low <= 0.05 <= found.high)
    assert np.mean(held) >= 0.93
