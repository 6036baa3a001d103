from __future__ import annotations

import pytest

from neuter.reports.recall.table_values import interval_text, month_of, value_text
from neuter.reports.recall.tables import recall_tables


def test_baselines_stand_beside_the_figure_that_they_are_of(make) -> None:
    rows = [make.row("mean_absolute_percent_error", 0.6, baseline=30.0)]
    rows += [make.row("mean_absolute_percent_error", 0.9, attacker="previous", model="")]
    rows += [make.row("skill_over_previous", 1 / 3, unit="share")]
    table = make.table(recall_tables(make.scores(rows), make.run()), "baselines")
    cells = make.cells(table, make.find(table, "SP500"))
    assert cells["by the previous value"].value == 0.9
    assert cells["Skill over the previous value"].value == pytest.approx(1 / 3)
    assert "by the mean so far" not in cells  # nothing to show in it
    assert cells["by the mean of these dates"].value == 30.0
    assert all(cell.published is None for cell in cells.values())


def test_a_baseline_of_two_models_that_does_not_say_whose_it_is_stays_empty(make) -> None:
    rows = [make.row("mean_absolute_percent_error", 0.6, model=model) for model in ("a/x", "b/y")]
    rows += [make.row("mean_absolute_percent_error", v, attacker="previous", model="") for v in (0.9, 5.0)]
    named = [
        make.row("mean_absolute_percent_error", v, attacker="ar1", model=m)
        for m, v in (("a/x", 1.0), ("b/y", 7.0))
    ]
    tables = [t for t in recall_tables(make.scores([*rows, *named]), make.run()) if t.name == "baselines"]
    cells = [make.cells(table, make.find(table, "SP500")) for table in tables]
    assert all("by the previous value" not in one for one in cells)
    assert [one["by an AR(1)"].value for one in cells] == [1.0, 7.0]


def test_a_baseline_that_names_its_model_goes_before_one_that_does_not(make) -> None:
    rows = [make.row("mean_absolute_percent_error", 0.6)]
    rows += [make.row("mean_absolute_percent_error", 9.0, attacker="previous", model="")]
    rows += [make.row("mean_absolute_percent_error", 1.0, attacker="previous")]
    table = make.table(recall_tables(make.scores(rows), make.run()), "baselines")
    assert make.cells(table, make.find(table, "SP500"))["by the previous value"].value == 1.0


def test_the_other_price_is_told_only_of_series_that_have_one(make) -> None:
    known = {"suite": "stocks", "panel": "month_end_closes"}
    rows = [
        make.row("mean_absolute_percent_error", 9.0, **known, series=ticker) for ticker in ("AAPL", "META")
    ]
    rows += [make.row("mean_absolute_percent_error_split_adjusted", 2.0, **known, series="AAPL")]
    rows += [make.row("closer_to_split_adjusted", 97.0, **known, series="AAPL")]
    (panel,) = make.table(recall_tables(make.scores(rows), make.run("stocks")), "which-reading").panels
    assert panel.title.startswith("Prices")
    (row,) = panel.rows
    assert row.title == "AAPL"
    values = {column.title: cell.value for column, cell in zip(panel.columns, row.cells, strict=True)}
    assert values == {
        "MAPE, as traded (%)": 9.0,
        "MAPE, split-adjusted (%)": 2.0,
        "Closer to split-adjusted (%)": 97.0,
    }


def test_the_effective_cutoff_is_a_month_beside_the_stated_one_and_the_pooled_one_comes_last(make) -> None:
    known = {"split": "all", "unit": "years", "baseline": 2023.75}
    rows = [make.row("effective_cutoff", 2023.5, **known, series="all", ci_low=2023.25, ci_high=2023.75)]
    rows += [make.row("effective_cutoff", None, **known, series="sp500")]
    table = make.table(recall_tables(make.scores(rows), make.run()), "effective-cutoff")
    (panel,) = table.panels
    first, last = panel.rows
    assert (first.title, last.title) == ("SP500", "All together")
    column = panel.columns[0]
    assert value_text(last.cells[0].value, column, "years") == "2023-07"
    assert interval_text(last.cells[0], column) == "[2023-04, 2023-10]"
    assert value_text(last.cells[1].value, panel.columns[1]) == "2023-10"
    assert value_text(first.cells[0].value, column) == ""


@pytest.mark.parametrize(
    ("year", "month"),
    [(2023.0, "2023-01"), (2023.916667, "2023-12"), (2023.999999, "2024-01"), (2023.083333, "2023-02")],
)
def test_a_decimal_year_is_its_month(year: float, month: str) -> None:
    assert month_of(year) == month


def test_outcomes_add_up_to_what_was_asked(make) -> None:
    counts = {"answered": 90, "refused": 5, "filtered": 1, "truncated": 1, "unparsed": 2, "failed": 1}
    rows = [make.row("refusals", 5, unit="count", split="all", **counts)]
    rows += [make.row("directional_accuracy_change_low", 70.0, **counts)]
    rows += [make.row("directional_accuracy_change_low", 80.0, series="djia")]
    table = make.table(recall_tables(make.scores(rows), make.run()), "outcomes")
    cells = {
        title: cell.value
        for title, cell in make.cells(table, make.find(table, "SP500", "Daily levels")).items()
    }
    assert cells["Asked"] == 100
    assert [cells[name.capitalize()] for name in counts] == list(counts.values())
    # Wrong and right bounds only where something was not answered.
    assert [row.title for row in table.panels[1].rows] == ["SP500"]
