"""Baselines against slow loops over every constant, every class and every pair of documents."""

from __future__ import annotations

import numpy as np
import pytest

from neuter.scoring import baselines
from neuter.scoring.baselines import another_firms_text, best_constant, uniform


def groups_and_classes(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    # Group 2 has no document, group 3 one.
    group = np.concatenate([draw.choice([0, 1], n - 1), [3]])
    return group, 8080 + draw.integers(0, 9, n)


SLOW = {
    "share": lambda t: max((t == c).mean() for c in set(t)),
    "window": lambda t: max((abs(t - c) <= 1).mean() for c in range(min(t) - 1, max(t) + 2)),
    "absolute_years": lambda t: min(abs(t - c / 2).mean() for c in range(2 * min(t), 2 * max(t) + 1)),
    "top5": lambda t: sum(sorted(((t == c).mean() for c in set(t)), reverse=True)[:5]),
    "mrr": lambda t: sum(
        s / place for place, s in enumerate(sorted(((t == c).mean() for c in set(t)), reverse=True), 1)
    ),
    "places": lambda t: sum(
        s * (2 * place - 1)
        for place, s in enumerate(sorted(((t == c).mean() for c in set(t)), reverse=True), 1)
    ),
}


@pytest.mark.parametrize("dense", [0, baselines.DENSE])
@pytest.mark.parametrize("kind", SLOW)
def test_best_constant_is_the_best_of_all(kind: str, dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "DENSE", dense)
    for seed in range(5):
        group, truth = groups_and_classes(seed)
        found = best_constant(kind, group, truth, 4)
        for g in (0, 1, 3):
            assert found[g] == pytest.approx(SLOW[kind](truth[group == g])), (kind, seed, g)
        assert np.isnan(found[2])


def test_no_constant_is_best_where_any_mean_can_be_had() -> None:
    group, truth = groups_and_classes(0)
    assert np.isnan(best_constant("mean_years", group, truth, 4)).all()
    assert np.isnan(best_constant("share", group[:0], truth[:0], 4)).all()


def test_uniform_draws_from_the_classes_given() -> None:
    group, truth = np.array([0, 0, 1]), np.array([10, 13, 11])
    universe = np.arange(10, 14)
    assert uniform("share", group, truth, 2, universe) == pytest.approx([1 / 4, 1 / 4])
    # 10 and 13 stand at the ends and have one neighbour, 11 has two.
    assert uniform("window", group, truth, 2, universe) == pytest.approx([2 / 4, 3 / 4])
    assert np.isnan(uniform("mean_years", group, truth, 2, universe)).all()


@pytest.mark.parametrize("dense", [0, baselines.DENSE])
@pytest.mark.parametrize("kind", ["share", "window"])
def test_another_firms_text_is_the_mean_over_all_pairs(
    kind: str, dense: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baselines, "DENSE", dense)
    draw = np.random.default_rng(3)
    firms = draw.integers(0, 5, 40)
    truth = 8080 + draw.integers(0, 6, 40)
    # Some guesses name no class, some one far from every truth.
    said = np.where(draw.random(40) < 0.2, draw.choice([-1, 4], 40), truth + draw.integers(-2, 3, 40))
    found = another_firms_text(kind, firms, truth, said)
    near = 1 if kind == "window" else 0
    for i in range(40):
        pairs = [abs(said[j] - truth[i]) <= near for j in range(40) if firms[j] != firms[i]]
        assert found[i] == pytest.approx(np.mean(pairs))


def test_with_one_firm_there_is_no_other_text() -> None:
    one = np.zeros(3, dtype=np.int64)
    assert np.isnan(another_firms_text("share", one, one, one)).all()


def test_a_set_is_met_by_its_members() -> None:
    draw = np.random.default_rng(5)
    group, firms = draw.integers(0, 2, 40), draw.integers(0, 6, 40)
    truth, said = draw.choice([1, 2, 3, 8, 12], 40), draw.choice([0, 1, 4, 9], 40)
    best = best_constant("membership", group, truth, 2)
    chance = uniform("membership", group, truth, 2, np.arange(4))
    other = another_firms_text("membership", firms, truth, said)
    for g in (0, 1):
        mine = truth[group == g]
        shares = [((mine >> bit) & 1).mean() for bit in range(4)]  # members 1, 2, 4 and 8 occur
        assert best[g] == pytest.approx(max(shares))
        assert chance[g] == pytest.approx(np.mean(shares))
    for i in range(40):
        met = [bool(said[j] & truth[i]) for j in range(40) if firms[j] != firms[i]]
        assert other[i] == pytest.approx(np.mean(met))
