"""Mean so far, AR(1), returns from closes: right values, and nothing that was not known on the day."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

from neuter.scoring.recall import RecallScoring, score_recall
from neuter.scoring.recall.naive import LEAST_HISTORY, History, ar1_forecast, mean_so_far, monthly_returns

HOW = RecallScoring("macro", "m", date(2023, 10, 1))


def values(n: int, seed: int = 0) -> np.ndarray:
    rng, found = np.random.default_rng(seed), [0.0]
    for _ in range(n - 1):
        found.append(2 + 0.7 * found[-1] + rng.standard_normal())
    return np.array(found)


def test_the_mean_is_of_what_was_known() -> None:
    told = np.arange(1.0, 21.0)
    found = mean_so_far(told, np.array([LEAST_HISTORY - 1, LEAST_HISTORY, 20]))
    assert np.isnan(found[0])
    assert found[1] == pytest.approx(6.5)
    assert found[2] == pytest.approx(10.5)


def test_ar1_is_least_squares_on_the_pairs_known_then() -> None:
    told = values(60)
    for before in (12, 30, 60):
        known = told[:before]
        slope, intercept = np.polyfit(known[:-1], known[1:], 1)
        forecast = ar1_forecast(told, np.array([before]))[0]
        assert forecast == pytest.approx(intercept + slope * known[-1], rel=1e-9)


def test_ar1_of_a_constant_is_the_constant_and_of_large_values_loses_no_digits() -> None:
    assert ar1_forecast(np.full(20, 5.0), np.array([20]))[0] == 5
    told = values(60)
    shifted = ar1_forecast(told + 1e6, np.array([60]))[0] - 1e6
    assert shifted == pytest.approx(ar1_forecast(told, np.array([60]))[0], abs=1e-6)


def test_no_baseline_uses_a_later_value(asked, months) -> None:
    told = values(40)
    later = told.copy()
    later[30:] += 100
    for name in ("mean", "ar1", "previous", "year_ago"):
        found = []
        for series in (told, later):
            frame = asked(
                truth=[None] * 30 + [float(told[30])] + [None] * 9,
                number=[None] * 30 + [1.0] + [None] * 9,
                previous=[None] * 30 + [float(told[29])] + [None] * 9,
                year_ago=[None] * 30 + [float(told[18])] + [None] * 9,
            )
            history = pl.DataFrame({"date": months(40), "value": [*series[:30], told[30], *series[31:]]})
            scores = score_recall(frame, HOW, {"s": history}).frame
            found.append(
                scores.filter(pl.col("attacker") == name, pl.col("metric") == "mean_error")["value"][0]
            )
        assert found[0] is not None
        assert found[0] == found[1]


def test_monthly_returns_are_from_month_end_to_month_end() -> None:
    days = ["2020-01-30", "2020-01-31", "2020-02-03", "2020-02-28", "2020-04-30"]
    at = np.array(days, dtype="datetime64[D]").astype(np.int64)
    close = np.array([90.0, 100.0, 150.0, 110.0, 121.0])
    firsts, ends = monthly_returns(History(at, close, close))
    assert firsts.value[0] == pytest.approx(10)
    assert np.isnan(firsts.value[1])  # March is missing: no return of April
    assert str(firsts.date[0].astype("datetime64[D]")) == "2020-02-01"
    assert ends.date[0] == at[3]


def test_baselines_of_returns_come_from_closes(asked, months) -> None:
    rng = np.random.default_rng(0)
    closes = np.round(100 * np.exp(np.cumsum(rng.normal(0, 0.05, 31))), 6)
    returns = 100 * (closes[1:] / closes[:-1] - 1)
    starts = months(31)
    ends = [date(day.year, day.month, 28) for day in starts]
    frame = asked(
        task="return", panel="monthly_returns", date=starts[1:], truth=list(returns), number=[0.5] * 30
    )
    scores = score_recall(frame, HOW, {"s": pl.DataFrame({"date": ends, "value": closes})}).frame
    mean = scores.filter(pl.col("attacker") == "mean", pl.col("metric") == "mean_percent_error").row(
        0, named=True
    )
    # Twelve returns must be known: the 13th to the 30th have a mean.
    assert mean["n"] == 18
    expected = np.mean([returns[:k].mean() - returns[k] for k in range(12, 30)])
    assert mean["value"] == pytest.approx(expected, abs=1e-6)


def test_closes_of_last_year_and_means_are_in_todays_shares(asked, months) -> None:
    # Traded 400 throughout, 100 after a split of four for one in month 24; the adjusted close is 100.
    n = 30
    traded = [400.0] * 24 + [100.0] * 6
    history = pl.DataFrame({"date": months(n), "value": traded, "other": [100.0] * n})
    frame = asked(
        task="level",
        panel="month_end_closes",
        truth=traded,
        other=[100.0] * n,
        other_reading="split_adjusted",
        previous=[None, *traded[:-1]],
        previous_other=[None] + [100.0] * (n - 1),
        year_ago=[None] * 12 + traded[:-12],
        number=traded,
    )
    scores = score_recall(frame, HOW, {"s": history}).frame
    for name in ("mean", "previous", "year_ago", "ar1"):
        found = scores.filter(
            pl.col("attacker") == name,
            pl.col("metric") == "mean_absolute_percent_error",
            pl.col("split") == "all",
        )
        assert found["value"][0] == pytest.approx(0, abs=1e-9), name


def test_firms_have_their_own_history(asked, months) -> None:
    days = months(20)
    history = pl.concat(
        pl.DataFrame({"date": days, "value": [base] * 20, "cluster": firm})
        for firm, base in (("A", 10.0), ("B", 50.0))
    )
    frame = asked(
        task="level",
        panel="month_end_closes",
        series="Small",
        date=[*days, *days],
        cluster=["A"] * 20 + ["B"] * 20,
        truth=[10.0] * 20 + [50.0] * 20,
        number=[10.0] * 20 + [50.0] * 20,
    )
    scores = score_recall(frame, HOW, {"Small": history}).frame
    mean = scores.filter(pl.col("attacker") == "mean", pl.col("metric") == "mean_absolute_percent_error")
    assert mean["value"][0] == 0
    assert mean["n"][0] == 2 * (20 - LEAST_HISTORY)
