"""What is taken from a scheme, and what is not: no text of a failed document, none that cannot be read back."""

from __future__ import annotations

import json

import pytest

from neuter.corpus import prove, read_corpus, read_masked, usable, write_masked
from neuter.errors import MaskingError
from neuter.types import Document, MaskedDocument, Outcome, Replacement

FORMATS = ["parquet", "jsonl", "csv"]
ORIGINAL = "Ford sold 70 cars."

UNUSABLE = [
    (None, "the scheme gave no text"),
    ("", "the masked text is blank"),
    (" \n\u2003", "the masked text is blank"),
    ("a\0b", "the masked text holds a NUL byte at character 2"),
    ("a\ud800b", "the masked text holds half a character (an unpaired surrogate) at character 2"),
    (5, "the masked text is no text but int"),
]


@pytest.mark.parametrize("outcome", [one for one in Outcome if one is not Outcome.ANSWERED])
def test_a_document_that_was_not_answered_has_no_text(outcome):
    given = MaskedDocument("a", ORIGINAL, "odd", "headline", (), outcome, "I failed")
    assert usable(given) == MaskedDocument("a", None, "odd", "headline", (), outcome, "I failed")


@pytest.mark.parametrize(("text", "reason"), UNUSABLE)
def test_a_text_that_cannot_be_read_back_is_unparsed(text, reason):
    given = MaskedDocument("a", text, "odd", "headline", None)
    assert usable(given) == MaskedDocument("a", None, "odd", "headline", None, Outcome.UNPARSED, reason)


def test_what_can_be_used_is_left_as_it_is():
    given = MaskedDocument("a", " x ", "odd", replacements=(Replacement(0, 1, "x", "k"),))
    assert usable(given) == given


def test_a_reason_can_be_written_too():
    assert (
        usable(MaskedDocument("a", None, "odd", outcome=Outcome.FAILED, reason="x\ud800")).reason == "x\ufffd"
    )
    assert usable(MaskedDocument("a", None, "odd", outcome=Outcome.FAILED, reason=None)).reason == ""


@pytest.mark.parametrize("extension", FORMATS)
@pytest.mark.parametrize("keep_failed", [False, True])
@pytest.mark.parametrize("key", [None, "k"])
def test_a_failed_document_never_passes_with_its_text(tmp_path, extension, keep_failed, key):
    corpus = read_corpus([Document("a", ORIGINAL), Document("b", "fine"), Document("c", "x")])
    masked = [
        MaskedDocument("a", ORIGINAL, "odd", outcome=Outcome.FAILED, reason="I failed"),
        MaskedDocument("b", "fine", "odd"),
        MaskedDocument("c", "", "odd", replacements=(Replacement(0, 1, "", "k"),)),
    ]
    out = tmp_path / f"m.{extension}"
    summary = write_masked(out, corpus, masked, keep_failed=keep_failed, key=key and tmp_path / key)
    assert (summary.written, summary.failed) == (1, (("a", "I failed"), ("c", "the masked text is blank")))
    assert b"Ford" not in out.read_bytes()
    assert key is None or "Ford" not in (tmp_path / "k").read_text()
    read = [(one.id, one.text, one.outcome) for one in read_masked(out)]
    kept = [("a", None, Outcome.FAILED), ("b", "fine", Outcome.ANSWERED), ("c", None, Outcome.UNPARSED)]
    assert read == (kept if keep_failed else kept[1:2])


@pytest.mark.parametrize("extension", FORMATS)
def test_a_file_is_read_back_whatever_the_scheme_returned(tmp_path, extension):
    corpus = read_corpus([Document(str(at), ORIGINAL) for at in range(len(UNUSABLE))])
    masked = [
        MaskedDocument(str(at), text, "odd", replacements=None) for at, (text, _) in enumerate(UNUSABLE)
    ]
    out = tmp_path / f"m.{extension}"
    summary = write_masked(out, corpus, masked, keep_failed=True)
    assert [reason for _, reason in summary.failed] == [reason for _, reason in UNUSABLE]
    assert [one.reason for one in read_masked(out)] == [reason for _, reason in UNUSABLE]


def test_replacements_in_any_order_and_without_length_are_proven():
    spans = (
        Replacement(10, 12, "number_a", "k"),
        Replacement(5, 5, "Motor ", "k"),
        Replacement(0, 4, "X", "k"),
    )
    prove(
        Document("a", ORIGINAL), MaskedDocument("a", "X Motor sold number_a cars.", "odd", replacements=spans)
    )
    with pytest.raises(MaskingError, match=r"it differs from character 27 on.*replacements=None"):
        prove(
            Document("a", ORIGINAL),
            MaskedDocument("a", "X Motor sold number_a cars!", "odd", replacements=spans),
        )
    with pytest.raises(MaskingError, match="it differs from character 28 on"):
        prove(
            Document("a", ORIGINAL),
            MaskedDocument("a", "X Motor sold number_a cars. ", "odd", replacements=spans),
        )


def test_nothing_is_proven_of_a_scheme_that_rewrites_or_of_a_failed_document():
    prove(Document("a", ORIGINAL), MaskedDocument("a", "Rewritten.", "odd", replacements=None))
    prove(Document("a", ORIGINAL), MaskedDocument("a", None, "odd", outcome=Outcome.FAILED))


def test_numbers_of_numpy_are_written_as_numbers(tmp_path):
    numpy = pytest.importorskip("numpy")
    spans = (Replacement(numpy.int64(0), numpy.int64(4), "X", "k"),)
    masked = [MaskedDocument("a", "X sold 70 cars.", "odd", replacements=spans)]
    write_masked(tmp_path / "m.jsonl", read_corpus([Document("a", ORIGINAL)]), masked)
    assert json.loads((tmp_path / "m.jsonl").read_text())["replacements"][0]["end"] == 4


def test_what_is_no_masked_document_is_named(tmp_path):
    document = Document("a", ORIGINAL)
    with pytest.raises(MaskingError, match="a Document came where the masked document 'a' was due"):
        write_masked(tmp_path / "m.jsonl", read_corpus([document]), [document])
    assert list(tmp_path.iterdir()) == []
