from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from neuter.errors import RunError
from neuter.reports.recall.published_beside import PublishedBeside
from neuter.reports.recall.table_values import interval_text
from neuter.reports.recall.tables import recall_tables

PRE = {"panel": "daily_levels", "series": "sp500", "condition": "none", "split": "pre"}


def _beside(**figure: Any) -> PublishedBeside:
    said = {**PRE, "metric": "mean_percent_error", "published": 0.12, "printed": 0.12, "flag": "", "unit": ""}
    dates = {"first_date": date(1989, 12, 29), "last_date": date(2023, 9, 29)}
    return PublishedBeside([said | figure], [{**PRE, **dates}], "GPT-4o")


def test_a_cell_has_our_figure_its_interval_and_the_papers(make) -> None:
    rows = [
        make.row("mean_percent_error", -0.5, ci_low=-0.8, ci_high=-0.2, first_date=date(1990, 1, 2)),
        make.row("refusals", 3, unit="count", n=103, refused=3),
    ]
    table = make.table(recall_tables(make.scores(rows), make.run()), "table-2")
    cells = make.cells(table, make.find(table, "SP500"))
    mpe = cells["MPE (%)"]
    assert (mpe.value, mpe.low, mpe.high) == (-0.5, -0.8, -0.2)
    # Table 2 of the paper: S&P 500, daily levels before the cutoff.
    assert mpe.published == 0.12
    assert cells["MAPE (%)"].published == 0.61
    assert cells["Num Obs"].published == 8489
    assert (cells["Start Date"].value, cells["Start Date"].published) == (
        date(1990, 1, 2),
        date(1989, 12, 29),
    )
    # Num Obs is over answered questions, not over all that were asked.
    assert (cells["Num Obs"].value, cells["Refusals"].value) == (100, 3)
    assert table.published == "GPT-4o"


def test_num_obs_is_of_the_figure_over_most_points(make) -> None:
    rows = [make.row("directional_accuracy_change", 80.0, n=99), make.row("mean_percent_error", 0.1, n=100)]
    rows += [
        make.row("directional_accuracy_change_all", 79.0, n=120),
        make.row("refusals", 20, unit="count", n=120),
    ]
    table = make.table(recall_tables(make.scores(rows), make.run()), "table-2")
    assert make.cells(table, make.find(table, "SP500"))["Num Obs"].value == 100


def test_a_flagged_figure_that_nobody_can_correct_is_shown_as_printed_with_its_note(make) -> None:
    paper = _beside(published=None, printed=0.11, flag="About a tenth of the truth.")
    tables = recall_tables(make.scores([make.row("mean_percent_error", 1.0)]), make.run(), paper=paper)
    table = make.table(tables, "table-2")
    row = make.find(table, "SP500")
    cell = make.cells(table, row)["MPE (%)"]
    assert (cell.published, cell.printed, cell.flagged) == (None, 0.11, True)
    assert [table.notes[number - 1] for number in row.notes] == ["‡ GPT-4o, MPE: About a tenth of the truth."]


def test_a_published_figure_in_another_unit_does_not_stand_beside(make) -> None:
    paper = _beside(unit="percentage_points")
    for unit, published in (("percent", None), ("percentage_points", 0.12)):
        scores = make.scores([make.row("mean_percent_error", 1.0, unit=unit)])
        table = make.table(recall_tables(scores, make.run(), paper=paper), "table-2")
        assert make.cells(table, make.find(table, "SP500"))["MPE (%)"].published == published


def test_what_was_not_asked_is_no_row_and_is_told(make) -> None:
    tables = recall_tables(make.scores([make.row("mean_percent_error", 1.0)]), make.run())
    table = make.table(tables, "table-2")
    (panel,) = table.panels
    assert [[row.title for row in block.rows] for block in panel.blocks] == [["SP500"]]
    told = next(remark for remark in table.remarks if remark.startswith("Not asked"))
    assert "Panel A: Numerical Tests, Daily Levels: Pre-cutoff (DJIA, Nasdaq Composite)" in told
    assert "Panel B: Other Tests, Relative Performance (by year): Pre-cutoff" in told
    assert "Daily Directional Changes" not in told  # ours: not missing from the paper's table


def test_series_splits_and_contexts_that_the_paper_has_not_stand_apart(make) -> None:
    known = {"suite": "macro", "panel": "levels", "series": "vix"}
    rows = [make.row("mean_percent_error", 1.0, **known)]
    rows.append(make.row("mean_percent_error", 2.0, **{**known, "series": "lumber"}))
    rows.append(make.row("mean_percent_error", 3.0, **known, condition="news"))
    rows.append(
        make.row("mean_error", 4.0, **{**known, "panel": "rates", "series": "inflation"}, split="recent")
    )
    table = make.table(recall_tables(make.scores(rows), make.run("macro")), "table-1")
    titles = {panel.title: panel for panel in table.panels}
    assert list(titles) == ["Panel A: Rates", "Panel B: Levels", "Panel B: Levels, with context (news)"]
    assert [row.title for row in titles["Panel B: Levels"].rows] == ["VIX", "lumber"]
    assert [block.ours for block in titles["Panel B: Levels"].blocks] == [False]
    assert not make.find(table, "lumber").has_published
    (recent,) = titles["Panel A: Rates"].blocks
    assert (recent.title, recent.ours) == ("Recent period", True)
    news = next(titles["Panel B: Levels, with context (news)"].rows)
    assert (news.cells[0].value, news.has_published) == (3.0, False)


def test_a_recent_part_of_another_length_says_so(make) -> None:
    known = {"suite": "macro", "panel": "levels", "series": "vix", "split": "recent"}
    scores = make.scores([make.row("mean_percent_error", 1.0, **known)])
    for years, title in ((None, "Past 10 years"), (5, "Past 5 years")):
        table = make.table(
            recall_tables(scores, make.run("macro", config={"recent_years": years})), "table-1"
        )
        assert table.panels[0].blocks[0].title == f"Recent Pre-cutoff Period: {title}"


def test_each_model_has_its_own_tables(make) -> None:
    rows = [
        make.row("mean_percent_error", value, model=model) for model, value in (("a/x", 1.0), ("b/y", 2.0))
    ]
    tables = [table for table in recall_tables(make.scores(rows), make.run()) if table.name == "table-2"]
    assert [(table.model, make.find(table, "SP500").cells[0].value) for table in tables] == [
        ("a/x", 1.0),
        ("b/y", 2.0),
    ]


def test_rows_of_groups_are_no_figures_of_the_table(make) -> None:
    rows = [
        make.row("mean_percent_error", 1.0),
        make.row("mean_percent_error", 7.0, group_by="firm", group="AAPL"),
    ]
    table = make.table(recall_tables(make.scores(rows), make.run()), "table-2")
    assert make.find(table, "SP500").cells[0].value == 1.0


def test_large_intervals_have_one_decimal_and_small_ones_two(make) -> None:
    rows = [make.row("mean_percent_error", 20.0, ci_low=10.04, ci_high=30.06)]
    rows += [make.row("mean_absolute_percent_error", 20.0, ci_low=9.96, ci_high=30.06)]
    table = make.table(recall_tables(make.scores(rows), make.run()), "table-2")
    cells = make.find(table, "SP500").cells
    columns = table.panels[0].columns
    assert [interval_text(cells[k], columns[k]) for k in (0, 1)] == ["[10.0, 30.1]", "[9.96, 30.06]"]


def test_the_embedded_models_warning_stands_below_its_tables(make) -> None:
    for model, warned in (("local/smollm2-135m", True), ("openai/gpt-4o", False)):
        scores = make.scores([make.row("mean_percent_error", 1.0, model=model)])
        remarks = recall_tables(scores, make.run())[0].remarks
        assert any("knows little finance" in remark for remark in remarks) is warned


def test_table_5_is_comparable_only_where_the_scores_have_the_papers_figures(make) -> None:
    known = {"suite": "portfolios", "panel": "month_end_closes", "series": "Small"}
    for published, comparable in ((None, False), (-3.5, True)):
        scores = make.scores([make.row("mean_percent_error", 1.0, **known, published=published)])
        table = make.table(recall_tables(scores, make.run("portfolios")), "table-5")
        row = make.find(table, "Small")
        assert row.comparable is comparable
        told = [table.notes[number - 1] for number in row.notes]
        assert any(note.startswith("Not comparable: ") for note in told) is not comparable
        assert make.cells(table, row)["MPE (%)"].published == -3.5


def test_published_figures_of_another_truth_are_marked(make) -> None:
    scores = make.scores([make.row("mean_percent_error", 1.0)])
    for others, comparable in (([], True), (["sp500"], False)):
        run = {**make.run(), "scoring": {"other_truths": others}}
        table = make.table(recall_tables(scores, run), "table-2")
        row = make.find(table, "SP500")
        told = [table.notes[number - 1] for number in row.notes]
        assert row.comparable is comparable
        assert any("held against another truth" in note for note in told) is not comparable


def test_portfolios_of_table_a1_that_need_crsp_say_so(make) -> None:
    known = {"suite": "summary", "split": "all", "attacker": "", "model": "", "panel": "portfolios_monthly"}
    rows = [make.row("mean_return", None, **known, series="Small", n=0)]
    rows += [make.row("mean_return", 1.2, **known, series="Large")]
    run = make.run("summary", models=[], outcomes={})
    (table,) = recall_tables(make.scores(rows), run)
    small, large = table.panels[0].rows
    assert small.title == "Small Stocks Monthly (not computable here)"
    assert [note for note in table.notes if not note.startswith("‡")] == [
        "Not computable here: it needs CRSP prices and market caps from 1990."
    ]
    assert (large.title, large.cells[0].value) == ("Large Stocks Monthly", 1.2)
    assert table.published == "the paper"


def test_caveats_become_numbered_notes_of_their_rows_and_columns(make) -> None:
    rows = [make.row("mean_percent_error", 1.0), make.row("confidence_calibration", None, unit="correlation")]
    rows += [make.row("mean_percent_error", 1.0, series="djia"), make.row("skill_over_always_up", 0.5)]
    rows += [make.row("directional_accuracy_change", 55.0, attacker="always_up", model="")]
    common = {"model": make.model, "panel": "daily_levels", "condition": "none"}
    caveats = [
        {**common, "series": "sp500", "split": "pre", "metric": "confidence_calibration", "text": "constant"},
        {
            **common,
            "series": "sp500",
            "split": "all",
            "metric": "confidence_calibration",
            "text": "constant in all",
        },
        {
            **common,
            "series": "djia",
            "split": "all",
            "metric": "mean_percent_error",
            "text": "3 zeros left out",
        },
        {
            **common,
            "series": "djia",
            "split": "post",
            "metric": "mean_percent_error",
            "text": "of another split",
        },
        {
            **common,
            "series": "sp500",
            "split": "pre",
            "metric": "",
            "text": "of <all>",
            "model": "other/model",
        },
        {
            **common,
            "series": "sp500",
            "split": "pre",
            "metric": "directional_accuracy_change of always_up",
            "text": "few",
        },
    ]
    tables = recall_tables(make.scores(rows), make.run(caveats=caveats))
    table = make.table(tables, "table-2")
    assert table.notes == ("Confidence Calibration: constant.", "MPE: 3 zeros left out.")
    assert (make.find(table, "SP500").notes, make.find(table, "DJIA").notes) == ((1,), (2,))
    assert make.table(tables, "baselines").notes == ("always up: few.",)


def test_an_empty_figure_without_answers_says_why(make) -> None:
    table = make.table(
        recall_tables(make.scores([make.row("mean_percent_error", None, n=0)]), make.run()), "table-2"
    )
    assert table.notes == ("MPE: no answer to score.",)


@pytest.mark.parametrize(
    ("suite", "config", "told"),
    [
        ("stocks", {}, "Prices are held against closes as traded"),
        ("stocks", {"price": "split_adjusted"}, "held against split-adjusted closes"),
        ("stocks", {"change": "previous_estimate"}, "the model's own estimate one period before"),
        ("stocks", {"zero_is_answer": True}, "Refusals: null; 0 is taken for an answer"),
        ("stocks", {"zero_is_answer": False}, "Refusals: null or 0."),
        ("macro", {"vintage": "latest"}, "Truth is the latest vintage of every series"),
        ("indices", {"returns": "relative"}, "relative to the return itself"),
    ],
)
def test_a_table_says_what_the_runs_options_mean(make, suite: str, config: dict[str, Any], told: str) -> None:
    panel = {"stocks": "month_end_closes", "macro": "levels", "indices": "daily_levels"}[suite]
    series = {"stocks": "AAPL", "macro": "vix", "indices": "sp500"}[suite]
    scores = make.scores([make.row("mean_percent_error", 1.0, panel=panel, series=series, suite=suite)])
    remarks = recall_tables(scores, make.run(suite, config=config))[0].remarks
    assert any(told in remark for remark in remarks)


def test_nothing_scored_gives_no_table(make) -> None:
    assert recall_tables(make.scores([]), make.run()) == []


def test_scores_without_a_column_are_refused(make) -> None:
    with pytest.raises(RunError, match="lacks split"):
        recall_tables(make.scores([]).drop("split"), make.run())
