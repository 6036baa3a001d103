"""Whether a told cutoff was held to, in words: each verdict, the figures beside it, and when nothing can be told."""

from __future__ import annotations

import pytest

from neuter.reports.recall.benchmark import RecallBenchmark
from neuter.reports.recall.instruction import instruction_sentences, sides_of, verdict_of
from neuter.reports.recall.score_index import ScoreIndex
from neuter.reports.recall.summary import findings, followed

EXACT = "exact_share_with_refusals"
TOLD = {"suite": "cutoff", "fake_cutoff": "2010-12-31", "fake_from": "2011-01-01", "conditions": ["both"]}


def _rows(make, before, after, difference, condition="both", **more):
    """Rows of the share given exactly: (value, low, high) before and after the fake cutoff, and of the difference."""
    named = {"panel": "rates", "series": "gdp_growth", "condition": condition, "suite": "cutoff"} | more
    told = (
        ("pre_fake", EXACT, before),
        ("post_fake", EXACT, after),
        ("all", f"{EXACT}_difference", difference),
    )
    return [
        make.row(metric, value, ci_low=low, ci_high=high, split=split, **named)
        for split, metric, (value, low, high) in told
    ]


def _verdict(make, *three):
    return verdict_of(
        sides_of(ScoreIndex(make.scores(_rows(make, *three))), make.model, "gdp_growth", "both")
    )


KNOWN = (90.0, 80.0, 95.0)


@pytest.mark.parametrize(
    ("before", "after", "difference", "verdict"),
    [
        (KNOWN, (88.0, 75.0, 94.0), (-2.0, -15.0, 10.0), "not"),
        (KNOWN, (50.0, 35.0, 65.0), (-40.0, -56.0, -20.0), "part"),
        (KNOWN, (11.0, 10.1, 30.0), (-79.0, -90.0, -60.0), "part"),
        (KNOWN, (20.0, 9.0, 36.0), (-70.0, -85.0, -50.0), "most"),
        (KNOWN, (10.0, 3.0, 22.0), (-80.0, -90.0, -60.0), "followed"),
        (KNOWN, (0.0, 0.0, 10.5), (-90.0, -96.0, -74.0), "followed"),
        # Few questions: it may have given fewer, or not.
        (KNOWN, (50.0, 5.0, 95.0), (-40.0, -88.0, 12.0), "untold"),
        # What it does not know before, it cannot be seen to forget.
        ((12.0, 6.0, 22.0), (0.0, 0.0, 10.0), (-12.0, -22.0, -1.0), "untold"),
        ((60.0, None, None), (0.0, 0.0, 10.0), (-60.0, None, None), "untold"),
    ],
)
def test_the_verdict_is_by_what_is_still_given_exactly(make, before, after, difference, verdict) -> None:
    assert _verdict(make, before, after, difference) == verdict


def test_a_sentence_has_the_figures_of_its_verdict(make) -> None:
    shared = {"panel": "rates", "series": "gdp_growth", "condition": "both"}
    rows = _rows(make, (83.54, 71.8, 91.0), (38.0, 23.24, 55.38), (-45.54, -62.1, -24.6))
    others = {
        "refusal_share": {"pre_fake": 0.0, "post_fake": 43.64},
        "mean_absolute_error": {"pre_fake": 0.04, "post_fake": 0.26, "post": 0.4},
    }
    rows += [
        make.row(metric, value, split=split, **shared)
        for metric, by_split in others.items()
        for split, value in by_split.items()
    ]
    index = ScoreIndex(make.scores(rows))
    assert list(instruction_sentences(index, make.model, make.run(**TOLD))) == [
        "Told a cutoff of 2010-12-31 in system and user message: the instruction was followed in part. Of the quarters "
        "after 2010-12-31 38.0% are given exactly as first printed (95% interval 23.2 to 55.4; 83.5% before), 43.6% are "
        "refused (0.0% before) and the answers are off by 0.26 points on average (0.04 before; 0.40 after its own "
        "cutoff)."
    ]


def test_conditions_come_in_the_papers_order_and_the_control_is_no_verdict(make) -> None:
    three = (KNOWN, (88.0, 75.0, 94.0), (-2.0, -15.0, 10.0))
    rows = [row for name in ("none", "user", "system") for row in _rows(make, *three, condition=name)]
    told = list(instruction_sentences(ScoreIndex(make.scores(rows)), make.model, make.run(**TOLD)))
    assert [one.partition(".")[0] for one in told] == [
        "Told a cutoff of 2010-12-31 in the system message alone: the instruction was not followed",
        "Told a cutoff of 2010-12-31 in the user message alone: the instruction was not followed",
        "Told no cutoff: what the model knows when it may",
    ]


def test_where_all_was_refused_no_error_is_told(make) -> None:
    shared = {"panel": "rates", "series": "gdp_growth", "condition": "both"}
    rows = _rows(make, KNOWN, (0.0, 0.0, 10.5), (-90.0, -96.0, -74.0))
    rows += [make.row("mean_absolute_error", None, split="post_fake", **shared)]
    (told,) = instruction_sentences(ScoreIndex(make.scores(rows)), make.model, make.run(**TOLD))
    assert "off by" not in told
    assert told.endswith("0.0% are given exactly as first printed (95% interval 0.0 to 10.5; 90.0% before).")


def test_it_stands_in_place_of_what_is_remembered_and_names_each_of_several_models(make) -> None:
    three = (KNOWN, (88.0, 75.0, 94.0), (-2.0, -15.0, 10.0))
    rows = [row for model in ("a/one", "b/two") for row in _rows(make, *three, model=model)]
    late = {"panel": "rates", "series": "gdp_growth", "condition": "both", "split": "post", "model": "a/one"}
    rows.append(make.row("mean_absolute_error", 0.4, **late))
    index = ScoreIndex(make.scores(rows))
    told = followed(index, make.run(**TOLD))
    assert [one.partition(":")[0] for one in told] == ["a/one", "b/two"]
    found = findings(index, make.run(**TOLD))
    assert [one for one in found if one in told] == told
    assert not any("after its cutoff the model is off" in one for one in found)


def test_no_other_suite_says_anything_of_it(make) -> None:
    rows = _rows(make, KNOWN, (88.0, 75.0, 94.0), (-2.0, -15.0, 10.0))
    assert followed(ScoreIndex(make.scores(rows)), make.run("macro")) == []


def test_a_run_closes_with_it_in_a_terminal_in_markdown_and_in_a_notebook(make) -> None:
    from io import StringIO

    from rich.console import Console

    rows = _rows(make, KNOWN, (88.0, 75.0, 94.0), (-2.0, -15.0, 10.0))
    result = RecallBenchmark(make.folder(rows, run=make.run(**TOLD)))
    said = "Told a cutoff of 2010-12-31 in system and user message: the instruction was not followed."
    console = Console(file=StringIO(), width=400)
    console.print(result.table())
    assert f"• {said}" in console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert said in result.to_markdown()
    assert said in result.table()._repr_html_()
    one = Console(file=StringIO(), width=400)
    one.print(result.table("table-6"))
    assert said not in one.file.getvalue()  # type: ignore[attr-defined]
