"""Our own format and tables: read, checked, written, and read again as the same."""

import json
import random
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from neuter.errors import DataError, UsageError
from neuter.questions import QuestionSet, check_questions, read_questions, write_questions
from neuter.questions.schema import QUESTION_SCHEMA

CSV_HEAD = "id,question,resolution_date,resolution"


def own(**changes: Any) -> dict[str, Any]:
    question = {
        "id": "a", "question": "Will it rain?", "background": "Dry.", "resolution_criteria": "Rain.",
        "open": "2024-01-01", "close": "2024-02-01", "resolution_date": "2024-03-01", "resolution": 1,
        "domain": "social", "source": "us", "url": "https://example.org", "cluster": "c", "base_rate": 0.25,
        "community": [["2024-01-02", 0.3], ["2024-01-05", 0.5]],
    }  # fmt: skip
    return {**question, **changes}


def lines(folder: Path, *rows: Any, name: str = "q.jsonl") -> Path:
    path = folder / name
    path.write_text(
        "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), encoding="utf-8"
    )
    return path


def csv(folder: Path, text: str, name: str = "q.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


# Our own format


def test_a_line_of_ours_is_a_row(tmp_path: Path):
    read = read_questions(lines(tmp_path, own()))
    assert read.frame.schema == pl.Schema(QUESTION_SCHEMA)
    row = read.frame.row(0, named=True)
    told = [{"date": date(2024, 1, 2), "probability": 0.3}, {"date": date(2024, 1, 5), "probability": 0.5}]
    days = {"open": date(2024, 1, 1), "close": date(2024, 2, 1), "resolution_date": date(2024, 3, 1)}
    assert row == {**own(), **days, "community": told}
    assert (read.format, read.set_aside, len(read)) == ("neuter", {}, 1)


def test_a_list_of_ours_is_read_as_lines_are(tmp_path: Path):
    path = tmp_path / "q.json"
    path.write_text(json.dumps([own(), own(id="b", question="Snow?")]), encoding="utf-8")
    assert read_questions(path).frame["id"].to_list() == ["a", "b"]


def test_lines_are_told_by_their_content_too(tmp_path: Path):
    path = lines(tmp_path, own(), own(id="b", question="Snow?"), name="q.json")
    assert read_questions(path).frame["id"].to_list() == ["a", "b"]


def frame_of_all_kinds(count: int = 200) -> pl.DataFrame:
    draw = random.Random(1)
    texts = [
        "",
        "Plain",
        " blanks  kept ",
        'Quotes " and ,',
        "Lines\nand\r\nmore\rof",
        "<b>not</b> &amp; &lt;",
        "雨 🌧",
        "\t;|",
    ]
    rows = []
    for number in range(count):
        days = sorted(date(2023, draw.randint(1, 12), draw.randint(1, 28)) for _ in range(number % 7))
        rows.append({
            **own(), "id": f"q{number}", "question": f"{draw.choice(texts)}{number}?",
            **{name: draw.choice(texts) for name in ("background", "resolution_criteria", "source", "url", "cluster")},
            "open": draw.choice([None, date(2022, 12, 31)]), "close": draw.choice([None, date(2023, 5, 1)]),
            "resolution_date": date(2024, 1, 1 + number % 28), "resolution": number % 2, "domain": draw.choice(["", "social"]),
            "base_rate": draw.choice([None, 0.0, 1.0, draw.random()]),
            "community": [{"date": day, "probability": draw.choice([draw.random(), 0.0, 1.0, 1e-7])} for day in days],
        })  # fmt: skip
    return pl.DataFrame(rows, schema=QUESTION_SCHEMA)


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_what_is_written_is_read_back_exactly(tmp_path: Path, ending: str):
    frame = frame_of_all_kinds()
    path = write_questions(frame, tmp_path / f"q.{ending}")
    assert read_questions(path).frame.equals(frame)
    assert read_questions(path).set_aside == {}


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_more_rows_than_are_written_at_once_are_read_back_exactly(tmp_path: Path, ending: str):
    frame = frame_of_all_kinds(4_500)
    assert read_questions(write_questions(frame, tmp_path / f"q.{ending}")).frame.equals(frame)


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_a_frame_without_questions_is_written_and_read(tmp_path: Path, ending: str):
    read = read_questions(write_questions(pl.DataFrame(schema=QUESTION_SCHEMA), tmp_path / f"q.{ending}"))
    assert len(read) == 0
    assert read.frame.schema == pl.Schema(QUESTION_SCHEMA)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"id": "b"}, "is there twice"),
        ({"resolution": 2}, "is neither 1 nor 0"),
        ({"resolution_date": None}, "no date"),
        ({"resolution_date": date(2020, 1, 1)}, "is before it opened"),
        ({"close": date(2020, 1, 1)}, "is before it opened"),
        ({"question": " "}, "is empty"),
        ({"domain": "weather"}, "is no domain"),
        ({"base_rate": 1.5}, "outside of 0 and 1"),
        ({"base_rate": float("nan")}, "outside of 0 and 1"),
        ({"community": [{"date": date(2024, 1, 1), "probability": 85.0}]}, "outside of 0 and 1"),
        ({"community": [{"date": None, "probability": 0.5}]}, "a prediction without a date"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(tmp_path: Path, changed: dict[str, Any], message: str):
    good = read_questions(lines(tmp_path, own(id="b"))).frame
    bad = pl.DataFrame([{**good.row(0, named=True), "id": "z", **changed}], schema=QUESTION_SCHEMA)
    with pytest.raises(DataError, match=message):
        write_questions(pl.concat([good, bad]), tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_another_ending_or_a_missing_column_is_refused(tmp_path: Path):
    frame = pl.DataFrame(schema=QUESTION_SCHEMA)
    with pytest.raises(UsageError, match=r"no format for the ending '\.txt'"):
        write_questions(frame, tmp_path / "q.txt")
    with pytest.raises(DataError, match="no column cluster"):
        write_questions(frame.drop("cluster"), tmp_path / "q.jsonl")


def test_numbers_of_a_parquet_file_from_elsewhere_are_read(tmp_path: Path):
    pl.DataFrame(
        {
            "question_id": [1, 2],
            "title": ["A?", "B?"],
            "outcome": ["yes", "void"],
            "resolved_at": [date(2024, 1, 1)] * 2,
        }
    ).write_parquet(tmp_path / "q.parquet")
    read = read_questions(tmp_path / "q.parquet")
    assert read.frame.select("id", "resolution").rows() == [("1", 1)]
    assert (read.format, read.set_aside) == ("parquet", {"annulled": 1})


# Tables


def test_usual_names_of_columns_are_known_and_others_can_be_named(tmp_path: Path):
    text = "Question_ID,Title,Resolved on,Outcome,Category,Crowd,Freeze_date\n1,Rain?,2024-03-01,No,Sports,85%,2024-02-01\n"
    path = csv(tmp_path, text)
    with pytest.raises(DataError, match="no column for resolution_date"):
        read_questions(path)
    row = read_questions(path, columns={"resolution_date": "Resolved on"}).frame.row(0, named=True)
    assert (row["id"], row["question"], row["resolution"], row["domain"]) == (
        "1",
        "Rain?",
        0,
        "entertainment",
    )
    assert row["community"] == [{"date": date(2024, 2, 1), "probability": 0.85}]


def test_a_column_that_is_not_there_and_a_field_that_is_none_are_named(tmp_path: Path):
    path = csv(tmp_path, f"{CSV_HEAD}\n1,Rain?,2024-03-01,1\n")
    with pytest.raises(DataError, match="no column 'Tittle'"):
        read_questions(path, columns={"question": "Tittle"})
    with pytest.raises(UsageError, match="no field 'titel'"):
        read_questions(path, columns={"titel": "question"})


def test_a_table_with_semicolons_from_a_spreadsheet_is_read(tmp_path: Path):
    path = tmp_path / "q.csv"
    path.write_bytes(f"{CSV_HEAD}\n1,Regnet es in Köln?,2024-03-01,1\n".replace(",", ";").encode("utf-8-sig"))
    assert read_questions(path).frame["question"].to_list() == ["Regnet es in Köln?"]


@pytest.mark.parametrize(
    ("encoding", "message"),
    [("cp1252", r"is not UTF-8: byte F6 .*Save the file as UTF-8"), ("utf-16", "is UTF-16 text")],
)
def test_a_table_in_another_encoding_is_refused_with_what_to_do(tmp_path: Path, encoding: str, message: str):
    path = tmp_path / "q.csv"
    path.write_bytes(f"{CSV_HEAD}\n1,Köln?,2024-03-01,1\n".encode(encoding))
    with pytest.raises(DataError, match=message):
        read_questions(path)


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("annulled", "annulled"), ("N/A", "annulled"), ("-2", "annulled"), ("ambiguous", "ambiguous"),
        ("-1", "ambiguous"), ("", "unresolved"), ("open", "unresolved"), ("0.4", "resolved to a share"),
        ("40%", "resolved to a share"), ("MKT", "resolved to a share"),
    ],
)  # fmt: skip
def test_what_came_out_neither_way_is_set_aside_by_reason(tmp_path: Path, told: str, reason: str):
    read = read_questions(csv(tmp_path, f"{CSV_HEAD}\n1,Rain?,2024-03-01,{told}\n2,Snow?,2024-03-01,1\n"))
    assert read.frame["id"].to_list() == ["2"]
    assert read.set_aside == {reason: 1}


@pytest.mark.parametrize("told", ["yes", "YES", "true", "1", "1.0", "100%", "Y"])
def test_a_yes_is_a_yes_however_it_is_written(tmp_path: Path, told: str):
    assert read_questions(csv(tmp_path, f"{CSV_HEAD}\n1,A?,2024-03-01,{told}\n")).frame[
        "resolution"
    ].to_list() == [1]


# What is wrong where


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"id": ""}, "line 2: field id: is empty"),
        ({"id": None}, "line 2: field id: is empty"),
        ({"id": [1]}, "field id: is no text"),
        ({"question": "  "}, "field question of 'b': is empty"),
        ({"question": 0.5}, "field question of 'b': is no text"),
        ({"question": "x" * 1_000_001}, "field question of 'b': has 1,000,001 characters"),
        ({"background": "half \ud83d"}, "field background of 'b': holds half a character"),
        ({"resolution_date": None}, "field resolution_date of 'b': no date"),
        ({"resolution_date": "soon"}, "field resolution_date of 'b': 'soon' is no date"),
        ({"resolution_date": "03/04/2024"}, "'03/04/2024' is no date"),
        ({"resolution_date": "2023-12-31"}, "resolution_date of 'b': 2023-12-31 is before it opened"),
        ({"close": "2023-12-31"}, "field close of 'b': 2023-12-31 is before it opened"),
        ({"resolution": "perhaps"}, "field resolution: 'perhaps' is neither yes nor no"),
        ({"resolution": 7}, "field resolution: '7' is neither yes nor no"),
        ({"community": "none"}, "field community: is no list"),
        ({"community": [["2024-01-02"]]}, "field community: is no list"),
        ({"community": [["2024-01-02", "likely"]]}, "field community of 'b': 'likely' is no probability"),
        ({"community": [["2024-01-02", None]]}, "field community of 'b': no probability"),
        ({"community": [["2024-01-02", True]]}, "'True' is no probability"),
        ({"community": [[None, 0.3]]}, "field community of 'b': a prediction without a date"),
        ({"community": [["later", 0.3]]}, "field community of 'b': 'later' is no date"),
        ({"community": [["2024-01-02", -0.1]]}, "field community of 'b': a probability of -0.1"),
        ({"community": [["2024-01-02", 101]]}, "field community of 'b': a probability of 101"),
        ({"community": [["2024-01-02", 10**400]]}, "is no probability"),
        ({"community": [["2024-01-02", float("nan")]]}, "a probability of nan"),
        ({"community": [["2024-01-02", "150%"]]}, "a probability of 1.5"),
        ({"base_rate": "often"}, "field base_rate of 'b': 'often' is no probability"),
        ({"base_rate": -1}, "field base_rate of 'b': a probability of -1"),
    ],
)
def test_a_fault_names_file_line_field_and_question_and_may_be_left_out(
    tmp_path: Path, changed: dict[str, Any], message: str
):
    path = lines(tmp_path, own(), own(**{"id": "b", "question": "Snow?", **changed}))
    with pytest.raises(DataError) as raised:
        read_questions(path)
    assert message in str(raised.value)
    assert str(raised.value).startswith(f"{path}, line 2: ")
    assert "--skip-invalid" in str(raised.value)
    read = read_questions(path, skip_invalid=True)
    assert read.frame["id"].to_list() == ["a"]
    assert read.set_aside == {"that cannot be read": 1}
    assert [fault.where for fault in read.faults] == [f"{path}, line 2"]


def test_a_line_that_is_no_json_or_no_object_is_a_fault(tmp_path: Path):
    path = lines(tmp_path, own(), "{", "", "[1]", "[" * 100_000)
    read = read_questions(path, skip_invalid=True)
    assert (len(read), read.set_aside) == (1, {"that cannot be read": 3})
    assert [fault.where for fault in read.faults] == [f"{path}, line {number}" for number in (2, 4, 5)]


def test_all_faults_are_counted_in_the_message(tmp_path: Path):
    path = lines(tmp_path, own(id=""), own(id="b", question=""), own(id="c", resolution=3))
    with pytest.raises(DataError, match=r"2 more such rows"):
        read_questions(path)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"hello", b"<html>", b"\x00\x01\x02", b"{", b"[1, 2"])
def test_a_file_that_holds_no_questions_is_refused_in_words(tmp_path: Path, content: bytes):
    for name in ("q.json", "q.txt", "q.csv", "q.parquet"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=name):
            read_questions(tmp_path / name)


def test_no_file_and_a_folder_are_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="there is no such file"):
        read_questions(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="is a folder"):
        read_questions(tmp_path)


def test_a_file_that_is_no_utf_8_is_refused(tmp_path: Path):
    (tmp_path / "q.jsonl").write_bytes(
        json.dumps(own(), ensure_ascii=False).encode().replace(b"rain", b"r\xe4in")
    )
    with pytest.raises(DataError, match="is no UTF-8"):
        read_questions(tmp_path / "q.jsonl")


def test_a_question_may_open_close_and_resolve_on_one_day(tmp_path: Path):
    day = dict.fromkeys(("open", "close", "resolution_date"), "2024-03-01")
    assert len(read_questions(lines(tmp_path, own(**day)))) == 1


# Days


@pytest.mark.parametrize(
    ("told", "day"),
    [
        ("2024-03-01T23:30:00-05:00", date(2024, 3, 2)), ("2024-03-01 10:00:00+00:00", date(2024, 3, 1)),
        (1709251200, date(2024, 3, 1)), ("1709251200", date(2024, 3, 1)), (1709251200000, date(2024, 3, 1)),
        ("13/03/2024", date(2024, 3, 13)), ("3/13/2024", date(2024, 3, 13)), ("3/3/2024", date(2024, 3, 3)),
    ],
)  # fmt: skip
def test_a_day_may_be_written_in_many_ways(tmp_path: Path, told: Any, day: date):
    assert read_questions(lines(tmp_path, own(resolution_date=told))).frame["resolution_date"].to_list() == [
        day
    ]


def test_which_number_is_the_day_can_be_told(tmp_path: Path):
    path = lines(tmp_path, own(resolution_date="03/04/2024", community=[["02/03/2024", 0.5]]))
    for day_first, resolved, said in (
        (True, date(2024, 4, 3), date(2024, 3, 2)),
        (False, date(2024, 3, 4), date(2024, 2, 3)),
    ):
        row = read_questions(path, day_first=day_first).frame.row(0, named=True)
        assert (row["resolution_date"], row["community"][0]["date"]) == (resolved, said)


def test_predictions_after_the_resolution_are_left_out_and_counted(tmp_path: Path):
    told = [["2024-03-02", 0.9], ["2024-03-01", 0.8], ["2024-01-02", 0.3], ["2024-01-01", 0.2]]
    read = read_questions(lines(tmp_path, own(community=told)))
    assert [one["probability"] for one in read.frame["community"][0].to_list()] == [0.2, 0.3, 0.8]
    assert read.set_aside == {"predictions after their question's resolution": 1}
    assert "1 predictions after their question's resolution" in repr(read)


# The same question twice


def test_the_same_line_twice_is_one_question_and_counted(tmp_path: Path):
    read = read_questions(lines(tmp_path, own(), own()))
    assert (len(read), read.set_aside) == (1, {"there twice, word for word": 1})


@pytest.mark.parametrize(
    "changed", [{"question": "Snow?"}, {"resolution": 0}, {"community": []}, {"base_rate": 0.5}]
)
def test_one_id_for_two_questions_is_a_fault(tmp_path: Path, changed: dict[str, Any]):
    path = lines(tmp_path, own(), own(**changed))
    with pytest.raises(DataError, match=r"line 2: field id: another question has the id 'a' \(.*line 1\)"):
        read_questions(path)


def test_the_same_texts_and_dates_under_another_id_are_one_question(tmp_path: Path):
    again = own(id="b", question="Will  it RAIN?", source="them", community=[])
    read = read_questions(lines(tmp_path, own(), again))
    assert (read.frame["id"].to_list(), read.set_aside) == (["a"], {"the same question under another id": 1})


def test_the_same_texts_and_dates_with_another_outcome_are_a_fault(tmp_path: Path):
    with pytest.raises(DataError, match="the same question has another outcome"):
        read_questions(lines(tmp_path, own(), own(id="b", resolution=0)))


@pytest.mark.parametrize(
    "changed", [{"open": "2024-01-02"}, {"resolution_date": "2024-03-02"}, {"resolution_criteria": "Hail."}]
)
def test_other_dates_or_criteria_make_another_question(tmp_path: Path, changed: dict[str, Any]):
    assert len(read_questions(lines(tmp_path, own(), own(id="b", resolution=0, **changed)))) == 2


# The result


def test_the_result_tells_its_counts_and_gives_frames():
    read = QuestionSet(pl.DataFrame(schema=QUESTION_SCHEMA), {"annulled": 1200})
    assert repr(read) == "QuestionSet(0 questions; set aside: 1,200 annulled)"
    assert read.to_polars() is read.frame
    assert list(read.to_pandas().columns) == list(QUESTION_SCHEMA)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (
            '{"id": "a", "question": "q", "resolution": 1, "resolution_date": 1' + "0" * 400 + "}",
            "is no date",
        ),
        (
            '{"id": "a", "id": "b", "question": "q", "resolution": 1, "resolution_date": "2024-01-01"}',
            "'id' is there twice",
        ),
    ],
    ids=["huge", "twice"],
)
def test_what_python_chokes_on_is_a_fault_of_the_row(tmp_path, row, told):
    file = tmp_path / "q.jsonl"
    file.write_text(row + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=told):
        read_questions(file)
    assert read_questions(file, skip_invalid=True).set_aside == {"that cannot be read": 1}


def test_a_name_that_no_system_takes_is_no_file():
    with pytest.raises(UsageError, match="there is no such file"):
        read_questions("a" * 5000)


def test_a_list_is_no_file_and_a_name_is_not_read_letter_by_letter():
    with pytest.raises(UsageError, match="a list is no file of questions"):
        read_questions(["corpora:questions"])
    assert check_questions("corpora:questions").questions == read_questions("corpora:questions").frame.height
