"""The month at which recall breaks: found where it was planted, and not where there is none."""

from __future__ import annotations

import math
from datetime import date

import numpy as np
import polars as pl
import pytest
from scipy.special import betaln

from neuter.scoring.recall import RecallScoring, score_recall
from neuter.scoring.recall.change_point import (
    Evidence,
    bayes_factor,
    error_classes,
    evidence,
    pooled,
    posterior,
)
from neuter.scoring.recall.effective_cutoff import LEAST_FACTOR

CUT = (2023 - 1970) * 12 + 9
MONTHS = np.arange(CUT - 405, CUT + 30)
CUTOFF = date(2023, 10, 1)


def planted(
    seed: int, *, months=MONTHS, share: float = 0.8, noise: float = 0.1, breaks: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    known = (rng.random(months.size) < share) & ((months < CUT) | (not breaks))
    return months, np.where(known, 0, np.abs(noise * rng.standard_normal(months.size)))


def of(month: np.ndarray, errors: np.ndarray) -> Evidence:
    return evidence(month, errors, np.zeros(month.size, dtype=np.bool_))


def test_evidence_is_the_ratio_of_beta_binomial_likelihoods() -> None:
    # Right, right, right, wrong, wrong, wrong: with a break at the fourth, B(3.5, .5)² / B(.5, .5)² to
    # B(3.5, 3.5) / B(.5, .5).
    errors = np.array([0.0, 0, 0, 1, 1, 1])
    found = of(np.arange(6), errors)
    expected = 2 * betaln(3.5, 0.5) - betaln(3.5, 3.5) - betaln(0.5, 0.5)
    assert found.log_ratio[3] == pytest.approx(expected)
    assert int(np.argmax(found.log_ratio)) == 3


def test_evidence_is_the_mean_of_all_classes_and_of_the_best_against_the_others() -> None:
    # Classes 0, 0, 1, 2, 3 with a break at the third, and the same as right, right, wrong, wrong, wrong.
    found = of(np.arange(5), np.array([0.0, 0, 1, 2, 3])).log_ratio[2]

    def marginal(counts: list[int]) -> float:
        kinds, n = len(counts), sum(counts)
        over = sum(math.lgamma(c + 0.5) - math.lgamma(0.5) for c in counts)
        return math.lgamma(kinds / 2) - math.lgamma(kinds / 2 + n) + over

    fine = marginal([2, 0, 0, 0]) + marginal([0, 1, 1, 1]) - marginal([2, 1, 1, 1])
    coarse = marginal([2, 0]) + marginal([0, 3]) - marginal([2, 3])
    assert found == pytest.approx(math.log((math.exp(fine) + math.exp(coarse)) / 2))


def test_only_a_worsening_counts() -> None:
    errors = np.array([1.0] * 30 + [0.0] * 30)
    assert bayes_factor(of(np.arange(60), errors)) == 0
    assert bayes_factor(of(np.arange(60), errors[::-1])) > 1e6


def test_errors_are_classed_as_none_and_thirds_of_the_others() -> None:
    assert error_classes(np.array([0.0, 5.0, 0.0, 1.0, 9.0])).tolist() == [0, 2, 0, 1, 3]
    # Noise that is never 0 is thirds alone, and one 0 among many is no class.
    assert np.bincount(error_classes(np.arange(1.0, 31))).tolist() == [0, 10, 10, 10]
    assert error_classes(np.append(0.0, np.arange(1.0, 100))).min() == 1


def test_the_interval_is_the_shortest_that_holds_95_percent() -> None:
    weights = np.array([0.02, 0.02, 0.9, 0.04, 0.02])
    found = Evidence(np.arange(100, 106), np.append(-np.inf, np.log(weights)))
    ends = posterior(found, 0.95)
    # 103 and 104 hold 94%; with 102 they hold 96%.
    assert (ends.month, ends.low, ends.high) == (103, 102, 104)
    assert posterior(found, 0.9).low == posterior(found, 0.9).high == 103
    even = Evidence(np.arange(100, 106), np.append(-np.inf, np.log([0.05, 0.25, 0.3, 0.2, 0.2])))
    assert posterior(even, 0.95).month == 103


def test_a_break_between_quarters_may_be_in_any_month_since_the_last_one() -> None:
    quarters = np.arange(0, 120, 3)
    errors = np.where(quarters < 60, 0.0, 1.0)
    ends = posterior(of(quarters, errors), 0.9)
    assert (ends.month, ends.low, ends.high) == (60, 58, 60)


def test_the_planted_month_is_held_and_found() -> None:
    told = [of(*planted(seed)) for seed in range(200)]
    assert min(bayes_factor(found) for found in told) > LEAST_FACTOR
    ends = [posterior(found, 0.95) for found in told]
    assert np.mean([end.low <= CUT <= end.high for end in ends]) >= 0.93
    assert abs(np.median([end.month for end in ends]) - CUT) <= 1


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_no_break_is_found_where_there_is_none(share) -> None:
    found = [bayes_factor(of(*planted(seed, share=share, breaks=False))) for seed in range(200)]
    assert np.mean(np.array(found) >= LEAST_FACTOR) <= 0.05


def test_errors_that_hang_together_are_not_taken_for_a_break() -> None:
    rng, found = np.random.default_rng(0), []
    for _ in range(200):
        drawn = rng.standard_normal(MONTHS.size)
        for at in range(1, drawn.size):
            drawn[at] = 0.7 * drawn[at - 1] + math.sqrt(1 - 0.49) * drawn[at]
        found.append(bayes_factor(of(MONTHS, np.abs(drawn))))
    assert np.mean(np.array(found) >= LEAST_FACTOR) <= 0.05


def test_refusals_that_set_in_are_a_break_and_refusals_that_cease_are_none() -> None:
    rng = np.random.default_rng(0)
    errors = np.abs(rng.standard_normal(MONTHS.size))
    late = (MONTHS >= CUT) & (rng.random(MONTHS.size) < 0.9)
    found = evidence(MONTHS, np.where(late, np.nan, errors), late)
    assert posterior(found, 0.95).low <= CUT <= posterior(found, 0.95).high
    early = MONTHS[200] > MONTHS
    assert bayes_factor(evidence(MONTHS, np.where(early, np.nan, errors), early)) < LEAST_FACTOR


def test_series_that_break_together_tell_more_together() -> None:
    quarters = MONTHS[::3]
    parts = [of(*planted(seed, months=quarters, share=0.5)) for seed in range(6)]
    parts.append(of(*planted(9, share=0.5)))
    alone = [posterior(part, 0.95) for part in parts]
    together = posterior(pooled(parts), 0.95)
    assert together.low <= CUT <= together.high
    assert together.high - together.low <= min(end.high - end.low for end in alone)


def test_the_table_has_the_month_as_a_decimal_year_beside_the_stated_cutoff(asked, months) -> None:
    days = months(435, 1990)
    rng = np.random.default_rng(0)
    frames = []
    for series in ("AAPL", "MSFT"):
        known = np.array([day < CUTOFF for day in days]) & (rng.random(435) < 0.9)
        number = np.where(known, 100.0, 100 + 10 * rng.standard_normal(435))
        frames.append(
            asked(
                id=[f"{series} {day}" for day in days],
                task="level",
                panel="month_end_closes",
                series=series,
                date=days,
                truth=100.0,
                number=list(number),
            )
        )
    scores = score_recall(pl.concat(frames), RecallScoring("stocks", "m", CUTOFF)).frame
    found = scores.filter(pl.col("metric") == "effective_cutoff")
    assert sorted(found["series"]) == ["AAPL", "MSFT", "all"]
    for row in found.iter_rows(named=True):
        assert row["baseline"] == 2023.75
        assert row["unit"] == "years"
        assert row["split"] == "all"
        assert row["ci_low"] <= 2023.75 <= row["ci_high"]
        assert abs(row["value"] - 2023.75) < 0.3
    assert found.filter(pl.col("series") == "all")["n"][0] == 870


@pytest.mark.parametrize("month", [2, 6])
def test_rounding_does_not_cut_off_a_month(asked, months, month) -> None:
    # A break in June 2024 is at 2024 5/12: an interval of that month alone must hold it.
    days = months(400, 2000)
    frame = asked(date=days, truth=1.0, number=[1.0 if day < date(2024, month, 1) else 2.0 for day in days])
    row = (
        score_recall(frame, RecallScoring("macro", "m", CUTOFF))
        .frame.filter(pl.col("metric") == "effective_cutoff")
        .row(0, named=True)
    )
    assert row["ci_low"] <= 2024 + (month - 1) / 12 <= row["ci_high"]
    assert row["ci_high"] - row["ci_low"] < 0.01


def test_no_break_is_empty_and_says_why(asked, months) -> None:
    same = score_recall(
        asked(date=months(60), truth=1.0, number=[1.0] * 60), RecallScoring("macro", "m", CUTOFF)
    )
    row = same.frame.filter(pl.col("metric") == "effective_cutoff").row(0, named=True)
    assert row["value"] is None
    assert any(text.startswith("recall breaks in no month") for text in same.caveats["text"])
    few = score_recall(asked(truth=1.0, number=[1.0] * 5), RecallScoring("macro", "m", CUTOFF))
    assert "only 5 questions: no break is looked for under 20" in few.caveats["text"].to_list()
