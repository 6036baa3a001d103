"""Table 7 as values, in the terminal and in LaTeX: ours, the interval, the published figure, and why a cell is empty."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.console import Console
from synthetic_run import score_frame, score_row

from neuter.reports.html import table_7_html
from neuter.reports.score_blocks import blocks_of
from neuter.reports.table_7 import Table7, tables_of
from neuter.reports.table_7_latex import latex_of
from neuter.reports.table_7_terminal import Table7View

YEARS = ("mean_years_difference", "mean_absolute_years_difference")
SHARES = ("year_accuracy", "quarter_year_accuracy", "firm_accuracy")
BLOCK = {"scheme": "rules", "attacker": "llm", "model": "openai/m", "suite": "masking"}
RUN = {
    "suite": "masking",
    "documents_are": "call",
    "panels": {"A": {"corpus": "mine", "borrowed": False}, "B": {"corpus": "mine", "borrowed": False}},
    "caveats": [
        {
            "scheme": "rules",
            "attacker": "llm",
            "model": "openai/m",
            "text": "one firm: no interval over firms",
            "of": [{"panel": "A", "group_by": "firm", "groups": [""], "metrics": [*YEARS, *SHARES]}],
        },
        {
            "scheme": "rules",
            "attacker": "llm",
            "model": "openai/m",
            "text": "3 of 40 dates are assumed",
            "of": [{"panel": "B", "group_by": "size", "groups": ["Large"], "metrics": ["year_accuracy"]}],
        },
        {
            "scheme": "rules",
            "attacker": "llm",
            "model": "openai/m",
            "text": "only 2 of the seven",
            "of": [{"panel": "A", "group_by": "all", "groups": ["all"], "metrics": [""]}],
        },
        {
            "scheme": "rules",
            "attacker": "prior",
            "model": "openai/m",
            "text": "only 2 firms",
            "of": [{"panel": "B", "group_by": "all", "groups": ["all"], "metrics": [""]}],
        },
        {"scheme": "none", "attacker": "llm", "model": "openai/m", "text": "of another scheme", "of": []},
    ],
}


def group(panel: str, by: str, name: str, share: float, n: int, **known: Any) -> list[dict[str, Any]]:
    common = {**BLOCK, "panel": panel, "group_by": by, "group": name, "n": n, **known}
    return [
        *(score_row(**common, metric=metric, unit="years", value=-0.5) for metric in YEARS),
        *(score_row(**common, metric=metric, value=share) for metric in SHARES),
    ]


def scores() -> pl.DataFrame:
    large = group("B", "size", "Large", 40.0, 40, ci_low=20.06, ci_high=60.0, published=65.53)
    return score_frame(
        [
            *group("A", "all", "all", 50.0, 8, baseline=12.5),
            *group("A", "firm", "AAPL", 75.0, 4),
            *group("A", "firm", "META", 25.0, 4, refused=2),
            *group("B", "all", "all", 30.0, 60, ci_low=10.0, ci_high=50.0, baseline=5.0),
            *large,
            *group("B", "size", "Mid", 10.0, 20)[:4],
            score_row(**BLOCK, panel="B", metric="firm_accuracy_uniform", value=2.5, n=60),
            *group("B", "all", "all", 7.0, 60, attacker="prior"),
        ]
    )


def only(**options: Any) -> Table7:
    (table,) = tables_of(scores(), RUN, **options)
    return table


def row(table: Table7, panel: int, title: str) -> Any:
    return next(row for row in table.panels[panel].rows if row.title == title)


def printed(width: int, tables: list[Table7] | None = None) -> str:
    console = Console(width=width, color_system=None, legacy_windows=False)
    with console.capture() as captured:
        console.print(Table7View(tables or [only()]))
    return captured.get()


def test_rows_and_columns_stand_in_the_papers_order():
    table = only()
    assert [column.title for column in table.columns] == [
        "Mean Years Difference",
        "Mean Absolute Years Difference",
        "Year Accuracy (%)",
        "Quarter and Year Accuracy (%)",
        "Firm Accuracy (%)",
    ]
    groups = ["AAPL", "META", "MSFT", "GOOG", "NVDA", "TSLA", "AMZN", "All seven"]
    assert [row.title for row in table.panels[0].rows if row.kind != "baseline"] == groups
    assert [row.title for row in table.panels[1].rows if row.kind != "baseline"] == [
        "Large",
        "Mid",
        "Small",
        "All",
    ]


def test_the_published_figure_is_beside_ours_also_where_we_have_none():
    table = only()
    apple, google = row(table, 0, "AAPL"), row(table, 0, "GOOG")
    assert (apple.cells[4].value, apple.cells[4].published) == (75.0, 100.0)
    assert (apple.n, apple.published_n) == (4, 63)
    assert (google.cells[4].value, google.cells[4].published, google.n) == (None, 90.48, 0)
    assert row(table, 1, "Large").cells[0].published == -1.75
    assert row(table, 1, "All").cells[4].published is None


def test_every_empty_cell_and_every_caveat_has_its_note():
    table = only()

    def told(panel: int, title: str) -> list[str]:
        return [table.notes[number - 1] for number in row(table, panel, title).notes]

    assert told(0, "AAPL") == ["One firm: no interval over firms."]
    # What is said of every firm is not said of one that has no document.
    assert told(0, "GOOG") == ["No document of this firm was asked about."]
    assert any("2 refused" in text for text in told(0, "META"))
    assert told(1, "Large") == ["Year Accuracy: 3 of 40 dates are assumed."]
    assert told(1, "prior") == ["Only 2 firms."]
    # A caveat of one panel's row over all documents is none of the other's.
    assert told(0, "All seven") == ["Only 2 of the seven."]
    assert told(1, "All") == []
    assert told(1, "Mid") == [
        "Firm Accuracy: nothing to score: no document has the truth in question, or no answer names it."
    ]
    assert not any("another scheme" in text for text in table.notes)


def test_baselines_stand_below_the_panel_and_are_of_all_its_documents():
    table = only()
    assert row(table, 1, "constant").cells[4].value == 5.0
    assert row(table, 1, "at random").cells[4].value == 2.5
    assert row(table, 1, "prior").cells[4].value == 7.0
    assert row(table, 0, "constant").cells[4].value == 12.5


def test_a_reading_has_its_own_figures_and_says_so():
    frame = pl.concat(
        [
            scores(),
            score_frame([score_row(**BLOCK, panel="B", metric="call_year_accuracy", value=33.0, n=60)]),
        ]
    )
    (table,) = tables_of(frame, RUN, reading="call")
    assert "call's date" in table.heading
    assert row(table, 1, "All").cells[2].value == 33.0
    main, others = tables_of(frame, RUN, reading="all")
    assert "fiscal" in main.heading
    assert row(others, 1, "All").cells[2].value == 33.0
    assert others.published == ""


def test_one_panel_alone():
    assert [panel.letter for panel in only(panel="A").panels] == ["A"]
    borrowed = {**RUN, "panels": {"A": {"corpus": "corpora:sample", "borrowed": True}}}
    assert [panel.corpus for panel in only().panels] == ["", ""]
    (table,) = tables_of(scores(), borrowed)
    assert [(panel.letter, panel.corpus) for panel in table.panels] == [("A", "corpora:sample")]


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits_the_terminal_and_nothing_is_cut(width: int):
    text = printed(width)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    assert "…" not in text
    for part in ("AAPL", "All seven", "75.00", "100.00", "65.53", "GPT-4o", "Num", "Notes", "Panel B"):
        assert part in text
    assert ("[20.1, 60.0]" if width == 120 else "[20, 60]") in text


def test_beside_where_there_is_room_and_below_where_there_is_not():
    def line(width: int) -> str:
        return next(line for line in printed(width).splitlines() if line.startswith("AAPL"))

    assert line(120).split()[:3] == ["AAPL", "−0.50", "−0.03"]
    assert line(80).split()[:3] == ["AAPL", "−0.50", "−0.50"]


def test_headlines_fit_too_and_have_nothing_published():
    metrics = ("year_accuracy", "month_year_accuracy", "exact_date_accuracy", "firm_accuracy")
    common = {**BLOCK, "panel": "B", "n": 1234}
    rows = [score_row(**common, metric=metric, value=100.0, ci_low=83.9, ci_high=100.0) for metric in metrics]
    for metric, sign in (("mean_days_difference", -1), ("mean_absolute_days_difference", 1)):
        ends = sorted((1547.0 * sign, 1000.0 * sign))
        rows.append(
            score_row(
                **common, metric=metric, unit="days", value=1234.5 * sign, ci_low=ends[0], ci_high=ends[1]
            )
        )
    run = {**RUN, "documents_are": "headline", "panels": {"B": {}}}
    tables = tables_of(score_frame(rows), run)
    text = printed(80, tables)
    assert "…" not in text
    assert "GPT-4o" not in text
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    assert [cell.published for cell in tables[0].panels[0].rows[0].cells] == [None] * 6


def test_latex_has_the_published_columns_beside():
    tables = latex_of([only()])
    assert list(tables) == ["table-7--rules--llm--openai-m"]
    text = tables["table-7--rules--llm--openai-m"]
    apple = r"AAPL & $-0.50$ & $-0.03$ & $-0.50$ & 0.06 & 75.00 & 95.24 & 75.00 & 92.06 & 75.00 & 100.00 & 4 & 63 &"
    assert apple in text
    # To the left, the interval stands under our figure and not under the published one.
    assert r"\multicolumn{2}{l}{\scriptsize{}[20.06, 60.00]}" in text
    assert r"\multicolumn{2}{r}" not in text
    assert "$^{1}$ One firm: no interval over firms.\\par\n" in text
    assert "Differences are guessed $-$ true." in text
    assert "\u2212" not in text


def test_latex_without_published_columns_keeps_intervals_under_figures():
    text = latex_of(tables_of(scores(), RUN, reading="all"))["table-7--rules--llm--openai-m--readings"]
    assert r"\multicolumn{2}" not in text
    assert r"\multicolumn{1}{l}" not in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_latex_accepts_the_table(tmp_path: Path):
    hostile = pl.concat([scores(), scores().with_columns(scheme=pl.lit(r"R&D_50% \x{ ~^"))])
    body = "\n\\clearpage\n".join(latex_of(tables_of(hostile, RUN, reading="all")).values())
    packages = r"\usepackage[T1]{fontenc}\usepackage{booktabs}\usepackage{graphicx}\usepackage{textcomp}"
    document = rf"\documentclass{{article}}{packages}\begin{{document}}{body}\end{{document}}"
    (tmp_path / "t.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-1500:]


def test_html_escapes_what_a_name_holds():
    hostile = scores().with_columns(scheme=pl.lit("<script>alert(1)</script>"))
    page = table_7_html(tables_of(hostile, RUN))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "95.24" in page


def test_no_scores_say_so():
    assert "no model was asked" in printed_view(Table7View([], [{"attacker": "llm", "reason": "no key"}]))
    assert "no key" in printed_view(Table7View([], [{"attacker": "llm", "reason": "no key"}]))


def printed_view(view: Table7View) -> str:
    console = Console(width=80, color_system=None, legacy_windows=False)
    with console.capture() as captured:
        console.print(view)
    return captured.get()


def test_a_figure_over_fewer_documents_than_its_row_says_so_and_what_the_others_lack():
    rows = [
        score_row(**BLOCK, panel="B", metric="quarter_year_accuracy", value=40.0, n=13),
        score_row(**BLOCK, panel="B", metric="firm_accuracy", value=50.0, n=12),
        score_row(**BLOCK, panel="B", metric="year_accuracy", value=50.0, n=11),
        score_row(**BLOCK, panel="B", metric="mean_years_difference", unit="years", value=1.0, n=7),
    ]
    (table,) = tables_of(score_frame(rows), {**RUN, "panels": {"B": {}}, "caveats": []})
    whole = row(table, 0, "All")
    assert whole.n == 13
    assert [table.notes[number - 1] for number in whole.notes if "over" in table.notes[number - 1]] == [
        "Mean Years Difference: over 7 of 13 answered documents: "
        "for 6 documents the truth or the answer names no year.",
        "Year Accuracy: over 11 of 13 answered documents: "
        "2 documents have no such truth to hold an answer against.",
        "Firm Accuracy: over 12 of 13 answered documents: 1 document names no firm.",
    ]


def test_many_models_are_taken_apart_once_and_not_once_a_model(monkeypatch: pytest.MonkeyPatch):
    read: list[tuple[str, str | None]] = []

    def counted(frame: pl.DataFrame, by: str = "size", panel: str | None = None) -> Any:
        read.append((by, panel))
        return blocks_of(frame, by, panel)

    monkeypatch.setattr("neuter.reports.table_7.blocks_of", counted)
    models = [f"openai/m{place}" for place in range(6)]
    frame = pl.concat([scores().with_columns(model=pl.lit(model)) for model in models])
    caveats = [{**caveat, "model": model} for model in models for caveat in RUN["caveats"]]
    seen = CountedCaveats(caveats)
    tables = tables_of(frame, {**RUN, "caveats": seen}, reading="all")
    assert [table.series.model for table in tables] == [model for model in models for _ in "12"]
    assert read == [("firm", "A"), ("size", "B")]
    assert seen.passes == 1
    alone = tables_of(scores(), RUN, reading="all")
    assert [table.panels for table in tables[:2]] == [table.panels for table in alone]
    assert [table.notes for table in tables[-2:]] == [table.notes for table in alone]


class CountedCaveats(list[dict[str, Any]]):
    """Counts how often all of them are gone through."""

    passes = 0

    def __iter__(self) -> Any:
        self.passes += 1
        return super().__iter__()
