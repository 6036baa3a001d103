"""Gaps, shares closed, penalties and effects, each worked by hand on a few questions."""

from datetime import date

import polars as pl
import pytest

from neuter.errors import UsageError
from neuter.scoring.forecasts import score_forecasts
from neuter.scoring.forecasts.how import ForecastScoring

PRE, BETWEEN, POST = date(2023, 6, 1), date(2024, 8, 1), date(2025, 6, 1)
EARLY, LATE = date(2024, 4, 1), date(2025, 1, 1)


def rows(scored, metric, **place):
    frame = scored.frame.filter(pl.col("metric") == metric)
    wanted = {"panel": "fixed", "attacker": "llm", "group_by": "all", "series": "", **place}
    for name, value in wanted.items():
        frame = frame.filter(pl.col(name) == value)
    return frame


def value(scored, metric, **place):
    found = rows(scored, metric, **place)
    assert found.height == 1, (metric, place, found.height)
    return found["value"][0]


@pytest.fixture
def scored(make):
    """Two questions on each side, all of which come out yes: B = (1 − p)²."""
    said = {
        # G1: B_pre = (0.01 + 0.09) / 2 = 0.05, B_post = (0.25 + 0.49) / 2 = 0.37
        ("a", "m", "G1"): 0.9, ("b", "m", "G1"): 0.7, ("c", "m", "G1"): 0.5, ("d", "m", "G1"): 0.3,
        # G1′: B_pre = (0.16 + 0.25) / 2 = 0.205, B_post = (0.36 + 0.36) / 2 = 0.36
        ("a", "m", "G1′"): 0.6, ("b", "m", "G1′"): 0.5, ("c", "m", "G1′"): 0.4, ("d", "m", "G1′"): 0.4,
        # G2′: B_pre = (0.16 + 0.16) / 2 = 0.16, B_post = (0.25 + 0.25) / 2 = 0.25
        ("a", "m", "G2′"): 0.6, ("b", "m", "G2′"): 0.6, ("c", "m", "G2′"): 0.5, ("d", "m", "G2′"): 0.5,
    }  # fmt: skip
    crowd = {"a": 0.8, "b": 0.6, "c": 0.7, "d": 0.5}
    questions = make.questions(
        [(id_, PRE if id_ in "ab" else POST, 1, {"crowd": crowd[id_]}) for id_ in "abcd"]
    )
    return score_forecasts(questions, make.forecasts(said), make.how())


def test_the_gap_is_after_less_before(scored):
    assert value(scored, "brier", condition="G1", split="pre") == pytest.approx(0.05)
    assert value(scored, "si_ti_gap", condition="G1′") == pytest.approx(0.36 - 0.205)
    assert value(scored, "si_ti_gap", condition="G2′") == pytest.approx(0.25 - 0.16)
    assert value(scored, "si_ti_gap", condition="G1") == pytest.approx(0.37 - 0.05)


def test_the_share_closed_is_the_decisions_formula(scored):
    closed = (0.205 - 0.05) / (0.36 - 0.05)
    assert value(scored, "gap_closed", condition="G1′") == pytest.approx(closed, abs=1e-6)
    assert value(scored, "gap_remaining", condition="G1′") == pytest.approx(1 - closed, abs=1e-6)
    assert rows(scored, "gap_closed", condition="G2′").is_empty()  # G2 was not asked
    assert rows(scored, "gap_closed", condition="G1").is_empty()


def test_the_penalty_and_the_effect_are_of_the_same_questions(scored):
    assert value(scored, "cutoff_penalty", condition="G1′", split="pre") == pytest.approx(0.205 - 0.05)
    assert value(scored, "cot_effect", condition="G2′", split="pre") == pytest.approx(0.16 - 0.205)
    assert value(scored, "cot_effect", condition="G2′", split="post") == pytest.approx(0.25 - 0.36)


def test_the_gap_less_that_of_the_crowd(scored):
    crowd = (0.09 + 0.25) / 2 - (0.04 + 0.16) / 2
    assert value(scored, "brier", condition="G1′", split="post", attacker="crowd") == pytest.approx(0.17)
    assert value(scored, "si_ti_gap_adjusted", condition="G1′", series="crowd") == pytest.approx(
        0.155 - crowd
    )
    assert rows(scored, "si_ti_gap_adjusted", series="base_rate").is_empty()


def test_a_share_closed_by_an_instruction_that_opens_the_gap_is_negative(make):
    said = {("a", "m", "G1"): 0.8, ("b", "m", "G1"): 0.5, ("a", "m", "G1′"): 0.9, ("b", "m", "G1′"): 0.5}
    scored = score_forecasts(
        make.questions([("a", PRE, 1), ("b", POST, 1)]), make.forecasts(said), make.how()
    )
    assert value(scored, "gap_closed", condition="G1′") == pytest.approx(
        (0.01 - 0.04) / (0.25 - 0.04), abs=1e-6
    )
    assert value(scored, "gap_remaining", condition="G1′") == pytest.approx(0.24 / 0.21, abs=1e-6)


def test_a_share_closed_is_of_the_questions_answered_with_and_without_the_instruction(make):
    """b has no answer under G1′, c none under G1: only a tells what the instruction does before the cutoff."""
    said = {
        ("a", "m", "G1"): 0.9, ("b", "m", "G1"): 0.2, ("c", "m", "G1"): None, ("d", "m", "G1"): 0.5,
        ("a", "m", "G1′"): 0.7, ("b", "m", "G1′"): None, ("c", "m", "G1′"): 0.1, ("d", "m", "G1′"): 0.5,
    }  # fmt: skip
    questions = make.questions([("a", PRE, 1), ("b", PRE, 1), ("c", PRE, 1), ("d", POST, 1)])
    scored = score_forecasts(questions, make.forecasts(said), make.how())
    closed = (0.09 - 0.01) / (0.25 - 0.01)
    assert value(scored, "gap_closed", condition="G1′") == pytest.approx(closed, abs=1e-6)
    assert value(scored, "cutoff_penalty", condition="G1′", split="pre") == pytest.approx(0.09 - 0.01)
    assert rows(scored, "gap_closed", condition="G1′")["n"].item() == 2


def test_a_share_closed_of_no_gap_is_empty(make):
    said = {("a", "m", "G1"): 0.4, ("b", "m", "G1"): 0.5, ("a", "m", "G1′"): 0.4, ("b", "m", "G1′"): 0.5}
    scored = score_forecasts(
        make.questions([("a", PRE, 1), ("b", POST, 1)]), make.forecasts(said), make.how()
    )
    found = rows(scored, "gap_closed", condition="G1′")
    assert found["value"].to_list() == [None]
    assert "no gap" in " ".join(scored.caveats["text"])


def test_failures_are_left_out_and_bound_the_gap(make):
    said = {
        ("a", "m", "G1′"): 0.8,
        ("b", "m", "G1′"): None,
        ("c", "m", "G1′"): 0.5,
        ("d", "m", "G1′"): "failed",
    }
    questions = make.questions([("a", PRE, 1), ("b", PRE, 1), ("c", POST, 1), ("d", POST, 1)])
    scored = score_forecasts(questions, make.forecasts(said), make.how())
    assert value(scored, "si_ti_gap", condition="G1′") == pytest.approx(0.25 - 0.04)
    # At worst the refused one would have been wrong (1) and the failed one right (0), and the other way round.
    assert value(scored, "si_ti_gap_low", condition="G1′") == pytest.approx(0.25 / 2 - 1.04 / 2)
    assert value(scored, "si_ti_gap_high", condition="G1′") == pytest.approx(1.25 / 2 - 0.04 / 2)
    told = rows(scored, "brier", condition="G1′", split="pre").row(0, named=True)
    assert (told["n"], told["answered"], told["refused"], told["failed"]) == (1, 1, 1, 0)
    assert value(scored, "brier_all", condition="G1′", split="pre") == pytest.approx((0.04 + 0.25) / 2)
    assert value(scored, "brier_high", condition="G1′", split="pre") == pytest.approx((0.04 + 1) / 2)


@pytest.fixture
def two(make):
    """An early and a late model; b is resolved between their cutoffs, on the early one's very first unknown day."""
    said = {
        ("a", "early", "G1′"): 0.9, ("b", "early", "G1′"): 0.5, ("c", "early", "G1′"): 0.4,
        ("a", "late", "G1′"): 0.7, ("b", "late", "G1′"): 0.8, ("c", "late", "G1′"): 0.5,
    }  # fmt: skip
    how = make.how(
        cutoffs={"early": EARLY, "late": LATE}, groups={"early": "reasoning", "late": "non_reasoning"}
    )
    questions = make.questions([("a", PRE, 1), ("b", EARLY, 1), ("c", LATE, 1)])
    return score_forecasts(questions, make.forecasts(said), how)


def test_the_fixed_partition_is_by_the_earliest_and_the_latest_cutoff(two):
    place = {"condition": "G1′", "model": "late"}
    assert value(two, "brier", split="pre", **place) == pytest.approx(0.09)
    assert value(two, "brier", split="between", **place) == pytest.approx(0.04)
    assert value(two, "brier", split="post", **place) == pytest.approx(0.25)


def test_the_own_partition_is_by_each_models_cutoff(two):
    place = {"condition": "G1′", "panel": "own"}
    assert value(two, "brier", split="pre", model="late", **place) == pytest.approx((0.09 + 0.04) / 2)
    assert value(two, "brier", split="post", model="early", **place) == pytest.approx((0.25 + 0.36) / 2)
    gaps = [0.25 - 0.065, 0.305 - 0.01]
    assert value(two, "si_ti_gap", model="", **place) == pytest.approx(sum(gaps) / 2)


def test_the_mean_over_models_gives_each_the_same_weight(two):
    assert value(two, "si_ti_gap", condition="G1′", model="") == pytest.approx(
        ((0.36 - 0.01) + (0.25 - 0.09)) / 2
    )


def test_groups_are_compared_on_the_same_questions(two):
    place = {"condition": "G1′", "model": "", "group_by": "model_group"}
    assert value(two, "si_ti_gap", group="reasoning", **place) == pytest.approx(0.35)
    assert value(two, "si_ti_gap", group="difference", **place) == pytest.approx(0.35 - 0.16)


def test_domains_have_rows_of_their_own_and_an_unknown_one_has_none(make):
    said = {(id_, "m", "G1′"): 0.6 for id_ in "abcd"}
    domains = {"a": "business", "b": "technology", "c": "business", "d": ""}
    rows_ = [(id_, PRE if id_ in "ab" else POST, 1, {"domain": domains[id_]}) for id_ in "abcd"]
    scored = score_forecasts(make.questions(rows_), make.forecasts(said), make.how())
    found = scored.frame.filter((pl.col("metric") == "brier") & (pl.col("group_by") == "domain"))
    assert set(found["group"]) == {"business", "technology"}
    assert rows(scored, "si_ti_gap", condition="G1′", group_by="domain")["group"].to_list() == ["business"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"level": 0.2}, "intervals at a level"),
        ({"margin": 0.0}, "a margin of 0"),
        ({"margin": "0.02"}, "margin = '0.02'"),
        ({"groups": {"m": "clever"}}, "no group 'clever'"),
    ],
)
def test_a_way_of_scoring_that_is_none_is_refused(given, told):
    with pytest.raises(UsageError, match=told):
        ForecastScoring({"m": EARLY}, PRE, **given)


def test_a_cutoff_is_a_day_and_no_text():
    with pytest.raises(UsageError, match="a cutoff of '2024-06'"):
        ForecastScoring({"m": "2024-06"}, PRE)
    with pytest.raises(UsageError, match="a cutoff of '2023'"):
        ForecastScoring({"m": EARLY}, "2023")


def test_the_share_closed_is_on_questions_that_both_conditions_answered(make):
    """b was refused under the instruction: without it b must not count either."""
    said = {
        ("a", "m", "G1"): 0.9, ("b", "m", "G1"): 0.1, ("c", "m", "G1"): 0.5,
        ("a", "m", "G1′"): 0.7, ("b", "m", "G1′"): None, ("c", "m", "G1′"): 0.4,
    }  # fmt: skip
    questions = make.questions([("a", PRE, 1), ("b", PRE, 1), ("c", POST, 1)])
    scored = score_forecasts(questions, make.forecasts(said), make.how())
    assert value(scored, "gap_closed", condition="G1′") == pytest.approx(
        (0.09 - 0.01) / (0.36 - 0.01), abs=1e-6
    )


def test_the_crowd_comes_before_the_base_rate(make):
    said = {(id_, "m", "G1′"): 0.6 for id_ in "ab"}
    more = {"a": {"crowd": 0.9, "base_rate": 0.1}, "b": {"base_rate": 0.5}}
    questions = make.questions([("a", PRE, 1, more["a"]), ("b", POST, 1, more["b"])])
    scored = score_forecasts(questions, make.forecasts(said), make.how())
    found = value(scored, "si_ti_gap_adjusted", condition="G1′", series="crowd_or_base_rate")
    assert found == pytest.approx((0.16 - 0.25) - (0.16 - 0.01))


def test_a_model_without_a_cutoff_is_named(make):
    said = make.forecasts({("a", "other", "G1"): 0.6})
    with pytest.raises(UsageError, match="no cutoff of other"):
        score_forecasts(make.questions([("a", PRE, 1)]), said, make.how())
