from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from neuter.errors import RunError
from neuter.reports.evaluation import Evaluation


@pytest.fixture
def evaluation(run) -> Evaluation:
    return Evaluation(run.folder, run.originals)


def test_it_tells_what_it_is(evaluation: Evaluation, run) -> None:
    assert repr(evaluation) == f"Evaluation({str(run.folder)!r}, 96 documents, finished with failures)"
    assert evaluation.notes == ("Sizes come from the NYSE breakpoints of 2021-06.",)
    assert evaluation.not_run[0]["reason"] == "no key in OPENAI_API_KEY"
    assert evaluation.failures[0]["scheme"] == "presidio"


def test_frames(evaluation: Evaluation) -> None:
    assert evaluation.to_polars() is evaluation.scores
    pytest.importorskip("pandas")
    assert list(evaluation.to_pandas().columns) == evaluation.scores.columns


def test_the_table_prints_itself_everywhere(evaluation: Evaluation) -> None:
    table = evaluation.table(by="size")
    for text in (repr(table), table._repr_html_(), evaluation._repr_html_()):
        assert "Large" in text
        assert "no key in OPENAI_API_KEY" in text
    assert "\x1b" not in repr(table)
    assert "ALDE" in repr(evaluation.table(by="firm", metrics=["firm_accuracy"]))


def test_plot_html_markdown_and_latex(evaluation: Evaluation, tmp_path: Path) -> None:
    figure = evaluation.plot()
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert "<!doctype html>" in evaluation.to_html(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "| rules |" in evaluation.to_markdown()
    assert "rules--linkage" in evaluation.to_latex()


def test_a_folder_that_is_no_run_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"there is no run\.json"):
        Evaluation(tmp_path)


def test_scores_are_read_only_when_asked_for(run, tmp_path: Path) -> None:
    shutil.copy(run.folder / "run.json", tmp_path)
    evaluation = Evaluation(tmp_path)
    with pytest.raises(RunError, match=r"there is no scores\.parquet"):
        _ = evaluation.scores


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, neuter.reports, neuter.reports.evaluation;"
        "print({'matplotlib', 'jinja2', 'polars', 'numpy', 'pandas', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
