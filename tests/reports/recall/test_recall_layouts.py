from __future__ import annotations

from pathlib import Path

import pytest

from neuter.reports.recall.layouts import PanelLayout, TableLayout, layouts
from neuter.reports.recall.table_blocks import label_of
from neuter.suites.recall.names import SUITES

PAPER = Path(__file__).parents[4] / "shared" / "seeds" / "the-memorization-problem.txt"
needs_paper = pytest.mark.skipif(not PAPER.is_file(), reason="the paper is not there")


def _table(name: str) -> TableLayout:
    return next(table for table in layouts().tables if table.name == name)


def _printed(number: str) -> list[list[str]]:
    """The lines of a published table that are tab-separated, as cells."""
    text = PAPER.read_text(encoding="utf-8")
    after = text[text.index(f"\n{number}: ") + 1 :]
    lines = after.splitlines()
    first = next(place for place, line in enumerate(lines) if "\t" in line)
    body = []
    for line in lines[first:]:
        if len(line) > 250 or line.startswith(("Figure", "The results", "Appendix B")):
            break
        if "\t" in line:
            body.append(line.split("\t"))
    return body


def _theirs(panel: PanelLayout) -> list[str]:
    """The panel's titles as the paper has them: without counts that the paper's table leaves out."""
    return [column.title for column in panel.columns]


@needs_paper
@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("Table 1", "table-1"),
        ("Table 2", "table-2"),
        ("Table 4", "table-4"),
        ("Table 5", "table-5"),
        ("Table A1", "table-a1"),
    ],
)
def test_columns_and_rows_are_the_papers_in_its_order(number: str, name: str) -> None:
    lines = _printed(number)
    heads = [line[1:] for line in lines if not _is_figure(line[1])]
    rows = [line[0] for line in lines if _is_figure(line[1])]
    panels = [panel for panel in _table(name).panels if not panel.ours]
    ours = [_theirs(panel) for panel in panels]
    extra = {"Num Obs", "Refusals"}
    for printed, shown in zip(heads, ours, strict=True):
        assert [title for title in shown if title in printed or title not in extra] == printed
    assert _rows(panels) == rows


def _is_figure(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()


def _rows(panels: list[PanelLayout]) -> list[str]:
    found = []
    for panel in panels:
        for block in panel.blocks:
            if block.ours:
                continue
            for series in block.series:
                name = label_of(series, layouts(), dict(panel.labels))
                found.append(block.label.replace("{}", name) if block.label else name)
    return found


@needs_paper
def test_table_3_has_the_papers_columns() -> None:
    (heads, *rows) = _printed("Table 3")
    dates, levels = _table("table-3").panels
    assert _theirs(levels)[:8] == heads[1:]
    assert _theirs(dates)[:6] == heads[1:7]
    assert [block.label for block in dates.blocks] == [row[0] for row in rows[:2]]


def test_every_recall_suite_has_its_table_and_those_that_ask_have_ours_too() -> None:
    for suite in SUITES:
        names = [table.name for table in layouts().of(suite)]
        assert names[0].startswith("table-")
        assert ("baselines" in names) == (suite != "summary")


def test_only_columns_of_the_models_own_figures_have_published_ones() -> None:
    shown = {column.name: column.published for column in _table("baselines").panels[0].columns}
    assert shown["mean_absolute_error"] == "mean_absolute_error"
    assert shown["mae_by_previous"] == ""
    assert {column.name: column.published for column in _table("table-1").panels[0].columns}["n"] == "n"
    change = next(c for p in _table("baselines").panels for c in p.columns if c.name == "constant_change")
    assert change.published == ""


def test_the_titles_of_baselines_say_whose_they_are() -> None:
    sources = {
        "by the mean so far": "mean",
        "by the previous value": "previous",
        "by the value a year ago": "year_ago",
    }
    sources |= {"by an AR(1)": "ar1", "always up": "always_up"}
    skills = {"Skill over the mean so far": "mean", "Skill over the previous value": "previous"}
    skills |= {
        "Skill over a year ago": "year_ago",
        "Skill over AR(1)": "ar1",
        "Skill over always up": "always_up",
    }
    columns = [column for panel in _table("baselines").panels for column in panel.columns]
    for column in columns:
        assert column.source == sources.get(column.title, "llm")
        if column.title.startswith("Skill"):
            assert column.metric == f"skill_over_{skills[column.title]}"
    assert {*sources, *skills} <= {column.title for column in columns}


def test_the_figures_are_the_papers() -> None:
    figures = {one.name: one for one in layouts().figures}
    assert list(figures) == ["1", "3", "4", "5", "6", "7"]
    assert figures["4"].series == ("META", "GOOGL", "AMZN", "TSLA")
    assert figures["5"].series == figures["6"].series == ("NVDA", "AAPL", "MSFT")
    assert figures["6"].condition == "history"
    assert len(figures["3"].series) == 4
    assert dict(figures["1"].outliers) == {"nasdaq": 10}
    assert figures["7"].left_out == ("BRK",)
