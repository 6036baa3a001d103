"""The corpora that ship, found by name."""

from __future__ import annotations

import json

import pytest

from neuter.corpus import read_corpus, shipped_corpora
from neuter.errors import CorpusError

MANIFEST = """
title = "Two files"
description = "For a test"
licence = "CC0-1.0"
source = "made up"
default = "statements.jsonl"

[[files]]
name = "statements.jsonl"
kind = "transcript"
documents = 2
description = "statements"

[[files]]
name = "headlines.jsonl"
kind = "headline"
documents = 1
description = "headlines"
"""


@pytest.fixture
def corpora(write, tmp_path, monkeypatch):
    write("corpora/demo/manifest.toml", MANIFEST)
    write("corpora/demo/statements.jsonl", [{"id": "a", "text": "x"}, {"id": "b", "text": "y"}])
    write("corpora/demo/headlines.jsonl", [{"id": "h", "text": "z"}])
    write("corpora/firms/manifest.toml", 'title = "Firms"\nlicence = "PDDL"\n[[files]]\nname = "firms.csv"\n')
    write("corpora/firms/firms.csv", "cik\n1\n")
    monkeypatch.setenv("NEUTER_CORPORA", str(tmp_path / "corpora"))
    return tmp_path / "corpora"


def test_corpora_are_listed_and_data_folders_are_not(corpora):
    (demo,) = shipped_corpora()
    assert (demo.name, demo.title, demo.licence, demo.documents) == ("demo", "Two files", "CC0-1.0", 3)
    assert demo.path == corpora / "demo"
    assert [(file.name, file.kind, file.documents) for file in demo.files] == [
        ("statements.jsonl", "transcript", 2),
        ("headlines.jsonl", "headline", 1),
    ]


def test_a_name_is_the_default_file(corpora):
    corpus = read_corpus("corpora:demo")
    assert [d.id for d in corpus] == ["a", "b"]
    assert corpus.name == "corpora:demo"


@pytest.mark.parametrize("name", ["corpora:demo/headlines", "corpora:demo/headlines.jsonl"])
def test_another_file_is_named_with_or_without_extension_and_has_its_kind(corpora, name):
    assert [(d.id, d.kind) for d in read_corpus(name)] == [("h", "headline")]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("corpora:demmo", r"no shipped corpus has that name\. Did you mean corpora:demo\?"),
        ("corpora:xyz", r"There are: corpora:demo"),
        ("corpora:", r"There are: corpora:demo"),
        ("corpora:demo/headline", r"Did you mean corpora:demo/headlines\?"),
        ("corpora:demo/../firms", r"the corpus has no such file"),
        ("demo", r"Did you mean the shipped corpora:demo\?"),
    ],
)
def test_an_unknown_name_lists_the_nearest(corpora, name, what):
    with pytest.raises(CorpusError, match=what):
        read_corpus(name)


def test_a_file_of_the_manifest_that_is_missing_is_named(corpora):
    (corpora / "demo" / "headlines.jsonl").unlink()
    with pytest.raises(CorpusError, match=r"headlines\.jsonl is missing"):
        read_corpus("corpora:demo/headlines")


@pytest.mark.parametrize("manifest", ["title = ", '[[files]]\nname = "a.csv"\nkind = "headline"\n'])
def test_a_damaged_manifest_is_named(corpora, write, manifest):
    write("corpora/demo/manifest.toml", manifest)
    with pytest.raises(CorpusError, match=r"manifest\.toml: is no manifest of a corpus"):
        shipped_corpora()


def test_without_shipped_data_the_message_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("NEUTER_CORPORA", str(tmp_path))
    with pytest.raises(CorpusError, match="none is installed"):
        read_corpus("corpora:sample")


def test_the_sample_of_this_checkout_is_found(monkeypatch):
    monkeypatch.delenv("NEUTER_CORPORA", raising=False)
    sample = next(corpus for corpus in shipped_corpora() if corpus.name == "sample")
    for file in sample.files:
        assert read_corpus(f"corpora:sample/{file.name}").count() == file.documents


def test_corpora_inside_an_installed_wheel_are_found(corpora, tmp_path, monkeypatch):
    import neuter.corpus.shipped as shipped

    package = tmp_path / "site-packages" / "neuter"
    (package / "corpus").mkdir(parents=True)
    corpora.rename(package / "corpora")
    monkeypatch.delenv("NEUTER_CORPORA")
    monkeypatch.setattr(shipped, "__file__", str(package / "corpus" / "shipped.py"))
    assert [corpus.name for corpus in shipped_corpora()] == ["demo"]
    assert json.loads((package / "corpora" / "demo" / "headlines.jsonl").read_text())["id"] == "h"
