"""Reading what is right: formats, mapping, typed fields, options."""

from __future__ import annotations

import io
import json
import pickle
import sys
from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neuter.corpus import Corpus, read_corpus
from neuter.errors import CorpusError, MissingExtra
from neuter.types import Document

FULL = {
    "id": "AAPL-2023Q4",
    "kind": "transcript",
    "ticker": "AAPL",
    "firm": "Apple Inc",
    "cik": 320193,
    "date": "2023-11-02",
    "fiscal_year": 2023,
    "fiscal_quarter": 4,
    "market_cap": 2.76e12,
    "size": "Large",
    "sector": "Technology",
    "text": "Good afternoon.",
}
DOCUMENT = Document(**{**FULL, "date": date(2023, 11, 2)})


def texts(corpus) -> list[tuple[str, str]]:
    return [(document.id, document.text) for document in corpus]


def test_every_format_gives_the_same_document(write, tmp_path):
    write("a.jsonl", [FULL])
    write("a.csv", ",".join(FULL) + "\n" + ",".join(map(str, FULL.values())) + "\n")
    write("a.tsv", "\t".join(FULL) + "\n" + "\t".join(map(str, FULL.values())) + "\n")
    pl.DataFrame([FULL]).with_columns(pl.col("date").str.to_date()).write_parquet(tmp_path / "a.parquet")
    for name in ("a.jsonl", "a.csv", "a.tsv", "a.parquet"):
        assert list(read_corpus(tmp_path / name)) == [DOCUMENT], name
    assert list(read_corpus(pl.DataFrame([FULL]))) == [DOCUMENT]
    assert list(read_corpus(pl.DataFrame([FULL]).lazy())) == [DOCUMENT]
    assert list(read_corpus([DOCUMENT])) == [DOCUMENT]


def test_documents_from_an_iterator_can_be_read_twice():
    corpus = read_corpus(Document(str(at), "text") for at in range(3))
    assert [d.id for d in corpus] == [d.id for d in corpus] == ["0", "1", "2"]


def test_a_pandas_frame_is_read_without_its_missing_values():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "id": ["a", "b"],
            "text": ["x", "y"],
            "fiscal_quarter": [3, None],
            "market_cap": [1e9, float("nan")],
            "date": pd.to_datetime(["2021-05-06", None]),
            "mood": ["good", None],
        }
    )
    first, second = read_corpus(frame)
    assert (first.fiscal_quarter, first.market_cap, first.date) == (3, 1e9, date(2021, 5, 6))
    assert (second.fiscal_quarter, second.market_cap, second.date) == (None, None, None)
    assert [first.extra, second.extra] == [{"mood": "good"}, {"mood": None}]


def test_a_csv_keeps_quotes_and_line_breaks_inside_fields(write):
    path = write("a.csv", b'id,text\r\na,"He said ""yes"",\r\nthen left.\n\nEnd"\r\nb,plain\r\n')
    assert texts(read_corpus(path)) == [("a", 'He said "yes",\r\nthen left.\n\nEnd'), ("b", "plain")]


def test_a_byte_order_mark_is_no_part_of_a_name_or_text(write, tmp_path):
    mark = b"\xef\xbb\xbf"
    assert texts(read_corpus(write("a.csv", mark + b"id,text\na,b\n"))) == [("a", "b")]
    assert texts(read_corpus(write("a.jsonl", mark + b'{"id": "a", "text": "b"}'))) == [("a", "b")]
    assert texts(read_corpus(write("f/a.txt", mark + b"b").parent)) == [("a", "b")]


def test_a_spreadsheet_csv_with_semicolons_is_read(write):
    assert texts(read_corpus(write("a.csv", "id;text\na;one, two\n"))) == [("a", "one, two")]


def test_blank_lines_between_rows_are_no_rows(write):
    assert texts(read_corpus(write("a.csv", "\nid,text\n\na,b\n\n"))) == [("a", "b")]
    assert texts(read_corpus(write("a.jsonl", '\n{"id": "a", "text": "b"}\n\n'))) == [("a", "b")]


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("date", "2021-03-04", date(2021, 3, 4)),
        ("date", "2021-03-04T23:30:00", date(2021, 3, 4)),
        ("date", "2021-03-04 23:30:00+00:00", date(2021, 3, 4)),
        ("date", " 2021-03-04 ", date(2021, 3, 4)),
        ("date", "", None),
        ("fiscal_quarter", "Q3", 3),
        ("fiscal_quarter", "q3", 3),
        ("fiscal_quarter", "3", 3),
        ("fiscal_quarter", "3.0", 3),
        ("fiscal_quarter", 3.0, 3),
        ("fiscal_year", "FY2018", 2018),
        ("fiscal_year", 1900, 1900),
        ("fiscal_year", 2100, 2100),
        ("cik", "0000320193", 320193),
        ("cik", "CIK0000320193", 320193),
        ("market_cap", "1.5e9", 1.5e9),
        ("market_cap", 7, 7.0),
        ("size", "large", "Large"),
        ("kind", "Headline", "headline"),
        ("ticker", 700, "700"),
        ("ticker", " AAPL ", "AAPL"),
        ("firm", "  ", None),
        ("date_assumed", "true", True),
        ("date_assumed", None, False),
        ("id", 17, "17"),
        ("id", 17.0, "17"),
    ],
)
def test_a_field_is_read_as_its_type(write, field, value, expected):
    (document,) = read_corpus(write("a.jsonl", [{"id": "a", "text": "x", field: value}]))
    assert getattr(document, field) == expected
    assert type(getattr(document, field)) is type(expected)


def test_date_and_datetime_columns_are_dates():
    frame = pl.DataFrame({"id": ["a"], "text": ["x"], "date": [datetime(2021, 3, 4, 23, 30)]})
    (document,) = read_corpus(frame)
    assert document.date == date(2021, 3, 4)
    assert type(document.date) is date


def test_a_text_is_kept_to_the_last_blank(write):
    (document,) = read_corpus(write("a.jsonl", [{"id": "a", "text": "  x\r\n\u2028y \n"}]))
    assert document.text == "  x\r\n\u2028y \n"


def test_unknown_columns_are_carried_along(write):
    corpus = read_corpus(write("a.jsonl", [{"id": "a", "text": "x", "entities": [[0, 1, "ORG"]], "n": 5}]))
    assert corpus.extra_columns == ["entities", "n"]
    assert next(iter(corpus)).extra == {"entities": [[0, 1, "ORG"]], "n": 5}


def test_columns_of_the_masked_file_s_own_names_are_renamed(write):
    row = {"id": "a", "text": "x", "scheme": "old", "body": "y"}
    corpus = read_corpus(write("a.jsonl", [row]), columns={"text": "body"})
    (document,) = corpus
    assert document.text == "y"
    assert document.extra == {"input_scheme": "old"}  # the text that was not chosen is left out


def test_a_column_set_aside_is_carried_along(write):
    corpus = read_corpus(write("a.jsonl", [{"id": "a", "text": "x", "size": 12}]), columns={"size": ""})
    (document,) = corpus
    assert document.size is None
    assert document.extra == {"input_size": 12}


def test_a_preset_maps_names_whatever_their_case_and_spaces(write):
    head = "Transcript ID,Component Text,Company Name,Most Important Date UTC,IQ_MARKETCAP"
    path = write("a.csv", f"{head}\n77,Good morning.,Ford Motor,2021-04-28,48000\n")
    (document,) = read_corpus(path, preset="capital-iq")
    assert (document.id, document.text, document.firm) == ("77", "Good morning.", "Ford Motor")
    assert document.date == date(2021, 4, 28)
    assert document.market_cap == 48_000_000_000  # millions in the source, dollars here


def test_crsp_capitalizations_are_thousands(write):
    path = write("a.csv", "doc_id,body_text,conm,fyearq,fqtr,MthCap\n1,Hello,Ford,2021,2,48000000\n")
    (document,) = read_corpus(path, preset="crsp")
    assert (document.market_cap, document.fiscal_year, document.fiscal_quarter) == (4.8e10, 2021, 2)


def test_a_named_column_goes_before_canonical_name_and_preset(write):
    path = write("a.csv", "id,doc_id,transcript,text,best\n1,2,t,c,b\n")
    assert texts(read_corpus(path, preset="entity-neutering")) == [("1", "c")]
    assert texts(read_corpus(path, preset="entity-neutering", columns={"text": "best"})) == [("1", "b")]


def test_kind_stands_above_the_file_s_own(write):
    path = write("a.jsonl", [{"id": "a", "text": "x", "kind": "filing"}, {"id": "b", "text": "x"}])
    assert [d.kind for d in read_corpus(path)] == ["filing", "transcript"]
    assert [d.kind for d in read_corpus(path, kind="headline")] == ["headline", "headline"]


def test_a_folder_of_texts_takes_ids_from_paths_and_firms_from_names(write, tmp_path):
    write("calls/AAPL_q3_2019.txt", "one")
    write("calls/sub/20190730_msft.txt", "two")
    write("calls/notes.txt", "three")
    write("calls/readme.md", "not read")
    first, second, third = read_corpus(tmp_path / "calls")
    assert (first.id, first.ticker, first.fiscal_quarter, first.fiscal_year) == (
        "AAPL_q3_2019",
        "AAPL",
        3,
        2019,
    )
    assert (second.id, second.text, second.ticker) == ("notes", "three", None)
    assert (third.id, third.ticker, third.date) == ("sub/20190730_msft", "MSFT", date(2019, 7, 30))
    assert [d.id for d in read_corpus(f"{tmp_path}/calls/**/*.txt")] == [first.id, second.id, third.id]


def test_a_file_name_with_a_date_that_is_none_is_a_bad_row(write):
    with pytest.raises(CorpusError, match="field 'date': is no date: '2019-13-30'"):
        list(read_corpus(write("calls/20191330_MSFT.txt", "x").parent))


def test_a_glob_joins_files_of_several_formats_in_order(write, tmp_path):
    write("b.csv", "id,text,mood\nb,y,good\n")
    write("a.jsonl", [{"id": "a", "text": "x"}])
    corpus = read_corpus(f"{tmp_path}/*")
    assert texts(corpus) == [("a", "x"), ("b", "y")]
    assert corpus.to_polars()["mood"].to_list() == [None, "good"]


def test_a_path_with_brackets_is_a_path(tmp_path):
    folder = tmp_path / "calls[1]"
    folder.mkdir()
    pl.DataFrame({"id": ["a"], "text": ["x"]}).write_parquet(folder / "a.parquet")
    assert texts(read_corpus(folder / "a.parquet")) == [("a", "x")]


def test_nothing_but_the_header_is_read_before_the_documents_are_asked_for(write):
    rows = [{"id": "a", "text": "x"}] + [{"id": str(at), "text": "y" * 1000} for at in range(2000)]
    path = write("a.jsonl", [*rows, {"id": "bad", "text": ""}])
    corpus = read_corpus(path)
    documents = corpus.documents()
    assert next(documents).id == "a"
    with pytest.raises(CorpusError, match="line 2002"):
        list(documents)


def test_opening_keeps_the_first_characters(write):
    path = write("a.jsonl", [{"id": "a", "text": "héllo world"}, {"id": "b", "text": "ab"}])
    corpus = read_corpus(path, opening=4)
    assert texts(corpus) == [("a", "héll"), ("b", "ab")]
    assert texts(corpus.full()) == [("a", "héllo world"), ("b", "ab")]


def test_limit_is_the_first_and_full_is_all(write):
    corpus = read_corpus(write("a.jsonl", [{"id": str(at), "text": "x"} for at in range(5)]), limit=2)
    assert [d.id for d in corpus] == ["0", "1"]
    assert corpus.count() == 2
    assert corpus.full().count() == 5


def test_a_corpus_is_read_again_with_other_options(write):
    corpus = read_corpus(
        write("a.jsonl", [{"id": "a", "text": "hello"}, {"id": "b", "text": "x"}]), opening=3
    )
    assert texts(read_corpus(corpus, limit=1)) == [("a", "hel")]


def test_chunks_hold_every_document_once(write):
    corpus = read_corpus(write("a.jsonl", [{"id": str(at), "text": "x"} for at in range(5)]))
    assert [[d.id for d in chunk] for chunk in corpus.chunks(2)] == [["0", "1"], ["2", "3"], ["4"]]


def sizes(count_by_size) -> list[dict]:
    return [
        {"id": f"{size}{at}", "text": "x", "size": size}
        for size, count in count_by_size.items()
        for at in range(count)
    ]


def test_a_sample_keeps_the_shares_of_the_sizes(write):
    path = write("a.jsonl", sizes({"Large": 50, "Mid": 30, "Small": 20}))
    documents = list(read_corpus(path, sample=10))
    assert [sum(d.size == size for d in documents) for size in ("Large", "Mid", "Small")] == [5, 3, 2]
    order = [d.id for d in read_corpus(path)]
    assert [d.id for d in documents] == [i for i in order if i in {d.id for d in documents}]


def test_a_sample_depends_on_its_seed_alone(write):
    path = write("a.jsonl", sizes({"Large": 50, "Mid": 50}))
    draw = {seed: [d.id for d in read_corpus(path, sample=10, seed=seed)] for seed in (0, 1)}
    assert draw[0] == [d.id for d in read_corpus(path, sample=10, seed=0)]
    assert draw[0] != draw[1]


def test_a_sample_without_sizes_takes_thirds_of_market_cap(write):
    rows = [{"id": str(at), "text": "x", "market_cap": 1e9 + at} for at in range(90)]
    chosen = [int(d.id) for d in read_corpus(write("a.jsonl", rows), sample=9)]
    assert [sum(low <= at < low + 30 for at in chosen) for low in (0, 30, 60)] == [3, 3, 3]


def test_a_sample_larger_than_the_corpus_is_the_corpus(write):
    path = write("a.jsonl", sizes({"Large": 2, "Mid": 1}))
    assert read_corpus(path, sample=99).count() == 3


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 50), max_size=6), st.integers(0, 100))
def test_largest_remainder_gives_every_seat_and_no_more_than_there_are(counts, seats):
    from neuter.corpus.sampling import largest_remainder

    given_seats = largest_remainder(counts, seats)
    total = sum(counts.values())
    assert sum(given_seats.values()) == min(seats, total)
    for name, count in counts.items():
        assert given_seats[name] <= count
        assert abs(given_seats[name] - min(seats, total) * count / max(total, 1)) < 1


def test_metadata_is_typed_and_without_text(write):
    frame = read_corpus(write("a.jsonl", [FULL, {"id": "b", "text": "x"}])).metadata()
    assert dict(frame.schema) == {
        "id": pl.String(),
        "kind": pl.String(),
        "ticker": pl.String(),
        "firm": pl.String(),
        "cik": pl.Int64(),
        "date": pl.Date(),
        "date_assumed": pl.Boolean(),
        "fiscal_year": pl.Int64(),
        "fiscal_quarter": pl.Int64(),
        "fiscal_year_end": pl.Int64(),
        "market_cap": pl.Float64(),
        "size": pl.String(),
        "sector": pl.String(),
    }
    assert frame.row(1) == ("b", "transcript", None, None, None, None, False, *[None] * 6)


def test_to_polars_types_what_is_carried_along(write):
    rows = [
        {"id": "a", "text": "x", "n": 1, "r": 1, "b": True, "s": "t", "l": [1], "m": 1, "z": None},
        {"id": "b", "text": "y", "n": 2, "r": 0.5, "b": None, "s": None, "l": None, "m": "q", "z": None},
    ]
    frame = read_corpus(write("a.jsonl", rows)).to_polars()
    kinds = {name: str(kind) for name, kind in frame.schema.items()}
    assert kinds == {
        "id": "String", "kind": "String", "text": "String", "n": "Int64", "r": "Float64", "b": "Boolean",
        "s": "String", "l": "String", "m": "String", "z": "String",
    }  # fmt: skip
    assert frame["l"].to_list() == ["[1]", None]
    assert frame["m"].to_list() == ["1", "q"]
    assert frame["r"].to_list() == [1.0, 0.5]


def test_to_pandas_has_the_same_rows(write):
    pytest.importorskip("pandas")
    frame = read_corpus(write("a.jsonl", [FULL])).to_pandas()
    assert frame.to_dict("records")[0]["ticker"] == "AAPL"


def test_to_pandas_without_pandas_says_how_to_install_it(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        MissingExtra, match=r'pandas is not installed\. python -m pip install "neuter\[pandas\]"'
    ):
        read_corpus(write("a.jsonl", [FULL])).to_pandas()


def test_data_hash_follows_the_bytes_and_the_options(write):
    path = write("a.jsonl", [FULL])
    hashed = read_corpus(path).data_hash()
    assert len(hashed) == 64
    assert read_corpus(path).data_hash() == hashed
    assert read_corpus(path, seed=5).data_hash() == hashed  # no sample, so the seed changes nothing
    assert read_corpus(path, opening=5).data_hash() != hashed
    assert read_corpus(path, limit=5).data_hash() != hashed
    assert read_corpus(path, kind="filing").data_hash() != hashed
    write("a.jsonl", [{**FULL, "text": "Good evening."}])
    assert read_corpus(path).data_hash() != hashed


def test_data_hash_of_a_frame_follows_its_values():
    one, same, other = ({"id": ["a"], "text": [text]} for text in ("x", "x", "y"))
    hashed = [read_corpus(pl.DataFrame(frame)).data_hash() for frame in (one, same, other)]
    assert hashed[0] == hashed[1] != hashed[2]


def test_data_hash_of_a_folder_follows_the_file_names(write):
    folder = write("calls/a.txt", "x").parent
    hashed = read_corpus(folder).data_hash()
    (folder / "a.txt").rename(folder / "b.txt")
    assert read_corpus(folder).data_hash() != hashed


def test_a_corpus_can_be_pickled(write):
    corpus = read_corpus(write("a.jsonl", [FULL]), opening=4)
    assert texts(pickle.loads(pickle.dumps(corpus))) == texts(corpus)


def test_a_corpus_shows_itself_escaped(write):
    from rich.console import Console

    corpus = read_corpus(write("a.jsonl", [{"id": "a", "text": "<script>x</script> [bold]loud[/bold]"}]))
    assert repr(corpus) == "Corpus('a'; columns: id, kind, text)"
    page = corpus._repr_html_()
    assert "&lt;script&gt;" in page
    assert "<script>" not in page
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(corpus)
    assert "[bold]loud[/bold]" in console.export_text()


def test_names(write, tmp_path):
    path = write("calls.jsonl", [FULL])
    assert read_corpus(path).name == "calls"
    assert read_corpus(f"{tmp_path}/*.jsonl").name == f"{tmp_path}/*.jsonl"
    assert read_corpus(pl.DataFrame([FULL])).name == "frame"
    assert read_corpus([DOCUMENT]).name == "documents"


def test_other_users_of_csv_may_still_read_long_fields(write):
    import csv

    before = csv.field_size_limit(30_000_000)
    try:
        list(read_corpus(write("a.csv", "id,text\na,b\n")))
        assert csv.field_size_limit() == 30_000_000
    finally:
        csv.field_size_limit(before)


TEXT = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=60
).filter(str.strip)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=5))
def test_any_text_survives_every_format(tmp_path, written):
    import csv

    rows = [{"id": str(at), "text": text} for at, text in enumerate(written)]
    with (tmp_path / "p.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerows([["id", "text"], *([row["id"], row["text"]] for row in rows)])
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pl.DataFrame(rows).write_parquet(tmp_path / "p.parquet")
    for name in ("p.csv", "p.jsonl", "p.parquet"):
        assert [document.text for document in read_corpus(tmp_path / name)] == written, name


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["f.csv", "f.jsonl", "f.parquet", "f.txt"]))
def test_no_bytes_whatever_raise_anything_but_a_corpus_error(tmp_path, data, name):
    (tmp_path / name).write_bytes((b"id,text\n" if name == "f.csv" else b"") + data)
    for skip in (True, False):
        try:
            documents = list(read_corpus(tmp_path / name, skip_invalid=skip))
            assert all(document.text.strip() for document in documents)
        except CorpusError:
            pass


def test_the_shared_transcripts_are_read(shared):
    corpus = read_corpus(shared / "transcripts" / "ectsum_dev.parquet")
    assert corpus.count() == 944
    assert corpus.extra_columns == ["exchange"]
    assert corpus.metadata()["ticker"].n_unique() == 281
    calls = read_corpus(shared / "transcripts" / "earnings21_dev.jsonl")
    assert calls.count() == 23
    start, end, label = next(iter(calls)).extra["entities"][0]
    assert 0 <= start < end
    assert isinstance(label, str)


def test_headlines_without_ids_say_what_is_missing(shared):
    with pytest.raises(CorpusError, match="has no column 'id'; columns found: 'headline', 'date'"):
        read_corpus(shared / "headlines" / "nyt_economy_dev.csv", columns={"text": "headline"})


def test_the_class_is_exported():
    assert Corpus.__name__ == "Corpus"


def test_of_two_columns_that_a_preset_takes_for_one_the_first_stands(write):
    path = write("a.csv", "doc_id,Body Text,body_text\n1,first,second\n")
    assert texts(read_corpus(path, preset="crsp")) == [("1", "first")]
