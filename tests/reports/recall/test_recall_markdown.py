from __future__ import annotations

from neuter.reports.recall.markdown import markdown_of
from neuter.reports.recall.tables import recall_tables


def _lines(make, **more) -> list[str]:
    rows = [make.row("mean_percent_error", -0.5, ci_low=-0.75, ci_high=-0.25, **more)]
    return markdown_of(recall_tables(make.scores(rows), make.run())).splitlines()


def test_our_row_has_the_interval_and_the_papers_row_follows(make) -> None:
    lines = _lines(make)
    place = next(k for k, line in enumerate(lines) if line.startswith("| SP500 "))
    assert lines[place].split(" | ")[1] == "−0.50 \\[−0.75, −0.25\\]"
    assert lines[place + 1].split(" | ")[:3] == ["| *GPT-4o*", "0.12", "0.61"]
    widths = {line.count(" | ") for line in lines[place - 1 : place + 2]}
    assert len(widths) == 1


def test_a_hostile_name_stays_in_its_cell(make) -> None:
    lines = _lines(make, series="a|b <script>\n# c")
    row = next(line for line in lines if line.startswith("| a"))
    assert row.startswith("| a\\|b \\<script\\> \\# c | −0.50")


def test_notes_are_numbered_below_their_table(make) -> None:
    caveats = [
        {"model": make.model, "panel": "daily_levels", "metric": "mean_percent_error", "text": "few points"}
    ]
    scores = make.scores([make.row("mean_percent_error", 1.0)])
    text = markdown_of(recall_tables(scores, make.run(caveats=caveats)))
    assert "\n1. MPE: few points.\n" in text
    assert "| Notes |" in text
