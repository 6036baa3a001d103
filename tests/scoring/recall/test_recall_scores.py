"""score_recall as the suites call it: rows, splits, counts and values worked by hand."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

from neuter.errors import UsageError
from neuter.scoring.recall import RecallScoring, score_recall
from neuter.scoring.table import SCORES_SCHEMA

CUTOFF = date(2023, 10, 1)
HOW = RecallScoring("macro", "m", CUTOFF)


def row(frame: pl.DataFrame, metric: str, *, split: str = "all", attacker: str = "llm", **more: str) -> dict:
    wanted = {"metric": metric, "split": split, "attacker": attacker, **more}
    found = frame.filter(*(pl.col(name) == value for name, value in wanted.items()))
    assert found.height == 1, (wanted, found.height)
    return found.row(0, named=True)


def test_rates_by_hand(asked) -> None:
    # Errors 0, +0.5, −1, 0; the third is refused in place of the fifth.
    frame = asked(
        truth=[2.0, 3.0, 2.5, 4.0, 1.0],
        number=[2.0, 3.5, 1.5, 4.0, None],
        previous=[1.0, 2.0, 3.0, 2.5, 4.0],
        threshold=2.5,
        digits=1,
        confidence=[90, 50, 40, 90, None],
    )
    scored = score_recall(frame, HOW).frame
    assert scored.columns == list(SCORES_SCHEMA)
    mean = row(scored, "mean_error")
    assert (mean["value"], mean["unit"], mean["n"]) == (pytest.approx(-0.125), "percentage_points", 4)
    assert (mean["answered"], mean["refused"]) == (4, 1)
    assert (mean["first_date"], mean["last_date"]) == (date(2000, 1, 1), date(2000, 4, 1))
    # The mean of 2, 3, 2.5 and 4 is 2.875: off by 0.875, 0.125, 0.375 and 1.125.
    assert row(scored, "mean_absolute_error")["value"] == pytest.approx(0.375)
    assert row(scored, "mean_absolute_error")["baseline"] == pytest.approx(0.625)
    # Strictly above 2.5: truths no, yes, no, yes; estimates no, yes, no, yes. Half are above.
    assert row(scored, "directional_accuracy")["value"] == 100
    assert row(scored, "directional_accuracy")["baseline"] == 50
    # The first is left out; 3.5 rises from 2 as 3 does, 1.5 falls from 3 as 2.5 does, 4 rises from 2.5.
    change = row(scored, "directional_accuracy_change")
    assert (change["value"], change["n"]) == (100, 3)
    assert change["baseline"] == pytest.approx(100 * 2 / 3)
    assert row(scored, "exact_share")["value"] == 50
    assert row(scored, "within_1_percent")["value"] == 50
    assert row(scored, "refusals")["value"] == 1
    assert row(scored, "refusals")["n"] == 5
    assert row(scored, "refusal_share")["value"] == 20
    # Confidence 90, 50, 40, 90 with errors 0, 0.5, 1, 0: r = −36.25 / √(2075 · 0.6875).
    assert row(scored, "confidence_calibration")["value"] == pytest.approx(-0.95976, abs=1e-5)


def test_unanswered_questions_are_wrong_then_right_in_the_bounds(asked) -> None:
    frame = asked(
        truth=[1.0, 2.0, 3.0, 4.0], number=[1.0, 2.0, None, 9.0], previous=[0.0, 1.0, 2.0, 3.0], digits=0
    )
    scored = score_recall(frame, HOW).frame
    values = {end: row(scored, f"exact_share{end}")["value"] for end in ("", "_all", "_low", "_high")}
    assert values == {"": pytest.approx(200 / 3), "_all": 50, "_low": 50, "_high": 75}
    assert row(scored, "exact_share_low")["n"] == 4
    # Of a change the first question is left out: one of three answered wrongly or not at all, and two right.
    assert row(scored, "directional_accuracy_change")["n"] == 2
    assert row(scored, "directional_accuracy_change_low")["n"] == 3
    assert row(scored, "directional_accuracy_change_low")["value"] == pytest.approx(200 / 3)


def test_percent_errors_leave_out_an_actual_value_of_zero_and_say_so(asked) -> None:
    frame = asked(task="level", panel="levels", truth=[100.0, -50.0, 0.0], number=[110.0, -60.0, 5.0])
    scored = score_recall(frame, HOW)
    mean = row(scored.frame, "mean_percent_error")
    # (110 − 100) / 100 and (−60 + 50) / −50.
    assert (mean["value"], mean["n"], mean["unit"]) == (pytest.approx(15), 2, "percent")
    told = scored.caveats.filter(pl.col("metric") == "mean_percent_error")["text"].to_list()
    assert "left out because the actual value is 0: 1 answers" in told


def test_splits_part_at_the_cutoff_and_recent_is_the_end_of_pre(asked) -> None:
    frame = asked(
        truth=[1.0] * 4,
        number=[1.0, 2.0, 3.0, 4.0],
        date=[date(2014, 12, 31), date(2015, 1, 1), date(2023, 9, 30), date(2023, 10, 1)],
    )
    scored = score_recall(frame, RecallScoring("macro", "m", CUTOFF, date(2015, 1, 1))).frame
    means = {
        split: row(scored, "mean_error", split=split)["value"] for split in ("all", "pre", "recent", "post")
    }
    assert means == {"all": 1.5, "pre": 1.0, "recent": 1.5, "post": 3.0}
    assert not score_recall(frame, HOW).frame.filter(pl.col("split") == "recent").height


def test_returns_are_in_points_by_default_and_relative_on_request(asked) -> None:
    frame = asked(task="return", panel="monthly_returns", truth=[2.0, -4.0], number=[3.0, 4.0])
    points = score_recall(frame, HOW).frame
    assert row(points, "mean_percent_error")["value"] == pytest.approx(4.5)
    assert row(points, "mean_percent_error")["unit"] == "percentage_points"
    relative = score_recall(frame, RecallScoring("indices", "m", CUTOFF, returns="relative")).frame
    assert row(relative, "mean_percent_error")["value"] == pytest.approx((50 - 200) / 2)
    assert row(relative, "mean_percent_error")["unit"] == "percent"
    # The sign of a return is its direction: no first point is left out.
    assert row(points, "directional_accuracy_change")["value"] == 50
    assert row(points, "directional_accuracy_change")["n"] == 2


def test_words_have_accuracy_and_always_up_beside(asked) -> None:
    frame = asked(
        task="direction",
        panel="monthly_directions",
        truth_word=["up", "down", "up", "up", "down"],
        word=["UP", "down", "down", "up", None],
        confidence=[80, 70, 60, 90, None],
    )
    scored = score_recall(frame, HOW).frame
    accuracy = row(scored, "accuracy")
    assert (accuracy["value"], accuracy["baseline"], accuracy["n"]) == (75, 75, 4)
    assert row(scored, "accuracy_low")["value"] == 60
    assert row(scored, "accuracy_high")["value"] == 80
    assert row(scored, "accuracy", attacker="always_up")["value"] == 75
    assert row(scored, "accuracy", attacker="always_up")["model"] == "m"
    assert row(scored, "skill_over_always_up")["value"] == 0
    assert row(scored, "confidence_calibration")["value"] > 0


def test_dates_of_headlines_by_hand(asked) -> None:
    true = [date(2010, 3, 5), date(2011, 3, 5), date(2012, 3, 5)]
    frame = asked(
        task="date_level",
        panel="headline_levels",
        date=true,
        truth_date=true,
        truth=[100.0, 200.0, 300.0],
        day=[date(2010, 3, 5), date(2011, 3, 1), None],
        number=[101.0, None, 300.0],
        outcome=["answered", "answered", "answered"],
        confidence=[90, 50, 70],
    )
    scored = score_recall(frame, HOW).frame
    assert row(scored, "mean_days_difference")["value"] == -2
    assert row(scored, "mean_absolute_days_difference")["value"] == 2
    assert row(scored, "year_accuracy")["value"] == 100
    assert row(scored, "exact_date_accuracy")["value"] == 50
    assert row(scored, "exact_date_accuracy_low")["value"] == pytest.approx(100 / 3)
    assert row(scored, "mean_absolute_percent_error")["value"] == pytest.approx(0.5)
    assert row(scored, "mean_absolute_percent_error")["n"] == 2


def test_a_model_that_remembers_adjusted_prices_is_closer_to_them(asked) -> None:
    frame = asked(
        task="level",
        panel="month_end_closes",
        truth=[400.0, 404.0, 100.0],
        other=[100.0, 101.0, 100.0],
        other_reading="split_adjusted",
        number=[100.0, 101.0, 100.0],
    )
    scored = score_recall(frame, HOW).frame
    closer = row(scored, "closer_to_split_adjusted")
    assert (closer["value"], closer["n"]) == (100, 2)
    assert row(scored, "mean_absolute_percent_error_split_adjusted")["value"] == 0
    assert row(scored, "mean_absolute_percent_error")["value"] == pytest.approx(50)


def test_a_split_is_no_change_of_price(asked) -> None:
    # 400 before a split of four for one, then 104: it rose from 100.
    frame = asked(
        task="level",
        panel="month_end_closes",
        truth=[400.0, 104.0],
        other=[100.0, 104.0],
        other_reading="split_adjusted",
        previous=[390.0, 400.0],
        previous_other=[97.5, 100.0],
        number=[400.0, 105.0],
    )
    scored = score_recall(frame, HOW).frame
    assert row(scored, "directional_accuracy_change")["value"] == 100
    assert row(scored, "directional_accuracy_change", attacker="always_up")["value"] == 100
    assert row(scored, "mean_absolute_percent_error", attacker="previous")["n"] == 2
    # |390/400 − 1| and |100/104 − 1|.
    assert row(scored, "mean_absolute_percent_error", attacker="previous")["value"] == pytest.approx(
        3.1731, abs=1e-3
    )


def test_changes_can_be_taken_from_the_previous_estimate(asked) -> None:
    frame = asked(truth=[1.0, 2.0, 3.0, 2.0], previous=[0.0, 1.0, 2.0, 3.0], number=[5.0, 4.0, None, 4.5])
    actual = score_recall(frame, HOW).frame
    # From the actual values 4 rises (as 2 does) and 4.5 rises (where 2 falls).
    assert row(actual, "directional_accuracy_change")["value"] == 50
    estimate = score_recall(frame, RecallScoring("macro", "m", CUTOFF, change="previous_estimate")).frame
    # From the estimates: 4 falls (2 rises), 4.5 rises from 4 while 2 = 2: both wrong.
    assert row(estimate, "directional_accuracy_change")["value"] == 0
    assert row(estimate, "directional_accuracy_change")["n"] == 2


def test_baselines_stand_on_the_answered_dates_and_skill_compares_with_them(asked, months) -> None:
    history = pl.DataFrame({"date": months(30), "value": [float(k % 4) for k in range(30)]})
    frame = asked(
        truth=history["value"].to_list(),
        number=[None] * 20 + [v + 0.5 for v in history["value"].to_list()[20:]],
        previous=[None, *history["value"].to_list()[:-1]],
    )
    scored = score_recall(frame, HOW, {"s": history}).frame
    previous = row(scored, "mean_absolute_error", attacker="previous")
    # Months 20 to 29: from 3 to 0 is 3 off, at 20, 24 and 28; else 1.
    assert (previous["value"], previous["n"]) == (pytest.approx((3 * 3 + 7) / 10), 10)
    assert row(scored, "skill_over_previous")["value"] == pytest.approx(1 - 0.5 / 1.6)
    assert row(scored, "mean_absolute_error", attacker="mean")["n"] == 10
    assert previous["first_date"] == date(2001, 9, 1)


def test_a_history_of_something_else_gives_no_baseline(asked, months) -> None:
    history = pl.DataFrame({"date": months(30), "value": [1000.0 + k for k in range(30)]})
    frame = asked(truth=[float(k % 4) for k in range(30)], number=[1.0] * 30)
    scored = score_recall(frame, HOW, {"s": history})
    assert not scored.frame.filter(pl.col("attacker").is_in(["mean", "ar1"])).height
    assert (
        "the history is not of the values asked about: no baselines mean and ar1"
        in scored.caveats["text"].to_list()
    )


def test_firms_are_drawn_where_points_belong_to_firms(asked, months) -> None:
    days = [day for day in months(12) for _ in range(40)]
    firms = [f"F{k:02d}" for _ in range(12) for k in range(40)]
    known = [k % 2 == 0 for _ in range(12) for k in range(40)]
    frame = asked(
        task="level",
        panel="month_end_closes",
        series="Small",
        date=days,
        cluster=firms,
        truth=[100.0] * 480,
        previous=[99.0] * 480,
        digits=2,
        number=[100.0 if k else 90.0 for k in known],
    )
    scored = score_recall(frame, HOW).frame
    exact = row(scored, "exact_share")
    assert exact["value"] == 50
    # 40 firms of which half know all: as 40 independent answers, not 480.
    assert exact["ci_high"] - exact["ci_low"] > 25
    # Each firm's first month is left out.
    assert row(scored, "directional_accuracy_change")["n"] == 440


def test_two_answers_have_no_interval_and_a_constant_confidence_no_correlation(asked) -> None:
    few = score_recall(asked(truth=[1.0, 2.0], number=[1.0, 2.5], confidence=[50, 60]), HOW)
    assert row(few.frame, "mean_error")["ci_low"] is None
    assert row(few.frame, "confidence_calibration")["value"] is None
    assert few.caveats.filter(pl.col("text").str.contains("only 2 answers")).height
    same = score_recall(asked(truth=[1.0, 2.0, 3.0], number=[1.0, 2.5, 3.0], confidence=90), HOW)
    assert row(same.frame, "confidence_calibration")["value"] is None
    assert "the confidence is 90 throughout: no correlation" in same.caveats["text"].to_list()


def test_nothing_asked_gives_an_empty_table(asked) -> None:
    scored = score_recall(asked(truth=[1.0], number=[1.0]).clear(), HOW)
    assert scored.frame.height == 0
    assert scored.frame.columns == list(SCORES_SCHEMA)


def test_an_infinite_number_is_no_answer(asked) -> None:
    scored = score_recall(asked(truth=[1.0, 2.0], number=[float("inf"), 2.0]), HOW)
    assert row(scored.frame, "mean_error")["n"] == 1
    assert (
        "left out because their value is not of the kind asked for: 1 answers"
        in scored.caveats["text"].to_list()
    )


def test_a_series_scores_the_same_whatever_else_is_scored_and_in_any_order(asked) -> None:
    one = asked(truth=[float(k) for k in range(1, 25)], number=[k + 0.3 * (k % 3) for k in range(1, 25)])
    other = one.with_columns(pl.lit("t").alias("series"), ("x" + pl.col("id")).alias("id"))
    alone = score_recall(one, HOW).frame
    both = score_recall(pl.concat([other, one]).sample(fraction=1, shuffle=True, seed=1), HOW).frame
    assert both.filter(pl.col("series") == "s").equals(alone)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": ["a", "a"]}, "there twice"),
        ({"model": ["m", "n"]}, "more than one model"),
        ({"task": ["rate", "guess"]}, "the task 'guess'"),
        ({"outcome": ["answered", "lost"]}, "the outcome 'lost'"),
        ({"task": ["rate", "level"]}, "the tasks level, rate in one series"),
        ({"date": [date(2000, 1, 1), None]}, "without a date"),
    ],
)
def test_what_cannot_be_scored_is_refused_by_name(asked, change, message) -> None:
    with pytest.raises(UsageError, match=message):
        score_recall(asked(**({"truth": [1.0, 2.0], "number": [1.0, 2.0]} | change)), HOW)


def test_a_missing_column_and_unknown_options_are_named(asked) -> None:
    with pytest.raises(UsageError, match="without truth"):
        score_recall(asked(truth=[1.0], number=[1.0]).drop("truth"), HOW)
    with pytest.raises(UsageError, match="unknown change 'both'"):
        RecallScoring("macro", "m", CUTOFF, change="both")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="at a level of 95"):
        RecallScoring("macro", "m", CUTOFF, level=95)


def test_unchanged_is_a_direction_of_its_own(asked) -> None:
    # Truth falls, stays, stays; the estimates stay, stay, rise from the actual value before.
    frame = asked(truth=[1.0, 0.0, 0.0, 0.0], previous=[1.0, 1.0, 0.0, 0.0], number=[1.0, 1.0, 0.0, 0.5])
    found = row(score_recall(frame, HOW).frame, "directional_accuracy_change")
    assert (found["value"], found["n"]) == (pytest.approx(100 / 3), 3)
    assert found["baseline"] == pytest.approx(200 / 3)


def test_halfway_between_two_readings_is_closer_to_neither(asked) -> None:
    frame = asked(
        task="level",
        panel="levels",
        truth=[40.0, 40.0],
        other=[10.0, 10.0],
        other_reading="latest",
        number=[20.0, 12.0],
    )
    found = row(score_recall(frame, HOW).frame, "closer_to_latest")
    assert (found["value"], found["n"]) == (100, 1)


def test_closes_on_both_sides_of_a_split_are_not_compared_by_estimates(asked) -> None:
    frame = asked(
        task="level",
        panel="month_end_closes",
        truth=[400.0, 100.0, 102.0],
        other=[100.0, 100.0, 102.0],
        other_reading="split_adjusted",
        previous=[None, 400.0, 100.0],
        previous_other=[None, 100.0, 100.0],
        number=[400.0, 100.0, 103.0],
    )
    how = RecallScoring("stocks", "m", CUTOFF, change="previous_estimate")
    found = row(score_recall(frame, how).frame, "directional_accuracy_change")
    assert (found["value"], found["n"]) == (100, 1)


def test_every_interval_holds_its_value(asked, months) -> None:
    rng = np.random.default_rng(0)
    for firms in (1, 40):
        n = 60 * firms
        truth = 100 + 10 * rng.standard_normal(n)
        frame = asked(
            id=[str(k) for k in range(n)],
            task="level",
            panel="levels",
            date=[day for day in months(60) for _ in range(firms)],
            cluster=[f"F{k % firms}" if firms > 1 else "" for k in range(n)],
            truth=list(truth),
            previous=list(truth - rng.standard_normal(n)),
            year_ago=list(truth - 5),
            threshold=100.0,
            number=list(truth + rng.standard_normal(n) * (rng.random(n) < 0.5)),
            confidence=list(rng.integers(50, 100, n).astype(float)),
        )
        for kind in ("cosines", "blocks"):
            scores = score_recall(frame, RecallScoring("macro", "m", CUTOFF, draws=500, intervals=kind)).frame
            held = scores.filter(pl.col("ci_low").is_not_null())
            assert {"skill_over_previous", "skill_over_always_up", "confidence_calibration"} <= set(
                held["metric"]
            )
            assert held.filter(pl.col("ci_low") > pl.col("value")).is_empty()
            assert held.filter(pl.col("ci_high") < pl.col("value")).is_empty()
            narrow = held.filter(
                pl.col("metric") != "effective_cutoff", pl.col("ci_low") >= pl.col("ci_high")
            )
            assert narrow.is_empty()


def test_blocks_are_drawn_on_request_and_do_not_reach_below_zero(asked) -> None:
    errors = [0.0] * 40
    errors[20] = 50.0
    frame = asked(truth=[100.0] * 40, number=[100 + error for error in errors])
    found = {}
    for kind in ("cosines", "blocks"):
        how = RecallScoring("macro", "m", CUTOFF, intervals=kind, draws=500)
        found[kind] = row(score_recall(frame, how).frame, "mean_absolute_error")
    assert found["blocks"]["ci_low"] == 0 < found["cosines"]["ci_low"]


def test_a_history_of_closes_is_no_fault_of_directions(asked, months) -> None:
    history = pl.DataFrame({"date": months(5), "value": [1.0] * 5})
    frame = asked(task="direction", truth_word=["up"] * 5, word=["up"] * 5)
    assert not score_recall(frame, HOW, {"s": history}).caveats["text"].str.contains("history").any()


def test_a_model_that_refuses_after_its_cutoff_breaks_there(asked, months) -> None:
    days = months(120, 2015)
    frame = asked(date=days, truth=1.0, number=[1.0 if day < CUTOFF else None for day in days])
    found = row(score_recall(frame, HOW).frame, "effective_cutoff")
    assert found["ci_low"] <= 2023.75 <= found["ci_high"]
    failed = frame.with_columns(pl.col("outcome").replace("refused", "failed"))
    assert row(score_recall(failed, HOW).frame, "effective_cutoff")["value"] is None
