"""Question sets of other projects, in the shapes that their APIs and files have."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from neuter.errors import DataError, UsageError
from neuter.questions import read_questions

Writer = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    def written(
        value: Any, name: str = "questions.json", *, lines: bool = False, indent: int | None = None
    ) -> Path:
        path = tmp_path / name
        text = "\n".join(map(json.dumps, value)) if lines else json.dumps(value, indent=indent)
        path.write_text(text, encoding="utf-8")
        return path

    return written


def seconds(day: str, hour: int = 0) -> float:
    return datetime.fromisoformat(f"{day}T{hour:02d}:00:00+00:00").astimezone(UTC).timestamp()


def series(row: dict[str, Any]) -> list[tuple[str, float]]:
    return [(str(one["date"]), one["probability"]) for one in row["community"]]


def post(**changes: Any) -> dict[str, Any]:
    question = {
        "id": 900, "title": "Will it rain?", "type": "binary", "resolution": "yes",
        "description": "<p>It is <b>dry</b>.</p>", "resolution_criteria": "Rain falls.", "fine_print": "Snow is none.",
        "open_time": "2024-01-01T10:00:00Z", "scheduled_close_time": "2024-12-31T00:00:00Z",
        "actual_close_time": "2024-03-01T00:00:00Z", "actual_resolve_time": "2024-03-02T08:00:00Z",
        "aggregations": {"recency_weighted": {"history": [
            {"start_time": seconds("2024-01-02", 9), "end_time": None, "centers": [0.3]},
            {"start_time": seconds("2024-01-05"), "end_time": None, "centers": [0.6]},
        ]}},
    }  # fmt: skip
    projects = {"category": [{"name": "Natural Sciences"}]}
    return {"id": 7, "title": "Will it rain?", "projects": projects, "question": {**question, **changes}}


# Metaculus


def test_a_metaculus_post_is_read(write: Writer):
    read = read_questions(write({"count": 1, "results": [post()]}))
    row = read.frame.row(0, named=True)
    assert read.format == "metaculus"
    assert (row["id"], row["question"], row["background"]) == ("metaculus-7", "Will it rain?", "It is dry.")
    assert row["resolution_criteria"] == "Rain falls.\n\nSnow is none."
    assert (row["open"], row["close"]) == (date(2024, 1, 1), date(2024, 3, 1))
    assert (row["resolution_date"], row["resolution"]) == (date(2024, 3, 2), 1)
    assert (row["domain"], row["source"]) == ("social", "Metaculus")
    assert row["url"] == "https://www.metaculus.com/questions/7"
    assert series(row) == [("2024-01-02", 0.3), ("2024-01-05", 0.6)]


@pytest.mark.parametrize("shape", ["page", "list", "one", "pages", "indented", "lines"])
def test_metaculus_answers_are_told_in_any_wrapping(write: Writer, shape: str):
    one, other = post(), {**post(title="Will it snow?"), "id": 8}
    path = {
        "page": lambda: write({"results": [one, other]}),
        "list": lambda: write([one, other]),
        "one": lambda: write(one),
        "pages": lambda: write([{"results": [one]}, {"results": [other]}]),
        "indented": lambda: write({"results": [one, other]}, indent=2),
        "lines": lambda: write([one, other], lines=True),
    }[shape]()
    assert (
        read_questions(path).frame["id"].to_list()
        == (["metaculus-7", "metaculus-8"][: 1 if shape == "one" else 2])
    )


def test_what_is_no_resolved_binary_question_is_set_aside_by_reason(write: Writer):
    posts = [
        post(), post(resolution="annulled"), post(resolution="ambiguous"), post(resolution=None), post(resolution=""),
        post(type="numeric", resolution="12.5"), post(type="multiple_choice", resolution="Biden"),
        {"id": 9, "title": "A notebook", "notebook": {}}, {"id": 10, "title": "If", "conditional": {"id": 3}},
    ]  # fmt: skip
    read = read_questions(write({"results": posts}))
    assert len(read) == 1
    assert read.set_aside == {
        "annulled": 1, "ambiguous": 1, "unresolved": 2, "not yes-or-no questions": 4,
    }  # fmt: skip


def test_each_question_of_a_group_is_one_and_they_are_one_cluster(write: Writer):
    sub = post()["question"]
    subs = [
        {**sub, "id": 31, "title": "Who wins? (Ann)", "label": "Ann", "resolution": "no"},
        {**sub, "id": 32, "title": "2025", "label": "2025", "resolution_criteria": "", "fine_print": ""},
        {**sub, "id": 33, "title": "Who wins? (Cy)", "label": "Cy", "resolution": "annulled"},
    ]
    group = {
        "resolution_criteria": "By the count.",
        "fine_print": "",
        "description": "A race.",
        "questions": subs,
    }
    read = read_questions(write({"results": [{"id": 30, "title": "Who wins?", "group_of_questions": group}]}))
    assert read.frame["id"].to_list() == ["metaculus-30-31", "metaculus-30-32"]
    assert read.frame["question"].to_list() == ["Who wins? (Ann)", "Who wins? (2025)"]
    assert read.frame["resolution_criteria"].to_list() == ["Rain falls.\n\nSnow is none.", "By the count."]
    assert read.frame["cluster"].to_list() == ["metaculus-30", "metaculus-30"]
    assert read.frame["resolution"].to_list() == [0, 1]
    assert read.set_aside == {"annulled": 1}


def test_the_crowd_of_metaculus_is_the_median_in_the_order_of_time(write: Writer):
    history = [
        {"start_time": seconds("2024-01-03", 20), "centers": [0.9]},
        {"start_time": seconds("2024-01-03", 4), "centers": [0.1]},
        {"start_time": seconds("2024-01-04"), "centers": None},
        {"start_time": seconds("2024-01-05"), "centers": [0.75, 0.25]},
        {"start_time": seconds("2024-06-01"), "centers": [0.99]},
    ]
    read = read_questions(write([post(aggregations={"recency_weighted": {"history": history}})]))
    row = read.frame.row(0, named=True)
    assert series(row) == [("2024-01-03", 0.1), ("2024-01-03", 0.9), ("2024-01-05", 0.25)]
    assert read.set_aside == {
        "predictions after their question's resolution": 1,
        "predictions without a probability": 1,
    }


def test_the_unweighted_crowd_stands_in_where_the_weighted_is_hidden(write: Writer):
    unweighted = {"history": [{"start_time": seconds("2024-01-03"), "centers": [0.4]}]}
    found = {"recency_weighted": {"history": []}, "unweighted": unweighted}
    assert series(read_questions(write([post(aggregations=found)])).frame.row(0, named=True)) == [
        ("2024-01-03", 0.4)
    ]


def old(**changes: Any) -> dict[str, Any]:
    question = {
        "id": 42, "title": "Will it hail?", "possibilities": {"type": "binary"}, "resolution": 0.0,
        "publish_time": "2021-01-01T00:00:00Z", "created_time": "2020-12-24T00:00:00Z",
        "close_time": "2021-02-01T00:00:00Z", "resolve_time": "2021-02-03T00:00:00Z",
        "community_prediction": {"history": [
            {"t": seconds("2021-01-02"), "x1": {"q1": 0.2, "q2": 0.35, "q3": 0.5}},
            {"t": seconds("2021-01-09"), "x1": {"q1": 0.1, "q2": 0.15, "q3": 0.3}},
        ]},
    }  # fmt: skip
    return {**question, **changes}


def test_the_older_metaculus_answers_are_read(write: Writer):
    numeric = old(possibilities={"type": "continuous"}, resolution=3.2)
    read = read_questions(
        write({"results": [old(), old(id=43, resolution=-1), old(id=44, resolution=None), numeric]})
    )
    row = read.frame.row(0, named=True)
    assert (row["id"], row["resolution"]) == ("metaculus-42", 0)
    assert (row["open"], row["resolution_date"]) == (date(2021, 1, 1), date(2021, 2, 3))
    assert series(row) == [("2021-01-02", 0.35), ("2021-01-09", 0.15)]
    assert read.set_aside == {"ambiguous": 1, "unresolved": 1, "not yes-or-no questions": 1}


def test_the_older_time_series_of_metaculus_is_read(write: Writer):
    told = old(prediction_timeseries=[{"t": seconds("2021-01-02"), "community_prediction": 0.8}])
    assert series(read_questions(write({"results": [told]})).frame.row(0, named=True)) == [
        ("2021-01-02", 0.8)
    ]


# ForecastBench


def bench(**changes: Any) -> dict[str, Any]:
    question = {
        "id": "m1", "source": "polymarket", "question": "Will it thaw?", "background": "N/A",
        "resolution_criteria": "As the market.", "market_info_resolution_criteria": "N/A",
        "market_info_open_datetime": "2024-05-01", "market_info_close_datetime": "2024-12-01T00:00:00+00:00",
        "url": "N/A", "freeze_datetime": "2024-07-12T00:00:00+00:00", "freeze_datetime_value": "0.25",
        "freeze_datetime_value_explanation": "The market price.", "source_intro": "", "resolution_dates": "N/A",
        "combination_of": "N/A",
    }  # fmt: skip
    return {**question, **changes}


def resolution(
    id_: Any, day: str, to: Any, source: str = "polymarket", *, resolved: bool = True
) -> dict[str, Any]:
    return {
        "id": id_, "source": source, "direction": None, "resolution_date": day, "resolved_to": to, "resolved": resolved,
    }  # fmt: skip


def read_bench(write: Writer, questions: list[Any], resolutions: list[Any], **how: Any) -> Any:
    path = write({"forecast_due_date": "2024-07-21", "question_set": "q.json", "questions": questions})
    return read_questions(path, resolutions=write({"resolutions": resolutions}, "r.json"), **how)


def test_a_market_question_is_joined_with_its_resolution(write: Writer):
    criteria = bench(market_info_resolution_criteria="If it melts.")
    read = read_bench(write, [criteria], [resolution("m1", "2024-08-02", 1.0)])
    row = read.frame.row(0, named=True)
    assert (row["id"], row["resolution"], row["resolution_date"]) == ("polymarket-m1", 1, date(2024, 8, 2))
    assert (row["open"], row["close"]) == (date(2024, 5, 1), date(2024, 12, 1))
    assert (row["background"], row["url"], row["cluster"]) == ("", "", "")
    assert row["resolution_criteria"] == "As the market.\n\nIf it melts."
    assert series(row) == [("2024-07-12", 0.25)]


def test_a_market_resolves_once_and_its_price_is_no_outcome(write: Writer):
    questions = [bench(), bench(id="m2", question="Two?"), bench(id="m3", question="Three?"), bench(id="m4")]
    rows = [
        resolution("m1", "2024-09-01", 1.0), resolution("m1", "2024-08-02", 1.0),
        resolution("m1", "2024-07-28", 0.8, resolved=False),
        resolution("m2", "2024-08-02", 0.4, resolved=False), resolution("m2", "2024-09-02", 1.0, resolved=False),
        resolution("m3", "2024-08-02", 0.5),
    ]  # fmt: skip
    read = read_bench(write, questions, rows)
    assert read.frame.select("id", "resolution_date").rows() == [("polymarket-m1", date(2024, 8, 2))]
    assert read.set_aside == {
        "later dates of a market that had resolved": 1, "unresolved": 1, "resolved to a share": 1,
        "without a resolution in the resolution set": 1,
    }  # fmt: skip


def test_a_market_that_resolved_both_ways_is_a_fault(write: Writer):
    with pytest.raises(DataError, match="resolved in more than one way"):
        read_bench(
            write, [bench()], [resolution("m1", "2024-08-02", 1.0), resolution("m1", "2024-09-02", 0.0)]
        )


def test_a_series_is_asked_about_on_each_date_with_its_dates_in_the_text(write: Writer):
    asked = bench(
        id="DGS10", source="fred", freeze_datetime_value="4.2", market_info_open_datetime="N/A",
        market_info_close_datetime="N/A", question="Will it be higher on {resolution_date} than on {forecast_due_date}?",
        resolution_dates=["2024-07-28", "2024-08-20", "2024-10-19"],
    )  # fmt: skip
    rows = [
        resolution("DGS10", "2024-07-28", 0.0, "fred"), resolution("DGS10", "2024-08-20", 1.0, "fred"),
        resolution("DGS10", "2024-10-19", None, "fred"), resolution("DGS10", "2024-07-28", 1.0, "wikipedia"),
    ]  # fmt: skip
    read = read_bench(write, [asked], rows)
    assert read.frame["id"].to_list() == ["fred-DGS10-2024-07-28", "fred-DGS10-2024-08-20"]
    assert read.frame["question"][1] == "Will it be higher on 2024-08-20 than on 2024-07-21?"
    assert read.frame["resolution"].to_list() == [0, 1]
    assert read.frame["cluster"].to_list() == ["fred-DGS10"] * 2
    assert read.frame["domain"].to_list() == ["economics_finance"] * 2
    assert read.frame["open"][0] == date(2024, 7, 12)
    assert read.frame["community"].to_list() == [[], []]
    assert read.set_aside == {"unresolved": 1}


def test_combinations_of_questions_are_set_aside(write: Writer):
    pair = bench(id=["m1", "m2"], question="Two questions", freeze_datetime_value="N/A")
    rows = [resolution("m1", "2024-08-02", 0.0), resolution(["m1", "m2"], "2024-08-02", 0.0)]
    read = read_bench(write, [bench(), pair], rows)
    assert len(read) == 1
    assert read.set_aside == {"combinations of questions": 1}


def test_a_resolution_that_is_not_a_number_is_none(write: Writer):
    read = read_bench(write, [bench()], [resolution("m1", "2024-08-02", float("nan"))])
    assert read.set_aside == {"unresolved": 1}


def test_a_question_set_without_its_resolutions_is_refused(write: Writer):
    with pytest.raises(UsageError, match="needs its resolution set"):
        read_questions(write({"questions": [bench()]}))
    with pytest.raises(DataError, match="is no resolution"):
        read_bench(write, [bench()], [{"id": "m1"}])


@pytest.mark.parametrize("lines", [True, False])
def test_questions_joined_with_their_resolutions_are_read(write: Writer, lines: bool):
    joined = [
        {**bench(), "forecast_due_date": "2024-07-21", "resolution_date": "2024-08-02", "resolved_to": 0.0},
        {
            **bench(id="m2"),
            "forecast_due_date": "2024-07-21",
            "resolution_date": "2024-08-02",
            "resolved_to": "0.4",
        },
    ]
    read = read_questions(write(joined, "joined.jsonl" if lines else "joined.json", lines=lines))
    assert read.format == "forecastbench"
    assert read.frame.select("id", "resolution").rows() == [("polymarket-m1", 0)]
    assert read.set_aside == {"resolved to a share": 1}


# Autocast


def cast(**changes: Any) -> dict[str, Any]:
    question = {
        "id": "M4", "question": "Will it clear?", "background": "Clouds &amp; wind", "qtype": "t/f", "status": "Resolved",
        "choices": ["yes", "no"], "answer": "no", "publish_time": "2018-05-01 00:00:00+00:00",
        "close_time": "2018-06-01 12:00:00+00:00", "tags": ["Weather", "Economy"], "source_links": ["http://a"],
        "crowd": [{"date": "2018-05-02", "forecast": 0.2}, {"date": "2018-05-03", "forecast": 0.3}],
    }  # fmt: skip
    return {**question, **changes}


def test_autocast_is_read(write: Writer):
    questions = [
        cast(), cast(id="M5", question="Yes?", answer="yes", crowd=[{"timestamp": "2018-05-04T01:00:00Z", "forecast": 0.7}]),
        cast(id="M6", qtype="mc", answer="C"), cast(id="M7", qtype="num", answer=3.5),
        cast(id="M8", status="Active", answer=None), cast(id="M9", status="Closed", answer="no"),
        cast(id="M10", answer=None),
    ]  # fmt: skip
    read = read_questions(write(questions))
    first, second = read.frame.iter_rows(named=True)
    assert read.format == "autocast"
    assert (first["id"], first["background"], first["resolution"]) == ("autocast-M4", "Clouds & wind", 0)
    assert (first["open"], first["resolution_date"]) == (date(2018, 5, 1), date(2018, 6, 1))
    assert first["domain"] == "economics_finance"
    assert series(first) == [("2018-05-02", 0.2), ("2018-05-03", 0.3)]
    assert series(second) == [("2018-05-04", 0.7)]
    assert read.set_aside == {"not yes-or-no questions": 2, "unresolved": 3}


# Halawi et al.


def sample(**changes: Any) -> dict[str, Any]:
    question = {
        "id": 17, "question": "Will it freeze?", "background": "", "resolution_criteria": "Ice.",
        "date_begin": "2023-06-09", "date_close": "2023-12-30", "date_resolve_at": "2023-10-01", "resolution": 1.0,
        "community_predictions": [["2023-06-09", 0.75], ["2023-06-10", 0.6]], "data_source": "metaculus",
        "gpt_3p5_category": "Environment & Energy", "page_url": "/questions/17/freeze/",
    }  # fmt: skip
    return {**question, **changes}


def test_the_sample_of_halawi_is_read(write: Writer):
    read = read_questions(write([sample()], "q.jsonl", lines=True))
    row = read.frame.row(0, named=True)
    assert read.format == "halawi"
    assert (row["id"], row["resolution"], row["domain"]) == ("metaculus-17", 1, "social")
    assert row["url"] == "https://www.metaculus.com/questions/17/freeze/"
    assert (row["open"], row["close"], row["resolution_date"]) == (
        date(2023, 6, 9), date(2023, 12, 30), date(2023, 10, 1),
    )  # fmt: skip
    assert series(row) == [("2023-06-09", 0.75), ("2023-06-10", 0.6)]


def test_the_published_variant_of_halawi_is_read(write: Writer):
    published = sample(
        url="https://example.org/q", date_begin="2023-06-09T00:00:00+00:00", is_resolved=True, question_type="binary",
        resolution="0.0", community_predictions="[['2023-06-09T04:00:00', 0.75]]",
    )  # fmt: skip
    del published["id"]
    others = [
        sample(id=1, is_resolved=False, resolution="Not resolved."), sample(id=2, resolution=0.3),
        sample(id=3, question_type="multiple_choice", resolution="B"), sample(id=4, resolution="Trump"),
    ]  # fmt: skip
    read = read_questions(write([published, *others], "q.jsonl", lines=True))
    row = read.frame.row(0, named=True)
    assert (row["id"], row["resolution"]) == ("metaculus-https://example.org/q", 0)
    assert series(row) == [("2023-06-09", 0.75)]
    assert read.set_aside == {"unresolved": 1, "resolved to a share": 1, "not yes-or-no questions": 2}


@pytest.mark.parametrize("told", ["__import__('os').getcwd()", "[['2023-06-09']]", 5, [0.4], "[" * 9000])
def test_a_series_that_is_none_is_a_fault(write: Writer, told: Any):
    with pytest.raises(DataError, match="community_predictions: is no list"):
        read_questions(write([sample(community_predictions=told)], "q.jsonl", lines=True))


# Any


HOSTILE = [None, [], {}, "x", 5, [[]], [{}], True, {"history": 3}, {"type": []}]


@pytest.mark.parametrize("made", [post()["question"], old(), bench(), cast(), sample()])
def test_a_field_of_any_other_type_is_set_aside_or_a_fault(write: Writer, made: dict[str, Any]):
    """Nothing that an importer is given ends in anything but questions, counts and faults."""
    extra = {"resolved_to": 1.0, "resolution_date": "2024-08-02"} if "freeze_datetime" in made else {}
    for field in made:
        for value in HOSTILE:
            changed = {**made, **extra, field: value}
            whole = {"id": 7, "question": changed, "projects": value} if "aggregations" in made else changed
            keeper = (
                {"id": 1, "question": made, "projects": {}} if "aggregations" in made else {**made, **extra}
            )
            read = read_questions(write([keeper, whole], "q.jsonl", lines=True), skip_invalid=True)
            assert len(read) <= 2


def test_texts_lose_their_markup_and_keep_their_signs(write: Writer):
    told = (
        "<p>If x <y and z> 3 &amp; <a href='javascript:alert(1)'>so</a></p><script>alert(2)</script><br/>End"
    )
    row = read_questions(write([cast(question=told, background="a &lt; b")])).frame.row(0, named=True)
    assert "alert" not in row["question"]
    assert row["question"].endswith("End")
    assert row["background"] == "a < b"


def test_the_format_may_be_named_and_must_be_known(write: Writer):
    assert len(read_questions(write([cast()]), format="autocast")) == 1
    with pytest.raises(UsageError, match="no format 'gjopen'"):
        read_questions(write([cast()]), format="gjopen")


def test_a_domain_may_be_set_and_must_be_one_of_the_six(write: Writer):
    assert read_questions(write([cast()]), domain="technology").frame["domain"].to_list() == ["technology"]
    with pytest.raises(UsageError, match="no domain 'weather'"):
        read_questions(write([cast()]), domain="weather")
