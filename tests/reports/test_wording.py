from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuter.reports.wording import firm_name, listing, number, one_line, plural, slug, visible


@given(st.text())
def test_making_a_text_visible_keeps_every_offset(text: str) -> None:
    assert len(visible(text)) == len(text)


@given(st.text())
def test_no_control_or_direction_character_is_left(text: str) -> None:
    forbidden = set("\x00\x1b\x7f\x9b\u200b\u200f\u202a\u202e\u2066\u2069\ufeff")
    assert not forbidden & set(visible(text))


def test_control_characters_become_signs_and_line_breaks_stay() -> None:
    assert visible("a\x1b[31m\x00b\n\tc\u202ed") == "a␛[31m␀b\n\tc\ufffdd"
    assert one_line(" two\n  lines\x07") == "two lines␇"


@pytest.mark.parametrize(
    ("value", "unit", "places", "shown"),
    [
        (97.916, "percent", None, "97.9"),
        (100.0, "percent", None, "100"),
        (100.0, "percent", 2, "100.00"),
        (-1.294, "years", None, "−1.29"),
        (-0.001, "years", None, "0.00"),
        (None, "percent", None, "–"),
        (float("nan"), "percent", None, "–"),
    ],
)
def test_numbers_as_a_table_shows_them(
    value: float | None, unit: str, places: int | None, shown: str
) -> None:
    assert number(value, unit, places) == shown


def test_words() -> None:
    assert plural(1, "document") == "1 document"
    assert plural(1200, "document") == "1,200 documents"
    assert listing([]) == ""
    assert listing(["a", "b", "c"]) == "a, b and c"
    assert slug("path/to/mine.py:My Scheme") == "path-to-mine.py-My-Scheme"
    assert slug("../..") == "unnamed"


def test_a_firm_is_named_by_the_corpus_then_the_universe_then_as_written() -> None:
    assert (
        firm_name("cik:0000900001", {"cik:0000900001": "BIRC (Birch Health Inc.)"})
        == "BIRC (Birch Health Inc.)"
    )
    assert "Apple" in firm_name("cik:0000320193")
    assert firm_name("Symbol: AAPL") == "Symbol: AAPL"
    assert firm_name(None) == ""
