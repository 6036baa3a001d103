"""Mask and unmask through files and in memory; the sample and the shared transcripts come back exactly."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import neuter as nt
from neuter.api import preview
from neuter.errors import NeuterError, UsageError
from neuter.masking.own_firm import short_forms
from neuter.types import Document, MaskedDocument, Outcome


@pytest.mark.parametrize("scheme", ["none", "presidio", "rules"])
@pytest.mark.parametrize("extension", ["parquet", "jsonl", "csv"])
def test_the_sample_comes_back_exactly(tmp_path: Path, scheme: str, extension: str):
    if scheme == "presidio" and extension != "jsonl":
        pytest.skip("one format is enough for the slow one")
    sample = nt.read_corpus("corpora:sample")
    masked, key, out = tmp_path / f"m.{extension}", tmp_path / "key.jsonl", tmp_path / f"back.{extension}"
    done = nt.mask(sample, scheme=scheme, out=masked, key=key)
    assert (done.written, done.failed) == (101, ())
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert nt.unmask(masked, key, out) == 101
    assert {d.id: d.text for d in nt.read_corpus(out)} == {d.id: d.text for d in sample}


def test_headlines_come_back_exactly(tmp_path: Path):
    headlines = nt.read_corpus("corpora:sample/headlines")
    nt.mask(headlines, scheme="rules", out=tmp_path / "m.parquet", key=tmp_path / "key.jsonl")
    nt.unmask(tmp_path / "m.parquet", tmp_path / "key.jsonl", tmp_path / "back.parquet")
    assert {d.id: d.text for d in nt.read_corpus(tmp_path / "back.parquet")} == {
        d.id: d.text for d in headlines
    }


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["rules", "presidio"])
def test_every_shared_transcript_comes_back_exactly(tmp_path: Path, shared_data: Path, scheme: str):
    calls = nt.read_corpus(shared_data / "transcripts/ectsum_dev.parquet")
    nt.mask(calls, scheme=scheme, out=tmp_path / "m.parquet", key=tmp_path / "key.jsonl")
    assert nt.unmask(tmp_path / "m.parquet", tmp_path / "key.jsonl", tmp_path / "back.parquet") == 944
    back = nt.read_corpus(tmp_path / "back.parquet")
    assert all(a.text == b.text for a, b in zip(calls, back, strict=True))


def test_rules_leave_no_firm_name_nor_ticker_of_the_sample_in_its_texts():
    sample = nt.read_corpus("corpora:sample")
    known = {d.id: d for d in sample}
    for masked in nt.mask(sample, scheme="rules"):
        document = known[masked.id]
        words = re.findall(r"[\w&'-]+", masked.text or "")
        plain = " ".join(words)
        for form in {*short_forms(document.firm or ""), document.ticker}:
            assert f" {form} " not in f" {plain} ", (masked.id, form)


def test_a_key_needs_a_file_beside_it():
    with pytest.raises(UsageError, match="--out"):
        nt.mask([Document("d", "text")], key="key.jsonl")


@pytest.mark.parametrize("lines", [4_000, pytest.param(80_000, marks=pytest.mark.slow)])
def test_a_document_of_up_to_five_megabytes_is_masked(lines: int):
    text = "Tim Cook of Apple Inc. sold 5 phones in Paris on Monday for $12.\n" * lines
    assert lines < 80_000 or len(text) > 5_000_000
    (masked,) = nt.mask([Document("d", text)], scheme="rules")
    assert masked.text is not None
    assert "Cook" not in masked.text
    assert "Paris" not in masked.text


def test_in_memory_results_become_frames():
    masked = nt.mask([Document("d", "Apple grew 5%.")], scheme="rules")
    assert masked.to_polars()["id"].to_list() == ["d"]
    assert masked.to_pandas()["scheme"].tolist() == ["rules"]


def test_a_model_scheme_without_a_model_says_how_to_name_one(tmp_path: Path):
    with pytest.raises(NeuterError, match="--model"):
        nt.mask([Document("d", "text")], scheme="entity-neutering", out=tmp_path / "m.jsonl")
    assert not (tmp_path / "m.jsonl").exists()


class Careless:
    """A scheme of a user's own that says that it failed and hands the original on all the same."""

    name = "careless"
    reversible = False

    def fit(self, documents: Iterable[Document]) -> Careless:
        return self

    def mask(self, documents: Iterable[Document]) -> Iterator[MaskedDocument]:
        for document in documents:
            yield MaskedDocument(
                document.id, document.text, self.name, document.kind, None, Outcome.FAILED, "sorry"
            )


def test_a_failed_document_is_never_passed_on_with_its_original_text(tmp_path: Path):
    documents = [Document("a", "secret Apple"), Document("b", "secret Ford")]
    in_memory = nt.mask(documents, scheme=Careless())
    assert [d.text for d in in_memory] == [None, None]
    assert in_memory.failed == (("a", "sorry"), ("b", "sorry"))
    written = nt.mask(documents, scheme=Careless(), out=tmp_path / "m.jsonl")
    assert (written.written, written.failed) == (0, (("a", "sorry"), ("b", "sorry")))
    assert "secret" not in (tmp_path / "m.jsonl").read_text()
    assert [m.text for _, m in preview(documents, scheme=Careless())] == [None, None]
