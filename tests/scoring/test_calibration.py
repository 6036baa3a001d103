"""Scores of stated confidence, by hand, against scikit-learn, and on respondents whose confidence is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from neuter.errors import UsageError
from neuter.scoring.calibration import (
    brier,
    confidence_calibration,
    expected_calibration_error,
    murphy,
    overconfidence,
    reliability_curve,
)
from neuter.scoring.statistics import firm_weights, share_interval, wilson

STATED = [0.9, 0.9, 0.9, 0.6, 0.6, 0.2]
RIGHT = [1, 1, 0, 1, 0, 0]


def answers(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A respondent that is right exactly as often as it says."""
    draw = np.random.default_rng(seed)
    stated = draw.random(n)
    return stated, (draw.random(n) < stated).astype(float)


def test_brier_by_hand() -> None:
    # By hand: (0.01 + 0.01 + 0.81 + 0.16 + 0.36 + 0.04) / 6
    assert brier(STATED, RIGHT) == pytest.approx(1.39 / 6)
    assert brier(STATED, RIGHT) == pytest.approx(brier_score_loss(RIGHT, STATED))
    assert brier([0.5], [True]) == 0.25
    assert overconfidence(STATED, RIGHT) == pytest.approx(4.1 / 6 - 0.5)


def test_percent_is_said_and_not_guessed() -> None:
    assert brier([90, 0.5], [1, 0], scale="percent") == pytest.approx((0.1**2 + 0.005**2) / 2)
    with pytest.raises(UsageError, match='scale="percent"'):
        brier([0.9, 90], [1, 0])
    with pytest.raises(UsageError, match="not within 0 and 100"):
        brier([101], [1], scale="percent")
    with pytest.raises(UsageError, match="share, percent"):
        brier([0.5], [1], scale="of ten")


def test_expected_calibration_error_by_hand() -> None:
    # Bins of 0.9, 0.6 and 0.2: (3 * |2/3 - 0.9| + 2 * |1/2 - 0.6| + 1 * 0.2) / 6
    assert expected_calibration_error(STATED, RIGHT) == pytest.approx((0.7 + 0.2 + 0.2) / 6)
    # One bin: the mean confidence against the share right.
    assert expected_calibration_error(STATED, RIGHT, bins=1) == pytest.approx(4.1 / 6 - 0.5)
    # Three of equal mass, with equal confidences together: 0.2 | 0.6 0.6 | 0.9 0.9 0.9.
    assert expected_calibration_error(STATED, RIGHT, bins=3, by="mass") == pytest.approx(
        (0.7 + 0.2 + 0.2) / 6
    )


def test_the_ends_of_the_scale_have_a_bin() -> None:
    curve = reliability_curve([0, 0.1, 0.3, 0.7, 1.0, 0.95], [0, 0, 0, 1, 1, 1])
    assert [(b.low, b.high, b.n) for b in curve] == [
        (0, 0, 1),
        (0.1, 0.1, 1),
        (0.3, 0.3, 1),
        (0.7, 0.7, 1),
        (0.95, 1, 2),
    ]
    by_percent = reliability_curve(range(101), [1] * 101, 100, scale="percent")
    assert [b.n for b in by_percent] == [1] * 99 + [2]  # 29% and the like are not put beside 28%


@pytest.mark.parametrize(("by", "strategy"), [("width", "uniform"), ("mass", "quantile")])
def test_the_reliability_curve_agrees_with_scikit_learn(by: str, strategy: str) -> None:
    stated, right = answers(1000, 1)
    theirs_right, theirs_stated = calibration_curve(right, stated, n_bins=10, strategy=strategy)
    curve = reliability_curve(stated, right, by=by)
    assert [b.share_right for b in curve] == pytest.approx(theirs_right.tolist())
    assert [b.mean_confidence for b in curve] == pytest.approx(theirs_stated.tolist())


def test_intervals_of_the_curve_are_wilsons_or_over_firms() -> None:
    stated, right = [0.9] * 40 + [0.1] * 40, ([1] * 4 + [1, 1, 0, 0]) * 5 + [0] * 40
    firms = [f"f{i // 4}" for i in range(80)]
    low, high = reliability_curve(stated, right)
    assert high.interval == wilson(30, 40)
    assert low.interval == wilson(0, 40)
    low, high = reliability_curve(stated, right, firms=firms, seed=3, draws=200)
    names = sorted({f"f{i}" for i in range(10)})
    sums = np.array([4.0 if int(name[1:]) % 2 == 0 else 2.0 for name in names])
    weights = firm_weights(names, seed=3, draws=200)
    assert high.interval == share_interval(sums, np.full(10, 4.0), weights)
    assert low.interval.method == "wilson over firms"
    alone = reliability_curve([0.9] * 5, [1, 0, 1, 1, 0], firms=[None, "", None, "a", "b"])
    assert alone[0].interval == wilson(3, 5)  # without a firm, each answer is of a firm of its own


def test_the_parts_of_the_brier_score_by_hand() -> None:
    # Distinct confidences: reliability (3 * (0.9 - 2/3)^2 + 2 * 0.1^2 + 0.2^2) / 6, base 0.5,
    # resolution (3 * (1/6)^2 + 0 + 0.25) / 6, uncertainty 0.25.
    parts = murphy(STATED, RIGHT)
    assert parts.reliability == pytest.approx((3 * (7 / 30) ** 2 + 0.02 + 0.04) / 6)
    assert parts.resolution == pytest.approx((3 / 36 + 0.25) / 6)
    assert parts.uncertainty == 0.25
    assert parts.within_bins == 0
    assert parts.brier == pytest.approx(parts.reliability - parts.resolution + parts.uncertainty)
    assert parts.brier == pytest.approx(1.39 / 6)


def test_what_binning_leaves_over_is_shown() -> None:
    stated, right = answers(500, 2)
    parts = murphy(stated, right, 5)
    whole = parts.reliability - parts.resolution + parts.uncertainty + parts.within_bins
    assert whole == pytest.approx(brier(stated, right))
    # Within a bin 0.2 wide: the variance of the confidence less twice its covariance with the outcome, 0.04 / 12.
    assert parts.within_bins == pytest.approx(-0.04 / 12, abs=0.003)


def test_a_calibrated_respondent_is_found_calibrated_and_an_overconfident_one_not() -> None:
    stated, right = answers(20_000, 3)
    assert expected_calibration_error(stated, right) < 0.02
    assert overconfidence(stated, right) == pytest.approx(0, abs=0.01)
    assert expected_calibration_error(np.sqrt(stated), right) == pytest.approx(2 / 3 - 1 / 2, abs=0.02)
    few = [expected_calibration_error(*answers(100, seed)) for seed in range(200)]
    assert np.mean(few) == pytest.approx(0.1, abs=0.02)  # as its docstring says


def test_confidence_calibration_is_pearsons_and_empty_where_constant() -> None:
    stated, errors = [90, 50, 70, 20], [0.1, 2.0, 0.5, 9.0]
    assert confidence_calibration(stated, errors, scale="percent") == pytest.approx(
        pearsonr(stated, errors)[0]
    )
    assert confidence_calibration([0.9, 0.9, 0.9], [1, 0, 1]) is None
    assert confidence_calibration([0.9, 0.1], [1, 1]) is None
    assert confidence_calibration([0.9], [1]) is None
    assert confidence_calibration([], []) is None


def test_an_answer_without_a_confidence_takes_no_part() -> None:
    stated, right = [0.9, np.nan, 0.2], [1, 0, 0]
    assert brier(stated, right) == pytest.approx((0.01 + 0.04) / 2)
    assert confidence_calibration([0.9, None, 0.2], [1, 0, 0]) == pytest.approx(1)
    curve = reliability_curve(stated, right, firms=["a", "b", "c"])
    assert [b.n for b in curve] == [1, 1]
    assert curve[0].interval.caveat == "one firm: no interval over firms"


def test_no_answer_gives_nothing() -> None:
    for score in (brier, overconfidence, expected_calibration_error, murphy):
        assert score([], []) is None
        assert score([np.nan], [1]) is None
    assert reliability_curve([], []) == []


@pytest.mark.parametrize(
    ("stated", "right", "complaint"),
    [
        ([0.5, 0.5], [1], "do not belong together"),
        ([0.5], [0.7], "neither 0 nor 1"),
        ([-0.1], [1], "not within"),
        ([np.inf], [1], "not within"),
    ],
)
def test_what_cannot_be_scored_is_refused(stated: list[float], right: list[float], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        brier(stated, right)


def test_bins_and_firms_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        expected_calibration_error([0.5], [1], bins=0)
    with pytest.raises(UsageError, match="width, mass"):
        expected_calibration_error([0.5], [1], by="size")
    with pytest.raises(UsageError, match="2 firms for 1 answers"):
        reliability_curve([0.5], [1], firms=["a", "b"])
