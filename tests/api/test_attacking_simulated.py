"""A simulated model answers from the truth of the masked file; asked without a text, from its prior."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import neuter as nt
from neuter.types import Document

CALLS = [
    Document(
        id=f"{ticker}-{year}",
        text=f"We sold more in {year}.",
        ticker=ticker,
        fiscal_year=year,
        fiscal_quarter=2,
    )
    for ticker in ("HOG", "ETD")
    for year in (2020, 2021)
]


def attacked(tmp_path: Path, attacker: str) -> list[tuple[str | None, int | None]]:
    nt.mask(CALLS, scheme="none", out=tmp_path / "masked.parquet")
    guesses = nt.attack(
        tmp_path / "masked.parquet",
        attacker=attacker,
        model="simulated/all-knowing",
        store=tmp_path / "s.sqlite",
    )
    return [(guess.firm, guess.year) for guess in guesses]


def test_who_knows_everything_names_every_firm_and_year(tmp_path: Path):
    assert attacked(tmp_path, "llm") == [("HOG", 2020), ("HOG", 2021), ("ETD", 2020), ("ETD", 2021)]


def test_without_a_text_there_is_nothing_to_know(tmp_path: Path):
    found = attacked(tmp_path, "prior")
    assert len(set(found)) == 1
    assert found[0][0] not in {"HOG", "ETD"}


#: The request without a text is called "prior": a document of that name must not lend it its truth.
NAMED_PRIOR = [Document(id="prior", text="We sold.", ticker="HOG", fiscal_year=2003, fiscal_quarter=2)]


def test_a_document_called_prior_lends_its_truth_to_nobody(tmp_path: Path):
    nt.mask(NAMED_PRIOR, scheme="none", out=tmp_path / "masked.parquet")
    (guess,) = nt.attack(tmp_path / "masked.parquet", attacker="prior", model="simulated/all-knowing")
    assert guess.firm != "HOG"


def test_nor_in_an_evaluation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("neuter.reports.html.write_report", lambda folder, originals=None: folder)
    result = nt.evaluate(
        NAMED_PRIOR,
        schemes=["none"],
        attackers=["llm", "prior"],
        models=["simulated/all-knowing"],
        out=tmp_path / "run",
    )
    right = result.scores.filter(pl.col("metric") == "firm_accuracy", pl.col("group_by") == "all")
    assert dict(zip(right["attacker"], right["value"], strict=True)) == {"llm": 100.0, "prior": 0.0}
