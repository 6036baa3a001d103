from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from neuter.reports.payload import documents_payload, family, moved, script_json
from neuter.reports.run_view import DocumentView, MaskedView
from neuter.types import Document, Replacement


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_comes_back_and_cannot_leave_its_script_element(value: object) -> None:
    text = script_json(value)
    assert json.loads(text) == value
    assert text.isascii()
    assert not set("<>&") & set(text)


def test_line_separators_are_escapes() -> None:
    assert script_json("a\u2028b</script>") == r'"a\u2028b\u003c/script\u003e"'


def test_placeholders_are_found_at_their_places_in_the_masked_text() -> None:
    # "Apple sold 12 Macs" -> "Company_1 sold number_a Macs"
    spans = (Replacement(0, 5, "Company_1", "company"), Replacement(11, 13, "number_a", "number"))
    after = moved("Company_1 sold number_a Macs", spans)
    assert [(s.start, s.end) for s in after] == [(0, 9), (15, 23)]


def test_placeholders_that_are_not_there_are_not_coloured() -> None:
    assert moved("something else", (Replacement(0, 5, "Company_1", "company"),)) == ()


@given(st.text(max_size=30), st.text(min_size=1, max_size=8), st.text(max_size=30))
def test_marks_cut_the_same_piece_in_javascript(before: str, firm: str, rest: str) -> None:
    original, masked = before + firm + rest, before + "Company_1" + rest
    span = Replacement(len(before), len(before) + len(firm), "Company_1", "company")
    document = DocumentView(
        Document("d", ""), original, (MaskedView("rules", masked, (span,), "answered", "", ()),)
    )
    (entry,) = documents_payload([document])
    ((start, end, *_),) = entry["masks"][0]["before"]
    assert _javascript_slice(entry["original"], start, end) == _javascript_slice(_seen(firm), 0, None)
    ((start, end, *_),) = entry["masks"][0]["after"]
    assert _javascript_slice(entry["masks"][0]["text"], start, end) == "Company_1"


def _seen(text: str) -> str:
    from neuter.reports.wording import visible

    return visible(text)


def _javascript_slice(text: str, start: int, end: int | None) -> str:
    units = text.encode("utf-16-le", "surrogatepass")
    return units[2 * start : None if end is None else 2 * end].decode("utf-16-le", "surrogatepass")


def test_overlapping_or_foreign_spans_are_left_out() -> None:
    spans = (Replacement(0, 4, "a", "x"), Replacement(2, 5, "b", "x"), Replacement(50, 60, "c", "x"))
    document = DocumentView(
        Document("d", ""), "0123456", (MaskedView("s", None, spans, "failed", "why", ()),)
    )
    (entry,) = documents_payload([document])
    assert entry["masks"][0]["before"] == [[0, 4, "other", "x", "a"]]


def test_kinds_of_the_paper_have_a_colour() -> None:
    kinds = "company ticker name location product product_type service time year quarter date number link industry"
    assert {family(kind) for kind in kinds.split()}.isdisjoint({"other"})
    assert family("anything else") == "other"
