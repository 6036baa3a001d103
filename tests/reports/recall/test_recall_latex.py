from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from neuter.reports.recall.latex import latex_of, write_latex
from neuter.reports.recall.tables import recall_tables

HOSTILE = r"[*] R&D_50% \input{/etc/passwd} $x^2$ #~{}"


def _tables(make, **more):
    rows = [make.row("mean_percent_error", -0.5, ci_low=-0.75, ci_high=-0.25, **more)]
    rows += [make.row("refusals", 3, unit="count", split="all", **more)]
    return recall_tables(make.scores(rows), make.run())


def test_the_papers_layout_with_intervals_and_published_rows_below(make) -> None:
    text = latex_of(_tables(make))["table-2"]
    assert (
        r"\caption{Evaluation Metrics for Market Indices (Table 2 of The Memorization Problem), openai/gpt-4o"
        in text
    )
    assert r"\toprule" in text
    assert r"\shortstack{MPE\\(\%)}" in text
    lines = text.splitlines()
    place = next(k for k, line in enumerate(lines) if line.startswith("SP500 "))
    assert lines[place].startswith("SP500 & $-0.50$ & --")
    assert lines[place + 1].startswith(r" & {\scriptsize [$-0.75$, $-0.25$]} & ")
    assert lines[place + 2].startswith(
        r"\quad\textit{GPT-4o} & 0.12 & 0.61 & 80.68 & $-0.14$ & 8,489 & 1989-12-29"
    )


def test_every_row_has_the_tables_width(make) -> None:
    for text in latex_of(_tables(make)).values():
        columns = len(re.search(r"\\begin\{tabular\}\{(\w+)\}", text).group(1))
        rows = [line for line in text.splitlines() if line.endswith(r" \\") and r"\multicolumn" not in line]
        assert rows
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {columns - 1}


def test_a_flag_is_a_dagger_and_its_note_stands_below(make) -> None:
    known = {"suite": "macro", "panel": "levels", "series": "housing_starts"}
    text = latex_of(
        recall_tables(make.scores([make.row("directional_accuracy", 90.0, **known)]), make.run("macro"))
    )
    assert r"100.00$^{\ddagger}$" in text["table-1"]
    assert r"$^{1}$ $^{\ddagger}$ GPT-4o, Directional Accuracy: " in text["table-1"]


def test_a_hostile_name_is_text(make) -> None:
    text = latex_of(_tables(make, series=HOSTILE))["table-2"]
    row = next(line for line in text.splitlines() if "R\\&D" in line)
    # A bracket after a line's end would be taken for the distance to the next line.
    assert row.startswith(
        r"{}[*] R\&D\_50\% \textbackslash{}input\{/etc/passwd\} \$x\textasciicircum{}2\$ \#"
    )


def test_several_models_have_files_of_their_own(make, tmp_path: Path) -> None:
    rows = [make.row("mean_percent_error", 1.0, model=model) for model in ("a/x", "b/y")]
    paths = write_latex(recall_tables(make.scores(rows), make.run()), tmp_path / "tables")
    assert {path.name for path in paths} == {"table-2--a-x.tex", "table-2--b-y.tex"}
    assert all(path.read_text(encoding="utf-8").endswith("\\end{table}\n") for path in paths)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex")
def test_the_tables_compile(make, tmp_path: Path) -> None:
    paths = write_latex(_tables(make, series=HOSTILE), tmp_path)
    head = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs,graphicx,textcomp}\begin{document}"
    body = "\n".join(rf"\input{{{path}}}" for path in paths)
    (tmp_path / "main.tex").write_text(f"{head}\n{body}\n\\end{{document}}\n", encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main.tex"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
