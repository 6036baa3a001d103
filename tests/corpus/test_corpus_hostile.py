"""Files and places that are meant to break: huge, half a character, no number, killed half-way, a folder."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import polars as pl
import pytest

from neuter.corpus import check_corpus, read_corpus, read_masked, unmask_corpus, write_masked
from neuter.corpus import lines as lines_module
from neuter.errors import CorpusError, UsageError
from neuter.types import Document, MaskedDocument, Replacement
from neuter.whole_files import replacing, write_whole

FORMATS = ["parquet", "jsonl", "csv"]
HALF = "\ud83d"


@pytest.mark.parametrize("extension", FORMATS)
def test_a_text_that_masking_made_longer_than_any_input_is_restored(tmp_path, extension, monkeypatch):
    # 26 MB in a field and a line over the limit, which only the limit that is set for input would refuse.
    monkeypatch.setattr(lines_module, "MAX_LINE_BYTES", 1_000_000)
    long = "x" * 26_000_000
    corpus = read_corpus([Document("a", "Ford")])
    masked = [
        MaskedDocument(d.id, long, "odd", replacements=(Replacement(0, len(d.text), long, "k"),))
        for d in corpus
    ]
    out = tmp_path / f"m.{extension}"
    before = csv.field_size_limit(131_072)
    try:
        write_masked(out, corpus, masked, key=tmp_path / "k")
        assert [len(one.text) for one in read_masked(out)] == [26_000_000]
        assert unmask_corpus(out, tmp_path / "k", tmp_path / "u.jsonl") == 1
    finally:
        csv.field_size_limit(before)
    assert [d.text for d in read_corpus(tmp_path / "u.jsonl")] == ["Ford"]


@pytest.mark.parametrize("extension", FORMATS)
def test_half_a_character_in_a_column_that_is_carried_along_is_replaced(
    write, mask_digits, tmp_path, extension
):
    row = {"id": "a", "text": "x", "mood": f"a{HALF}b", "deep": [{f"k{HALF}": HALF}], f"name{HALF}": 1}
    corpus = read_corpus(write("calls.jsonl", [row]))
    (document,) = corpus
    assert document.extra == {"mood": "a\ufffdb", "deep": [{"k\ufffd": "\ufffd"}], "name\ufffd": 1}
    write_masked(tmp_path / f"m.{extension}", corpus, mask_digits(corpus))
    assert next(read_masked(tmp_path / f"m.{extension}").references()).extra["mood"] == "a\ufffdb"
    json.dumps(check_corpus(tmp_path / "calls.jsonl").to_dict(), ensure_ascii=False).encode()


def test_a_carried_value_nested_too_deeply_is_a_bad_row(write):
    deep = '{"id": "a", "text": "x", "y": ' + "[" * 101 + "]" * 101 + "}\n"
    with pytest.raises(CorpusError, match="line 1, field 'y': holds more than 100 lists or objects"):
        list(read_corpus(write("a.jsonl", deep)))
    assert (
        len(
            list(
                read_corpus(
                    write("a.jsonl", deep.replace("[" * 101, "[" * 100).replace("]" * 101, "]" * 100))
                )
            )
        )
        == 1
    )


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes")
def test_a_file_name_that_is_not_utf_8_is_hashed_and_shown(tmp_path):
    folder = tmp_path / "calls"
    folder.mkdir()
    (folder / "a.txt").write_text("x")
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.txt")).write_text("y")
    corpus = read_corpus(folder, skip_invalid=True)
    assert [d.id for d in corpus] == ["a"]
    assert len(corpus.data_hash()) == 64
    assert corpus.problems[0].where.encode().endswith("caf\ufffd.txt: field 'id'".encode())
    json.dumps(check_corpus(folder).to_dict(), ensure_ascii=False).encode()
    table = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl"))
    table.write_text('{"id": "a", "text": "x"}\n')
    named = read_corpus(table)
    assert named.name == "caf\ufffd"
    masked = [MaskedDocument("a", "x", "odd")]
    write_masked(tmp_path / "m.jsonl", named, masked, key=tmp_path / "k")  # the key names its corpus


def test_the_file_s_own_text_is_left_out_where_another_column_is_the_text(tmp_path, write, mask_digits):
    path = write("calls.csv", "id,text,Body Text\na,Ford sold 70 cars,sold 70\n")
    corpus = read_corpus(path, columns={"text": "Body Text"})
    assert next(corpus.documents()).extra == {}
    write_masked(tmp_path / "m.jsonl", corpus, mask_digits(corpus))
    assert "Ford" not in (tmp_path / "m.jsonl").read_text()


def test_an_opening_of_blanks_is_a_bad_row(write):
    path = write("calls.jsonl", [{"id": "a", "text": "   x"}, {"id": "b", "text": "y"}])
    assert [d.text for d in read_corpus(path, opening=4)] == ["   x", "y"]
    with pytest.raises(
        CorpusError, match=r"line 1, field 'text': the first 3 characters are blank \(id 'a'\)"
    ):
        list(read_corpus(path, opening=3))
    corpus = read_corpus(path, opening=3, skip_invalid=True, limit=1)
    assert [d.id for d in corpus] == ["b"]
    assert [problem.id for problem in corpus.problems] == ["a"]


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


@pytest.mark.parametrize("extension", FORMATS)
def test_what_is_no_number_becomes_null(tmp_path, write, mask_digits, extension):
    row = {"id": "a", "text": "x", "ratio": float("nan"), "many": [1.5, {"most": float("inf")}], "mixed": 1.5}
    corpus = read_corpus(write("calls.jsonl", [row, {**row, "id": "b", "mixed": "y"}]))
    out = tmp_path / f"m.{extension}"
    write_masked(out, corpus, mask_digits(corpus))
    if extension == "jsonl":
        first = json.loads(out.read_text().splitlines()[0], parse_constant=refuse)
        assert (first["ratio"], first["many"]) == (None, [1.5, {"most": None}])
    elif extension == "csv":
        with out.open(newline="") as file:
            assert next(csv.DictReader(file))["many"] == '[1.5, {"most": null}]'
    else:
        assert pl.read_parquet(out)["many"][0] == '[1.5, {"most": null}]'


def test_a_masked_parquet_file_cut_short_says_what_to_do(tmp_path, mask_digits):
    corpus = read_corpus([Document("a", "x" * 1000)])
    out = tmp_path / "m.parquet"
    write_masked(out, corpus, mask_digits(corpus))
    for length in (200, 0):
        out.write_bytes(out.read_bytes()[:length])
        with pytest.raises(
            CorpusError, match=r"m\.parquet: .*delete it and run the command that made it again"
        ):
            list(read_masked(out))


KILLED = """
    import os, signal, sys
    from neuter.corpus import read_corpus, write_masked
    from neuter.types import Document, MaskedDocument
    corpus = read_corpus([Document(str(at), "secret" * 5000) for at in range(2000)])
    def mask():
        for at, document in enumerate(corpus):
            if at == 1500:
                os.kill(os.getpid(), signal.SIGKILL)
            yield MaskedDocument(document.id, document.text, "none")
    write_masked(sys.argv[1], corpus, mask(), key=sys.argv[2])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a signal of the system")
@pytest.mark.parametrize("extension", ["parquet", "jsonl"])
def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path, mask_digits, extension):
    out, key = tmp_path / f"m.{extension}", tmp_path / "k.jsonl"
    code = textwrap.dedent(KILLED)
    done = subprocess.run([sys.executable, "-c", code, str(out), str(key)], timeout=60, check=False)
    assert done.returncode == -9
    left = sorted(path.suffix for path in tmp_path.iterdir())
    assert left == ([".pieces", ".tmp", ".tmp"] if extension == "parquet" else [".tmp", ".tmp"])
    other = tmp_path / ".other.0123abcd.tmp"
    other.write_text("of another file")
    corpus = read_corpus([Document("a", "x")])
    write_masked(out, corpus, mask_digits(corpus), key=key)
    assert sorted(tmp_path.iterdir()) == sorted([out, key, other])


def test_a_temporary_file_that_is_in_use_is_left_alone(tmp_path):
    path = tmp_path / "a.json"
    with replacing(path) as first:
        write_whole(path, "second")
        assert first.exists()
        first.write_text("first")
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("which", ["out", "key"])
def test_a_folder_in_the_place_of_a_file_is_refused_before_anything_is_written(tmp_path, mask_digits, which):
    corpus = read_corpus([Document("a", "x 1")])
    paths = {"out": tmp_path / "m.jsonl", "key": tmp_path / "k.jsonl"}
    write_masked(paths["out"], corpus, mask_digits(corpus), key=paths["key"])
    old = {name: path.read_text() for name, path in paths.items()}
    other = "key" if which == "out" else "out"
    changed = {**paths, which: tmp_path / "folder.jsonl"}
    changed[which].mkdir()
    longer = read_corpus([Document("a", "x 12")])
    with pytest.raises(UsageError, match=r"folder\.jsonl: is a folder, not a file"):
        write_masked(changed["out"], longer, mask_digits(longer), key=changed["key"])
    assert paths[other].read_text() == old[other]
    with pytest.raises(UsageError, match="is a folder, not a file"):
        unmask_corpus(paths["out"], paths["key"], tmp_path / "folder.jsonl")
    with pytest.raises(UsageError, match="is a folder, not a file"):
        write_whole(tmp_path / "folder.jsonl", "x")
