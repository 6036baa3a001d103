"""Masked corpora on disk, their keys, and the way back."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import stat
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neuter.corpus import WriteSummary, read_corpus, read_masked, restore, unmask_corpus, write_masked
from neuter.errors import CorpusError, MaskingError, RunError, UsageError
from neuter.types import Document, MaskedDocument, Outcome, Replacement

FORMATS = ["parquet", "jsonl", "csv"]
ROWS = [
    {
        "id": "a",
        "text": 'In 2021, sales rose 5%.\r\nHe said "7".',
        "ticker": "F",
        "date": "2021-04-28",
        "mood": "x",
    },
    {"id": "b", "text": "No figures at all.", "ticker": None, "date": None, "mood": None},
    {"id": "c", "text": "123", "ticker": "GM", "date": "2021-05-05", "mood": "y"},
]
SECRET = {"id": "s", "text": "top-secret 99", "ticker": "S", "date": None, "mood": "z"}


@pytest.fixture
def corpus(write):
    return read_corpus(write("calls.jsonl", ROWS))


@pytest.mark.parametrize("extension", FORMATS)
def test_a_masked_corpus_has_the_same_rows_with_masked_text(corpus, mask_digits, tmp_path, extension):
    out = tmp_path / f"masked.{extension}"
    assert write_masked(out, corpus, mask_digits(corpus)) == WriteSummary(3, ())
    masked = read_masked(out)
    assert masked.scheme == "digits"
    assert list(masked.documents()) == list(mask_digits(corpus))
    assert masked.metadata().equals(corpus.metadata())
    assert [d.extra for d in masked.references()] == [d.extra for d in corpus] or extension == "csv"
    assert [d.text for d in masked.references()] == [m.text for m in masked.documents()]


def test_parquet_has_replacements_as_structs(corpus, mask_digits, tmp_path):
    write_masked(tmp_path / "m.parquet", corpus, mask_digits(corpus))
    frame = pl.read_parquet(tmp_path / "m.parquet")
    assert frame.columns == ["id", "kind", "ticker", "date", "text", "mood", "scheme", "replacements"]
    assert frame.schema["date"] == pl.Date
    assert frame["replacements"][2].to_list() == [
        {"start": 0, "end": 3, "placeholder": "number_a", "kind": "number"}
    ]


def test_jsonl_has_replacements_as_objects_and_csv_as_json(corpus, mask_digits, tmp_path):
    spans = [{"start": 0, "end": 3, "placeholder": "number_a", "kind": "number"}]
    write_masked(tmp_path / "m.jsonl", corpus, mask_digits(corpus))
    rows = [json.loads(line) for line in (tmp_path / "m.jsonl").read_text().splitlines()]
    assert rows[2]["replacements"] == spans
    assert rows[1]["replacements"] == []
    write_masked(tmp_path / "m.csv", corpus, mask_digits(corpus))
    with (tmp_path / "m.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    assert json.loads(cells[2]["replacements"]) == spans


@pytest.mark.parametrize("extension", FORMATS)
def test_a_rewriting_scheme_has_no_replacements(corpus, tmp_path, extension):
    rewritten = [MaskedDocument(d.id, "Rewritten.", "rewriter", replacements=None) for d in corpus]
    write_masked(tmp_path / f"m.{extension}", corpus, rewritten)
    assert [m.replacements for m in read_masked(tmp_path / f"m.{extension}").documents()] == [None] * 3


@pytest.mark.parametrize("extension", FORMATS)
def test_a_failed_document_is_absent_and_named(write, mask_digits, tmp_path, extension):
    corpus = read_corpus(write("calls.jsonl", [*ROWS, SECRET]))
    out = tmp_path / f"m.{extension}"
    summary = write_masked(out, corpus, mask_digits(corpus))
    assert summary == WriteSummary(3, (("s", "will not tell"),))
    assert "top-secret" not in str(out.read_bytes())
    assert [m.id for m in read_masked(out).documents()] == ["a", "b", "c"]


@pytest.mark.parametrize("extension", FORMATS)
def test_a_run_folder_keeps_failed_documents_without_their_text(write, mask_digits, tmp_path, extension):
    corpus = read_corpus(write("calls.jsonl", [*ROWS, SECRET]))
    out = tmp_path / f"m.{extension}"
    summary = write_masked(out, corpus, mask_digits(corpus), keep_failed=True)
    assert summary.written == 3
    assert b"top-secret" not in out.read_bytes()
    masked = read_masked(out)
    assert masked.count() == 4
    last = list(masked.documents())[-1]
    assert (last.text, last.outcome, last.reason) == (None, Outcome.FAILED, "will not tell")
    assert next(masked.documents()).outcome is Outcome.ANSWERED
    assert [d.id for d in masked.references()] == ["a", "b", "c"]
    assert masked.metadata()["ticker"].to_list() == ["F", None, "GM", "S"]


@pytest.mark.parametrize("extension", FORMATS)
def test_unmask_restores_every_text_exactly(corpus, mask_digits, tmp_path, extension):
    key, masked, out = tmp_path / "k", tmp_path / f"m.{extension}", tmp_path / f"u.{extension}"
    write_masked(masked, corpus, mask_digits(corpus), key=key)
    assert unmask_corpus(masked, key, out) == 3
    assert [(d.id, d.text, d.date) for d in read_corpus(out)] == [(d.id, d.text, d.date) for d in corpus]
    assert read_corpus(out).extra_columns == ["mood"]
    assert read_corpus(out).columns == corpus.columns


def test_unmask_does_not_depend_on_the_order_of_rows(corpus, mask_digits, tmp_path):
    key = tmp_path / "k"
    write_masked(tmp_path / "m.parquet", corpus, mask_digits(corpus), key=key)
    pl.read_parquet(tmp_path / "m.parquet").reverse().head(2).write_parquet(tmp_path / "part.parquet")
    assert unmask_corpus(tmp_path / "part.parquet", key, tmp_path / "u.jsonl") == 2
    assert [d.text for d in read_corpus(tmp_path / "u.jsonl")] == ["123", "No figures at all."]


def test_unmask_restores_an_opening(write, mask_digits, tmp_path):
    corpus = read_corpus(write("calls.jsonl", ROWS), opening=8)
    write_masked(tmp_path / "m.csv", corpus, mask_digits(corpus), key=tmp_path / "k")
    unmask_corpus(tmp_path / "m.csv", tmp_path / "k", tmp_path / "u.csv")
    assert [d.text for d in read_corpus(tmp_path / "u.csv")] == ["In 2021,", "No figur", "123"]


def test_failed_documents_have_no_key_and_are_not_restored(write, mask_digits, tmp_path):
    corpus = read_corpus(write("calls.jsonl", [*ROWS, SECRET]))
    write_masked(tmp_path / "m.jsonl", corpus, mask_digits(corpus), key=tmp_path / "k", keep_failed=True)
    assert "top-secret" not in (tmp_path / "k").read_text()
    assert unmask_corpus(tmp_path / "m.jsonl", tmp_path / "k", tmp_path / "u.jsonl") == 3


def test_the_key_is_readable_by_its_owner_alone_and_names_its_format(corpus, mask_digits, tmp_path):
    key = tmp_path / "k"
    key.write_text("an old key")
    key.chmod(0o644)
    old = os.umask(0)
    try:
        write_masked(tmp_path / "m.jsonl", corpus, mask_digits(corpus), key=key)
    finally:
        os.umask(old)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    head, first, second, _ = map(json.loads, key.read_text().splitlines())
    assert head["neuter_key"] == 1
    assert first["originals"] == ["2021", "5", "7"]
    assert (second["id"], second["scheme"], second["originals"]) == ("b", "digits", [])
    assert first["sha256"] == hashlib.sha256(ROWS[0]["text"].encode()).hexdigest()


def test_a_key_of_a_scheme_that_rewrites_is_refused_and_nothing_is_written(corpus, tmp_path):
    before = sorted(tmp_path.iterdir())
    rewritten = (MaskedDocument(d.id, "Rewritten.", "rewriter", replacements=None) for d in corpus)
    with pytest.raises(MaskingError, match="'rewriter' rewrites texts"):
        write_masked(tmp_path / "m.jsonl", corpus, rewritten, key=tmp_path / "k")
    assert sorted(tmp_path.iterdir()) == before


def span(start, end, placeholder="X", kind="k") -> Replacement:
    return Replacement(start, end, placeholder, kind)


@pytest.mark.parametrize("key", [None, "k"])
@pytest.mark.parametrize(
    ("text", "spans", "what"),
    [
        (
            "In 2021, sales changed.",
            (),
            "not the original with its replacements made: it differs from character 16",
        ),
        ('XX21, sales rose 5%.\r\nHe said "7".', (span(0, 4, "Y"),), "it differs from character 1 on"),
        ('In 2021, sales rose 5%.\r\nHe said "7".', (span(3, 7),), "it differs from character 4 on"),
        (
            "XY",
            (span(0, 4), span(3, 37, "Y")),
            "of characters 3 to 37 .* overlaps the one before it, which ends at 4",
        ),
        (
            "X",
            (span(0, 10**9),),
            "of characters 0 to 1000000000 .* lies outside the text, which has 37 characters",
        ),
        ("X", (span(-4, 36),), "lies outside the text"),
        ("X", (span(7, 3),), "lies outside the text"),
        ("X", (span("a", 36),), "are not a tuple of Replacement"),
        ("X", (span(0, 36, None),), "are not a tuple of Replacement"),
        ("X", (5,), "are not a tuple of Replacement"),
        ("X", (span(0, 37, kind=5),), "the kind of a replacement is no text"),
    ],
)
def test_replacements_that_do_not_give_the_masked_text_are_refused(write, tmp_path, text, spans, what, key):
    corpus = read_corpus(write("calls.jsonl", ROWS[:1]))
    assert len(ROWS[0]["text"]) == 37
    masked = [MaskedDocument("a", text, "odd", "transcript", spans)]
    with pytest.raises(MaskingError, match=f"scheme 'odd', document 'a': .*{what}"):
        write_masked(tmp_path / "m.jsonl", corpus, masked, key=key and tmp_path / key)
    assert not (tmp_path / "m.jsonl").exists()
    assert not (tmp_path / "k").exists()


def change(path: Path, **changes) -> None:
    first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps({**json.loads(first), **changes}), *rest]) + "\n")


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        (
            {"text": 'In number_a, sales fell number_a%.\r\nHe said "number_a".'},
            "the restored text is not the original",
        ),
        ({"text": "In 2021, sales rose number_a%."}, "the masked text has '2021, sa' at character 3"),
        ({"replacements": []}, "0 replacements but 3 original strings"),
        ({"id": "zzz"}, "has no entry for it"),
        ({"replacements": None}, "rewrites texts"),
    ],
)
def test_a_masked_file_changed_since_is_named_by_its_document(corpus, mask_digits, tmp_path, changes, what):
    masked, key = tmp_path / "m.jsonl", tmp_path / "k"
    write_masked(masked, corpus, mask_digits(corpus), key=key)
    change(masked, **changes)
    with pytest.raises(MaskingError, match=f"document '{changes.get('id', 'a')}': .*{what}"):
        unmask_corpus(masked, key, tmp_path / "u.jsonl")
    assert not (tmp_path / "u.jsonl").exists()


def test_a_key_of_another_corpus_with_the_same_ids_is_refused(write, mask_digits, tmp_path):
    one = read_corpus(write("one.jsonl", [{"id": "a", "text": "sold 12 cars"}]))
    two = read_corpus(write("two.jsonl", [{"id": "a", "text": "sold 34 carts"}]))
    write_masked(tmp_path / "m1.jsonl", one, mask_digits(one), key=tmp_path / "k1")
    write_masked(tmp_path / "m2.jsonl", two, mask_digits(two), key=tmp_path / "k2")
    with pytest.raises(MaskingError, match="document 'a': the restored text is not the original"):
        unmask_corpus(tmp_path / "m1.jsonl", tmp_path / "k2", tmp_path / "u.jsonl")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "is no key file"),
        ("[]\n", "is no key file"),
        ('{"neuter_key": 2}\n', "is a key of format 2, this neuter reads 1"),
        ('{"neuter_key": 1}\n{"id": "a", "ori', "k: line 2: is damaged"),
        ('{"neuter_key": 1}\n{"id": "a", "originals": []}\n', "k: line 2: is damaged"),
        ('{"neuter_key": 1}\n{"id": "a", "sha256": "0", "originals": [5]}\n', "k: line 2: is damaged"),
        ('{"neuter_key": 1}\n{"id": "a", "sha256": "0", "originals": "ab"}\n', "k: line 2: is damaged"),
        ("[" * 100_000, "is no key file"),
        (
            '{"neuter_key": 1}\n{"id": "a", "sha256": "0", "originals": ["\\ud8001", "5", "7"]}\n',
            "document 'a': the key has 2 characters",
        ),
        (
            '{"neuter_key": 1}\n{"id": "a", "sha256": "0", "originals": ["\\ud800021", "5", "7"]}\n',
            "document 'a': the restored text is not the original",
        ),
    ],
)
def test_a_file_that_is_no_key_is_refused(corpus, mask_digits, tmp_path, content, what):
    write_masked(tmp_path / "m.jsonl", corpus, mask_digits(corpus))
    (tmp_path / "k").write_text(content)
    with pytest.raises(MaskingError, match=what):
        unmask_corpus(tmp_path / "m.jsonl", tmp_path / "k", tmp_path / "u.jsonl")


def test_a_missing_key_is_named(corpus, mask_digits, tmp_path):
    write_masked(tmp_path / "m.jsonl", corpus, mask_digits(corpus))
    with pytest.raises(MaskingError, match="nokey: cannot be read"):
        unmask_corpus(tmp_path / "m.jsonl", tmp_path / "nokey", tmp_path / "u.jsonl")


def masked_of(*ids: str) -> list[MaskedDocument]:
    return [MaskedDocument(i, "x", "odd", replacements=None) for i in ids]


@pytest.mark.parametrize(
    ("ids", "what"),
    [
        ("ab", "no masked document came for 'c'"),
        ("acb", "the masked document 'c' came where 'b' was due"),
        ("abcd", "a masked document 'd' came after the corpus had ended"),
    ],
)
def test_masked_documents_must_follow_the_corpus(corpus, tmp_path, ids, what):
    before = sorted(tmp_path.iterdir())
    with pytest.raises(MaskingError, match=what):
        write_masked(tmp_path / "m.parquet", corpus, masked_of(*ids))
    assert sorted(tmp_path.iterdir()) == before


def test_an_error_halfway_leaves_an_old_file_as_it_was(corpus, tmp_path):
    for extension in FORMATS:
        out = tmp_path / f"m.{extension}"
        out.write_text("old")
        before = sorted(tmp_path.iterdir())

        def fail():
            yield from masked_of("a")
            raise ConnectionError("the server went away")

        with pytest.raises(ConnectionError):  # a scheme's own error is not taken for a full disk
            write_masked(out, corpus, fail())
        assert out.read_text() == "old"
        assert sorted(tmp_path.iterdir()) == before


def test_the_corpus_and_its_key_are_never_overwritten(corpus, mask_digits, tmp_path):
    path = tmp_path / "calls.jsonl"
    with pytest.raises(UsageError, match="would overwrite the corpus itself"):
        write_masked(path, corpus, mask_digits(corpus))
    with pytest.raises(UsageError, match="would overwrite the corpus itself"):
        write_masked(tmp_path / "m.jsonl", corpus, mask_digits(corpus), key=path)
    with pytest.raises(UsageError, match="is both the masked corpus and its key"):
        write_masked(tmp_path / "m.jsonl", corpus, mask_digits(corpus), key=tmp_path / "m.jsonl")
    write_masked(tmp_path / "m.jsonl", corpus, mask_digits(corpus), key=tmp_path / "k.jsonl")
    for out in ("m.jsonl", "k.jsonl"):
        with pytest.raises(UsageError, match="would overwrite what it is made from"):
            unmask_corpus(tmp_path / "m.jsonl", tmp_path / "k.jsonl", tmp_path / out)
    assert corpus.count() == 3


def test_an_extension_that_is_not_written_is_refused(corpus, tmp_path):
    with pytest.raises(UsageError, match=r"Choose \.parquet, \.jsonl, \.csv"):
        write_masked(tmp_path / "m.xlsx", corpus, [])


def test_folders_on_the_way_are_made(corpus, mask_digits, tmp_path):
    write_masked(tmp_path / "new" / "folder" / "m.csv", corpus, mask_digits(corpus))
    assert read_masked(tmp_path / "new" / "folder" / "m.csv").count() == 3


FULL_DISK = """
    import base64, random, resource, sys
    from pathlib import Path
    from neuter.corpus import read_corpus, write_masked
    from neuter.errors import RunError
    from neuter.types import Document, MaskedDocument
    import polars
    extension, folder = sys.argv[1:]
    text = base64.b64encode(random.Random(1).randbytes(300_000)).decode()
    corpus = read_corpus([Document("a", text), Document("b", text[::-1])])
    masked = [MaskedDocument(d.id, d.text, "none", d.kind, ()) for d in corpus]
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    try:
        write_masked(Path(folder) / f"m.{extension}", corpus, masked, key=Path(folder) / "k")
    except RunError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of the system")
@pytest.mark.parametrize("extension", FORMATS)
def test_a_full_disk_is_named_and_nothing_is_left(tmp_path, extension):
    code = textwrap.dedent(FULL_DISK)
    done = subprocess.run(
        [sys.executable, "-c", code, extension, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert f"m.{extension}: could not be written" in done.stdout, done.stderr
    assert "Make room on the disk" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(corpus, mask_digits, write):
    file = write("file", "x")
    with pytest.raises(RunError, match="could not be written"):
        write_masked(file / "m.jsonl", corpus, mask_digits(corpus))


def test_a_parquet_file_of_several_pieces_keeps_the_order(tmp_path, mask_digits):
    documents = [Document(str(at), f"number {at}", extra={"n": at}) for at in range(2500)]
    corpus = read_corpus(documents)
    write_masked(tmp_path / "m.parquet", corpus, mask_digits(corpus), key=tmp_path / "k")
    frame = pl.read_parquet(tmp_path / "m.parquet")
    assert frame["id"].to_list() == [d.id for d in documents]
    assert frame["n"].to_list() == list(range(2500))
    assert unmask_corpus(tmp_path / "m.parquet", tmp_path / "k", tmp_path / "u.parquet") == 2500
    assert [d.text for d in read_corpus(tmp_path / "u.parquet")] == [d.text for d in documents]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["k", "m.parquet", "u.parquet"]


def test_parquet_columns_that_are_carried_along_keep_their_types(tmp_path, mask_digits):
    from datetime import UTC, datetime
    from decimal import Decimal

    frame = pl.DataFrame(
        {
            "id": ["a", "b"],
            "text": ["x", "y"],
            "spans": [[{"s": 1, "e": 2}], []],
            "at": [datetime(2021, 1, 2, 3, tzinfo=UTC), None],
            "small": pl.Series([1, 2], dtype=pl.Int8),
            "price": [Decimal("1.50"), None],
            "raw": [b"\xff\x00", None],
            "mood": pl.Series(["good", None], dtype=pl.Categorical),
        }
    )
    frame.write_parquet(tmp_path / "c.parquet")
    corpus = read_corpus(tmp_path / "c.parquet")
    write_masked(tmp_path / "m.parquet", corpus, mask_digits(corpus))
    carried = frame.columns[2:]
    assert pl.read_parquet(tmp_path / "m.parquet").select(carried).equals(frame.select(carried))
    for extension in ("jsonl", "csv"):  # and other formats take them as far as they can
        assert write_masked(tmp_path / f"m.{extension}", corpus, mask_digits(corpus)).written == 2


def test_masking_a_masked_corpus_keeps_what_was_known_of_it(corpus, mask_digits, tmp_path):
    write_masked(tmp_path / "m.jsonl", corpus, mask_digits(corpus))
    again = read_corpus(tmp_path / "m.jsonl")
    assert again.extra_columns == ["mood", "input_scheme", "input_replacements"]
    write_masked(tmp_path / "mm.parquet", again, mask_digits(again))
    assert pl.read_parquet(tmp_path / "mm.parquet")["input_scheme"].to_list() == ["digits"] * 3


def test_a_file_that_is_no_masked_corpus_is_refused(write):
    with pytest.raises(CorpusError, match=r"calls\.jsonl: is not a masked corpus"):
        read_masked(write("calls.jsonl", ROWS))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"text": " "}, "line 1, field 'text': must be a text that is not blank"),
        ({"outcome": "lost"}, "line 1, field 'outcome': is no outcome: 'lost'"),
        ({"date": "never"}, "line 1, field 'date'"),
    ],
)
def test_a_damaged_masked_row_is_named(corpus, mask_digits, tmp_path, changes, what):
    write_masked(tmp_path / "m.jsonl", corpus, mask_digits(corpus), keep_failed=True)
    change(tmp_path / "m.jsonl", **changes)
    with pytest.raises(CorpusError, match=what):
        list(read_masked(tmp_path / "m.jsonl").documents())


@pytest.mark.parametrize(
    "replacements",
    [
        [{"start": 0}],
        "{",
        "[" * 100_000,
        5,
        [{"start": "a", "end": 3, "placeholder": "X", "kind": "k"}],
        [{"start": 0, "end": 3.0, "placeholder": "X", "kind": "k"}],
        [{"start": 0, "end": 3, "placeholder": None, "kind": "k"}],
    ],
)
def test_damaged_replacements_are_named_by_their_document(corpus, mask_digits, tmp_path, replacements):
    write_masked(tmp_path / "m.jsonl", corpus, mask_digits(corpus), key=tmp_path / "k")
    change(tmp_path / "m.jsonl", replacements=replacements)
    with pytest.raises(
        MaskingError, match=r"line 1, field 'replacements': is not a list of start.*\(id 'a'\)"
    ):
        unmask_corpus(tmp_path / "m.jsonl", tmp_path / "k", tmp_path / "u.jsonl")
    assert not (tmp_path / "u.jsonl").exists()


def test_a_masked_document_knows_no_firm_and_no_date(corpus, mask_digits, tmp_path):
    write_masked(tmp_path / "m.jsonl", corpus, mask_digits(corpus))
    seen = repr(next(read_masked(tmp_path / "m.jsonl").documents()))
    assert "2021" not in seen
    assert "ticker" not in seen


PIECES = st.lists(st.tuples(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8)), max_size=8)


@given(PIECES, st.text(max_size=8))
def test_restore_is_the_inverse_of_replacing(pieces, tail):
    original = masked = ""
    spans, strings = [], []
    for before, replaced, placeholder in pieces:
        original += before
        spans.append(Replacement(len(original), len(original) + len(replaced), placeholder, "k"))
        strings.append(replaced)
        original += replaced
        masked += before + placeholder
    assert restore(masked + tail, spans, strings) == original + tail


def test_restore_takes_replacements_in_any_order():
    spans = [Replacement(5, 6, "LONGER", "k"), Replacement(0, 3, "x", "k")]
    assert restore("x, LONGER.", spans, ["7", "abc"]) == "abc, 7."


def test_restore_names_what_does_not_fit():
    span = Replacement(0, 3, "X", "k")
    with pytest.raises(MaskingError, match="1 replacements but 0 original strings"):
        restore("X", [span], [])
    with pytest.raises(MaskingError, match="the key has 2 characters for characters 0 to 3"):
        restore("X", [span], ["ab"])
    with pytest.raises(MaskingError, match="has 'Y' at character 0"):
        restore("Y", [span], ["abc"])
    with pytest.raises(MaskingError, match="overlaps"):
        restore("XY", [span, Replacement(2, 3, "Y", "k")], ["abc", "c"])


TEXT = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=60
).filter(str.strip)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=4), st.sampled_from(FORMATS))
def test_any_text_is_restored_from_every_format(tmp_path, mask_digits, texts, extension):
    corpus = read_corpus([Document(str(at), f"{text}7{text}") for at, text in enumerate(texts)])
    out, back = tmp_path / f"m.{extension}", tmp_path / f"u.{extension}"
    write_masked(out, corpus, mask_digits(corpus), key=tmp_path / "k")
    unmask_corpus(out, tmp_path / "k", back)
    assert [d.text for d in read_corpus(back)] == [d.text for d in corpus]


def test_the_shared_transcripts_are_restored_exactly(shared, mask_digits, tmp_path):
    for name, extension in (("ectsum_dev.parquet", "parquet"), ("earnings21_dev.jsonl", "jsonl")):
        corpus = read_corpus(shared / "transcripts" / name, opening=3000)
        out, back = tmp_path / f"m.{extension}", tmp_path / f"u.{extension}"
        write_masked(out, corpus, mask_digits(corpus), key=tmp_path / "k")
        assert unmask_corpus(out, tmp_path / "k", back) == corpus.count()
        assert list(read_corpus(back)) == list(corpus)


def test_sizes_given_in_python_are_written(mask_digits, tmp_path):
    documents = [replace(Document("a", "x"), size="Large", date_assumed=True), Document("b", "y")]
    corpus = read_corpus(documents)
    write_masked(tmp_path / "m.parquet", corpus, mask_digits(corpus))
    frame = read_masked(tmp_path / "m.parquet").metadata()
    assert frame["size"].to_list() == ["Large", None]
    assert frame["date_assumed"].to_list() == [True, False]


def test_the_pairs_of_a_masked_corpus_hold_no_text_beside_what_is_known(corpus, mask_digits, tmp_path):
    write_masked(tmp_path / "m.jsonl", corpus, mask_digits(corpus))
    document, masked = next(read_masked(tmp_path / "m.jsonl").pairs())
    assert (document.ticker, document.text) == ("F", "")
    assert masked.text.startswith("In number_a")


def test_a_csv_ends_its_lines_as_rfc_4180_says_and_quotes_a_lone_carriage_return(mask_digits, tmp_path):
    corpus = read_corpus([Document("a", "x\ry")])
    write_masked(tmp_path / "m.csv", corpus, mask_digits(corpus))
    head, row, end = (tmp_path / "m.csv").read_bytes().split(b"\r\n")
    assert head == b"id,kind,text,scheme,replacements"
    assert row == b'a,transcript,"x\ry",digits,[]'
    assert end == b""


@pytest.mark.parametrize("extension", FORMATS)
def test_files_are_on_the_disk_before_they_take_their_place(
    corpus, mask_digits, tmp_path, monkeypatch, extension
):
    events: list[str] = []
    rename = Path.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: events.append("sync"))
    monkeypatch.setattr(
        Path, "replace", lambda one, two: (events.append(f"to {two.suffix}"), rename(one, two))[1]
    )
    write_masked(tmp_path / f"m.{extension}", corpus, mask_digits(corpus), key=tmp_path / "m.key")
    renamed = [at for at, event in enumerate(events) if event in ("to .key", f"to .{extension}")]
    assert events[: renamed[0]].count("sync") >= 2  # masked corpus and key, before either is renamed
