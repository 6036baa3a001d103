"""``neuter.benchmark``: the same result in Python as at the command line, and suites of the user's own."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from own_suite import OWN

import neuter as nt
from neuter.errors import ModelError, RunError, UnknownName, UsageError
from neuter.reports import open_run
from neuter.types import Document

KNOWING = "simulated/all-knowing"


def calls() -> list[Document]:
    return [
        Document(
            id=f"{ticker}-{quarter}",
            text=f"We sold more in period {quarter}.",
            ticker=ticker,
            date=date(2021, 3 * quarter + 1, 20),
            fiscal_year=2021,
            fiscal_quarter=quarter,
            fiscal_year_end=12,
            market_cap=cap,
        )
        for ticker, cap in (("AAPL", 2.5e12), ("TSLA", 7e11), ("HOG", 5e9), ("ETD", 6e8))
        for quarter in (1, 2)
    ]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory):
    out = tmp_path_factory.mktemp("benchmark")
    return nt.benchmark(
        "masking", models=[KNOWING], corpus=calls(), schemes=["none"], out=out / "run", store=out / "s.sqlite"
    )


def test_who_knows_everything_scores_everything(result):
    right = result.scores.filter(
        pl.col("attacker") == "llm",
        pl.col("metric").is_in(["firm_accuracy", "year_accuracy", "quarter_year_accuracy"]),
    )
    assert set(right["value"]) == {100.0}
    assert set(right["panel"]) == {"A", "B", ""}
    whole = right.filter(pl.col("panel") == "B", pl.col("group_by") == "all")
    # All right is never surely all right: four firms say little.
    assert whole["ci_low"].max() < 90


def test_the_result_is_like_an_evaluation(result, tmp_path: Path):
    assert list(result.to_pandas().columns) == result.scores.columns
    for text in (
        repr(result.table()),
        result.table()._repr_html_(),
        repr(result.table(panel="A", reading="call")),
    ):
        assert "AAPL" in text
        assert "95.24" in text
    assert "Large" in repr(result.table(by="size"))
    assert "TSLA" in repr(result.table("firm"))
    page = result.to_html(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Table 7" in page
    assert "GPT-4o" in page
    assert "Other readings of year and quarter" in page
    assert list(result.to_latex()) == [
        "table-7--none--llm--simulated-all-knowing",
        "table-7--none--llm--simulated-all-knowing--readings",
    ]
    assert result.plot(by="firm")._repr_png_().startswith(b"\x89PNG")
    assert repr(result).startswith("MaskingBenchmark(")
    with pytest.raises(UsageError, match="fiscal, calendar, call, all"):
        result.table(reading="julian")
    with pytest.raises(UsageError, match="panels A and B"):
        result.table(panel="C")


def test_the_run_folder_holds_what_the_design_says(result):
    names = {
        path.relative_to(result.folder).as_posix() for path in result.folder.rglob("*") if path.is_file()
    }
    for wanted in (
        "run.json",
        "scores.csv",
        "scores.parquet",
        "report.html",
        "masked/none.parquet",
        "figures/firm-accuracy.svg",
        "figures/firm-accuracy-by-firm.svg",
        "tables/table-7--none--llm--simulated-all-knowing.tex",
    ):
        assert wanted in names
    record = json.loads((result.folder / "run.json").read_text())
    assert (record["command"], record["suite"], record["status"]) == ("benchmark", "masking", "done")
    assert {"scheme", "attacker", "model", "text", "of"} <= set(record["caveats"][0])


def test_a_run_is_shown_again_as_what_it_is(result):
    again = open_run(result.folder)
    assert type(again).__name__ == "MaskingBenchmark"
    assert repr(again.table()) == repr(result.table())


def test_the_same_call_gives_the_same_bytes_and_another_is_refused(result):
    before = (result.folder / "scores.csv").read_bytes()
    options = {
        "models": [KNOWING],
        "corpus": calls(),
        "schemes": ["none"],
        "out": result.folder,
        "report": False,
    }
    nt.benchmark("masking", **options)
    assert (result.folder / "scores.csv").read_bytes() == before
    with pytest.raises(RunError, match="another configuration"):
        nt.benchmark("masking", **{**options, "seed": 1})


def test_names_and_parameters_that_do_not_fit(tmp_path: Path):
    with pytest.raises(UnknownName, match="Did you mean masking"):
        nt.benchmark("maskin", models=[KNOWING], out=tmp_path / "r")
    with pytest.raises(UsageError, match="Did you mean panel"):
        nt.benchmark("masking", models=[KNOWING], corpus=calls(), pannel="A", out=tmp_path / "r")
    with pytest.raises(UnknownName, match="Did you mean rules"):
        nt.benchmark("masking", models=[KNOWING], corpus=calls(), schemes=["rule"], out=tmp_path / "r")
    with pytest.raises(ModelError):
        nt.benchmark("masking", models=["nowhere/m"], corpus=calls(), out=tmp_path / "r")
    with pytest.raises(UsageError, match="no model 5"):
        nt.benchmark("masking", models=5, corpus=calls(), out=tmp_path / "r")
    with pytest.raises(UsageError, match="seed = '1'"):
        nt.benchmark("masking", models=[KNOWING], corpus=calls(), seed="1", out=tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_a_benchmark_without_any_model_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr("neuter.api.asking.embedded_model_installed", lambda: False)
    with pytest.raises(UsageError, match="--model PROVIDER/NAME"):
        nt.benchmark("masking", corpus=calls(), out=tmp_path / "r")


def test_a_suite_of_ones_own_is_found_by_its_path(tmp_path: Path):
    (tmp_path / "mine.py").write_text(OWN)
    name = f"{tmp_path / 'mine.py'}:Nothing"
    result = nt.benchmark(name, models=[KNOWING], word="one", out=tmp_path / "run", report=False)
    assert (result.run["suite"], result.run["config"]["word"]) == ("nothing", "one")
    assert result.scores.is_empty()


def test_what_is_no_suite_says_what_it_lacks(tmp_path: Path):
    (tmp_path / "mine.py").write_text("class Half:\n    name = 'half'\n    title = 'x'\n")
    with pytest.raises(UsageError, match="configuration, about, reads, requests, run"):
        nt.benchmark(f"{tmp_path / 'mine.py'}:Half", models=[KNOWING], out=tmp_path / "run")


def test_the_users_own_firms_last_as_long_as_the_run_and_are_part_of_its_configuration(tmp_path: Path):
    from neuter.firms import firms_in_use

    (tmp_path / "firms.csv").write_text("name,ticker\nOrchard Ladders Inc.,ORCHL\n")
    options = {"models": [KNOWING], "corpus": calls(), "schemes": ["none"], "panel": "A", "report": False}
    plain = nt.benchmark("masking", out=tmp_path / "a", **options)
    own = nt.benchmark("masking", out=tmp_path / "b", firms=[tmp_path / "firms.csv"], **options)
    assert plain.run["config"]["firms"] is None
    assert len(own.run["config"]["firms"]) == 64
    assert firms_in_use() == ()
    assert not (plain.folder / "report.html").exists()


def test_sizes_as_of_the_years_start_and_by_the_corpus_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("neuter.reports.html.write_report", lambda folder, originals=None: folder)

    def sizes(**options: object) -> dict[str, str]:
        result = nt.evaluate(
            [d for d in calls() if d.id.endswith("1")],
            schemes=["none"],
            attackers=["majority"],
            out=tmp_path / str(len(list(tmp_path.iterdir()))),
            **options,
        )
        frame = pl.read_parquet(result.folder / "documents.parquet")
        return dict(zip(frame["ticker"], frame["size"], strict=True))

    assert sizes() == {"AAPL": "Large", "TSLA": "Large", "HOG": "Mid", "ETD": "Small"}
    # Of four caps the percentiles 33⅓ and 66⅔ lie at the second and third: at or below the first is Small.
    assert sizes(breakpoints="corpus") == {"AAPL": "Large", "TSLA": "Mid", "HOG": "Small", "ETD": "Small"}
    assert set(sizes(size_as_of="year")) == {"AAPL", "TSLA", "HOG", "ETD"}
    with pytest.raises(UsageError, match="month, year"):
        sizes(size_as_of="week")
