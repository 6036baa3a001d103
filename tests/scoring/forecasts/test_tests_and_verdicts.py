"""Paired tests and the verdict: what is said of a model that forgets, one that does not, and of too few questions."""

from datetime import date

import numpy as np
import polars as pl
import pytest
from scipy import stats

from neuter.scoring.forecasts import score_forecasts
from neuter.scoring.significance import holm

EARLY, LATE = date(2024, 4, 1), date(2025, 1, 1)


def verdict(scored, condition="G1′", model="m"):
    return next(one for one in scored.verdicts if (one.condition, one.model) == (condition, model))


def test_a_model_that_leaks_cannot_stand(make):
    questions, forecasts, cutoffs = make.many(400)
    found = verdict(score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs)))
    assert found.kind == "cannot_stand"
    assert found.low > 0
    assert found.adjusted_by == "crowd"
    assert found.sentences[0] == "Simulated ignorance cannot stand for true ignorance here."
    assert f"{found.pre:,} questions before and {found.post:,} after" in " ".join(found.sentences)


def forgetting(make, n, seed=0):
    """Knows without the instruction, and under it as little as after the cutoff."""
    questions, forecasts, cutoffs = make.many(n, seed=seed)
    never = make.many(n, seed=seed, leak=0.0)[1]
    told = pl.col("condition").is_in(["G1′", "G2′"])
    return questions, pl.concat([forecasts.filter(~told), never.filter(told)]), cutoffs


def test_a_model_that_forgets_has_no_evidence_and_the_smallest_gap_that_could_be_seen(make):
    questions, forecasts, cutoffs = forgetting(make, 200)
    found = verdict(score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs)))
    assert found.kind == "no_evidence"
    assert found.low < 0 < found.high
    error = (found.high - found.low) / 2 / stats.t.ppf(0.975, 100)
    assert found.smallest == pytest.approx((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * error, rel=0.05)
    # Of so many questions the error is smaller by the root of how many more they are, and 2.8 of it the margin.
    more = found.needed / (found.pre + found.post)
    assert 2.802 * error / np.sqrt(more) == pytest.approx(0.02, rel=0.05)
    assert found.needed_pre + found.needed_post == found.needed
    assert found.needed_pre / found.needed_post == pytest.approx(found.pre / found.post, rel=0.01)
    assert found.sentences[0].startswith("There is no evidence of leakage")
    assert found.raw_low < 0 < found.raw_high
    assert "Merely" not in " ".join(found.sentences)
    assert f"{found.smallest:.3f}" in " ".join(found.sentences)


def test_within_a_wide_margin_it_can_stand(make):
    questions, forecasts, cutoffs = forgetting(make, 200)
    found = verdict(score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs, margin=0.2)))
    assert found.kind == "can_stand"
    assert "within ±0.2" in found.sentences[0]


def test_a_model_that_knows_nothing_cannot_be_seen_to_forget(make):
    questions, forecasts, cutoffs = make.many(300, leak=0.0)
    found = verdict(score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs)))
    assert found.kind == "cannot_tell"
    assert "nothing it could be seen to forget" in " ".join(found.sentences)


def test_of_few_questions_nothing_can_be_told(make):
    questions, forecasts, cutoffs = make.many(16)
    assert verdict(score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs))).kind == "cannot_tell"


def test_forecasts_that_get_worse_by_forgetting_too_much_are_said(make):
    questions, forecasts, cutoffs = make.many(300, leak=0.0)
    worse = questions.filter(pl.col("resolution_date") < EARLY)["id"].implode()
    told = pl.col("condition").is_in(["G1′"]) & pl.col("id").is_in(worse)
    outcome = dict(questions.select("id", "outcome").iter_rows())
    right = forecasts["id"].replace_strict(outcome, return_dtype=pl.Float64)
    spoilt = forecasts.with_columns(
        pl.when(told).then(0.9 - 0.8 * right).otherwise("probability").alias("probability")
    )
    assert verdict(score_forecasts(questions, spoilt, make.how(cutoffs=cutoffs))).kind == "reversed"


def test_without_a_reference_the_verdict_says_that_difficulty_is_not_adjusted(make):
    questions, forecasts, cutoffs = make.many(300)
    bare = questions.with_columns(
        pl.lit(None, pl.Float64).alias("crowd"), pl.lit(None, pl.Float64).alias("base_rate")
    )
    found = verdict(score_forecasts(bare, forecasts, make.how(cutoffs=cutoffs)))
    assert (found.adjusted_by, found.gap) == ("", found.raw)
    assert "not adjusted for difficulty" in " ".join(found.sentences)


def test_a_condition_is_tested_question_by_question(make):
    questions, forecasts, cutoffs = make.many(60)
    tests = score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs)).tests
    row = tests.filter(
        (pl.col("comparison") == "G1 with G1′") & (pl.col("split") == "pre") & (pl.col("model") == "m")
    ).row(0, named=True)
    wide = forecasts.drop("outcome").join(questions.select("id", "outcome", "resolution_date"), on="id")
    wide = wide.filter(pl.col("resolution_date") < EARLY).with_columns(
        ((pl.col("probability") - pl.col("outcome")) ** 2).alias("b")
    )
    b = wide.pivot("condition", index="id", values="b")
    moved = (b["G1′"] - b["G1"]).to_numpy()
    assert row["difference"] == pytest.approx(moved.mean())
    signs = np.random.default_rng(0).choice([-1, 1], (20_000, moved.size))
    drawn = (np.abs(signs @ moved) >= abs(moved.sum()) - 1e-12).mean()
    assert row["p"] == pytest.approx(drawn, abs=0.012)
    assert row["n"] == moved.size


def test_holms_correction_is_within_each_family(make):
    questions, forecasts, cutoffs = make.many(80, models={"a": EARLY, "b": LATE, "c": LATE})
    tests = score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs)).tests
    gaps = tests.filter(pl.col("metric") == "si_ti_gap")
    assert gaps["p_holm"].to_list() == pytest.approx(holm(gaps["p"].to_list()))
    models = tests.filter((pl.col("condition") == "G1′") & pl.col("comparison").str.contains("with [abc]$"))
    assert models.height == 6
    assert models["p_holm"].to_list() == pytest.approx(holm(models["p"].to_list()))


def test_groups_are_tested_by_the_difference_that_their_row_gives(make):
    """Also where a model of a group has no answer: the others of its group speak for it."""
    questions, forecasts, cutoffs = make.many(80, models={"a": EARLY, "b": LATE, "c": LATE})
    lost = (pl.col("model") == "b") & pl.col("id").is_in([f"q{i}" for i in range(0, 80, 7)])
    failed = forecasts.with_columns(
        pl.when(lost).then(pl.lit("refused")).otherwise("outcome").alias("outcome"),
        pl.when(lost).then(None).otherwise("probability").alias("probability"),
    )
    groups = {"a": "reasoning", "b": "non_reasoning", "c": "non_reasoning"}
    scored = score_forecasts(questions, failed, make.how(cutoffs=cutoffs, groups=groups))
    row = scored.frame.filter(
        (pl.col("group") == "difference") & (pl.col("condition") == "G1′") & (pl.col("panel") == "fixed")
    )
    tests = scored.tests.filter(
        (pl.col("comparison") == "non_reasoning with reasoning") & (pl.col("condition") == "G1′")
    )
    pre, post = (tests.filter(pl.col("split") == split).row(0, named=True) for split in ("pre", "post"))
    assert row["value"].item() == pytest.approx(post["difference"] - pre["difference"], abs=1e-6)
    assert row["n"].item() == pre["n"] + post["n"]
    sides = questions["resolution_date"]
    assert (pre["n"], post["n"]) == ((sides < EARLY).sum(), (sides >= LATE).sum())


def test_a_gap_is_tested_as_welch_does(make):
    questions, forecasts, cutoffs = make.many(600)
    tests = score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs)).tests
    row = tests.filter(
        (pl.col("metric") == "si_ti_gap") & (pl.col("condition") == "G2′") & (pl.col("model") == "m")
    ).row(0, named=True)
    told = forecasts.filter(pl.col("condition") == "G2′").drop("outcome").join(questions, on="id")
    brier = ((told["probability"] - told["outcome"]) ** 2).to_numpy()
    early = (told["resolution_date"] < EARLY).to_numpy()
    welch = stats.ttest_ind(brier[~early], brier[early], equal_var=False)
    assert row["difference"] == pytest.approx(brier[~early].mean() - brier[early].mean())
    assert np.log10(row["p"]) == pytest.approx(np.log10(welch.pvalue), rel=0.1)


def test_many_clusters_are_tested_as_few_are(make):
    """Student's t takes over from the tossing of signs where both say the same."""
    from neuter.scoring.forecasts.intervals import MANY_CLUSTERS
    from neuter.scoring.significance import sign_flip

    moved = np.random.default_rng(5).normal(0.12, 1, 2 * MANY_CLUSTERS)
    assert sign_flip(moved) == pytest.approx(stats.ttest_1samp(moved, 0).pvalue, abs=0.015)
