"""A part of a corpus holds its documents and no others, and is read from where the whole is."""

from __future__ import annotations

from neuter.corpus import read_corpus
from neuter.suites.corpus_part import CorpusPart
from neuter.types import Document

WHOLE = read_corpus([Document(id=f"d{k}", text=f"text {k}", fiscal_year=2020 + k) for k in range(4)])


def test_its_documents_come_in_the_corpus_order():
    part = CorpusPart(WHOLE, {"d3", "d1", "absent"}, "two")
    assert [document.id for document in part.documents()] == ["d1", "d3"]
    assert part.metadata()["id"].to_list() == ["d1", "d3"]
    assert part.count() == 2
    assert part.name.endswith("(two)")


def test_what_decides_the_whole_is_the_wholes():
    part = CorpusPart(WHOLE, {"d1"}, "one")
    assert part.data_hash() == WHOLE.data_hash()
    assert part.full().count() == 4
