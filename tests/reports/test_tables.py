from __future__ import annotations

import io

import polars as pl
import pytest
from rich.console import Console
from rich.table import Table
from synthetic_run import score_frame, score_row

from neuter.reports.tables import score_table, to_markdown


def _shown(table: Table, width: int = 100) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None, legacy_windows=False)
    console.print(table)
    return console.file.getvalue()  # type: ignore[attr-defined]


def _frame(**changes: object) -> pl.DataFrame:
    known = {"scheme": "rules", "attacker": "linkage", "metric": "firm_accuracy"} | changes
    interval = {"ci_low": 92.72, "ci_high": 99.43, "baseline": 4.1667}
    rows = [
        score_row(**known, value=97.9167, n=96, **interval),
        *(
            score_row(**known, group_by="size", group=size, value=value, n=32, **interval)
            for size, value in (("Small", 1.0), ("Mid", 2.0), ("Large", 3.0))
        ),
    ]
    return score_frame(rows)


def test_a_wide_cell_has_value_interval_and_baseline() -> None:
    text = _shown(score_table(_frame()))
    assert "All     96   97.9 [92.7, 99.4]     4.2" in text
    assert [line.split()[0] for line in text.splitlines() if line.startswith("  ") and "[92.7" in line] == [
        "All",
        "Large",
        "Mid",
        "Small",
    ]


def test_a_narrow_terminal_gets_short_intervals_and_no_line_is_cut(run) -> None:
    scores = pl.read_parquet(run.folder / "scores.parquet")
    for width in (80, 100, 140):
        lines = _shown(score_table(scores), width).splitlines()
        assert max(map(len, lines)) <= width
        assert not any("…" in line for line in lines)
    assert "97.9 [93, 99]   4.2" in _shown(score_table(_frame()), 80)


def test_metrics_that_do_not_fit_stand_below() -> None:
    frame = pl.concat([_frame(), _frame(metric="year_accuracy"), _frame(metric="industry_accuracy")])
    text = _shown(score_table(frame, metrics=("firm_accuracy", "year_accuracy", "industry_accuracy")), 60)
    assert text.index("Firm found") < text.index("Year") < text.index("Industry")
    assert text.count("  Mid") == 2


def test_names_are_never_read_as_markup_or_escapes() -> None:
    text = _shown(score_table(_frame(scheme="[red]mine[/red]", attacker="a\x1b[31m[bold]b")))
    assert "[red]mine[/red] · a␛[31m[bold]b" in text
    assert "\x1b" not in text


def test_what_was_not_run_is_said_with_its_reason() -> None:
    missing = [{"scheme": "rules", "attacker": "llm", "model": "openai/gpt-4o", "reason": "no key [x]"}]
    text = _shown(score_table(_frame(), not_run=missing))
    assert "rules · llm (openai/gpt-4o)" in text
    assert "not run: no key [x]" in text


def test_missing_answers_are_counted_with_what_they_could_change() -> None:
    known = {"scheme": "rules", "attacker": "llm", "refused": 3, "failed": 1, "n": 20}
    frame = score_frame(
        [
            score_row(**known, metric="firm_accuracy", value=50.0),
            score_row(**known, metric="firm_accuracy_low", value=41.7),
            score_row(**known, metric="firm_accuracy_high", value=58.3),
        ]
    )
    text = " ".join(_shown(score_table(frame), 200).split())
    assert "not answered: 3 refused, 1 failed" in text
    assert "firm found is 41.7 to 58.3%" in text


def test_a_small_model_carries_its_warning_beside_its_figures() -> None:
    text = _shown(score_table(_frame(attacker="llm", model="local/smollm2-135m")))
    heading = next(line for line in text.splitlines() if line.startswith("rules"))
    assert "knows little finance" in heading
    assert "† An embedded model" in text
    assert "†" not in _shown(score_table(_frame()))


def test_no_value_is_a_dash_and_no_scores_are_said() -> None:
    frame = score_frame([score_row(scheme="rules", attacker="llm", metric="firm_accuracy", n=0, refused=4)])
    assert "–" in _shown(score_table(frame))
    assert "No scores." in _shown(score_table(score_frame([])))


def test_units_other_than_percent_are_named() -> None:
    frame = _frame(metric="mean_years_difference", unit="years")
    assert "years [95% interval]" in _shown(score_table(frame, metrics=("mean_years_difference",)))


def test_markdown_has_a_row_for_each_group_and_escapes_pipes() -> None:
    lines = to_markdown(_frame(scheme="a|b<script>")).splitlines()
    assert lines[0].startswith("| Scheme | Attacker | Group | n | Firm found (%) |")
    assert lines[2].startswith(r"| a\|b&lt;script&gt; | linkage | All | 96 | 97.9 [92.7, 99.4] vs 4.2 |")
    assert len([line for line in lines if line.startswith("| a")]) == 4


@pytest.mark.parametrize("by", ["all", "firm", "sector"])
def test_every_grouping_shows(run, by: str) -> None:
    text = _shown(score_table(pl.read_parquet(run.folder / "scores.parquet"), by=by))
    assert ("ALDE" in text) == (by == "firm")
    assert "Large" not in text
