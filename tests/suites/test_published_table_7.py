"""Table 7 as it ships is Table 7 as the paper prints it."""

from __future__ import annotations

from pathlib import Path

import pytest

from neuter.suites.published_figures import published_table

COLUMNS = [
    "mean_years_difference",
    "mean_absolute_years_difference",
    "year_accuracy",
    "quarter_year_accuracy",
    "firm_accuracy",
    "n",
]


def printed_rows(text: str) -> dict[str, list[float]]:
    """Rows of the paper's table: a name and six figures between tabs."""
    table = text[text.index("Table 7: Anonymous Conference Calls") :].split("5 Conclusion", maxsplit=1)[0]
    lines = [line.split("\t") for line in table.splitlines() if line.count("\t") == 6]
    return {cells[0]: [float(cell) for cell in cells[1:]] for cells in lines if cells[1][-1].isdigit()}


def test_every_figure_is_the_papers():
    paper = Path(__file__).parents[3] / "shared" / "seeds" / "the-memorization-problem.txt"
    if not paper.is_file():
        pytest.skip("the paper is not here")
    printed = printed_rows(paper.read_text(encoding="utf-8"))
    ours = {
        group: [row[column] for column in COLUMNS]
        for panel in published_table("table_7").panels.values()
        for group, row in panel.rows.items()
    }
    assert ours == printed
    assert len(ours) == 10


def test_panels_rows_and_counts():
    panels = published_table("table_7").panels
    assert list(panels["A"].rows) == ["AAPL", "META", "MSFT", "GOOG", "NVDA", "TSLA", "AMZN"]
    assert list(panels["B"].rows) == ["Large", "Mid", "Small"]
    # Each share is a whole number of documents: 95.24% of 63 is 60 of them.
    for panel in panels.values():
        for row in panel.rows.values():
            for metric in ("year_accuracy", "quarter_year_accuracy", "firm_accuracy"):
                right = round(row[metric] * row["n"] / 100)
                assert abs(100 * right / row["n"] - row[metric]) < 0.0051


def test_the_firms_are_those_of_the_universe():
    from neuter.firms import firm_label_of

    for ticker, numbers in published_table("table_7").firms.items():
        assert firm_label_of(ticker) == f"cik:{numbers[0]:010d}"


def test_what_the_table_lacks_is_none():
    assert published_table("table_7").panels["A"].figure("IBM", "firm_accuracy") is None
