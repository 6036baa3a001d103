"""The suite masking: whose documents are in which panel, what is published beside, and what is asked."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from models_that_say import Says, call

from neuter.corpus import read_corpus
from neuter.errors import CorpusError, RunError, UsageError
from neuter.masking.none import Unmasked
from neuter.suites.masking import Masking
from neuter.suites.run_folder import RunFolder
from neuter.suites.suite import Setting, Suite
from neuter.types import Document

#: (ticker, market cap): Alphabet under both tickers, Meta under its old one.
FIRMS = (("AAPL", 2.5e12), ("GOOG", 1.8e12), ("GOOGL", 1.8e12), ("FB", 9e11), ("HOG", 5e9), ("ETD", 6e8))


def documents(firms: tuple[tuple[str, float], ...] = FIRMS) -> list[Document]:
    return [
        Document(
            id=f"{ticker}-{quarter}",
            text=f"We of {ticker} sold more in period {quarter}.",
            ticker=ticker,
            date=date(2021, 3 * quarter + 1, 20),
            fiscal_year=2021,
            fiscal_quarter=quarter,
            fiscal_year_end=12,
            market_cap=cap,
        )
        for ticker, cap in firms
        for quarter in (1, 2)
    ]


def headlines() -> list[Document]:
    return [
        Document(
            id=f"h{day}",
            text=f"AAPL shows product {day}",
            kind="headline",
            ticker="AAPL",
            date=date(2023, 3, day),
        )
        for day in (14, 15)
    ]


def run(folder: Path, model: Says, **parameters: Any) -> tuple[pl.DataFrame, dict[str, Any]]:
    suite = Masking(**{"schemes": (Unmasked(),), **parameters})
    setting = Setting(models=(model.model,), draws=50, connect=model.connect)
    with RunFolder.open(folder, suite.configuration(setting), command="benchmark") as opened:
        suite.run(setting, opened)
    return pl.read_parquet(folder / "scores.parquet"), json.loads((folder / "run.json").read_text())


def rows(scores: pl.DataFrame, metric: str, **where: str) -> dict[str, dict[str, Any]]:
    found = scores.filter(pl.col("metric") == metric, *(pl.col(key) == value for key, value in where.items()))
    return {row["group"]: row for row in found.to_dicts()}


def apple() -> Says:
    return Says(lambda prompt: call("AAPL", 1, 2021))


def test_it_is_a_suite():
    assert isinstance(Masking(), Suite)


def test_panel_a_holds_each_of_the_seven_once_and_panel_b_every_size(tmp_path: Path):
    scores, _ = run(tmp_path / "r", apple(), corpus=read_corpus(documents()))
    panel_a = rows(scores, "firm_accuracy", panel="A", attacker="llm", group_by="firm")
    # GOOG and GOOGL are one firm with four documents; FB is META.
    assert {group: (row["value"], row["n"]) for group, row in panel_a.items()} == {
        "AAPL": (100.0, 2),
        "GOOG": (0.0, 4),
        "META": (0.0, 2),
    }
    assert rows(scores, "firm_accuracy", panel="A", attacker="llm", group_by="all")["all"]["value"] == 25.0
    panel_b = rows(scores, "firm_accuracy", panel="B", attacker="llm", group_by="size")
    assert {group: row["value"] for group, row in panel_b.items()} == {
        "Large": 25.0,
        "Mid": 0.0,
        "Small": 0.0,
    }
    whole = rows(scores, "firm_accuracy", panel="B", attacker="llm", group_by="all")["all"]
    assert (whole["value"], whole["n"]) == (pytest.approx(100 * 2 / 12, abs=1e-5), 12)
    assert set(scores["suite"]) == {"masking"}
    assert set(
        scores.filter(pl.col("group_by").is_in(["firm", "sector"]), pl.col("panel") != "A")["panel"]
    ) == {""}


def test_published_figures_stand_beside_the_llm_alone_and_only_where_the_paper_prints_them(tmp_path: Path):
    scores, _ = run(tmp_path / "r", apple(), corpus=read_corpus(documents()))
    beside = scores.filter(pl.col("published").is_not_null())
    assert set(beside["attacker"]) == {"llm"}
    assert set(beside["group_by"]) == {"firm", "size"}
    assert set(beside["metric"]) == {
        "mean_years_difference",
        "mean_absolute_years_difference",
        "year_accuracy",
        "quarter_year_accuracy",
        "firm_accuracy",
    }
    # Three of the seven are in the corpus, and the three sizes: five figures each.
    assert beside.height == 30
    assert (
        rows(scores, "year_accuracy", panel="A", attacker="llm", group_by="firm")["AAPL"]["published"]
        == 95.24
    )
    assert (
        rows(scores, "firm_accuracy", panel="B", attacker="llm", group_by="size")["Small"]["published"]
        == 32.14
    )
    assert "prior" in set(scores["attacker"])


def test_without_one_of_the_seven_panel_a_is_made_on_the_sample_and_says_so(tmp_path: Path):
    model = apple()
    corpus = read_corpus(documents((("HOG", 5e9), ("ETD", 6e8))))
    scores, record = run(tmp_path / "r", model, corpus=corpus)
    assert record["panels"]["A"] == {"corpus": "corpora:sample (the Magnificent Seven)", "borrowed": True}
    assert record["panels"]["B"]["borrowed"] is False
    panel_a = rows(scores, "firm_accuracy", panel="A", attacker="llm", group_by="firm")
    assert set(panel_a) == {"AAPL", "META", "MSFT", "GOOG", "NVDA", "TSLA", "AMZN"}
    sample = read_corpus("corpora:sample").metadata()
    seven = sample.filter(
        pl.col("ticker").is_in(["AAPL", "META", "MSFT", "GOOGL", "NVDA", "TSLA", "AMZN"])
    ).height
    # Each part is asked about its own documents, and once without a text.
    assert len(model.asked) == seven + 1 + 4 + 1
    assert sum(row["n"] for row in panel_a.values()) == seven
    assert rows(scores, "firm_accuracy", panel="B", attacker="llm", group_by="all")["all"]["n"] == 4
    assert (tmp_path / "r/panel-a/guesses").is_dir()
    assert record["outcomes"]["answered"] == 2 * (seven + 4)
    assert any(caveat["of"][0]["panel"] == "A" for caveat in record["caveats"])


def test_the_dry_run_counts_both_parts():
    corpus = read_corpus(documents((("HOG", 5e9), ("ETD", 6e8))))
    asked = Masking(corpus=corpus, schemes=(Unmasked(),)).requests(Setting(models=("x/y",)))
    assert [row["requests"] for row in asked] == [31, 1, 4, 1]
    assert asked[0]["what"].startswith("Panel A (corpora:sample")
    whole = Masking(corpus=read_corpus(documents())).requests(Setting(models=("x/y", "x/z")))
    assert [(row["what"], row["model"], row["requests"]) for row in whole] == [
        ("attacker llm", "x/y", 12),
        ("attacker llm", "x/z", 12),
        ("attacker prior", "x/y", 1),
        ("attacker prior", "x/z", 1),
    ]


def test_panel_a_alone_asks_about_the_seven_only(tmp_path: Path):
    model = apple()
    scores, record = run(tmp_path / "r", model, corpus=read_corpus(documents()), panel="A")
    assert set(scores["panel"]) == {"A"}
    assert len(model.asked) == 8 + 1
    assert list(record["panels"]) == ["A"]
    assert record["corpus"]["documents"] == 8


def test_a_borrowed_panel_a_alone_asks_nothing_of_the_users_corpus(tmp_path: Path):
    model = apple()
    corpus = read_corpus(documents((("HOG", 5e9), ("ETD", 6e8))))
    scores, record = run(tmp_path / "r", model, corpus=corpus, panel="A")
    assert set(scores["panel"]) == {"A"}
    assert not any("HOG" in request.id or "ETD" in request.id for request in model.asked)
    assert record["panels"] == {"A": {"corpus": "corpora:sample (the Magnificent Seven)", "borrowed": True}}
    assert not (tmp_path / "r/panel-a").exists()


def test_panel_b_alone_borrows_nothing(tmp_path: Path):
    model = apple()
    corpus = read_corpus(documents((("HOG", 5e9), ("ETD", 6e8))))
    scores, _ = run(tmp_path / "r", model, corpus=corpus, panel="B")
    assert set(scores["panel"]) == {"B", ""}
    assert len(model.asked) == 5
    assert not (tmp_path / "r/panel-a").exists()


def test_headlines_have_dates_and_nothing_published(tmp_path: Path):
    line = "Company Estimate: AAPL, Industry Estimate: Phones, Date Estimate: 03/14/2023"
    scores, record = run(tmp_path / "r", Says(lambda prompt: line), corpus=read_corpus(headlines()))
    found = {
        metric: rows(scores, metric, panel="A", attacker="llm", group_by="firm")["AAPL"]["value"]
        for metric in ("month_year_accuracy", "exact_date_accuracy", "mean_days_difference", "firm_accuracy")
    }
    # Guessed the 14th of both: right once, a day early once.
    assert found == {
        "month_year_accuracy": 100.0,
        "exact_date_accuracy": 50.0,
        "mean_days_difference": -0.5,
        "firm_accuracy": 100.0,
    }
    assert scores["published"].null_count() == scores.height
    assert record["documents_are"] == "headline"


def test_headlines_among_calls_are_refused():
    mixed = read_corpus([*documents(), *headlines()])
    with pytest.raises(CorpusError, match="2 headlines among 14"):
        Masking(corpus=mixed).configuration(Setting(models=("x/y",)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"panel": "C"}, "panels A and B"),
        ({"reading": "fiskal"}, "fiscal"),
        ({"size_as_of": "week"}, "month, year"),
    ],
)
def test_what_there_is_not_is_refused(parameters: dict[str, Any], message: str):
    with pytest.raises(UsageError, match=message):
        Masking(**parameters).configuration(Setting())


def test_a_run_that_is_there_asks_nothing_again_and_gives_the_same_bytes(tmp_path: Path):
    corpus = read_corpus(documents((("HOG", 5e9), ("ETD", 6e8))))
    run(tmp_path / "r", apple(), corpus=corpus)
    before = (tmp_path / "r/scores.csv").read_bytes()
    again = apple()
    run(tmp_path / "r", again, corpus=corpus)
    assert again.asked == []
    assert (tmp_path / "r/scores.csv").read_bytes() == before


def test_what_failed_on_the_borrowed_part_is_a_failure_of_the_run(tmp_path: Path):
    class Fails(Unmasked):
        name = "fails"

        def mask(self, documents):
            for masked in super().mask(documents):
                if masked.id.startswith("AAPL"):
                    raise UsageError("never here")
                yield masked

    corpus = read_corpus(documents((("HOG", 5e9), ("ETD", 6e8))))
    with pytest.raises(UsageError, match="never here"):
        run(tmp_path / "r", apple(), corpus=corpus, schemes=(Fails(),))
    assert json.loads((tmp_path / "r/run.json").read_text())["status"] == "failed"


def test_a_document_that_names_no_firm_is_in_panel_b_with_its_caveat(tmp_path: Path):
    nameless = Document(id="x", text="We sold.", fiscal_year=2021, fiscal_quarter=1, market_cap=5e9)
    scores, record = run(tmp_path / "r", apple(), corpus=read_corpus([*documents(), nameless]))
    assert rows(scores, "year_accuracy", panel="B", attacker="llm", group_by="all")["all"]["n"] == 13
    assert any("1 of 13 documents name no firm" in caveat["text"] for caveat in record["caveats"])


def test_each_choice_of_panels_is_another_run():
    corpus, setting = read_corpus(documents()), Setting(models=("x/y",))
    made = [
        json.dumps(Masking(corpus=corpus, panel=panel).configuration(setting)) for panel in (None, "A", "B")
    ]
    assert len(set(made)) == 3


def test_the_reading_is_shown_and_decides_nothing():
    corpus = read_corpus(documents())
    fiscal, call_ = (Masking(corpus=corpus, reading=r) for r in ("fiscal", "call"))
    assert fiscal.configuration(Setting()) == call_.configuration(Setting())
    assert call_.about()["reading"] == "call"


def test_a_borrowed_panel_is_a_result_to_keep_and_goes_when_the_run_is_replaced(tmp_path: Path):
    (tmp_path / "panel-a/guesses").mkdir(parents=True)
    (tmp_path / "panel-a/guesses/x.parquet").write_bytes(b"")
    (tmp_path / "run.json").write_text(json.dumps({"config": {}, "config_hash": "old"}))
    with pytest.raises(RunError, match="another configuration"):
        RunFolder.open(tmp_path, {"seed": 1}, command="benchmark")
    with RunFolder.open(tmp_path, {"seed": 1}, command="benchmark", overwrite=True):
        assert not (tmp_path / "panel-a").exists()


def test_headlines_that_name_no_firm_are_scored_by_their_date(tmp_path: Path):
    nameless = [Document(id="h", text="Shares fall", kind="headline", date=date(2023, 3, 14))]
    line = "Company Estimate: AAPL, Industry Estimate: Phones, Date Estimate: 03/14/2023"
    scores, _ = run(tmp_path / "r", Says(lambda prompt: line), corpus=read_corpus(nameless), panel="B")
    assert rows(scores, "exact_date_accuracy", attacker="llm", group_by="all")["all"]["value"] == 100.0


def test_the_models_prior_stands_beside_its_scores_in_both_panels(tmp_path: Path):
    scores, _ = run(tmp_path / "r", apple(), corpus=read_corpus(documents()))
    beside = scores.filter(pl.col("metric") == "firm_accuracy_prior", pl.col("group_by") == "all")
    prior = scores.filter(
        pl.col("metric") == "firm_accuracy", pl.col("group_by") == "all", pl.col("attacker") == "prior"
    )
    assert set(beside["attacker"]) == {"llm"}
    assert dict(beside.select("panel", "value").iter_rows()) == dict(
        prior.select("panel", "value").iter_rows()
    )
    assert set(beside["panel"]) == {"A", "B"}
