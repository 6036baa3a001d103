from __future__ import annotations

import polars as pl
import pytest
from synthetic_run import score_frame, score_row

from neuter.errors import RunError, UsageError
from neuter.reports.score_blocks import Series, blocks_of, metrics_in, once


def _frame() -> pl.DataFrame:
    known = {"scheme": "rules", "attacker": "llm", "model": "local/smollm2-135m", "metric": "firm_accuracy"}
    return score_frame(
        [
            score_row(**known, group_by="size", group="Small", value=10.0, n=10),
            score_row(**known, group_by="size", group="Large", value=30.0, n=10),
            score_row(**known, value=20.0, n=20, refused=2, failed=1),
            score_row(**known | {"metric": "firm_accuracy_low"}, value=17.4, n=23, refused=2, failed=1),
            score_row(**known | {"metric": "firm_accuracy_high"}, value=30.4, n=23, refused=2, failed=1),
            score_row(**known, group_by="firm", group="AAPL", value=100.0, n=4),
            score_row(**known, split="pre", value=99.0, n=1),
        ]
    )


def test_all_comes_first_and_sizes_from_large_to_small() -> None:
    (block,) = blocks_of(_frame())
    assert [row.title for row in block.rows] == ["All", "Large", "Small"]
    assert [row.cells["firm_accuracy"].value for row in block.rows] == [20.0, 30.0, 10.0]


def test_only_the_asked_grouping_and_the_whole_period_are_read() -> None:
    (block,) = blocks_of(_frame(), "firm")
    assert [row.title for row in block.rows] == ["All", "AAPL"]


def test_n_is_that_of_the_value_and_lost_counts_what_is_missing() -> None:
    whole = blocks_of(_frame())[0].whole
    assert whole is not None
    assert whole.n == 20
    assert whole.lost == {"refused": 2, "failed": 1}
    assert whole.span("firm_accuracy") == (17.4, 30.4)


def test_variants_are_no_measures_of_their_own() -> None:
    assert metrics_in(blocks_of(_frame())) == ["firm_accuracy"]


def test_empty_strings_are_no_model_and_no_condition() -> None:
    frame = score_frame(
        [score_row(scheme="none", attacker="linkage", model="", condition="", metric="m", value=1.0, n=1)]
    )
    assert blocks_of(frame)[0].series == Series("none", "linkage")


def test_titles_mark_the_model_that_knows_little() -> None:
    series = Series("rules", "llm", "local/smollm2-135m")
    assert series.title == "rules · llm (local/smollm2-135m †)"
    assert series.file_name == "rules--llm--local-smollm2-135m"
    assert Series("", "llm", "openai/gpt-4o").title == "every scheme · llm (openai/gpt-4o)"


def test_an_unknown_grouping_and_a_foreign_frame_are_refused() -> None:
    with pytest.raises(UsageError, match="choose one of: all, size"):
        blocks_of(_frame(), "colour")
    with pytest.raises(RunError, match="lacks scheme, attacker"):
        blocks_of(pl.DataFrame({"model": ["x"]}))


def test_a_panel_about_a_few_firms_is_left_out_of_what_is_about_all() -> None:
    known = {"scheme": "rules", "attacker": "llm", "metric": "firm_accuracy", "n": 4}
    panel_a = [score_row(**known, panel="A", value=90.0)]
    panel_b = [score_row(**known, panel="B", value=30.0)]
    (block,) = blocks_of(score_frame(panel_a + panel_b))
    assert block.whole is not None
    assert block.whole.cells["firm_accuracy"].value == 30.0
    (only_a,) = blocks_of(score_frame(panel_a + panel_b), panel="A")
    assert only_a.whole is not None
    assert only_a.whole.cells["firm_accuracy"].value == 90.0
    (alone,) = blocks_of(score_frame(panel_a))
    assert alone.whole is not None
    assert alone.whole.cells["firm_accuracy"].value == 90.0


def test_an_industry_that_no_list_knows_is_no_missing_guess() -> None:
    known = {"scheme": "rules", "attacker": "llm", "value": 1.0, "n": 4}
    frame = score_frame(
        [
            score_row(**known, metric="firm_accuracy", refused=1),
            score_row(**known, metric="industry_accuracy", unparsed=3),
            score_row(**known, metric="firm_accuracy_uniform"),
            score_row(**known, metric="firm_accuracy_permutation"),
        ]
    )
    (block,) = blocks_of(frame)
    assert block.whole is not None
    assert block.whole.lost == {"refused": 1}
    assert metrics_in([block]) == ["firm_accuracy", "industry_accuracy"]


def test_a_baseline_told_once_stands_for_every_scheme_only_where_its_figures_are_the_same() -> None:
    known = {"attacker": "prior", "metric": "firm_accuracy", "n": 4}
    frame = score_frame(
        [
            score_row(**known, scheme=scheme, model=model, value=value)
            for model, values in {"x/a": (5.0, 5.0, 5.0), "x/b": (5.0, 7.0, 7.0)}.items()
            for scheme, value in zip(("none", "rules", "presidio"), values, strict=True)
        ]
    )
    told = [(block.series.model, block.series.scheme) for block in once(blocks_of(frame))]
    assert told == [("x/a", ""), ("x/b", "none"), ("x/b", "")]
