from __future__ import annotations

import polars as pl
import pytest

from neuter.scoring.forecasts.row import Row, score_frame
from neuter.scoring.table import SCORES_SCHEMA
from neuter.suites.ignorance.published import paper_model, paper_series, published_ignorance, with_published


def _published(row: Row, suite: str = "ignorance") -> float | None:
    return with_published(score_frame([row], suite))["published"][0]


@pytest.mark.parametrize(
    ("row", "value"),
    [
        (Row("fixed", "gap_closed", "share", 0.3, condition="G1′"), 0.48),
        (Row("fixed", "gap_remaining", "share", 0.7, condition="G1′"), 0.52),
        (Row("fixed", "gap_closed", "share", 0.3, condition="G2′"), None),
        (
            Row("fixed", "gap_closed", "share", 0.3, condition="G1′", group_by="domain", group="business"),
            0.91,
        ),
        (
            Row(
                "fixed", "si_ti_gap", "brier", 0.1, condition="G2′", group_by="model_group", group="reasoning"
            ),
            0.097,
        ),
        (Row("fixed", "brier", "brier", 0.1, condition="G1", split="pre"), 0.11),
        (Row("fixed", "brier", "brier", 0.1, condition="G1", split="pre", model="openai/gpt-5.1"), None),
        (Row("own", "brier", "brier", 0.1, condition="G1", split="pre"), None),
        (Row("human", "brier", "brier", 0.1, split="post", attacker="crowd"), 0.243),
        (Row("discontinuity", "jump", "brier", 0.1, condition="G2′", model="azure/gpt-5.1-2025-11-13"), 0.13),
        (Row("discontinuity", "jump", "brier", 0.1, condition="G2′", model="simulated/x"), None),
        (Row("discontinuity", "jump", "brier", 0.1, condition="G2′"), None),
        (
            Row("audit_validation", "kappa", "share", 0.5, series="cutoff_compliance", attacker="judge"),
            0.86,
        ),
        (Row("audit_validation", "kappa", "share", 0.5, series="cutoff_compliance", attacker="rule"), None),
        (Row("fixed", "gap_closed", "percent", 30.0, condition="G1′"), None),
    ],
)
def test_a_published_figure_stands_at_its_own_place_alone(row: Row, value: float | None) -> None:
    assert _published(row) == value


def test_the_natural_experiment_is_matched_by_both_models_in_their_order() -> None:
    place = {"condition": "G2′", "split": "between", "group_by": "model"}
    pair = "openai/gpt-5.1 and deepseek/deepseek-v3.2-exp"
    first = Row("natural_experiment", "brier", "brier", 0.2, series=pair, group="openai/gpt-5.1", **place)
    assert _published(first) == 0.204
    gap = Row(
        "natural_experiment", "brier_difference", "brier", 0.1, series=pair, group="difference", **place
    )
    assert _published(gap) == 0.068
    other = "openai/gpt-5.1 and google/gemini-2.5-pro"
    assert (
        _published(
            Row("natural_experiment", "brier", "brier", 0.2, series=other, group="openai/gpt-5.1", **place)
        )
        is None
    )
    swapped = "deepseek/deepseek-v3.2-exp and openai/gpt-5.1"
    assert (
        _published(
            Row(
                "natural_experiment",
                "brier_difference",
                "brier",
                0.1,
                series=swapped,
                group="difference",
                **place,
            )
        )
        is None
    )


def test_rows_of_other_suites_and_all_other_columns_stay_as_they_are() -> None:
    row = Row("fixed", "gap_closed", "share", 0.3, condition="G1′")
    assert _published(row, "macro") is None
    before = score_frame([row], "ignorance")
    after = with_published(before)
    assert after.drop("published").equals(before.drop("published"))
    assert list(after.columns) == list(SCORES_SCHEMA)
    assert with_published(before.clear()).schema == before.schema


def test_the_papers_models_are_known_by_whoever_serves_them() -> None:
    known = {
        "anthropic/claude-3-5-sonnet-20241022": "Claude 3.5 Sonnet",
        "openrouter/meta-llama/llama-4-maverick": "Llama 4 Maverick",
        "groq/openai/gpt-oss-20b": "OpenAI-OSS-20b",
        "google/gemini-2.5-flash": "Gemini-2.5-Flash",
    }
    assert {name: paper_model(name).label for name in known} == known
    assert [
        paper_model(one) for one in ("google/gemini-2.5-flash-lite", "openai/gpt-5", "x/gpt-oss-200b")
    ] == [None] * 3
    assert paper_series("a/b") == ""


def test_the_data_hold_what_the_paper_prints() -> None:
    paper = published_ignorance()
    assert [one.label for one in paper.models if one.group == "reasoning"] == [
        "GPT-5.1",
        "Gemini-2.5-Pro",
        "DeepSeek-R1",
    ]
    assert sum(one.pre for one in paper.models) == 8 * 201 + 199
    assert sum(one.post for one in paper.models) == 5 * 276 + 2 * 274 + 2 * 273
    assert (
        paper.figure(
            "traces",
            "cutoff_compliance",
            condition="G2′",
            split="pre",
            attacker="judge",
            group_by="model_group",
            group="non_reasoning",
        ).value
        == 98.2
    )
    assert [(one.id, one.forecast, one.outcome) for one in paper.cases] == [
        ("Q13959", 0.04, 0),
        ("Q30269", 0.45, 1),
        ("Q13986", 1.0, 1),
        ("Q37397", 0.67, 0),
    ]
    assert {one.unit for one in paper.figures} <= {"brier", "share", "percent"}


def test_every_published_place_is_one_figure() -> None:
    places = pl.DataFrame(
        [
            (
                one.panel,
                one.series,
                one.condition,
                one.split,
                one.attacker,
                one.model,
                one.group_by,
                one.group,
                one.metric,
            )
            for one in published_ignorance().figures
        ],
        orient="row",
    )
    assert not places.is_duplicated().any()
