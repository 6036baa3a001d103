"""Offsets: replacing the spans of the original by the placeholders gives the masked text."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from neuter.corpus import restore
from neuter.masking import spans
from neuter.masking.placeholders import Placeholders, find_placeholders, placeholder
from neuter.masking.spans import Span
from neuter.types import Replacement


def test_overlapping_spans_become_one_that_covers_both_and_keeps_the_heavier_kind():
    merged = spans.merge([Span(0, 10, "name", 1), Span(5, 15, "company", 2), Span(20, 22, "link")])
    assert [(s.start, s.end, s.kind) for s in merged] == [(0, 15, "company"), (20, 22, "link")]


def test_touching_spans_stay_apart():
    assert len(spans.merge([Span(0, 5, "name"), Span(5, 9, "name")])) == 2


def test_the_same_entity_has_the_same_placeholder_and_two_entities_never_share_one():
    text = "Ann saw Bob. ANN waved. Bob's dog barked."
    found = [Span(0, 3, "name"), Span(8, 11, "name"), Span(13, 16, "name"), Span(24, 29, "name")]
    assert [r.placeholder for r in spans.replace(text, found)] == ["name_x", "name_y", "name_x", "name_y"]


def test_placeholders_do_not_repeat_within_a_kind():
    for kind in ("name", "number", "company"):
        made = [placeholder(kind, rank) for rank in range(1, 1500)]
        assert len(set(made)) == len(made)
        assert all(len(find_placeholders(one)) == 1 for one in made)


def test_one_string_as_two_kinds_has_two_placeholders():
    given_ = Placeholders()
    assert given_.of("company", "ford") != given_.of("name", "ford")


def test_a_number_below_one_and_the_same_digits_without_its_point_are_two_numbers():
    text = ".75 and 75, then 75."
    found = [Span(0, 3, "number"), Span(8, 10, "number"), Span(17, 20, "number")]
    assert [r.placeholder for r in spans.replace(text, found)] == ["number_a", "number_b", "number_b"]


def test_marks_around_a_name_make_no_other_name_of_it():
    assert spans.normalised(" ,.Tim Cook;") == spans.normalised("Tim Cook") == "tim cook"


def test_a_placeholder_of_the_original_is_given_to_no_entity():
    text = "number_b and Company_1 beside 5, 6, 7 and Ford"
    found = [Span(30, 31, "number"), Span(33, 34, "number"), Span(36, 37, "number"), Span(42, 46, "company")]
    given = [r.placeholder for r in spans.replace(text, found)]
    assert given == ["number_a", "number_c", "number_d", "Company_2"]


def test_a_known_entity_holds_for_a_wider_span_and_a_guessed_one_does_not():
    known, guessed = Span(12, 22, "company", 30, "own", known=True), Span(12, 22, "company", 30, "other")
    wider = Span(0, 22, "location", 5)
    assert spans.merge([wider, known]) == [Span(0, 22, "company", 30, "own", known=True)]
    assert spans.merge([wider, guessed]) == [Span(0, 22, "company", 30)]


@given(st.text(max_size=80), st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80)), max_size=12))
def test_spans_replaced_and_restored_give_the_original_back(text: str, ends: list[tuple[int, int]]):
    found = [Span(min(e), min(max(e), len(text)), "name") for e in ends if min(e) < len(text)]
    merged = spans.merge(found)
    replacements = spans.replace(text, merged)
    masked = spans.apply(text, replacements)
    originals = [text[r.start : r.end] for r in replacements]
    assert restore(masked, replacements, originals) == text
    assert all(a.end <= b.start for a, b in pairwise(merged))
    inside = {k for s in found for k in range(s.start, s.end)}
    assert inside == {k for s in merged for k in range(s.start, s.end)}


def test_share_of_words_masked_counts_words_that_a_replacement_touches():
    text = "Tim Cook leads Apple today"
    replacements = [Replacement(0, 8, "name_x", "name"), Replacement(15, 20, "Company_1", "company")]
    assert spans.share_of_words_masked(text, replacements) == 3 / 5
    assert spans.share_of_words_masked("   ", []) == 0.0
