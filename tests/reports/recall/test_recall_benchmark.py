from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from neuter.errors import UsageError
from neuter.reports import open_run
from neuter.reports.recall import RecallBenchmark, RecallTable


@pytest.fixture
def result(make) -> RecallBenchmark:
    asked = make.question(date(2020, 1, 2), 100.0)
    rows = [make.row("mean_percent_error", 1.25), make.row("refusals", 0, unit="count", split="all")]
    return RecallBenchmark(make.folder(rows, [(asked, make.answer(asked, 101.0))]))


def test_a_recall_run_opens_as_one(result: RecallBenchmark) -> None:
    opened = open_run(result.folder)
    assert isinstance(opened, RecallBenchmark)
    assert "RecallBenchmark(" in repr(opened)
    assert "indices, 100 answers, done" in repr(opened)


@pytest.mark.parametrize("name", ["table-2", "2", "Table 2", "paper"])
def test_a_table_is_had_by_any_of_its_names(result: RecallBenchmark, name: str) -> None:
    (table,) = result.tables(name)
    assert isinstance(table, RecallTable)
    assert table.heading == "Table 2: Evaluation Metrics for Market Indices"


def test_all_tables_or_those_beyond_the_paper(result: RecallBenchmark) -> None:
    assert [table.name for table in result.tables()] == ["table-2", "outcomes"]
    assert [table.name for table in result.tables("beyond")] == ["outcomes"]


def test_an_unknown_table_is_refused_with_those_there_are(result: RecallBenchmark) -> None:
    with pytest.raises(UsageError, match="no table 'table-1'") as caught:
        result.table("table-1")
    assert "table-2, outcomes, paper, beyond" in str(caught.value.todo)


def test_it_shows_itself_in_a_terminal_a_notebook_and_markdown(result: RecallBenchmark) -> None:
    for text in (repr(result.table()), result._repr_html_(), result.to_markdown()):
        assert "1.25" in text
        assert "GPT-4o" in text
    assert "Table 2" not in result.to_markdown("outcomes")
    assert set(result.to_latex()) == {"table-2", "outcomes"}


def test_it_draws_the_first_figure_or_the_one_named(result: RecallBenchmark) -> None:
    titles = [axis.get_title(loc="left") for axis in result.plot().axes]
    assert titles == ["A: SP500", "B: SP500, error (%)"]
    assert [axis.get_title(loc="left") for axis in result.plot("sp500").axes] == titles
    assert result.plot(1)._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(UsageError, match="no figure '3'"):
        result.plot(3)


def test_it_writes_its_page(result: RecallBenchmark, tmp_path: Path) -> None:
    path = result.to_html(tmp_path / "own.html")
    assert "Table 2: Evaluation Metrics" in path.read_text(encoding="utf-8")
