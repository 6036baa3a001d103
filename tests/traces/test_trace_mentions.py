"""Dates, months, quarters and years found in a text, in every usual wording, and what only looks like one."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuter.traces.mentions import mentions_in

DAY = date(2023, 7, 14)


def found(text: str) -> list[tuple[str, str, str, str]]:
    return [(text[m.start : m.end], m.kind, str(m.first), str(m.last)) for m in mentions_in(text)]


@pytest.mark.parametrize(
    "said", ["2023-07-14", "July 14th 2023", "14 July 2023", "7/14/2023", "Jul. 14, 2023", "14.7.2023"]
)
def test_a_day_is_found_in_every_wording(said: str) -> None:
    assert found(f"On {said} it was so.") == [(said, "date", str(DAY), str(DAY))]


@pytest.mark.parametrize(
    ("said", "kind", "first", "last"),
    [
        ("Jul 2023", "month", "2023-07-01", "2023-07-31"),
        ("February, 2024", "month", "2024-02-01", "2024-02-29"),
        ("2023-07", "month", "2023-07-01", "2023-07-31"),
        ("07/2023", "month", "2023-07-01", "2023-07-31"),
        ("Jul '23", "month", "2023-07-01", "2023-07-31"),
        ("Q3 2023", "quarter", "2023-07-01", "2023-09-30"),
        ("3Q23", "quarter", "2023-07-01", "2023-09-30"),
        ("2024Q1", "quarter", "2024-01-01", "2024-03-31"),
        ("the fourth quarter of 2023", "quarter", "2023-10-01", "2023-12-31"),
        ("Q1 FY2024", "quarter", "2023-10-01", "2023-12-31"),
        ("H1 2024", "quarter", "2024-01-01", "2024-06-30"),
        ("second half of 2023", "quarter", "2023-07-01", "2023-12-31"),
        ("mid-2023", "quarter", "2023-05-01", "2023-08-31"),
        ("early 2024", "quarter", "2024-01-01", "2024-04-30"),
        ("end of 2023", "quarter", "2023-11-01", "2023-12-31"),
        ("summer of 2023", "quarter", "2023-06-01", "2023-09-30"),
        ("FY2024", "year", "2023-10-01", "2024-12-31"),
        ("fiscal year 2024", "year", "2023-10-01", "2024-12-31"),
        ("FY24", "year", "2023-10-01", "2024-12-31"),
        ("2023–24", "year", "2023-01-01", "2024-12-31"),
        ("2023-2024", "year", "2023-01-01", "2024-12-31"),
        ("2024", "year", "2024-01-01", "2024-12-31"),
    ],
)
def test_a_period_has_the_days_that_it_can_mean(said: str, kind: str, first: str, last: str) -> None:
    core = said.removeprefix("the ")
    assert found(f"So it was in {said}, they say.") == [(core, kind, first, last)]


@pytest.mark.parametrize(
    "text",
    ["2024 units", "$2024", "€ 2023", "no. 2024", "item 2023", "more than 2024", "closed at 2024", "2,024", "2024.5", "12024",
     "v2024", "2024x", "#2023", "20231", "last year", "in March", "Q3", "3M23", "2024 basis points", "2024%"],
)  # fmt: skip
def test_a_number_that_is_no_year_is_left_out(text: str) -> None:
    assert found(f"They had {text} there.") == []


@pytest.mark.parametrize(
    "text", ["(2023)", "2023's", "pre-2023", "2023.", "2023,", '"2023"', "Reuters, 2023"]
)
def test_marks_around_a_year_leave_it_one(text: str) -> None:
    assert [one[1] for one in found(f"As they say {text} so")] == ["year"]


def test_of_two_that_overlap_the_more_exact_is_kept() -> None:
    assert [one[0] for one in found("2023-07-14 and 14 July 2023; FY2023 Q2")] == [
        "2023-07-14",
        "14 July 2023",
        "FY2023",
    ]


def test_a_day_far_from_others_is_found_at_its_own_place() -> None:
    text = "x" * 500 + " 3 May 2023 " + "y" * 500 + " 4 May 2023"
    assert [text[m.start : m.end] for m in mentions_in(text)] == ["3 May 2023", "4 May 2023"]


@given(st.text(alphabet="0123456789 -/.'QHFYmay,2023–", max_size=80))
def test_any_text_is_read_and_nothing_overlaps(text: str) -> None:
    every = mentions_in(text)
    assert all(0 <= m.start < m.end <= len(text) and m.first <= m.last for m in every)
    assert all(one.end <= other.start for one, other in pairwise(every))
