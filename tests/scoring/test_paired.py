"""Paired tests, by hand and by simulation."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

from neuter.errors import UsageError
from neuter.scoring import compare, holm
from neuter.scoring.paired import mcnemar_exact, sign_flip


def test_mcnemar_by_hand() -> None:
    assert mcnemar_exact(0, 0) == 1.0
    assert mcnemar_exact(5, 0) == pytest.approx(2 / 32)
    assert mcnemar_exact(1, 9) == pytest.approx(2 * 11 / 1024)
    assert mcnemar_exact(4, 4) == 1.0


def test_sign_flips_of_few_firms_are_all_tried() -> None:
    differences = np.array([2.0, 1.0, -1.0, 3.0, 0.0])
    moved = [2.0, 1.0, -1.0, 3.0]
    as_extreme = sum(
        abs(sum(s * d for s, d in zip(signs, moved, strict=True))) >= 5
        for signs in itertools.product([1, -1], repeat=4)
    )
    assert sign_flip(differences) == as_extreme / 16
    assert sign_flip(np.zeros(5)) == 1.0


def test_sign_flips_of_many_firms_agree_with_the_normal_limit() -> None:
    differences = np.array([1.0] * 60 + [-1.0] * 40)
    # z = 20 / sqrt(100) = 2, with the continuity of steps of 2: two-sided binomial(100, 1/2) tail at 60, 0.0569.
    assert sign_flip(differences, draws=20_000) == pytest.approx(0.0569, abs=0.006)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


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
    assert found.low is not None
    assert found.low < found.difference < (found.high or 0)


def test_firms_that_repeat_are_flipped_together() -> None:
    tickers = ["AAPL"] * 10 + ["MSFT"] * 10
    truth, series = frames([[1] * 20, [0] * 20, [0] * 20], tickers)
    first, second, third = compare(truth, series)
    assert first.test == "sign flips over firms"
    assert first.p_value == 0.5  # two firms: no more can be said, however many documents
    assert first.adjusted == second.adjusted == 1.0
    assert third.p_value == 1.0


def test_one_firm_and_no_document_give_no_p_value() -> None:
    truth, series = frames([[1, 1], [0, 1]], ["AAPL", "AAPL"])
    (found,) = compare(truth, series)
    assert (found.p_value, found.low, found.test) == (None, None, "one firm: no test")
    series["y"] = series["y"].with_columns(outcome=pl.lit("failed"))
    (empty,) = compare(truth, series)
    assert (empty.n, empty.difference, empty.p_value) == (0, None, None)


def test_an_unknown_metric_is_named() -> None:
    truth, series = frames([[1], [0]], ["AAPL"])
    with pytest.raises(UsageError, match="firm_accuracy"):
        compare(truth, series, metric="no_such")


def test_no_difference_is_rejected_in_about_five_percent() -> None:
    rejected = 0
    for seed in range(300):
        draw = np.random.default_rng(seed)
        rejected += sign_flip(draw.integers(-4, 5, 40).astype(float), seed=seed, draws=400) <= 0.05
    assert 0.02 <= rejected / 300 <= 0.09
