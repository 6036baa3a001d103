"""Names as words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuter.firms import display_name, known_names, resolve
from neuter.firms.names import full_form, names_nobody, short_forms, weak_form, without_security


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Costco Wholesale Corp", "costco wholesale"),
        ("Visa Inc.", "visa"),
        ("NVIDIA CORP", "nvidia"),
        ("FIRST BANCORP /PR/", "first bancorp"),
        ("PUBLIC STORAGE /CA", "public storage"),
        ("TELEFONICA S A /ADR", "telefonica"),
        ("Novo Nordisk A/S", "novo nordisk"),
        ("J. B. Hunt Transport Services, Inc.", "jb hunt transport services"),
        ("U.S. Bancorp", "us bancorp"),
        ("Estée Lauder Companies Inc. (The)", "estee lauder companies"),
        ("Alphabet Inc. Class A Common Stock", "alphabet"),
        ("Aon plc Class A Ordinary Shares (Ireland)", "aon"),
        ("ATA Creativity Global American Depositary Shares", "ata creativity global"),
        ("Tiffany & Co.", "tiffany"),
        ("The Gap, Inc.", "gap"),
        ("Preferred Bank", "preferred bank"),
        ("Unit Corporation", "unit"),
        ("Macy’s Inc", "macys"),
        ("Inc.", ""),
    ],
)
def test_full_forms(name: str, words: str) -> None:
    assert " ".join(full_form(name)) == words


def test_weak_and_short_forms_keep_what_tells_firms_apart() -> None:
    assert weak_form(("delta", "apparel", "holdings")) == ("delta", "apparel")
    assert weak_form(("bank", "holdings")) == ("bank", "holdings")
    assert short_forms(("cisco", "systems")) == [("cisco",)]
    assert short_forms(("first", "american", "financial")) == [("first", "american")]
    assert short_forms(("tractor", "supply")) == []
    assert short_forms(("bank", "technologies")) == []


def test_a_security_goes_but_a_first_word_stays() -> None:
    assert without_security("Asbury Automotive Group Inc Common Stock") == "Asbury Automotive Group Inc"
    assert without_security("Common Stock") == "Common Stock"


@given(st.text(max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    full_form(text)
    names_nobody(text)
    assert isinstance(resolve(text), tuple)


def test_a_firm_is_shown_by_ticker_and_name() -> None:
    assert display_name("cik:0001652044") == "GOOGL (Alphabet Inc.)"
    assert display_name("ticker:QZXW") == "QZXW"
    assert display_name("") == ""


def test_known_names_hold_former_ones_and_aliases() -> None:
    assert {"Facebook", "Meta Platforms", "Meta"} <= set(known_names("cik:0001326801"))
    assert known_names("ticker:QZXW") == ()


def test_an_and_between_initials_tells_firms_apart() -> None:
    """H&P is Helmerich & Payne; HP is not. HR Block is yet H&R Block."""
    assert full_form("H&P") == full_form("H and P") != full_form("HP")
    assert resolve("HR Block") == resolve("H&R Block") != ()
