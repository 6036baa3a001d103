"""Every way in which a corpus can be wrong: the message names file, line and field, and what to do."""

from __future__ import annotations

import json

import pytest

from neuter.corpus import read_corpus
from neuter.errors import CorpusError, UnknownName, UsageError
from neuter.firms import assign_sizes

ROW = {"id": "a", "text": "Sales rose."}


def error_of(source, **options) -> str:
    with pytest.raises(CorpusError) as caught:
        list(read_corpus(source, **options))
    return str(caught.value)


@pytest.mark.parametrize("name", ["empty.jsonl", "empty.csv", "empty.tsv", "empty.parquet"])
def test_an_empty_file_is_named(write, name):
    assert f"{name}: is empty" in error_of(write(name, ""))


def test_a_file_of_blank_lines_is_empty(write):
    assert "is empty" in error_of(write("blank.jsonl", "\n \n\n"))
    assert "is empty" in error_of(write("blank.csv", "\n\n"))


def test_a_header_without_rows_holds_no_documents(write):
    assert "head.csv: holds no documents" in error_of(write("head.csv", "id,text\n"))


def test_a_frame_without_rows_holds_no_documents():
    import polars as pl

    assert "frame: holds no documents" in error_of(pl.DataFrame({"id": [], "text": []}))


def test_a_missing_text_column_lists_the_columns_and_the_remedy(write):
    message = error_of(write("calls.csv", "id,Body Text,date\na,Hello,2021-01-01\n"))
    assert "calls.csv: has no column 'text'; columns found: 'id', 'Body Text', 'date'" in message
    assert 'Did you mean --column text="Body Text"?' in message


def test_a_missing_text_column_without_a_likely_one_still_says_what_to_do(write):
    assert "Name it with --column text=NAME" in error_of(write("calls.csv", "id,x\na,b\n"))


def test_a_table_without_id_says_so(write):
    assert "has no column 'id'" in error_of(write("calls.csv", "text\nHello\n"))
    assert "--column id=doc_id" in error_of(write("calls2.csv", "doc_id,text\na,Hello\n"))


def test_a_column_option_that_names_no_column_names_the_nearest(write):
    path = write("calls.csv", "id,Body\na,Hello\n")
    message = error_of(path, columns={"text": "Bodi"})
    assert "has no column 'Bodi', which --column text names" in message
    assert "Did you mean --column text=Body?" in message


def test_a_column_option_for_a_field_that_does_not_exist(write):
    with pytest.raises(UsageError, match=r"no field is called 'txt'\. Did you mean text\?"):
        read_corpus(write("a.jsonl", [ROW]), columns={"txt": "text"})


def test_an_unknown_preset_names_the_nearest(write):
    with pytest.raises(UnknownName, match="Did you mean capital-iq"):
        read_corpus(write("a.jsonl", [ROW]), preset="capital_iq")


def test_an_unknown_kind_names_the_nearest(write):
    with pytest.raises(UsageError, match="Did you mean headline"):
        read_corpus(write("a.jsonl", [ROW]), kind="headlines")


@pytest.mark.parametrize("option", ["opening", "limit", "sample"])
def test_a_number_below_one_is_refused(write, option):
    with pytest.raises(UsageError, match=f"--{option}: must be 1 or more, not 0"):
        read_corpus(write("a.jsonl", [ROW]), **{option: 0})


def test_duplicate_ids_name_both_rows(write):
    path = write("calls.jsonl", [ROW, {"id": "b", "text": "x"}, {"id": "a", "text": "y"}])
    message = error_of(path)
    assert "calls.jsonl: line 3, field 'id': the id is there already, on line 1 (id 'a')" in message


def test_duplicate_ids_across_files_name_the_other_file(write, tmp_path):
    write("one.jsonl", [ROW])
    write("two.jsonl", [ROW])
    message = error_of(f"{tmp_path}/*.jsonl")
    assert "two.jsonl: line 1, field 'id'" in message
    assert "one.jsonl: line 1 (id 'a')" in message


def test_invalid_utf8_is_named_by_line_and_byte_offset(write):
    good = b'{"id": "a", "text": "fine"}\n'
    bad = b'{"id": "b", "text": "caf\xe9"}\n'
    message = error_of(write("latin.jsonl", good + bad))
    assert "latin.jsonl: line 2: is not UTF-8: byte E9" in message
    assert f"at offset {len(good) + bad.index(0xE9)} of the file" in message


def test_invalid_utf8_in_a_csv_is_named_by_its_own_line_inside_a_quoted_field(write):
    data = b'id,text\na,"first\nsecond \xff line"\nb,fine\n'
    message = error_of(write("latin.csv", data))
    assert "latin.csv: line 3: is not UTF-8: byte FF" in message
    assert f"at offset {data.index(0xFF)} of the file" in message


def test_invalid_utf8_in_a_header(write):
    assert "line 1: is not UTF-8" in error_of(write("latin.csv", b"id,t\xe9xt\na,b\n"))


def test_invalid_utf8_in_a_text_file(write, tmp_path):
    path = write("folder/a.txt", b"one\ntwo \xe9\n")
    message = error_of(tmp_path / "folder")
    assert f"{path.as_posix()}: line 2, field 'text': is not UTF-8: byte E9 at offset 8" in message


def test_utf16_and_compressed_files_are_recognised(write):
    assert "is UTF-16 text" in error_of(write("wide.csv", "id,text\na,b\n".encode("utf-16")))
    assert "is a compressed file" in error_of(write("packed.jsonl", b"\x1f\x8b\x08\x00"))


@pytest.mark.parametrize("name", ["nul.jsonl", "nul.csv"])
def test_a_nul_byte_is_named(write, name):
    csv = 'id,text\na,"Sales\0rose"\n'
    path = write(name, csv if name.endswith("csv") else [{"id": "a", "text": "Sales\0rose"}])
    line = 2 if name.endswith("csv") else 1
    message = error_of(path)
    assert f"{name}: line {line}, field 'text': holds a NUL byte at character 6 (id 'a')" in message


def test_a_nul_byte_in_another_field_is_named(write):
    assert "field 'firm': holds a NUL" in error_of(write("a.jsonl", [{**ROW, "firm": "A\0B"}]))


def test_half_a_character_is_named(write):
    path = write("half.jsonl", '{"id": "a", "text": "x \\ud83d y"}\n')
    assert "line 1, field 'text': holds half a character" in error_of(path)


def test_a_5_mb_document_works_in_every_format(write, tmp_path):
    import polars as pl

    text = "Sales rose. " * 420_000
    assert len(text) > 5_000_000
    pl.DataFrame({"id": ["a"], "text": [text]}).write_parquet(tmp_path / "big.parquet")
    write("big.jsonl", [{"id": "a", "text": text}])
    write("big.csv", f'id,text\na,"{text}"\n')
    write("big.txt", text)
    for name in ("big.parquet", "big.jsonl", "big.csv", "big.txt"):
        (document,) = read_corpus(tmp_path / name)
        assert document.text == text


def test_a_text_over_20_mb_is_refused(write, tmp_path):
    text = "x" * 20_000_001
    assert "field 'text': is 20,000,001 characters" in error_of(write("a.csv", f"id,text\na,{text}\n"))
    assert "over the limit of 20 MB" in error_of(write("folder/a.txt", text + "xxx").parent)
    assert next(iter(read_corpus(write("edge.csv", f"id,text\na,{text[1:]}\n")))).text == text[1:]


def test_the_limit_of_20_mb_counts_bytes(write):
    assert "over the limit" in error_of(write("a.jsonl", [{"id": "a", "text": "é" * 10_000_001}]))


@pytest.mark.parametrize(
    ("text", "what"),
    [("", "is empty"), ("  \n\t ", "is blank"), ("\u00a0\u2003", "is blank"), (None, "has no text")],
)
def test_a_document_of_blanks_is_refused(write, text, what):
    message = error_of(write("a.jsonl", [ROW, {"id": "b", "text": text}]))
    assert f"a.jsonl: line 2, field 'text': {what} (id 'b')" in message


def test_a_text_that_is_no_text_is_refused(write):
    assert "must be text, not 5" in error_of(write("a.jsonl", [{"id": "a", "text": 5}]))


BAD_FIELDS = [
    ("date", "2021-02-30", "is no date: '2021-02-30'"),
    ("date", "03/04/2021", "is no date: '03/04/2021'"),
    ("date", "20210304", "is no date"),
    ("date", "2021-W05-2", "is no date"),
    ("date", "soon", "is no date"),
    ("date", 2021, "is no date: 2021"),
    ("date", "0021-03-04", "must lie between 1900 and 2100"),
    ("fiscal_quarter", 7, "must be from 1 to 4, not 7"),
    ("fiscal_quarter", 0, "must be from 1 to 4, not 0"),
    ("fiscal_quarter", "Q5", "must be from 1 to 4, not 'Q5'"),
    ("fiscal_quarter", "third", "must be a whole number, not 'third'"),
    ("fiscal_quarter", 2.5, "must be a whole number, not 2.5"),
    ("fiscal_quarter", True, "must be a whole number, not True"),
    ("fiscal_year", 1899, "must be from 1900 to 2100"),
    ("fiscal_year", 2101, "must be from 1900 to 2100"),
    ("fiscal_year", "21", "must be from 1900 to 2100"),
    ("cik", "AAPL", "must be a whole number"),
    ("cik", 0, "must be a CIK"),
    ("cik", 12345678901, "must be a CIK"),
    ("market_cap", "1,000", "must be a number, not '1,000'"),
    ("market_cap", "nan", "must be a finite number"),
    ("market_cap", True, "must be a finite number"),
    ("market_cap", [1], "must be a number"),
    ("size", "Huge", "must be one of Large, Mid, Small, not 'Huge'"),
    ("kind", "headlines", "must be one of transcript, headline, filing, question"),
    ("date_assumed", "perhaps", "must be true or false"),
    ("ticker", ["A"], "must be text"),
    ("id", "", "is empty"),
    ("id", None, "is empty"),
    ("id", 1.5, "must be text or a whole number"),
    ("id", True, "must be text or a whole number"),
    ("id", "a\nb", "holds a line break"),
]


@pytest.mark.parametrize(("field", "value", "what"), BAD_FIELDS)
def test_a_bad_field_is_named_with_its_line(write, field, value, what):
    path = write(
        "calls.jsonl", [{"id": "first", "text": "x", field: None} | ({"id": "first"}), {**ROW, field: value}]
    )
    message = error_of(path)
    assert f"calls.jsonl: line 2, field '{field}': {what}" in message


@pytest.mark.parametrize("cap", [0, -5])
def test_a_market_cap_that_is_none_stays_and_gives_no_size(write, cap):
    path = write(
        "calls.jsonl", [{"id": "a", "text": "x", "ticker": "F", "date": "2022-05-01", "market_cap": cap}]
    )
    assigned = assign_sizes(read_corpus(path).metadata())
    assert assigned.frame["size"].to_list() == [None]
    assert assigned.notes == ["1 document with a market cap that is zero, negative or not a number: no size"]


def test_an_infinite_market_cap_is_refused(write):
    assert "finite" in error_of(write("a.jsonl", '{"id": "a", "text": "x", "market_cap": Infinity}\n'))


def test_a_bad_field_of_a_mapped_column_is_named_as_in_the_file(write):
    path = write("calls.csv", "id,text,Call Date\na,x,never\n")
    assert "line 2, field 'Call Date'" in error_of(path, columns={"date": "Call Date"})


def test_a_bad_row_says_how_to_go_on(write):
    message = error_of(write("a.jsonl", [{**ROW, "date": "never"}]))
    assert "Write dates as YYYY-MM-DD" in message
    assert "--skip-invalid" in message


def test_a_line_that_is_not_json_is_named_with_its_character(write):
    path = write("a.jsonl", json.dumps(ROW) + "\n\n" + '{"id": "b", "text" "x"}\n')
    assert "a.jsonl: line 3: is not JSON: Expecting ':' delimiter at character 20" in error_of(path)


def test_a_json_array_says_how_to_convert_it(write):
    assert "jq -c '.[]'" in error_of(write("a.json", '[{"id": "a", "text": "x"}]\n'))
    assert "is not a JSON object but int" in error_of(write("b.jsonl", json.dumps(ROW) + "\n5\n"))


def test_a_json_line_nested_too_deeply_or_with_an_endless_number_is_a_bad_row(write):
    deep = '{"id": "b", "text": "x", "y": ' + "[" * 200_000 + "]" * 200_000 + "}\n"
    long = '{"id": "b", "text": "x", "y": ' + "9" * 5000 + "}\n"
    for bad in (deep, long):
        assert "line 2: is not JSON" in error_of(write("a.jsonl", json.dumps(ROW) + "\n" + bad))


def test_a_csv_row_of_another_width_is_named_with_the_line_where_it_begins(write):
    path = write("a.csv", 'id,text\na,"two\nlines"\nb,one,two\n')
    assert "a.csv: line 4: has 3 fields where the header has 2" in error_of(path)
    assert "line 2: has 1 fields" in error_of(write("b.csv", "id,text\na\n"))


def test_a_quote_that_is_never_closed_is_named_where_it_opens(write):
    path = write("a.csv", 'id,text\na,fine\nb,"open\nc,swallowed\n')
    assert "a.csv: line 3: opens a quote that is not closed" in error_of(path)


def test_a_quote_that_is_never_closed_does_not_swallow_memory(write):
    path = write("a.csv", 'id,text\nb,"' + (("open " * 20_000 + "\n") * 260))
    assert "a.csv: line 2: opens a quote that is not closed" in error_of(path)


def test_text_after_a_closing_quote_is_a_bad_row(write):
    assert "line 2: is not CSV" in error_of(write("a.csv", 'id,text\na,"one" two\n'))


def test_a_header_that_is_not_csv_or_has_a_name_twice(write):
    assert "line 1: opens a quote" in error_of(write("a.csv", '"id,text\na,b\n'))
    assert "line 1: has more than one column 'text'" in error_of(write("b.csv", "id,text,text\na,b,c\n"))


def test_an_unsupported_extension_lists_those_that_are_read(write):
    message = error_of(write("calls.xlsx", "x"))
    assert "calls.xlsx: has the extension '.xlsx', which is not read" in message
    assert ".jsonl" in message
    assert ".parquet" in message


def test_a_missing_file_names_the_nearest(write, tmp_path):
    write("calls.jsonl", [ROW])
    message = error_of(tmp_path / "cals.jsonl")
    assert "cals.jsonl: no such file" in message
    assert f"Did you mean {tmp_path.as_posix()}/calls.jsonl?" in message
    assert "calls.jsonl?" in error_of(tmp_path / "calls.csv")


def test_a_missing_folder_is_said_to_be_missing(tmp_path):
    assert "does not exist either" in error_of(tmp_path / "no" / "calls.csv")


def test_a_glob_without_match(tmp_path):
    assert "*.jsonl: no file matches" in error_of(f"{tmp_path}/*.jsonl")


def test_a_folder_without_text_files_names_the_tables_in_it(write, tmp_path):
    write("folder/calls.csv", "id,text\na,b\n")
    message = error_of(tmp_path / "folder")
    assert "holds no .txt files" in message
    assert '/folder/*.csv"' in message


def test_a_file_that_is_no_parquet_file(write):
    assert "no.parquet: cannot be read as Parquet" in error_of(write("no.parquet", "PAR1 not at all"))


def test_a_parquet_file_cut_short(write, tmp_path):
    import polars as pl

    pl.DataFrame({"id": ["a"], "text": ["x" * 10_000]}).write_parquet(tmp_path / "whole.parquet")
    data = (tmp_path / "whole.parquet").read_bytes()
    assert "cannot be read as Parquet" in error_of(write("cut.parquet", data[: len(data) // 2]))


def test_a_bad_row_of_a_parquet_file_is_named_by_its_row(tmp_path):
    import polars as pl

    rows = {"id": ["a", "b"], "text": ["x", "y"], "fiscal_quarter": [1, 7]}
    pl.DataFrame(rows).write_parquet(tmp_path / "a.parquet")
    assert "a.parquet: row 2, field 'fiscal_quarter'" in error_of(tmp_path / "a.parquet")


def test_what_is_no_corpus_at_all():
    with pytest.raises(UsageError, match="a corpus cannot be read from a int"):
        read_corpus(5)
    with pytest.raises(UsageError, match="an iterable of Document was expected, it holds a dict"):
        read_corpus([ROW])


def test_only_parquet_is_read_from_a_hub():
    assert "only Parquet is read from a hub" in error_of("hf://datasets/a/b/c.csv")


def test_an_unreadable_address_is_a_corpus_error(monkeypatch):
    import polars as pl

    def fail(*args, **kwargs):
        raise pl.exceptions.ComputeError("no such host")

    monkeypatch.setattr(pl, "scan_parquet", fail)
    message = error_of("hf://datasets/a/b/c.parquet")
    assert "cannot be read as Parquet: no such host" in message
    assert "network" in message


def test_skip_invalid_leaves_bad_rows_out_and_keeps_their_problems(write):
    rows = [
        ROW,
        {"id": "b", "text": " "},
        {"id": "c", "text": "y", "date": "never"},
        {"id": "d", "text": "z"},
    ]
    corpus = read_corpus(write("a.jsonl", rows), skip_invalid=True)
    assert corpus.problems == []
    for _ in range(2):  # a second pass does not list them twice
        assert [document.id for document in corpus] == ["a", "d"]
        assert [(p.line, p.field, p.id) for p in corpus.problems] == [(2, "text", "b"), (3, "date", "c")]
    assert corpus.problems[1].where.endswith("a.jsonl: line 3, field 'date'")


def test_skip_invalid_goes_on_after_rows_that_cannot_be_parsed(write):
    lines = b'{"id": "a", "text": "x"}\n{"id": \n\xff\n{"id": "b", "text": "y"}\n'
    corpus = read_corpus(write("a.jsonl", lines), skip_invalid=True)
    assert [document.id for document in corpus] == ["a", "b"]
    assert [problem.line for problem in corpus.problems] == [2, 3]
    table = b'id,text\na,x\nb,"caf\xe9\nthird"\nc,1,2\nd,"q" z\ne,y\n'
    corpus = read_corpus(write("a.csv", table), skip_invalid=True)
    assert [document.id for document in corpus] == ["a", "e"]
    assert [problem.line for problem in corpus.problems] == [3, 5, 6]


def test_skip_invalid_with_no_valid_row_is_an_error(write):
    message = error_of(write("a.jsonl", [{"id": "a", "text": " "}]), skip_invalid=True)
    assert "has no valid row" in message
    assert "line 1, field 'text': is blank" in message


def test_a_file_that_may_not_be_read(write, monkeypatch):
    from pathlib import Path

    path = write("a.jsonl", [ROW])

    def deny(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", deny)
    assert "a.jsonl: cannot be read: Permission denied" in error_of(path)
