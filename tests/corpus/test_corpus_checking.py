"""What ``neuter corpus check`` tells."""

from __future__ import annotations

import io
import json

import pytest

from neuter.corpus import check_corpus
from neuter.errors import CorpusError

ROWS = [
    {"id": "a", "Body": "one", "ticker": "F", "date": "2021-04-28", "size": "Large", "mood": 1},
    {"id": "b", "Body": "three", "ticker": "F", "date": "2020-04-28", "size": "Large", "mood": 1},
    {"id": "c", "Body": "one", "ticker": None, "date": None, "size": None, "mood": 1},
    {"id": "d", "Body": "x", "ticker": "GM", "date": "2022-13-01", "size": "Mid", "mood": 1},
    {"id": "e", "Body": " ", "ticker": "GM", "date": None, "size": "Mid", "mood": 1},
]


@pytest.fixture
def report(write):
    return check_corpus(write("calls.jsonl", ROWS), columns={"text": "Body"})


def test_a_report_counts_what_there_is(report):
    assert (report.name, report.documents, report.invalid, report.ok) == ("calls", 3, 2, False)
    assert report.columns == ("id", "Body", "ticker", "date", "size", "mood")
    assert report.mapped["text"] == "Body"
    assert report.carried == ("mood",)
    assert (report.coverage["ticker"], report.coverage["kind"], report.coverage["cik"]) == (2, 3, 0)
    assert report.kinds == {"transcript": 3}
    assert report.sizes == {"Large": 2}
    assert report.lengths == {"shortest": 3, "median": 3, "longest": 5, "total": 11}
    assert (report.firms, report.firms_with_several) == (1, 1)
    assert (report.first_date, report.last_date) == ("2020-04-28", "2021-04-28")


def shown(report) -> str:
    from rich.console import Console

    console = Console(width=200, record=True, file=io.StringIO())
    console.print(report)
    return console.export_text()


def with_caps(*caps):
    return [
        {"id": str(at), "text": f"t{at}", "date": "2022-05-03", "market_cap": cap}
        for at, cap in enumerate(caps)
    ]


def test_a_report_has_the_smallest_median_and_largest_market_cap(write):
    report = check_corpus(write("calls.jsonl", with_caps(4e9, 0, 2.1e12, 5e8, None, -7)))
    assert report.market_caps == {"smallest": 5e8, "median": 4e9, "largest": 2.1e12}
    assert report.size_notes == (
        "1 document without a market cap: no size",
        "2 documents with a market cap that is zero, negative or not a number: no size",
    )
    text = shown(report)
    assert (
        "smallest 500,000,000, median 4,000,000,000, largest 2,100,000,000,000 (read as US dollars)" in text
    )
    assert "1 document without a market cap: no size" in text
    told = json.loads(json.dumps(report.to_dict()))
    assert told["market_caps"]["median"] == 4e9
    assert len(told["size_notes"]) == 2


def test_market_caps_in_millions_are_asked_about(write):
    report = check_corpus(write("calls.jsonl", with_caps(4000.5, 2.5)))
    assert "are they in thousands or millions?" in " ".join(report.size_notes)
    assert "smallest 2.5, median 2,002, largest 4,000" in shown(report)


def test_a_corpus_without_market_caps_has_no_notes_on_sizes(report, write):
    assert (report.market_caps, report.size_notes) == ({}, ())
    none = check_corpus(write("other.jsonl", with_caps(0, -1)))
    assert (none.market_caps, len(none.size_notes)) == ({}, 1)


def test_a_report_names_texts_that_are_there_twice(report):
    assert report.duplicates == (("a", "c"),)


def test_a_report_lists_every_bad_row(report):
    assert [(p.line, p.field, p.id) for p in report.problems] == [(4, "date", "d"), (5, "Body", "e")]


def test_a_report_goes_through_json(report):
    told = json.loads(json.dumps(report.to_dict()))
    assert told["documents"] == 3
    assert told["problems"][0]["where"].endswith("calls.jsonl: line 4, field 'date'")
    assert told["ok"] is False


def test_a_report_shows_itself(report):
    from rich.console import Console

    console = Console(width=200, record=True, file=io.StringIO())
    console.print(report)
    shown = console.export_text()
    assert "calls: 3 documents" in shown
    assert "text = 'Body'" in shown
    assert "ticker (66.7%)" in shown
    assert "line 4, field 'date': is no date: '2022-13-01'" in shown


def test_a_valid_corpus_is_ok(write):
    assert check_corpus(write("a.jsonl", [{"id": "a", "text": "x"}])).ok


def test_what_cannot_be_read_at_all_is_an_error(write):
    with pytest.raises(CorpusError, match="has no column 'text'"):
        check_corpus(write("calls.jsonl", ROWS))


def test_the_shared_transcripts_are_valid(shared):
    report = check_corpus(shared / "transcripts" / "ectsum_dev.parquet")
    assert (report.ok, report.documents, report.firms, report.firms_with_several) == (True, 944, 281, 234)


def test_a_file_with_only_bad_rows_has_every_problem_listed(write):
    from rich.console import Console

    report = check_corpus(write("calls.jsonl", ROWS[3:]), columns={"text": "Body"})
    assert (report.ok, report.documents, report.invalid, report.lengths) == (False, 0, 2, {})
    assert [(p.line, p.id) for p in report.problems] == [(1, "d"), (2, "e")]
    assert len(json.loads(json.dumps(report.to_dict()))["problems"]) == 2
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(report)
    shown = console.export_text()
    assert "line 1, field 'date'" in shown
    assert "line 2, field 'Body'" in shown


def test_a_file_without_rows_is_still_an_error(write):
    with pytest.raises(CorpusError, match="holds no documents"):
        check_corpus(write("calls.csv", "id,text\n"))


def test_a_file_of_which_no_line_is_json_has_every_problem_listed(write):
    report = check_corpus(write("calls.jsonl", '[1]\n{"id"\n\n5\n'))
    assert (report.name, report.documents, report.invalid) == ("calls", 0, 3)
    assert [problem.line for problem in report.problems] == [1, 2, 4]
    with pytest.raises(CorpusError, match="no such file"):
        check_corpus("nowhere.jsonl")
