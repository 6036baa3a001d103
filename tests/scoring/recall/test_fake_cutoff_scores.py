"""Scores under a fake cutoff: what is given exactly, and whether intervals of differences hold the truth."""

from __future__ import annotations

import importlib.util
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from neuter.scoring.recall.scoring import RecallScoring, score_recall

FAKE = {"fake_from": date(2000, 4, 1)}


def _scored(frame: pl.DataFrame, **how):
    given = RecallScoring("cutoff", "m", date(2000, 9, 1), **how)
    return score_recall(frame, given).frame


def _row(scores: pl.DataFrame, metric: str, split: str) -> dict:
    found = scores.filter(
        (pl.col("metric") == metric) & (pl.col("split") == split) & (pl.col("attacker") == "llm")
    )
    return found.row(0, named=True)


@pytest.fixture
def frame(asked) -> pl.DataFrame:
    """Before 2000-04 three right; then right, wrong, refused, failed, unparsed; then, after its own cutoff, one right."""
    return asked(
        truth=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        number=[1.0, 2.0, 3.0, 4.0, 5.2, None, None, None, 9.0],
        outcome=["answered"] * 5 + ["refused", "failed", "unparsed", "answered"],
        digits=[1] * 9,
        threshold=[2.5] * 9,
    )


def test_a_refusal_gives_nothing_and_what_failed_is_left_out(frame) -> None:
    scores = _scored(frame, **FAKE)
    after = _row(scores, "exact_share_with_refusals", "post_fake")
    # Right, wrong and refused count; failed and unparsed say nothing.
    assert after["n"] == 3
    assert after["value"] == pytest.approx(100 / 3)
    assert _row(scores, "exact_share", "post_fake")["value"] == pytest.approx(50)


def test_a_difference_of_each_pair_of_stretches(frame) -> None:
    scores = _scored(frame, **FAKE)
    before = _row(scores, "exact_share_with_refusals_difference", "all")
    own = _row(scores, "exact_share_with_refusals_difference_from_post", "all")
    assert (before["value"], own["value"]) == (pytest.approx(100 / 3 - 100), pytest.approx(100 / 3 - 100))
    assert (before["first_date"], before["last_date"]) == (date(2000, 1, 1), date(2000, 6, 1))
    assert (own["first_date"], own["last_date"]) == (date(2000, 4, 1), date(2000, 9, 1))
    # One answer after its own cutoff has no interval, and so has no difference from it.
    assert before["ci_low"] is not None
    assert own["ci_low"] is None


def test_without_a_fake_cutoff_there_is_neither(frame) -> None:
    metrics = set(_scored(frame)["metric"])
    assert not any("difference" in name or name == "exact_share_with_refusals" for name in metrics)


def test_intervals_of_differences_hold_the_truth(capsys) -> None:
    """As benchmarks/cutoff_coverage.py, by few samples: three standard errors below 95% of 200 are 90.4%."""
    path = Path(__file__).parents[3] / "benchmarks" / "cutoff_coverage.py"
    spec = importlib.util.spec_from_file_location("cutoff_coverage", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.coverage(200, lambda sample: module.over_time(sample, 0.95))
    lines = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    shares = np.array([[float(line[at].split()[0]) for at in (2, 4)] for line in lines])
    assert shares.shape == (18, 2)
    assert shares.min() > 90.4
