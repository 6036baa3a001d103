"""Jumps at a cutoff: figures of rdrobust, odd data, and intervals that hold what was planted."""

import warnings

import numpy as np
import pytest

from neuter.scoring.forecasts.intervals import Estimate
from neuter.scoring.forecasts.jumps import FEWEST, _about, held, imbens_kalyanaraman, jump_at


def made(n=240):
    i = np.arange(n)
    x = (i * 37 % 401 - 200).astype(float)
    return x, np.abs(np.sin(i * 1.7)) * 0.4 + 0.15 * (x >= 0) + 0.0004 * x, i


def test_jump_and_error_are_those_of_rdrobust():
    # rdrobust 2.1.1 (Calonico, Cattaneo, Farrell, Titiunik): h = b = 115.126222, p = 1, triangular, vce hc3.
    found = jump_at(*made(), 0.95)
    assert found.bandwidth == pytest.approx(115.12622204756286)
    assert found.estimate.value == pytest.approx(0.23885013314856338)
    assert (found.estimate.low + found.estimate.high) / 2 == pytest.approx(0.30257625377640135)
    assert found.estimate.error == pytest.approx(0.08058363385567424)


def test_the_bandwidth_is_that_of_the_formulas_of_2012():
    # Worked out step by step beside the paper's section 4.2, in days, with its floor of 0.01 in units of ours.
    x, y, _ = made()
    n, spread = 240, x.std(ddof=1)
    pilot = 1.84 * spread * n**-0.2
    left, right = (x < 0) & (x >= -pilot), (x >= 0) & (x <= pilot)
    density = (left.sum() + right.sum()) / (2 * n * pilot)
    noise = y[left].var(ddof=1), y[right].var(ddof=1)
    third = 6 * np.linalg.lstsq(np.column_stack([np.vander(x, 4), x >= 0]), y, rcond=None)[0][0]
    floor = 0.01 * y.var() / spread**6
    second, regular = [], 0.0
    for side, variance in ((x < 0, noise[0]), (x >= 0, noise[1])):
        wide = 3.56 * (variance / (density * max(third**2, floor))) ** (1 / 7) * side.sum() ** (-1 / 7)
        near = side & (np.abs(x) <= wide)
        second.append(2 * np.polyfit(x[near], y[near], 2)[0])
        regular += 2160 * variance / (near.sum() * min(wide, np.abs(x[side]).max()) ** 4)
    wanted = 3.4375 * (sum(noise) / (density * ((second[1] - second[0]) ** 2 + regular))) ** 0.2 * n**-0.2
    assert imbens_kalyanaraman(x, y) == pytest.approx(wanted)


def test_scores_that_are_all_alike_are_no_error_and_no_interval():
    x, _, cluster = made()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = jump_at(x, np.full(x.size, 0.25), cluster, 0.95).estimate
    assert found.value == pytest.approx(0, abs=1e-12)
    assert (found.low, found.error) == (None, None)
    assert "exact" in found.caveat


def test_a_bandwidth_reaches_no_farther_than_the_days():
    x, _, _ = made()
    assert held(x, np.inf) == np.abs(x).max()


@pytest.mark.parametrize("days", [[-30.0, 30.0], [-1.0, 1.0]])
def test_days_that_are_too_few_for_a_line_give_a_caveat(days):
    x = np.repeat(days, 40)
    found = jump_at(x, np.random.default_rng(0).random(80), np.arange(80), 0.95).estimate
    assert found.value is None
    assert "too few" in found.caveat


def test_nothing_near_the_cutoff_is_no_crash():
    x = np.concatenate([np.linspace(-9000, -8900, 40), np.linspace(8900, 9000, 40)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = jump_at(x, np.random.default_rng(0).random(80), np.arange(80), 0.95).estimate
    assert found.low is None
    assert found.caveat


def test_one_cluster_on_a_side_has_no_interval():
    x, y, _ = made()
    found = jump_at(x, y, (x >= 0).astype(int), 0.95).estimate
    assert found.value is not None
    assert found.low is None
    assert "cluster" in found.caveat


def test_a_jump_outside_of_its_interval_says_so():
    inside = _about(0.1, Estimate(0.15, 0.05, 0.25, 0.05))
    assert (inside.value, inside.low, inside.caveat) == (0.1, 0.05, "")
    outside = _about(0.1, Estimate(0.3, 0.2, 0.4, 0.05))
    assert outside.value == 0.1
    assert "0.300" in outside.caveat


def test_an_interval_is_no_wider_than_a_brier_score():
    found = _about(0.1, Estimate(0.2, -3.0, 3.4, 1.5))
    assert (found.low, found.high) == (-1.0, 1.0)


def skewed(rng, count, size, jump):
    """Brier scores near 0 where the outcome is known; a share of them are known before the cutoff alone."""
    days = np.sort(np.concatenate([rng.integers(-600, 0, count // 2), rng.integers(0, 500, count // 2)]))
    x, cluster = np.repeat(days, size).astype(float), np.repeat(np.arange(days.size), size)
    known = rng.random(days.size) < np.where(days < 0, jump / (1.2 / 3.7 - 0.005), 0)
    ignorant, own = rng.beta(1.2, 2.5, days.size), rng.normal(0, 0.02, x.size)
    return x, np.where(known, 0.005, ignorant)[cluster] + own * (size > 1), cluster


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "size", "jump"), [(60, 1, 0.05), (200, 1, 0.13), (60, 5, 0.13), (60, 5, 0.05)]
)
def test_intervals_hold_jumps_of_skewed_scores_and_few_clusters(count, size, jump):
    rng = np.random.default_rng(17)
    found = [jump_at(*skewed(rng, count, size, jump), 0.95).estimate for _ in range(300)]
    given = [one for one in found if one.low is not None]
    assert len(given) > 200
    assert np.mean([one.low <= jump <= one.high for one in given]) >= 0.93


def test_a_side_needs_its_fewest_questions():
    x, y, cluster = made()
    order = np.argsort(x)
    x, y, cluster = x[order], y[order], cluster[order]
    after = np.flatnonzero(x >= 0)[:FEWEST]
    kept = np.concatenate([np.flatnonzero(x < 0), after])
    assert jump_at(x[kept], y[kept], cluster[kept], 0.95).estimate.value is not None
    assert jump_at(x[kept[:-1]], y[kept[:-1]], cluster[kept[:-1]], 0.95).estimate.value is None
