"""The scheme `rules`: what it hides, what it leaves, and that it does so consistently."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuter.corpus import restore
from neuter.masking import capitals, own_firm
from neuter.masking.rules import Rules
from neuter.types import Document, MaskedDocument

TEXT = (
    "Good morning. Ethan Allen reported record sales of $187.2 million in the third quarter of fiscal 2022. "
    "Farooq Kathwari said orders in Danbury rose 12.5%. Mr. Kathwari thanked Ethan Allen's designers. "
    "Visit ethanallen.com or call 1-800-555-1234. NYSE: ETD. Adjusted EBITDA was strong under GAAP."
)


@pytest.fixture(scope="module")
def rules() -> Rules:
    return Rules()


def masked(rules: Rules, text: str, **known: object) -> MaskedDocument:
    (one,) = rules.mask([Document("d", text, **known)])  # type: ignore[arg-type]
    return one


def test_nothing_that_names_firm_person_place_number_or_period_is_left(rules: Rules):
    text = masked(rules, TEXT, ticker="ETD", firm="Ethan Allen Interiors Inc").text
    assert text is not None
    for left in (
        "Ethan",
        "Allen",
        "Kathwari",
        "Farooq",
        "Danbury",
        "187",
        "12.5",
        "2022",
        "third",
        "ETD",
        "555",
        "com",
    ):
        assert left not in text


def test_words_of_the_trade_are_left(rules: Rules):
    text = masked(rules, TEXT, firm="Ethan Allen Interiors Inc").text or ""
    assert "EBITDA" in text
    assert "GAAP" in text


def test_a_person_and_a_firm_keep_one_placeholder_each(rules: Rules):
    one = masked(rules, TEXT, ticker="ETD", firm="Ethan Allen Interiors Inc")
    by_text = {TEXT[r.start : r.end]: r.placeholder for r in one.replacements or ()}
    assert by_text["Farooq Kathwari"] == by_text["Kathwari"]
    assert by_text["Ethan Allen"] == by_text["Ethan Allen's"]


def test_replacements_restore_the_text_exactly(rules: Rules):
    one = masked(rules, TEXT, ticker="ETD")
    replacements = list(one.replacements or ())
    assert restore(one.text or "", replacements, [TEXT[r.start : r.end] for r in replacements]) == TEXT


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_any_unicode_text_is_restored_exactly(text: str):
    (one,) = Rules().mask([Document("d", text, firm="Acme Widgets Inc", ticker="ACME")])
    replacements = list(one.replacements or ())
    assert restore(one.text or "", replacements, [text[r.start : r.end] for r in replacements]) == text


def test_officers_and_products_that_the_corpus_names_are_masked(rules: Rules):
    text = "the fridge and jane doe did well"
    one = masked(rules, text, extra={"officers": "Jane Doe; John Roe", "products": ["the fridge"]})
    assert one.text == "product_x and name_x did well"


def test_a_long_text_is_tagged_in_pieces_with_its_own_offsets(rules: Rules):
    text = (
        "We sell plain goods to people who like them and we are glad of it.\n" * 3_000
    ) + "Tim Cook met us in Cupertino."
    one = masked(rules, text)
    assert (one.text or "").endswith("name_x met us in location_x.")


def test_an_unexplained_capital_inside_a_sentence_is_a_name_and_an_opening_word_is_not():
    text = "Demand for Zorblax was strong. Pricing held. Zorblax grew."
    assert [text[s.start : s.end] for s in capitals.unexplained(text)] == ["Zorblax", "Zorblax"]


def test_short_forms_of_a_firm_leave_out_legal_forms_and_first_words_that_many_share():
    assert own_firm.short_forms("American Airlines Group Inc.") >= {"American Airlines"}
    assert "American" not in own_firm.short_forms("American Airlines Group Inc.")
    assert "Nucor" in own_firm.short_forms("NUCOR CORP /DE/".title().replace("/De/", "/DE/"))


def test_an_everyday_word_is_the_firm_only_with_its_capital():
    spans = own_firm.find(Document("d", "An apple fell on Apple and APPLE.", firm="Apple Inc."))
    assert [(s.start, s.end) for s in spans] == [(17, 22), (27, 32)]
