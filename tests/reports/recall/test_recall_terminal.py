from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from neuter.reports.recall.tables import recall_tables
from neuter.reports.recall.terminal import RecallView

METRICS = ("mean_error", "mean_absolute_error", "directional_accuracy", "directional_accuracy_change")


def _tables(make, series: str = "treasury_10y"):
    known = {"suite": "macro", "panel": "rates", "series": series}
    rows = [make.row(metric, -12.34, **known, ci_low=-20.25, ci_high=-4.5) for metric in METRICS]
    rows += [make.row("confidence_calibration", None, **known, unit="correlation")]
    rows += [make.row("refusals", 1441, **known, unit="count", refused=1441)]
    return [table for table in recall_tables(make.scores(rows), make.run("macro")) if table.name == "table-1"]


def _shown(tables, width: int, **more) -> str:
    console = Console(file=io.StringIO(), width=width, **more)
    console.print(RecallView(tables, more.get("not_run", ())))
    return console.file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_every_figure_is_there_at_any_width_and_no_line_is_longer(make, width: int) -> None:
    text = _shown(_tables(make), width)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    assert "…" not in text
    assert len(re.findall(r"−12\.34\b", text)) == len(METRICS)
    assert len(re.findall(re.escape("[−20.25,−4.50]"), text)) == len(METRICS)
    # Table 1 of the paper, 10-year yield before the cutoff.
    for published in ("0.06", "98.52", "88.12", "−0.40", "1990-01-31", "2023-09-29", "405"):
        assert published in text
    for words in ("1,441", "10-Yr Treasury Yield", "Pre-cutoff", "Panel A: Rates"):
        assert words in text


def test_a_wide_terminal_has_one_tier_and_a_narrow_one_balanced_ones(make) -> None:
    assert _shown(_tables(make), 160).count("10-Yr Treasury Yield") == 1
    # At 100 columns a fifth column would fit into the first tier, and leave four for the second.
    text = _shown(_tables(make), 100)
    heads = [line for line in text.splitlines() if "ME (%)" in line or "Start Date" in line]
    assert text.count("10-Yr Treasury Yield") == 2
    assert len(heads) == 2
    assert "Refusals" in heads[1]
    assert "Calibration" in heads[1]


def test_published_figures_that_are_not_comparable_stand_in_brackets(make) -> None:
    known = {"suite": "portfolios", "panel": "month_end_closes", "series": "Small"}
    tables = recall_tables(
        make.scores([make.row("mean_percent_error", 1.0, **known)]), make.run("portfolios")
    )
    assert "(GPT-4o)" in _shown(tables, 100)


def test_a_hostile_name_is_text(make) -> None:
    text = _shown(_tables(make, series="[red]x[/red] \x1b[31m"), 100)
    assert "[red]x[/red] ␛[31m" in text
    assert "\x1b" not in text


def test_what_was_not_run_is_told(make) -> None:
    missing = {"scheme": "", "attacker": "llm", "model": "a/x", "reason": "no key in A_KEY"}
    console = Console(file=io.StringIO(), width=100)
    console.print(RecallView([], [missing]))
    assert "No scores" in console.file.getvalue()
    assert "\na/x not run: no key in A_KEY" in console.file.getvalue()
