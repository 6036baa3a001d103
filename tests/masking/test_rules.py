"""The scheme `rules`: what it hides, what it leaves, and that it does so consistently."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuter.corpus import restore
from neuter.masking import capitals, own_firm, tagger
from neuter.masking import rules as rules_module
from neuter.masking.rules import Rules
from neuter.masking.spans import Span
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
        "We sell plain goods to people who like them and we are glad of it.\n" * 1_600
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


def own_tickers(text: str, ticker: str) -> list[str]:
    return [text[s.start : s.end] for s in own_firm.find(Document("d", text, ticker=ticker))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("buy $aapl now", ["$aapl"]),
        ("buy $Aapl, $AAPL and $$AAPL", ["$Aapl", "$AAPL", "$AAPL"]),
        ("the _AAPL_ file AAPL_2021", ["AAPL", "AAPL"]),
        ("an aapl alone, XAAPL, AAPLX and $aaplx", []),
    ],
)
def test_the_own_ticker_in_capitals_or_after_a_dollar_sign(text: str, found: list[str]):
    assert own_tickers(text, "AAPL") == found


def test_a_ticker_that_is_a_word_is_masked_only_where_it_is_written_as_a_ticker():
    assert own_tickers("All of us saw all of ALL and $all.", "ALL") == ["ALL", "$all"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ford (F) rose", ["F"]),
        ("Ford “F” and 'F'", ["F", "F"]),
        ("Ford $F rose", ["$F"]),
        ("Plan F, $f (f) and FF", []),
    ],
)
def test_a_ticker_of_one_letter_needs_brackets_quotes_or_a_dollar_sign(text: str, found: list[str]):
    assert own_tickers(text, "F") == found


def test_the_own_ticker_has_one_placeholder_in_all_its_forms(rules: Rules):
    one = masked(rules, "We say (F), $F and NYSE: F.", ticker="F")
    assert {r.placeholder for r in one.replacements or () if r.kind == "ticker"} == {"ticker_x"}


@pytest.mark.parametrize("name", ["Ethan_Allen", "ethan_allen", "Ethan Allen", "Ethan"])
def test_underscores_part_the_words_of_the_own_firms_name(name: str):
    text = f"see x_{name}_2021 for more"
    (span,) = own_firm.find(Document("d", text, firm="Ethan Allen Inc"))
    assert (text[span.start : span.end], span.entity) == (name, own_firm.OWN)


def test_a_span_that_swallows_the_own_firm_keeps_its_placeholder(rules: Rules):
    text = "Brooklyn -- Etsy, Inc. reported. Etsy grew in Brooklyn -- Etsy, Inc. said so."
    one = masked(rules, text, firm="Etsy, Inc.", ticker="ETSY")
    holders = {r.placeholder for r in one.replacements or () if "Etsy" in text[r.start : r.end]}
    assert holders == {"Company_1"}


def test_a_placeholder_that_the_original_holds_is_not_given_again(rules: Rules):
    text = "The term number_a stands for it, and 75 and .75 are others."
    one = masked(rules, text)
    assert [r.placeholder for r in one.replacements or () if r.kind == "number"][:2] == [
        "number_b",
        "number_c",
    ]


@pytest.mark.parametrize("size", [tagger.WORD - 1, tagger.WORD, tagger.WORD + 1, 9_000])
def test_an_endless_word_is_tagged_in_pieces_that_make_up_the_text(size: int):
    text = "Hello. " + "(" * size + " Then more."
    cut = list(tagger.pieces(text))
    assert "".join(piece for _, piece in cut) == text
    assert all(text[offset : offset + len(piece)] == piece for offset, piece in cut)
    assert max(len(word) for _, piece in cut for word in piece.split()) <= tagger.WORD
    assert len(cut) == 1 + (size - 1) // tagger.WORD


def test_the_name_after_an_endless_word_keeps_its_offsets(rules: Rules):
    text = "(" * 4_500 + " We met Tim Cook in Cupertino."
    assert (masked(rules, text).text or "").endswith(" We met name_x in location_x.")


def test_brackets_without_end_take_linear_time(rules: Rules):
    def seconds(size: int) -> float:
        began = time.perf_counter()
        masked(rules, "(" * size)
        return time.perf_counter() - began

    seconds(100)
    assert seconds(8_000) < 24 * seconds(1_000)


def test_a_name_found_once_holds_everywhere_and_a_persons_surname_alone_too():
    text = "Mary Barra runs Zorblax. Zorblax is hers, said Barra; a barra is a bar."
    found = [Span(0, 10, "name", 5), Span(16, 23, "product", 0)]
    everywhere = [(text[s.start : s.end], s.kind) for s in rules_module._everywhere(text, found)]
    assert everywhere == [
        ("Mary Barra", "name"),
        ("Zorblax", "product"),
        ("Zorblax", "product"),
        ("Barra", "name"),
    ]


def test_the_scheme_asks_for_further_mentions(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(rules_module, "_everywhere", lambda text, found: [Span(0, 4, "product", 4)])
    (one,) = Rules(use_capitals=False).mask([Document("d", "plug it in")])
    assert one.text == "product_x it in"
