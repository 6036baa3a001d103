from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from synthetic_run import score_frame, score_row

from neuter.reports.latex import escape, to_latex, write_latex

TABLE_7 = {
    "mean_years_difference": (-0.03, "years"),
    "mean_absolute_years_difference": (0.06, "years"),
    "year_accuracy": (95.238, "percent"),
    "quarter_year_accuracy": (92.063, "percent"),
    "firm_accuracy": (100.0, "percent"),
}


def _rows(**known: object) -> list[dict[str, object]]:
    return [
        score_row(
            scheme="entity-neutering", attacker="llm", metric=metric, value=value, unit=unit, n=63, **known
        )
        for metric, (value, unit) in TABLE_7.items()
    ]


def test_the_first_line_of_the_papers_table_7_comes_out_as_printed() -> None:
    frame = score_frame(
        _rows() + _rows(group_by="firm", group="AAPL") + _rows(group_by="size", group="Large")
    )
    (table,) = to_latex(frame).values()
    assert r"AAPL & $-0.03$ & 0.06 & 95.24 & 92.06 & 100.00 & 63 \\" in table
    assert r"Large & $-0.03$ & 0.06 & 95.24 & 92.06 & 100.00 & 63 \\" in table
    assert table.index("Panel A") < table.index("AAPL") < table.index("Panel B") < table.index("Large")


def test_without_firms_there_is_one_panel() -> None:
    (table,) = to_latex(score_frame(_rows() + _rows(group_by="size", group="Mid"))).values()
    assert "Panel A: Firms by Market Cap" in table
    assert "Panel B" not in table


def test_many_firms_are_cut_to_those_with_most_documents_and_it_says_so() -> None:
    rows = _rows()
    for place in range(40):
        rows += [row | {"n": 100 - place} for row in _rows(group_by="firm", group=f"F{place:02d}")]
    (table,) = to_latex(score_frame(rows)).values()
    assert "F29 &" in table
    assert "F30 &" not in table
    assert "leaves out 10" in table
    (chosen,) = to_latex(score_frame(rows), firms=["F39", "F01"]).values()
    assert chosen.index("F39 &") < chosen.index("F01 &")
    assert "F00 &" not in chosen


def test_special_characters_are_escaped() -> None:
    assert escape(r"R&D_50% $x^2$ #1 {a} ~ \n <b>") == (
        r"R\&D\_50\% \$x\textasciicircum{}2\$ \#1 \{a\} \textasciitilde{} \textbackslash{}n "
        r"\textless{}b\textgreater{}"
    )


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_latex_accepts_every_table(run, hostile, tmp_path: Path) -> None:
    parts = []
    for made in (run, hostile):
        parts += [
            p.read_text() for p in write_latex(pl.read_parquet(made.folder / "scores.parquet"), tmp_path)
        ]
    preamble = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs}\usepackage{textcomp}"
    body = "\n\\clearpage\n".join(parts)
    (tmp_path / "all.tex").write_text(f"{preamble}\\begin{{document}}{body}\\end{{document}}")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-1500:]
