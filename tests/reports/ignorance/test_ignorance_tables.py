from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.reports.ignorance.about_run import about
from neuter.reports.ignorance.score_lookup import ForecastScores
from neuter.reports.ignorance.tables import ignorance_tables
from neuter.reports.recall.table_values import RecallCell, RecallRow, RecallTable
from neuter.reports.run_files import read_manifest, read_scores
from neuter.scoring.forecasts.row import Row, score_frame


def _tables(folder: Path) -> dict[str, RecallTable]:
    made = ignorance_tables(folder, read_manifest(folder), read_scores(folder))
    return {table.name: table for table in made}


def _row(table: RecallTable, title: str, block: str = "") -> RecallRow:
    blocks = [one for panel in table.panels for one in panel.blocks if one.title.startswith(block)]
    return next(row for one in blocks for row in one.rows if row.title == title)


def _cells(table: RecallTable, title: str, block: str = "", panel: int = 0) -> dict[str, RecallCell]:
    row = _row(table, title, block)
    return {column.title: cell for column, cell in zip(table.panels[panel].columns, row.cells, strict=True)}


def _score(folder: Path, metric: str, **place: str) -> float:
    return ForecastScores(read_scores(folder)).value(metric, **place)


def test_a_run_has_all_six_tables_of_the_paper_and_then_those_beyond_it(whole_run: Path) -> None:
    tables = list(_tables(whole_run).values())
    assert [one.name for one in tables if not one.beyond] == [f"table-{k}" for k in range(1, 7)]
    beyond = [one.beyond for one in tables]
    assert beyond == sorted(beyond)
    assert {"verdicts", "brier", "gaps", "effects", "groups", "discontinuity", "tests", "bounds"} <= {
        one.name for one in tables
    }


def test_table_1_has_cutoffs_and_counts_of_the_fixed_partition(whole_run: Path) -> None:
    table = _tables(whole_run)["table-1"]
    cells = _cells(table, "openai/gpt-5.1")
    # Questions are 870/90 days apart from 2023-02-01; K_min is 2024-04-01 (day 425), K_max 2024-12-01 (day 669).
    pre = sum(k * 870 // 90 < 425 for k in range(90))
    post = sum(k * 870 // 90 >= 669 for k in range(90))
    assert cells["Cutoff"].value == "2024-09-01"
    assert (cells["n pre"].value, cells["n post"].value) == (str(pre), str(post))
    assert [block.title for block in table.panels[0].blocks] == ["Reasoning-optimized", "Non-reasoning"]


def test_table_1_tells_a_range_where_conditions_have_other_counts(whole_run: Path) -> None:
    less = (pl.col("condition") == "G2") & (pl.col("split") == "post") & (pl.col("metric") == "brier")
    scores = read_scores(whole_run).with_columns(n=pl.when(less).then(18).otherwise("n"))
    made = ignorance_tables(whole_run, read_manifest(whole_run), scores)
    assert _cells(made[0], "openai/gpt-5.1")["n post"].value == "18–20"


def test_table_1_has_the_papers_figures_only_beside_the_papers_models(whole_run: Path) -> None:
    rows = [row for row in _tables(whole_run)["table-1"].panels[0].rows if row.reference]
    assert [row.title for row in rows] == ["paper: GPT-5.1", "paper: DeepSeek-V3.2-Exp"]
    assert [cell.value for cell in rows[1].cells] == ["2024-12", "201", "273", ""]


def test_table_2_has_the_papers_audit_by_group_under_the_pre_cutoff_questions(whole_run: Path) -> None:
    table = _tables(whole_run)["table-2"]
    theirs = _cells(table, "paper (3 models)")
    assert (theirs["Logic (%), judge"].value, theirs["Clean (%), judge"].value) == (99.4, 98.8)
    assert _cells(table, "paper (6 models)")["Logic (%), judge"].value == 96.7
    ours = _cells(table, "Reasoning-optimized", "Pre")
    assert (ours["Clean (%), judge"].value, ours["Clean (%), rule"].value) == (96.0, 95.0)
    assert not any(row.reference for row in table.panels[0].blocks[1].rows)


def test_table_3_says_who_knew_the_questions_and_how_far_each_cutoff_is(whole_run: Path) -> None:
    table = _tables(whole_run)["table-3"]
    first, second = _cells(table, "gpt-5.1 (2024-09)"), _cells(table, "deepseek-v3.2-exp (2025-01)")
    assert (first["Status"].value, second["Status"].value) == ("TI", "SI")
    assert (first["Brier, between"].value, second["Brier, between"].value) == (0.21, 0.13)
    days = [date(2023, 2, 1).toordinal() + k * 870 // 90 for k in range(90)]
    between = [day for day in days if date(2024, 9, 1).toordinal() <= day < date(2025, 1, 1).toordinal()]
    far = [(max(between) - cutoff.toordinal()) / 30.4375 for cutoff in (date(2024, 9, 1), date(2025, 1, 1))]
    assert first["Horizon (months)"].value == f"0 to {round(far[0])}"
    assert second["Horizon (months)"].value == f"−4 to {round(far[1])}"
    gap = _cells(table, "Gap")["Brier, between"]
    assert (gap.value, gap.low, gap.high) == pytest.approx((0.08, 0.05, 0.11))
    theirs = _cells(table, "paper: gap")
    assert theirs["Brier, between"].value == 0.068


def test_table_4_puts_the_papers_0_11_under_g1_and_says_why(whole_run: Path) -> None:
    table = _tables(whole_run)["table-4"]
    rows = [row for row in table.panels[0].rows if row.reference]
    columns = [column.title for column in table.panels[0].columns]
    pre = dict(zip(columns, rows[0].cells, strict=True))
    assert (pre["Crowd"].value, pre["Models, G1"].value, pre["Models, G1′"].value) == (0.232, 0.11, None)
    assert "0.11 is the control of Figure 1" in table.notes[rows[0].notes[0] - 1]
    assert _cells(table, "Δ")["Crowd"].value == 0.01


def test_table_5_stands_beside_kappa_0_64_and_0_86(whole_run: Path) -> None:
    table = _tables(whole_run)["table-5"]
    rows = list(table.panels[0].rows)
    assert [row.cells[0].value for row in rows] == [0.7, 0.64, 0.8, 0.86]
    assert [row.cells[-1].value for row in rows] == [36, 36, 36, 36]


def test_table_5_has_the_labellers_among_themselves_and_the_weighted_kappa(whole_run: Path) -> None:
    place = {"series": "logic_consistency", "condition": "", "unit": "share", "n": 30}
    more = [
        Row(
            "audit_validation",
            "kappa",
            value=0.5,
            attacker="people",
            group_by="labellers",
            group="a and b",
            **place,
        ),
        Row("audit_validation", "kappa_population", value=0.66, attacker="judge", **place),
    ]
    scores = pl.concat([read_scores(whole_run), score_frame(more, "ignorance")])
    made = {one.name: one for one in ignorance_tables(whole_run, read_manifest(whole_run), scores)}
    assert _cells(made["table-5"], "between a and b")["κ, judge"].value == 0.5
    assert _cells(made["table-5"], "Logic consistency")["κ, judge, weighted"].value == 0.66


def test_a_share_is_told_in_percent_beside_the_papers_48(whole_run: Path) -> None:
    table = _tables(whole_run)["gaps"]
    ours = _cells(table, "Mean over models", "By model")["Closed by G1′ (%)"]
    assert ours.value == pytest.approx(100 * _score(whole_run, "gap_closed", condition="G1′"))
    rows = table.panels[0].blocks[0].rows
    assert rows[-1].title == "paper (9 models)"
    columns = [column.title for column in table.panels[0].columns]
    assert rows[-1].cells[columns.index("Closed by G1′ (%)")].value == 48.0
    by_domain = table.panels[0].blocks[1].rows
    paper = {by_domain[k - 1].title: row for k, row in enumerate(by_domain) if row.reference}
    closed, gap = columns.index("Closed by G1′ (%)"), columns.index("Gap, G1′")
    assert {name: row.cells[closed].value for name, row in paper.items()} == {
        "Business": 91.0,
        "Politics/Geopolitics": 33.0,
    }
    assert paper["Business"].cells[gap].value == 0.010


def test_a_verdict_has_its_gap_and_the_questions_that_it_would_take(whole_run: Path) -> None:
    cells = _cells(_tables(whole_run)["verdicts"], "Mean over models, G1′")
    assert (cells["Gap"].value, cells["Gap"].low, cells["Gap"].high) == (0.17, 0.13, 0.21)
    assert [cells[name].value for name in ("Pre", "Post", "Questions needed")] == [40, 20, 375]


def test_a_test_has_its_difference_with_interval_and_both_p_values(whole_run: Path) -> None:
    cells = _cells(_tables(whole_run)["tests"], "gpt-5.1", "G1 with G1′")
    difference = cells["Difference"]
    assert (difference.value, difference.low, difference.high) == (0.06, 0.04, 0.08)
    assert (cells["p"].value, cells["p (Holm)"].value, cells["Smallest seen"].value) == (0.001, 0.004, 0.03)


def test_failures_are_counted_over_all_conditions(whole_run: Path) -> None:
    table = _tables(whole_run)["brier"]
    assert _cells(table, "gpt-5.1", "Pre")["No forecast"].value == 4


def test_a_run_of_one_model_has_no_mean_and_the_paper_as_a_reference(one_model: Path) -> None:
    tables = _tables(one_model)
    titles = [row.title for row in tables["brier"].panels[0].blocks[0].rows]
    assert titles == ["clockwork", "paper (9 models)"]
    assert "table-3" not in tables
    assert not [row for row in tables["table-1"].panels[0].rows if row.reference]


def test_models_of_one_name_keep_their_providers(whole_run: Path) -> None:
    run = read_manifest(whole_run) | {"models": ["a/m", "b/m", "c/n"]}
    its = about(run, ForecastScores(read_scores(whole_run).clear()))
    assert [its.title(one) for one in its.models] == ["a/m", "b/m", "n"]


def test_without_scores_there_are_no_tables_but_the_models_and_the_tests(
    whole_run: Path, tmp_path: Path
) -> None:
    run = read_manifest(whole_run) | {"verdicts": []}
    made = ignorance_tables(tmp_path, run, read_scores(whole_run).clear())
    assert [one.name for one in made] == ["table-1"]


def test_a_caveat_of_a_figure_is_a_note_of_its_row(whole_run: Path) -> None:
    where = {"panel": "fixed", "condition": "G1′", "metric": "gap_closed", "model": "openai/gpt-5.1"}
    pair = "openai/gpt-5.1 and deepseek/deepseek-v3.2-exp"
    other = {"panel": "natural_experiment", "condition": "G2′", "metric": "brier_difference", "series": pair}
    other |= {"split": "between", "group_by": "model", "group": "difference"}
    caveats = [where | {"text": "few clusters"}, other | {"text": "twelve questions"}]
    run = read_manifest(whole_run) | {"caveats": caveats}
    made = {one.name: one for one in ignorance_tables(whole_run, run, read_scores(whole_run))}
    told = {row.title for row in made["gaps"].panels[0].rows if "few clusters" in _texts(made["gaps"], row)}
    assert told == {"gpt-5.1"}
    assert _texts(made["table-3"], _row(made["table-3"], "Gap")) == ["twelve questions"]


def _texts(table: RecallTable, row: RecallRow) -> list[str]:
    return [table.notes[number - 1] for number in row.notes]


def test_what_a_run_did_not_ask_is_no_column(whole_run: Path) -> None:
    scores = read_scores(whole_run).filter(pl.col("condition").is_in(["G1", "G1′", ""]))
    run = read_manifest(whole_run) | {"conditions": ["G1", "G1′"]}
    made = {one.name: one for one in ignorance_tables(whole_run, run, scores)}
    assert [column.title for column in made["brier"].panels[0].columns] == [
        "G1",
        "G1′",
        "Questions",
        "No forecast",
    ]
    assert "table-2" not in made
