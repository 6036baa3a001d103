"""Cohen's kappa and agreement against independent implementations, their intervals, and where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from neuter.traces.agreement import UNDEFINED, agreement, table_of


def tables(both: int, first: int, second: int, neither: int) -> np.ndarray:
    rows = (
        [(True, True)] * both
        + [(True, False)] * first
        + [(False, True)] * second
        + [(False, False)] * neither
    )
    return np.array([table_of(*row) for row in rows]).reshape(-1, 4)


def test_kappa_and_agreement_are_those_worked_by_hand() -> None:
    # 20 + 15 of 50 equal; chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5 (the textbook's example).
    found = agreement(tables(20, 5, 10, 15), np.ones(50))
    assert found.agreement == pytest.approx(0.7)
    assert found.kappa == pytest.approx(0.4)


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_that_of_scikit_learn_and_statsmodels_with_weights_too(seed: int) -> None:
    from sklearn.metrics import cohen_kappa_score
    from statsmodels.stats.inter_rater import cohens_kappa

    generator = np.random.default_rng(seed)
    first, second = generator.random(36) < 0.7, generator.random(36) < 0.6
    weights = generator.integers(1, 9, 36).astype(float)
    made = np.array([table_of(bool(a), bool(b)) for a, b in zip(first, second, strict=True)])
    plain = agreement(made, np.ones(36))
    assert plain.kappa == pytest.approx(cohen_kappa_score(first, second))
    assert plain.kappa == pytest.approx(cohens_kappa(made.sum(axis=0).reshape(2, 2)).kappa)
    assert agreement(made, weights).kappa == pytest.approx(
        cohen_kappa_score(first, second, sample_weight=weights)
    )


def test_the_interval_of_a_large_sample_is_the_asymptotic_one() -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    found, known = (
        agreement(tables(800, 100, 150, 950), np.ones(2000)),
        cohens_kappa(np.array([[800, 100], [150, 950]])),
    )
    assert found.kappa_low == pytest.approx(known.kappa_low, abs=0.004)
    assert found.kappa_high == pytest.approx(known.kappa_upp, abs=0.004)


def test_the_interval_of_the_share_is_wilsons() -> None:
    from statsmodels.stats.proportion import proportion_confint

    found = agreement(tables(30, 1, 1, 4), np.ones(36))
    assert (found.agreement_low, found.agreement_high) == pytest.approx(
        proportion_confint(34, 36, method="wilson")
    )


def test_weights_make_a_sample_worth_less() -> None:
    even = agreement(tables(30, 2, 2, 6), np.ones(40))
    weighted = agreement(tables(30, 2, 2, 6), np.array([1.0] * 35 + [20.0] * 5))
    assert weighted.agreement_high - weighted.agreement_low > even.agreement_high - even.agreement_low  # type: ignore[operator]


def test_kappa_of_raters_of_one_opinion_is_undefined_and_the_agreement_is_not() -> None:
    found = agreement(tables(36, 0, 0, 0), np.ones(36))
    assert (found.kappa, found.kappa_low, found.kappa_high, found.caveat) == (None, None, None, UNDEFINED)
    assert found.agreement == 1.0
    assert found.agreement_low == pytest.approx(0.9036, abs=1e-4)


def test_full_agreement_on_both_words_is_one_with_an_interval_below_it() -> None:
    found = agreement(tables(30, 0, 0, 6), np.ones(36))
    assert found.kappa == found.kappa_high == pytest.approx(1.0)
    assert 0.5 < found.kappa_low < 0.95  # type: ignore[operator]


def test_without_labels_there_is_nothing() -> None:
    assert agreement(np.zeros((0, 4)), np.zeros(0)).agreement is None


def test_a_word_that_hardly_anybody_said_is_a_caveat() -> None:
    assert agreement(tables(33, 1, 0, 2), np.ones(36)).caveat.startswith("only 2.5 traces")
    assert agreement(tables(30, 1, 1, 4), np.ones(36)).caveat == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kappa", "share", "least"), [(0.64, 0.1, 0.925), (0.86, 0.1, 0.91), (0.86, 0.2, 0.93), (0.3, 0.4, 0.925)]
)
def test_at_the_papers_size_the_interval_holds_the_truth(kappa: float, share: float, least: float) -> None:
    """n = 36, both raters say no as often; over 1,500 samples in which kappa is defined."""
    chance = share**2 + (1 - share) ** 2
    apart = (1 - (kappa * (1 - chance) + chance)) / 2
    cells = [1 - share - apart, apart, apart, share - apart]
    generator = np.random.default_rng(1)
    found = [
        agreement(tables(*map(int, drawn)), np.ones(36)) for drawn in generator.multinomial(36, cells, 1500)
    ]
    told = [one for one in found if one.kappa is not None]
    held = [one.kappa_low - 1e-9 <= kappa <= one.kappa_high + 1e-9 for one in told]  # type: ignore[operator]
    assert np.mean(held) >= least
