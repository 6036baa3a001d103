"""Section 5: the natural experiment, the break at the cutoff, horizon, crowd, and two-way fixed effects."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm

from neuter.scoring.forecasts import score_forecasts
from neuter.scoring.forecasts.averaged import averaged
from neuter.scoring.forecasts.fixed_effects import effect
from neuter.scoring.forecasts.intervals import Clusters
from neuter.scoring.forecasts.jumps import FEWEST, held, imbens_kalyanaraman, jump_at
from neuter.scoring.forecasts.linear import fitted
from neuter.scoring.forecasts.own_cutoffs import own_cutoff
from neuter.scoring.forecasts.partition import splits

EARLY, LATE = date(2024, 4, 1), date(2025, 1, 1)
GPT, DEEPSEEK = "openai/gpt-5.1", "deepseek/deepseek-v3.2-exp"


def only(frame, metric, **place):
    for name, wanted in place.items():
        frame = frame.filter(pl.col(name) == wanted)
    found = frame.filter(pl.col("metric") == metric)
    assert found.height == 1, (metric, place, found.height)
    return found.row(0, named=True)


# The natural experiment


def experiment(make, cutoffs, quarter=date(2024, 10, 15)):
    """Twelve questions between the cutoffs, that the later model knows; four before both and four after both."""
    days = {"b": quarter, "p": date(2023, 6, 1), "a": date(2025, 6, 1)}
    names = [f"{side}{i}" for side, count in (("b", 12), ("p", 4), ("a", 4)) for i in range(count)]
    first, second = cutoffs
    said = {}
    for name in names:
        said[name, first, "G2′"] = {"b": 0.5, "p": 0.9, "a": 0.5}[name[0]]
        said[name, second, "G2′"] = {"b": 0.9, "p": 0.9, "a": 0.4}[name[0]]
    questions = make.questions([(name, days[name[0]], 1) for name in names])
    return score_forecasts(questions, make.forecasts(said), make.how(cutoffs=cutoffs)).frame


def test_between_two_cutoffs_one_model_may_know_and_the_other_cannot(make):
    frame = experiment(make, {GPT: date(2024, 9, 1), DEEPSEEK: date(2025, 1, 1)})
    place = {"panel": "natural_experiment", "series": f"{GPT} and {DEEPSEEK}", "condition": "G2′"}
    told = {
        split: only(frame, "brier_difference", split=split, **place)["value"]
        for split in ("between", "pre", "post")
    }
    assert told == {
        "between": pytest.approx(0.25 - 0.01),
        "pre": pytest.approx(0.0),
        "post": pytest.approx(0.25 - 0.36),
    }
    assert only(frame, "brier", split="between", group=GPT, **place)["value"] == pytest.approx(0.25)
    assert only(frame, "brier_difference_adjusted", **place)["value"] == pytest.approx(0.24 + 0.11)


def test_two_models_with_one_cutoff_are_no_experiment(make):
    frame = experiment(make, {GPT: LATE, DEEPSEEK: LATE})
    assert (
        frame.filter(pl.col("panel") == "natural_experiment")["value"].null_count()
        == frame.filter(pl.col("panel") == "natural_experiment").height
    )


def test_deepseeks_cutoff_of_table_1_is_that_of_section_5_there(make):
    how = make.how(cutoffs={DEEPSEEK: date(2024, 12, 1), GPT: date(2024, 9, 1)})
    assert (own_cutoff(how, DEEPSEEK), own_cutoff(how, GPT)) == (date(2025, 1, 1), date(2024, 9, 1))
    assert own_cutoff(make.how(cutoffs={DEEPSEEK: date(2024, 11, 1)}), DEEPSEEK) == date(2024, 11, 1)
    assert own_cutoff(
        make.how(cutoffs={"openrouter/deepseek/DeepSeek-V3.2-Exp": date(2024, 12, 1)}),
        "openrouter/deepseek/DeepSeek-V3.2-Exp",
    ) == date(2025, 1, 1)
    # December belongs to the experiment, as in Table 3's fourth quarter.
    frame = experiment(make, {GPT: date(2024, 9, 1), DEEPSEEK: date(2024, 12, 1)}, quarter=date(2024, 12, 20))
    assert frame.filter(pl.col("metric") == "brier_difference")["n"].max() == 12


# The break


def curve(n=400, jump=0.13, slope=0.0, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.integers(-500, 500, n)).astype(float)
    y = 0.15 + slope * x / 365 + jump * (x >= 0) + rng.normal(0, noise, n)
    return x, y, np.arange(n)


def test_a_jump_is_that_of_a_weighted_regression(make):
    x, y, cluster = curve()
    found = jump_at(x, y, cluster, 0.95)
    h = found.bandwidth
    weights = np.maximum(0, 1 - np.abs(x) / h)
    here = weights > 0
    after = (x >= 0).astype(float)

    def fit(*columns, without=None):
        kept = here if without is None else here & (cluster != without)
        design = np.column_stack([np.ones(x.size), after, *columns])[kept]
        return sm.WLS(y[kept], design, weights=weights[kept]).fit().params[1]

    assert found.estimate.value == pytest.approx(fit(x, after * x))
    bow = (x / h, (x / h) ** 2, after * x / h, after * (x / h) ** 2)
    robust = fit(*bow)
    assert (found.estimate.low + found.estimate.high) / 2 == pytest.approx(robust)
    # The jackknife over clusters: what leaving each one out changes.
    moved = [fit(*bow, without=one) - robust for one in cluster[here]]
    assert found.estimate.error == pytest.approx(np.sqrt(np.square(moved).sum()))
    assert (found.estimate.high - robust) / found.estimate.error == pytest.approx(2.0, abs=0.1)


def test_the_bandwidth_is_wider_where_there_is_less_to_see():
    wide, narrow = (
        imbens_kalyanaraman(*curve(n, noise=noise)[:2]) for n, noise in ((300, 0.3), (6000, 0.01))
    )
    assert narrow < wide
    x = np.array([-400.0] * FEWEST + [10.0] * FEWEST)
    assert held(x, 20.0) == pytest.approx(1.05 * 400)


def test_too_few_questions_on_a_side_have_no_jump():
    x, y, cluster = curve(60)
    kept = (x < 0) | (np.cumsum(x >= 0) < FEWEST)
    found = jump_at(x[kept], y[kept], cluster[kept], 0.95)
    assert found.estimate.value is None
    assert f"{FEWEST - 1} after" in found.estimate.caveat


def test_a_line_without_a_jump_has_none():
    found = jump_at(*curve(3000, jump=0.0, slope=0.2, noise=0.01), 0.95).estimate
    assert abs(found.value) < 0.005
    assert found.low < 0 < found.high


@pytest.mark.slow
@pytest.mark.parametrize("size", [0.0, 0.13])
def test_intervals_of_a_jump_hold_the_truth(size):
    held_ = 0
    for seed in range(300):
        found = jump_at(*curve(350, jump=size, slope=0.1, seed=seed, noise=0.2), 0.95).estimate
        held_ += found.low <= size <= found.high
    assert held_ / 300 >= 0.93


def test_a_model_breaks_at_its_own_cutoff_and_at_no_other_date(make):
    questions, forecasts, cutoffs = make.many(500, leak=1.0)
    frame = score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs)).frame
    place = {"panel": "discontinuity", "condition": "G1", "model": "m"}
    jump = only(frame, "jump", group_by="all", **place)
    assert jump["ci_low"] > 0.1
    placebos = frame.filter(
        (pl.col("metric") == "jump") & (pl.col("group_by") == "placebo") & (pl.col("condition") == "G1")
    )
    assert placebos.height > 20
    assert only(frame, "placebo_p", **place)["value"] < 0.1
    found = only(frame, "break_date_error", **place)
    assert found["ci_low"] <= 0 <= found["ci_high"]
    assert abs(found["value"]) <= 62


def test_a_model_that_knows_nothing_breaks_nowhere(make):
    questions, forecasts, cutoffs = make.many(500, leak=0.0)
    frame = score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs)).frame
    place = {"panel": "discontinuity", "condition": "G1", "model": "m"}
    assert only(frame, "break_date_error", **place)["value"] is None
    jump = only(frame, "jump", group_by="all", **place)
    assert jump["ci_low"] < 0 < jump["ci_high"]


# Quarters, horizon, crowd


def test_quarters_are_those_of_the_resolution(make):
    days = {"a": date(2024, 9, 30), "b": date(2024, 10, 1), "c": date(2024, 12, 31), "d": date(2025, 6, 1)}
    said = {(id_, "m", "G1"): 0.5 if id_ == "a" else 0.8 for id_ in days}
    said["c", "m", "G1"] = 0.6
    frame = score_forecasts(
        make.questions([(id_, day, 1) for id_, day in days.items()]), make.forecasts(said), make.how()
    ).frame
    told = frame.filter(pl.col("panel") == "quarters").select("group", "value", "n").rows()
    assert told == [
        ("2024Q3", 0.25, 1),
        ("2024Q4", pytest.approx(0.1), 2),
        ("2025Q2", pytest.approx(0.04), 1),
    ]


def test_horizon_is_the_distance_from_the_cutoff(make):
    days = {0: "0-90", 89: "0-90", 90: "90-180", 364: "180-365", 365: "365+"}
    rows = [(f"q{n}", EARLY + timedelta(days=n), 1) for n in days]
    said = {(f"q{n}", "m", "G1"): 0.5 for n in days}
    frame = score_forecasts(
        make.questions([*rows, ("p", date(2023, 6, 1), 1)]),
        make.forecasts({**said, ("p", "m", "G1"): 0.9}),
        make.how(),
    ).frame
    own = frame.filter(
        (pl.col("panel") == "horizon") & (pl.col("series") == "own_cutoff") & (pl.col("split") == "post")
    )
    bands = own.filter(pl.col("group_by") == "horizon")
    assert dict(bands.select("group", "n").iter_rows()) == {"0-90": 2, "90-180": 1, "180-365": 1, "365+": 1}


def test_the_slope_of_the_horizon_is_in_brier_points_a_year(make):
    days = [10 * i for i in range(60)]
    # B rises by 0.1 a year: p = 1 − sqrt(0.2 + 0.1 · days / 365.25).
    said = {(f"q{n}", "m", "G1"): 1 - float(np.sqrt(0.2 + 0.1 * n / 365.25)) for n in days}
    rows = [(f"q{n}", EARLY + timedelta(days=n), 1) for n in days]
    frame = score_forecasts(
        make.questions([*rows, ("p", date(2023, 6, 1), 1)]),
        make.forecasts({**said, ("p", "m", "G1"): 0.9}),
        make.how(),
    ).frame
    found = only(frame, "horizon_slope", series="own_cutoff", split="post")
    assert found["value"] == pytest.approx(0.1, abs=1e-6)


def test_the_human_baseline_is_of_the_questions_with_a_crowd(make):
    crowd = {"a": 0.8, "b": None, "c": 0.5, "d": None}
    said = {(id_, "m", "G1"): p for id_, p in zip("abcd", (0.9, 0.1, 0.6, 0.1), strict=True)}
    rows = [(id_, date(2023, 6, 1) if id_ in "ab" else LATE, 1, {"crowd": crowd[id_]}) for id_ in "abcd"]
    frame = score_forecasts(make.questions(rows), make.forecasts(said), make.how()).frame
    place = {"panel": "human", "split": "all"}
    assert only(frame, "si_ti_gap", attacker="crowd", **place)["value"] == pytest.approx(0.25 - 0.04)
    assert only(frame, "si_ti_gap", attacker="llm", **place)["value"] == pytest.approx(0.16 - 0.01)
    assert only(frame, "brier", attacker="llm", split="pre", panel="human")["n"] == 1


# Fixed effects


def test_two_way_fixed_effects_are_those_of_dummies(make):
    models = {"a": EARLY, "b": date(2024, 9, 1), "c": LATE}
    questions, forecasts, cutoffs = make.many(90, models=models)
    # A few missing answers: the panel is not balanced.
    forecasts = forecasts.filter(
        ~((pl.col("model") == "b") & pl.col("id").is_in(["q3", "q40", "q60"]).not_().not_())
    )
    how = make.how(cutoffs=cutoffs)
    a = averaged(questions, forecasts)
    after = splits(a, how, "own")["post"]
    found, between = effect(a.brier[:, 0], after, a.cluster, Clusters.of(a, how))
    m, q = np.nonzero(np.isfinite(a.brier[:, 0]))
    dummies = [(q == one).astype(float) for one in np.unique(q)] + [
        (m == one).astype(float) for one in (1, 2)
    ]
    design = np.column_stack([after[m, q].astype(float), *dummies])
    fit = sm.OLS(a.brier[m, 0, q], design).fit()
    assert found.value == pytest.approx(fit.params[0], abs=1e-9)
    inside = (a.resolved >= (EARLY - date(1970, 1, 1)).days) & (a.resolved < (LATE - date(1970, 1, 1)).days)
    assert between == inside.sum()
    assert found.low < found.value < found.high


def test_one_cutoff_identifies_no_effect(make):
    questions, forecasts, cutoffs = make.many(60, models={"a": EARLY, "b": EARLY})
    scored = score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs))
    assert only(scored.frame, "si_effect", condition="G1")["value"] is None
    assert "no question is before one model's cutoff and after another's" in " ".join(scored.caveats["text"])


def test_errors_over_clusters_are_those_of_leaving_each_out():
    rng = np.random.default_rng(2)
    cluster = np.repeat(np.arange(30), rng.integers(1, 6, 30))
    x = np.column_stack([np.ones(cluster.size), rng.normal(size=cluster.size)])
    y = x @ [0.2, 0.5] + rng.normal(size=30)[cluster] + rng.normal(size=cluster.size)
    found = fitted(y, x, cluster)
    whole = sm.OLS(y, x).fit().params
    moved = np.array([sm.OLS(y[cluster != one], x[cluster != one]).fit().params - whole for one in range(30)])
    assert np.allclose(found.coefficients, whole)
    for place in (0, 1):
        assert found.estimate(place, 0.95).error == pytest.approx(np.sqrt((moved[:, place] ** 2).sum()))
        assert np.allclose(np.abs(found.left_out(place)), np.abs(moved[:, place]))
    assert 2 < found.freedom(1) < 30
    assert fitted(y, np.column_stack([x, x[:, 1]]), cluster) is None
