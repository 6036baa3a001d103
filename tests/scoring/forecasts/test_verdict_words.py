"""What a verdict is by, and what it says beside its head: adjusted or not, how sure, what failures could have hidden."""

from datetime import date

import numpy as np
import polars as pl
import pytest

from neuter.scoring.forecasts import score_forecasts
from neuter.scoring.forecasts.comparisons import seen
from neuter.scoring.forecasts.sides import NOTHING, Estimate
from neuter.scoring.forecasts.verdict import _kind

EARLY = date(2024, 4, 1)
SURE = Estimate(0.2, 0.15, 0.25, 0.025)


def verdict(scored, condition="G1′"):
    return next(one for one in scored.verdicts if one.condition == condition)


@pytest.mark.parametrize(
    ("found", "without", "told"),
    [
        (Estimate(0.10, 0.05, 0.15, 0.025), SURE, "cannot_stand"),
        (Estimate(-0.10, -0.15, -0.05, 0.025), SURE, "reversed"),
        (Estimate(0.01, -0.04, 0.06, 0.025), SURE, "no_evidence"),
        # 0.004 ± 1.66 · 0.005 is within ±0.02, and so is a gap that is clear of 0.
        (Estimate(0.004, -0.006, 0.014, 0.005), SURE, "can_stand"),
        (Estimate(0.008, 0.001, 0.015, 0.0035), SURE, "can_stand"),
        # The same estimate a little larger reaches beyond the margin: 0.012 + 1.66 · 0.005 = 0.0203.
        (Estimate(0.012, 0.002, 0.022, 0.005), SURE, "cannot_stand"),
        (Estimate(0.0, -0.01, 0.01, 0.005), Estimate(0.01, -0.02, 0.04, 0.015), "cannot_tell"),
        (Estimate(0.01, -0.04, 0.06, 0.025), Estimate(0.01, -0.02, 0.04, 0.015), "cannot_tell"),
        # A gap under the instruction is one, whatever there is without it.
        (Estimate(0.10, 0.05, 0.15, 0.025), Estimate(0.01, -0.02, 0.04, 0.015), "cannot_stand"),
        (Estimate(0.004, -0.006, 0.014, 0.005), NOTHING, "can_stand"),
        (Estimate(0.0), SURE, "cannot_tell"),
        (NOTHING, SURE, "cannot_tell"),
    ],
)
def test_the_kind_is_by_the_interval_the_margin_and_what_could_be_forgotten(found, without, told):
    assert _kind(found, without, 100, 0.02) == told


def test_under_ten_clusters_there_is_no_verdict():
    assert _kind(SURE, SURE, 9.9, 0.02) == "cannot_tell"
    assert _kind(SURE, SURE, 10, 0.02) == "cannot_stand"


def test_what_is_seen_in_80_of_100_samples_is_what_a_simulation_sees():
    """Of 12 values each time: t tests of a mean that is so many errors away reject in 80% of samples."""
    times, draw = seen(0.95, 11), np.random.default_rng(4)
    values = draw.normal(times / np.sqrt(12), 1, (20_000, 12))
    t = values.mean(axis=1) / (values.std(axis=1, ddof=1) / np.sqrt(12))
    assert (np.abs(t) > 2.201).mean() == pytest.approx(0.8, abs=0.02)
    assert seen(0.95) == pytest.approx(2.8016, abs=1e-4)
    assert seen(0.9) == pytest.approx(1.6449 + 0.8416, abs=1e-4)


def easier_before(make, n=300):
    """Before its cutoff the questions are easier, for the crowd as for a model that knows nothing under G1′."""
    questions, forecasts, cutoffs = make.many(n, leak=0.9)
    outcome = questions["outcome"].to_numpy()
    early = (questions["resolution_date"] < EARLY).to_numpy()
    rng = np.random.default_rng(8)
    right = np.where(early, 0.85, 0.6) + rng.uniform(-0.1, 0.1, n)
    crowd = np.where(outcome == 1, right, 1 - right)
    questions = questions.with_columns(pl.Series("crowd", crowd))
    said = right + rng.uniform(-0.05, 0.05, n)
    as_crowd = pl.DataFrame({"id": questions["id"], "told": np.where(outcome == 1, said, 1 - said)})
    forecasts = forecasts.join(as_crowd, on="id", maintain_order="left").with_columns(
        pl.when(pl.col("condition") == "G1′").then("told").otherwise("probability").alias("probability")
    )
    return questions, forecasts.drop("told"), cutoffs


def test_a_gap_that_the_crowd_has_too_is_said_to_be_merely_raw(make):
    questions, forecasts, cutoffs = easier_before(make)
    found = verdict(score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs)))
    assert found.raw_low > 0
    assert found.low < 0 < found.high
    assert found.kind in {"no_evidence", "can_stand"}
    words = " ".join(found.sentences)
    assert f"As it is, the gap is {found.raw:.3f}" in words
    assert "Merely that one is clear of 0: the questions before the cutoff may have been easier" in words


def test_the_level_of_the_interval_is_said(make):
    questions, forecasts, cutoffs = make.many(200)
    wide, narrow = (
        verdict(score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs, level=level)))
        for level in (0.99, 0.8)
    )
    assert "(99% interval" in " ".join(wide.sentences)
    # Both gaps are clear of 0: neither is merely the one.
    assert wide.raw_low > 0 < wide.low
    assert "Merely" not in " ".join(wide.sentences)
    assert "(80% interval" in " ".join(narrow.sentences)
    assert wide.low < narrow.low < narrow.high < wide.high


def test_what_failures_could_have_hidden_is_said(make):
    questions, forecasts, cutoffs = make.many(200)
    lost = (pl.col("condition") == "G1′") & pl.col("id").is_in([f"q{i}" for i in range(20)])
    failed = forecasts.with_columns(
        pl.when(lost).then(pl.lit("failed")).otherwise("outcome").alias("outcome"),
        pl.when(lost).then(None).otherwise("probability").alias("probability"),
    )
    scored = score_forecasts(questions, failed, make.how(cutoffs=cutoffs))
    found = verdict(scored)
    assert (found.calls, found.unanswered) == (200, 20)
    assert "20 of 200 calls gave no forecast" in " ".join(found.sentences)
    # q0 to q19 come before the cutoff: all wrong, the gap is the smallest, all right, the largest.
    bounds = scored.frame.filter(
        (pl.col("condition") == "G1′") & (pl.col("panel") == "fixed") & (pl.col("group_by") == "all")
    )
    low, high = (
        bounds.filter(pl.col("metric") == f"si_ti_gap_{end}")["value"].item() for end in ("low", "high")
    )
    assert (found.worst_low, found.worst_high) == (
        pytest.approx(low, abs=1e-6),
        pytest.approx(high, abs=1e-6),
    )
    assert low < found.raw < high
    whole = verdict(score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs)))
    assert "gave no forecast" not in " ".join(whole.sentences)


def test_what_was_not_asked_without_the_instruction_may_have_had_nothing_to_forget(make):
    questions, forecasts, cutoffs = make.many(300, leak=0.0)
    alone = forecasts.filter(pl.col("condition") == "G1′")
    found = verdict(score_forecasts(questions, alone, make.how(cutoffs=cutoffs, margin=0.3)))
    assert found.kind == "can_stand"
    assert "whether it had anything to forget is not known" in " ".join(found.sentences)
    asked = verdict(score_forecasts(questions, forecasts, make.how(cutoffs=cutoffs, margin=0.3)))
    assert asked.kind == "cannot_tell"


@pytest.mark.parametrize(("side", "told"), [("<", "after"), (">=", "before")])
def test_a_side_without_questions_is_named(make, side, told):
    questions, forecasts, cutoffs = make.many(60)
    day = pl.col("resolution_date")
    some = questions.filter(day < EARLY if side == "<" else day >= EARLY)
    found = verdict(
        score_forecasts(some, forecasts.join(some, on="id", how="semi"), make.how(cutoffs=cutoffs))
    )
    assert (found.kind, found.gap, found.needed) == ("cannot_tell", None, None)
    assert f"There are no forecasts of questions {told} the cutoff." in found.sentences
