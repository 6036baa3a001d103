"""Paired tests, by hand and by simulation."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest, permutation_test
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from neuter.errors import UsageError
from neuter.scoring import compare, holm
from neuter.scoring.paired import mcnemar_exact, mcnemar_mid_p, sign_flip
from neuter.scoring.statistics import wilson


def test_mcnemar_by_hand() -> None:
    assert mcnemar_exact(0, 0) == 1.0
    assert mcnemar_exact(5, 0) == pytest.approx(2 / 32)
    assert mcnemar_exact(1, 9) == pytest.approx(2 * 11 / 1024)
    assert mcnemar_exact(4, 4) == 1.0


@pytest.mark.parametrize(("first", "second"), [(1, 9), (12, 5), (0, 6), (7, 7), (130, 101)])
def test_mcnemar_agrees_with_statsmodels_and_scipy(first: int, second: int) -> None:
    theirs = mcnemar([[0, first], [second, 0]], exact=True).pvalue
    assert mcnemar_exact(first, second) == pytest.approx(min(1.0, theirs), abs=1e-12)
    assert mcnemar_exact(first, second) == pytest.approx(binomtest(first, first + second).pvalue, abs=1e-12)


def test_mid_p_by_hand() -> None:
    # 1 against 9: 2 * (1 + 10 / 2) / 1024. As many on either side: nothing is more extreme, so 1.
    assert mcnemar_mid_p(1, 9) == pytest.approx(12 / 1024)
    assert mcnemar_mid_p(9, 1) == mcnemar_mid_p(1, 9)
    assert mcnemar_mid_p(0, 5) == pytest.approx(1 / 32)
    assert mcnemar_mid_p(4, 4) == pytest.approx(1.0)
    assert mcnemar_mid_p(0, 0) == 1.0


def test_sign_flips_of_few_firms_are_all_tried() -> None:
    differences = np.array([2.0, 1.0, -1.0, 3.0, 0.0])
    moved = [2.0, 1.0, -1.0, 3.0]
    as_extreme = sum(
        abs(sum(s * d for s, d in zip(signs, moved, strict=True))) >= 5
        for signs in itertools.product([1, -1], repeat=4)
    )
    assert sign_flip(differences) == as_extreme / 16
    assert sign_flip(np.zeros(5)) == 1.0


def test_sign_flips_of_whole_sums_are_counted_out_however_many() -> None:
    # One document apart a firm: the sign test, which is binomial.
    differences = np.array([1.0] * 60 + [-1.0] * 40)
    assert sign_flip(differences) == pytest.approx(binomtest(60, 100).pvalue, rel=1e-9)
    assert sign_flip(3 * differences) == pytest.approx(binomtest(60, 100).pvalue, rel=1e-9)
    assert 0 < sign_flip(np.full(3000, 8.0)) < 1e-300


def test_sign_flips_agree_with_scipy() -> None:
    draw = np.random.default_rng(5)
    for differences in (draw.integers(-4, 6, 12).astype(float), draw.normal(0.3, 1, 12)):
        theirs = permutation_test(
            (differences,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
        )
        assert sign_flip(differences) == pytest.approx(theirs.pvalue, rel=1e-9)


def test_sign_flips_at_random_agree_with_those_counted_out() -> None:
    differences = np.random.default_rng(6).integers(-4, 6, 40).astype(float)
    assert sign_flip(differences / 3, draws=20_000) == pytest.approx(sign_flip(differences), abs=0.01)
    assert sign_flip(np.full(40, 0.3), draws=999) == 1 / 1000  # never 0
    tied = np.array(
        [0.3, -0.4, -0.4, -0.9, -0.8, -0.9, -0.6, 0.6, 0.3]
    )  # added up in another order, as far is a hair less far
    assert sign_flip(tied) == sign_flip(np.round(10 * tied))


def test_a_difference_that_is_no_number_is_refused() -> None:
    with pytest.raises(UsageError, match="finite"):
        sign_flip(np.array([1.0, np.nan]))


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
    p_values = [0.012, 0.2, 0.001, 0.04, 0.04]
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def frames(right: list[list[int]], tickers: list[str]) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    ids = [str(i) for i in range(len(tickers))]
    truth = pl.DataFrame({"id": ids, "ticker": tickers})
    made = {
        name: pl.DataFrame(
            {
                "id": ids,
                "scheme": name,
                "attacker": "a",
                "model": "m",
                "outcome": "answered",
                "firm": [t if r else "ZZZZQ" for t, r in zip(tickers, flags, strict=True)],
            }
        )
        for name, flags in zip("xyz", right, strict=False)
    }
    return truth, made


def test_schemes_are_compared_on_shared_documents() -> None:
    tickers = ["AAPL", "MSFT", "F", "GM", "KO", "PEP", "T", "V"]
    truth, series = frames([[1] * 8, [1, 1, 0, 0, 0, 0, 0, 0]], tickers)
    series["y"] = series["y"].filter(pl.col("id") != "0")
    (found,) = compare(truth, series)
    assert (found.n, found.firms, found.test) == (7, 7, "exact McNemar")
    assert found.first_accuracy == 100.0
    assert found.difference == pytest.approx(600 / 7)
    assert found.p_value == found.adjusted == pytest.approx(2 / 64)
    assert found.mid_p == pytest.approx(1 / 64)
    assert found.low is not None
    assert found.low < found.difference < (found.high or 0)


def test_firms_that_repeat_are_flipped_together() -> None:
    tickers = ["AAPL"] * 10 + ["MSFT"] * 10
    truth, series = frames([[1] * 20, [0] * 20, [0] * 20], tickers)
    first, second, third = compare(truth, series)
    assert first.test == "sign flips over firms"
    assert first.mid_p is None
    assert first.p_value == 0.5  # two firms: no more can be said, however many documents
    assert first.adjusted == second.adjusted == 1.0
    assert third.p_value == 1.0


def test_one_firm_and_no_document_give_no_p_value() -> None:
    truth, series = frames([[1, 1], [0, 1]], ["AAPL", "AAPL"])
    (found,) = compare(truth, series)
    assert (found.p_value, found.low, found.test) == (None, None, "one firm: no test")
    assert (found.mid_p, found.caveat) == (None, "one firm: no interval over firms")
    series["y"] = series["y"].with_columns(outcome=pl.lit("failed"))
    (empty,) = compare(truth, series)
    assert (empty.n, empty.difference, empty.p_value) == (0, None, None)


def test_an_unknown_metric_is_named() -> None:
    truth, series = frames([[1], [0]], ["AAPL"])
    with pytest.raises(UsageError, match="firm_accuracy"):
        compare(truth, series, metric="no_such")


def test_schemes_that_never_or_always_differ_have_an_interval_of_some_width() -> None:
    tickers = ["AAPL", "AAPL", "MSFT", "MSFT", "F", "F", "GM", "GM"]
    truth, series = frames([[1] * 8, [0] * 8, [0] * 8], tickers)
    apart, _, alike = compare(truth, series)
    reach = 100 * wilson(0, 4).high  # four firms, none of which saw otherwise
    assert (alike.difference, alike.low, alike.high) == (0, pytest.approx(-reach), pytest.approx(reach))
    assert alike.caveat == "the two agree on every document"
    assert (alike.p_value, alike.detectable) == (1.0, None)
    assert (apart.difference, apart.low, apart.high) == (100, pytest.approx(100 - 2 * reach), 100)
    assert apart.p_value == 2 / 16


def test_an_interval_of_a_difference_ends_where_differences_do() -> None:
    tickers = ["AAPL", "AAPL", "MSFT", "MSFT", "F", "F"]
    truth, series = frames([[1] * 6, [0, 0, 0, 0, 0, 1]], tickers)
    (found,) = compare(truth, series)
    assert found.high == 100
    assert found.caveat == "only 3 firms"


def test_differences_that_cancel_within_each_firm_say_so() -> None:
    truth, series = frames([[1, 0] * 3, [0, 1] * 3], ["AAPL", "AAPL", "MSFT", "MSFT", "F", "F"])
    (found,) = compare(truth, series)
    assert (found.difference, found.low, found.high, found.p_value) == (0, None, None, 1.0)
    assert "no firm differs" in found.caveat


def test_no_difference_is_rejected_in_about_five_percent() -> None:
    draw = np.random.default_rng(0)
    flipped = [sign_flip(draw.integers(-4, 5, 40).astype(float)) <= 0.05 for _ in range(2000)]
    assert 0.03 <= np.mean(flipped) <= 0.07
    pairs = [draw.multinomial(480, [0.12, 0.12, 0.76])[:2].tolist() for _ in range(2000)]
    assert 0.03 <= np.mean([mcnemar_mid_p(*pair) <= 0.05 for pair in pairs]) <= 0.07
    assert np.mean([mcnemar_exact(*pair) <= 0.05 for pair in pairs]) <= 0.05
