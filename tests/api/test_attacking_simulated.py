"""A simulated model answers from the truth of the masked file; asked without a text, from its prior."""

from __future__ import annotations

from pathlib import Path

import neuter as nt
from neuter.types import Document

CALLS = [
    Document(id=f"{ticker}-{year}", text=f"We sold more in {year}.", ticker=ticker, fiscal_year=year, fiscal_quarter=2)
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
