"""The rows of an audit: percents over questions with intervals, and people held against the judge and the rule."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl
import pytest

from neuter.errors import DataError, UsageError
from neuter.scoring.forecasts.how import ForecastScoring
from neuter.scoring.forecasts.row import Row, score_frame
from neuter.scoring.forecasts.schema import RESOLVED_SCHEMA
from neuter.traces import LABEL_SCHEMA, score_traces
from neuter.traces.extracting import in_schema
from neuter.traces.schema import with_keys

K, LATE = date(2023, 10, 1), date(2024, 6, 1)
HOW = ForecastScoring(
    {"m": K, "k": LATE}, date(2023, 1, 1), {"m": "reasoning", "k": "non_reasoning"}, draws=200
)
DAYS = {"pre": date(2023, 5, 1), "between": date(2024, 1, 1), "post": date(2024, 9, 1)}


def questions(n: int = 10, clusters: dict[str, str] | None = None) -> pl.DataFrame:
    """n questions of each split: pre0, pre1, ..."""
    rows = [
        {"id": f"{split}{at}", "resolution_date": day, "outcome": 1.0, "domain": "", "cluster": (clusters or {}).get(f"{split}{at}", "")}
        for split, day in DAYS.items()
        for at in range(n)
    ]  # fmt: skip
    frame = pl.DataFrame(rows)
    return frame.with_columns(
        pl.lit(None, dtype=kind).alias(name)
        for name, kind in RESOLVED_SCHEMA.items()
        if name not in frame.columns
    )


def trace(id_: str, model: str = "m", run: int = 0, condition: str = "G2′", **more: Any) -> dict[str, Any]:
    return {
        "id": id_,
        "model": model,
        "condition": condition,
        "run": run,
        "trace": f"{id_} {model} {run}",
        "rule_clean": True,
        **more,
    }


def judged(logic: bool | None = True, clean: bool | None = True, **more: Any) -> dict[str, Any]:
    outcome = "answered" if clean is not None else "refused"
    return {"judge": "j", "judge_outcome": outcome, "judge_logic": logic, "judge_clean": clean, **more}


def frame(*rows: dict[str, Any]) -> pl.DataFrame:
    names = dict.fromkeys(name for row in rows for name in row)
    return in_schema(
        pl.DataFrame([{name: row.get(name) for name in names} for row in rows], infer_schema_length=None)
    )


def rows_of(traces: pl.DataFrame, labels: pl.DataFrame | None = None, **where: Any) -> list[Row]:
    found = score_traces(traces, labels, questions(), HOW)
    score_frame(found, "ignorance")
    return [row for row in found if all(getattr(row, name) == value for name, value in where.items())]


def one(traces: pl.DataFrame, labels: pl.DataFrame | None = None, **where: Any) -> Row:
    (row,) = rows_of(traces, labels, **where)
    return row


RULE = {"panel": "traces", "attacker": "rule", "metric": "cutoff_compliance", "split": "pre"}


# Percents


def test_a_question_is_worth_one_whatever_its_runs() -> None:
    runs = [trace("pre0", run=run, rule_clean=run == 0) for run in range(4)]
    row = one(frame(*runs, trace("pre1")), model="m", **RULE)
    assert row.value == pytest.approx(100 * (0.25 + 1) / 2)
    assert (row.n, row.answered, row.unit) == (2, 5, "percent")


def test_each_model_has_the_same_weight_in_the_mean_and_in_its_group() -> None:
    many = [trace(f"pre{at}", "m") for at in range(9)] + [trace("pre0", "k", rule_clean=False)]
    assert one(frame(*many), model="", group_by="all", **RULE).value == pytest.approx(50)
    groups = {row.group: row.value for row in rows_of(frame(*many), group_by="model_group", **RULE)}
    assert groups == {"reasoning": pytest.approx(100), "non_reasoning": pytest.approx(0)}


def test_one_model_has_no_mean_beside_it_and_one_group_no_rows() -> None:
    assert {(row.model, row.group_by) for row in rows_of(frame(trace("pre0")), **RULE)} == {("m", "all")}


def test_questions_between_the_cutoffs_are_in_no_split() -> None:
    rows = rows_of(
        frame(trace("pre0"), trace("between0"), trace("post0", rule_clean=False)), attacker="rule", model="m"
    )
    assert {(row.split, row.value, row.n) for row in rows} == {("pre", 100.0, 1), ("post", 0.0, 1)}
    assert {(row.first_date, row.last_date) for row in rows} == {(DAYS["pre"],) * 2, (DAYS["post"],) * 2}


def test_conditions_are_apart() -> None:
    rows = rows_of(frame(trace("pre0"), trace("pre0", condition="G2", rule_clean=False)), model="m", **RULE)
    assert {(row.condition, row.value) for row in rows} == {("G2", 0.0), ("G2′", 100.0)}


def test_all_clean_has_an_interval_that_is_wilsons() -> None:
    from statsmodels.stats.proportion import proportion_confint

    row = one(frame(*(trace(f"pre{at}") for at in range(10))), model="m", **RULE)
    low, high = proportion_confint(10, 10, method="wilson")
    assert (row.ci_low, row.ci_high) == pytest.approx((100 * low, 100 * high))


def test_questions_of_one_cluster_say_less() -> None:
    traces = frame(*(trace(f"pre{at}") for at in range(10)))
    alone = score_traces(traces, None, questions(), HOW)[0]
    joined = score_traces(
        traces, None, questions(clusters={f"pre{at}": str(at // 5) for at in range(10)}), HOW
    )[0]
    assert joined.ci_low is not None
    assert alone.ci_low is not None
    assert joined.ci_low < alone.ci_low


def test_what_the_judge_did_not_answer_is_counted_and_left_out() -> None:
    traces = frame(
        trace("pre0", **judged()), trace("pre1", **judged(False, False)), trace("pre2", **judged(None, None)),
    )  # fmt: skip
    clean = one(traces, attacker="judge", metric="cutoff_compliance", model="m")
    assert (clean.value, clean.n, clean.answered, clean.refused, clean.failed) == (50, 2, 2, 1, 0)
    assert one(traces, attacker="judge", metric="logic_consistency", model="m").value == 50
    assert one(traces, model="m", **RULE).n == 3


def test_a_judge_that_answered_nothing_has_rows_without_a_value() -> None:
    row = one(frame(trace("pre0", **judged(None, None))), attacker="judge", metric="logic_consistency")
    assert (row.value, row.ci_low, row.n, row.refused) == (None, None, 0, 1)


def test_without_a_judge_there_are_rows_of_the_rule_alone() -> None:
    assert {row.attacker for row in rows_of(frame(trace("pre0")))} == {"rule"}


def test_quotations_that_no_trace_holds_are_told() -> None:
    traces = frame(
        trace("pre0", **judged(clean=False, judge_quote="a", judge_quote_found=False)),
        trace("pre1", **judged(clean=False, judge_quote="b", judge_quote_found=True)),
    )
    caveat = one(traces, attacker="judge", metric="cutoff_compliance").caveat
    assert "1 of 2 references that the judge quotes are not in the traces" in caveat


def test_a_trace_of_no_question_is_refused() -> None:
    with pytest.raises(UsageError, match="no question"):
        score_traces(frame(trace("strange")), None, questions(), HOW)


def test_no_traces_give_no_rows() -> None:
    assert score_traces(frame(trace("pre0")).clear(), None, questions(), HOW) == []


# People


def labelled(traces: pl.DataFrame, *said: tuple[int, str, str, str]) -> pl.DataFrame:
    """Labels of the traces at these places: logic, clean, by."""
    keys = with_keys(traces)["key"].to_list()
    return pl.DataFrame(
        [(keys[at], logic, clean, by, "") for at, logic, clean, by in said], schema=LABEL_SCHEMA, orient="row"
    )


def audited() -> pl.DataFrame:
    """Ten traces; the judge finds the first two unclean, the rule the first three."""
    return frame(
        *(trace(f"pre{at}", rule_clean=at > 2, **judged(clean=at > 1)) for at in range(10))
    )  # fmt: skip


def test_people_are_held_against_the_judge_and_the_rule() -> None:
    traces = audited()
    labels = labelled(traces, *((at, "yes", "no" if at in {0, 5} else "yes", "ann") for at in range(10)))
    place = {"panel": "audit_validation", "series": "cutoff_compliance", "condition": "G2′"}
    agreed = one(traces, labels, attacker="judge", metric="agreement", **place)
    assert (agreed.value, agreed.n, agreed.unit) == (80, 10, "percent")
    # 8 of 10 equal; by chance 0.2 * 0.2 + 0.8 * 0.8 = 0.68; (0.8 − 0.68) / 0.32 = 0.375.
    assert one(traces, labels, attacker="judge", metric="kappa", **place).value == pytest.approx(0.375)
    assert one(traces, labels, attacker="rule", metric="agreement", **place).value == pytest.approx(70)


def test_kappa_where_all_say_yes_is_empty_and_says_why() -> None:
    traces = audited()
    labels = labelled(traces, *((at, "yes", "yes", "ann") for at in range(10)))
    row = one(traces, labels, series="logic_consistency", metric="kappa", condition="")
    assert (row.value, row.ci_low) == (None, None)
    assert "undefined" in row.caveat


def test_a_stratified_sample_is_weighed_back() -> None:
    # 1,000 traces of which 10 are unclean to the judge; people doubt half of those 4 labelled, and none of 4 others.
    many = [trace(f"pre{at % 10}", run=at // 10, **judged(clean=at >= 10)) for at in range(1000)]
    traces = frame(*many)
    labels = labelled(
        traces, *((at, "yes", "no" if at < 2 else "yes", "ann") for at in (0, 1, 2, 3, 500, 600, 700, 800))
    )
    place = {"series": "cutoff_compliance", "attacker": "judge", "condition": "G2′"}
    assert one(traces, labels, metric="agreement", **place).value == pytest.approx(75)
    # 990 stand for agreement, and half of 10.
    assert one(traces, labels, metric="agreement_population", **place).value == pytest.approx(99.5)


def test_strata_without_a_label_are_told() -> None:
    traces = audited()
    row = one(traces, labelled(traces, (5, "yes", "yes", "ann")), series="cutoff_compliance", attacker="judge", condition="",
              metric="agreement_population")  # fmt: skip
    assert row.caveat == "strata with 20.0% of all traces were not labelled"


def test_two_labellers_share_a_trace_and_are_held_against_each_other() -> None:
    traces = audited()
    ann = [(at, "yes", "no" if at == 0 else "yes", "ann") for at in range(4)]
    bob = [(at, "yes", "yes", "bob") for at in range(4)]
    labels = labelled(traces, *ann, *bob)
    place = {"series": "cutoff_compliance", "condition": "", "metric": "agreement"}
    judge = {row.group: row.value for row in rows_of(traces, labels, attacker="judge", **place)}
    # The judge: no, no, yes, yes. Ann: no, yes, yes, yes. Bob: four times yes.
    assert judge == {"all": pytest.approx(62.5), "ann": pytest.approx(75), "bob": pytest.approx(50)}
    both = one(traces, labels, attacker="people", **place)
    assert (both.group_by, both.group, both.value, both.n) == ("labellers", "ann and bob", 75, 4)
    assert one(traces, labels, attacker="judge", group_by="all", **place).answered == 8


def test_a_label_of_no_trace_is_named() -> None:
    traces = audited()
    labels = labelled(traces, (0, "yes", "yes", "ann")).with_columns(key=pl.lit("f" * 16))
    with pytest.raises(DataError, match=r"f{16} is of no trace of this run"):
        score_traces(traces, labels, questions(), HOW)
