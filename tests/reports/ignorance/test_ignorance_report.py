from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest
from ignorance_run import VERDICT
from rich.console import Console

from neuter.errors import RunError, UsageError
from neuter.reports import open_run, write_report
from neuter.reports.ignorance.about_run import AboutRun
from neuter.reports.ignorance.benchmark import IgnoranceBenchmark
from neuter.reports.ignorance.case_pairs import Case, CasePair
from neuter.reports.ignorance.case_table import table_6
from neuter.reports.ignorance.report import to_html
from neuter.reports.ignorance.verdict import NO_VERDICT, verdict_lines
from neuter.reports.recall.latex import latex_of
from neuter.reports.recall.markdown import markdown_of


class Page(HTMLParser):
    """What a browser would see: elements, and the text outside of style."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text, self._inside = "", ""
        self.feed(html)
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        self._inside = tag
        self.text += " "

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""
        self.text += " "

    def handle_data(self, data: str) -> None:
        self.text += "" if self._inside == "style" else data


def _shown(benchmark: IgnoranceBenchmark, width: int, name: str | None = None) -> str:
    console = Console(width=width, color_system=None, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(benchmark.table(name))
    return console.export_text()


def test_a_run_of_the_suite_opens_as_its_own_result(whole_run: Path) -> None:
    run = open_run(whole_run)
    assert isinstance(run, IgnoranceBenchmark)
    assert repr(run).endswith("3 models, 2,140 calls, done)")


def test_the_page_says_the_verdict_first_and_all_of_the_paper_after_it(whole_run: Path) -> None:
    page = Page(to_html(whole_run))
    verdict = page.text.index(f"Mean over models, G1′: {VERDICT}")
    tables = [page.text.index(f"Table {k}: ") for k in range(1, 7)]
    assert verdict < min(tables)
    assert tables == sorted(tables)
    assert page.tags.count("svg") == 8
    assert "script" not in page.tags
    assert "Questions set aside 2 annulled" in page.text


def test_the_report_writes_the_page_the_figures_and_the_tables(whole_run: Path) -> None:
    path = write_report(whole_run)
    assert path == whole_run / "report.html"
    assert len(list((whole_run / "figures").glob("*.png"))) == 8
    tables = {one.stem for one in (whole_run / "tables").glob("*.tex")}
    assert {*(f"table-{k}" for k in range(1, 7)), "gaps", "verdicts"} <= tables


def test_the_terminal_ends_with_the_verdict_at_any_width(whole_run: Path) -> None:
    run = IgnoranceBenchmark(whole_run)
    for width in (80, 120):
        lines = _shown(run, width).splitlines()
        assert max(map(len, lines)) <= width
        assert len(lines) < 350
        closing = " ".join(" ".join(lines).split())
        assert closing.count(VERDICT) == 1
        assert closing.endswith(
            "simulated/clockwork, G1′: SI cannot stand for TI here. Gap 0.170 [0.130, 0.210]."
        )
        assert closing.rindex("Table 6") < closing.rindex("Verdict")


def test_the_terminal_shows_a_table_by_its_name(whole_run: Path) -> None:
    run = IgnoranceBenchmark(whole_run)
    text = _shown(run, 120, "3")
    assert text.startswith("Table 3: Cross-model natural experiment")
    assert "Verdict" not in text
    assert "Paired tests" in _shown(run, 120, "tests")
    with pytest.raises(UsageError, match="no table '9'"):
        run.table("9")


def test_the_summary_has_the_gap_its_interval_and_what_is_closed(whole_run: Path) -> None:
    run = IgnoranceBenchmark(whole_run)
    row = run.scores.filter(
        (pl.col("metric") == "si_ti_gap")
        & (pl.col("panel") == "fixed")
        & (pl.col("condition") == "G1′")
        & (pl.col("model") == "")
        & (pl.col("group_by") == "all")
    ).row(0, named=True)
    first = run.summary[0]
    assert f"a gap of {row['value']:.3f} (95% interval {row['ci_low']:.3f} to {row['ci_high']:.3f})" in first
    assert "48% for the paper's nine models" in first
    assert run.summary[-1] == "40 of 2,140 calls (1.9%) gave no forecast: 40 refused."


def test_a_run_of_one_model_tells_that_models_figures(one_model: Path) -> None:
    run = IgnoranceBenchmark(one_model)
    assert run.summary[0].startswith("G1′ (direct, told the cutoff), clockwork: Brier score")
    assert "Mean over models" not in run.to_markdown()
    assert " ".join(_shown(run, 120).split()).count("SI cannot stand for TI here.") == 1


def test_a_table_that_a_run_cannot_have_is_named_with_what_it_needs(one_model: Path, whole_run: Path) -> None:
    told = "No Table 3: it needs two models of different cutoffs, and 10 or more questions resolved between them."
    assert told in " ".join(_shown(IgnoranceBenchmark(one_model), 120).split())
    assert told in Page(to_html(one_model)).text
    assert "No Table" not in Page(to_html(whole_run)).text


def test_a_run_without_verdicts_says_what_is_needed(whole_run: Path) -> None:
    assert verdict_lines({"models": ["a/b"], "verdicts": []}) == [NO_VERDICT]
    many = {
        "models": ["a", "b"],
        "verdicts": [{"model": m, "condition": "G1′", "sentences": [f"of {m}"]} for m in "a"],
    }
    many["verdicts"].append({"model": "", "condition": "G1′", "sentences": ["of all"]})
    assert verdict_lines(many) == ["Mean over models, G1′: of all", "a, G1′: of a"]
    assert verdict_lines(many, whole=True) == ["Mean over models, G1′: of all"]
    told = [{"model": "a/b", "condition": "G1′", "sentences": ["One.", "Two."]}]
    assert verdict_lines({"models": ["a/b"], "verdicts": told}) == ["G1′: One. Two."]


def test_markdown_and_latex_hold_every_table(whole_run: Path) -> None:
    run = IgnoranceBenchmark(whole_run)
    text = run.to_markdown()
    assert text.startswith("Mean over models, G1′")
    assert all(f"### {table.heading}".split(":")[0] in text for table in run.tables())
    latex = run.to_latex()
    assert set(latex) == {table.name for table in run.tables()}
    assert "(Table 3 of Simulated Ignorance Fails)" in latex["table-3"]
    assert "′" not in "".join(latex.values())
    assert run.to_markdown("2").startswith("### Table 2")


def test_a_text_in_a_table_is_escaped_for_markdown_and_latex() -> None:
    bad = Case("pre", "q|1", "<b>50%</b> | of *it* & $x_1$?", "a/m", 0.9, 1, "`code` {x}")
    pair = CasePair(bad, replace(bad, period="post"), "business", 90.0)
    table = table_6([pair], AboutRun(("a/m",), {}, {}, {}, ("G2′",), None, "a/m"), "G2′")
    text, latex = markdown_of([table]), latex_of([table])["table-6"]
    assert r"| q\|1 | \<b\>50%\</b\> \| of \*it\* &amp; \$x\_1\$? |" in text
    assert r"\textless{}b\textgreater{}50\%\textless{}/b\textgreater{}" in latex
    assert r"\{x\}" in latex
    assert r"\begin{tabular}{llp{6cm}lrlp{6cm}l}" in latex


def test_a_row_of_the_paper_stands_only_where_it_prints_something(whole_run: Path) -> None:
    text = _shown(IgnoranceBenchmark(whole_run), 80, "gaps")
    bare = [line for line in text.splitlines() if line.strip() == "paper (9 models)"]
    assert not bare
    assert "paper (9 models)" in text


def test_hostile_questions_and_traces_stay_text(hostile_run: Path) -> None:
    run = IgnoranceBenchmark(hostile_run)
    assert run.tables("6")
    page = Page(to_html(hostile_run))
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert not [name for name in page.attributes if name.startswith("on")]
    for text in (to_html(hostile_run), run._repr_html_(), _shown(run, 120), run.to_markdown()):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "<script" not in run.to_markdown()
    table = run.to_latex()["table-6"]
    assert r"\{\{7*7\}\}" in table or r"\textless{}" in table


def test_answers_that_could_not_be_used_are_listed_with_what_came(whole_run: Path, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "run"
    shutil.copytree(whole_run, folder)
    path = next((folder / "answers").glob("*.parquet"))
    frame = pl.read_parquet(path)
    bad = pl.int_range(pl.len()) == 0
    frame.with_columns(
        outcome=pl.when(bad).then(pl.lit("unparsed")).otherwise("outcome"),
        answer=pl.when(bad).then(pl.lit("about <b>evens</b>")).otherwise("answer"),
        probability=pl.when(bad).then(None).otherwise("probability"),
    ).write_parquet(path)
    page = Page(to_html(folder))
    assert "Answers that could not be used (1)" in page.text
    assert "about <b>evens</b>" in page.text
    assert "b" not in page.tags


def test_a_damaged_file_is_named(whole_run: Path, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "run"
    shutil.copytree(whole_run, folder)
    (folder / "questions.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(RunError, match=r"questions\.parquet"):
        to_html(folder)


def test_a_run_that_has_just_begun_has_a_page_too(whole_run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    run = {"command": "benchmark", "suite": "ignorance", "models": ["a/b"], "status": "running"}
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    pl.read_parquet(whole_run / "scores.parquet").clear().write_parquet(folder / "scores.parquet")
    page = Page(to_html(folder))
    assert NO_VERDICT in page.text
    assert "still going on" in page.text
