"""Dates in answers: every form that models give, and the month first where two numbers leave it open."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuter.models.answers.dates import date_of, dates_in

MARCH_14 = date(2023, 3, 14)


@pytest.mark.parametrize(
    "value",
    [
        "03/14/2023", "3/14/2023", "03-14-2023", "3.14.2023", "03/14/23", "14/03/2023", "14.03.2023", "14.3.23",
        "2023-03-14", "2023/3/14", "2023.03.14", "2023-03-14T00:00:00Z", "March 14, 2023", "Mar 14 2023",
        "Mar. 14th, 2023", "march 14 2023", "14 March 2023", "14th of March, 2023", "14-Mar-2023", "the 14th March 2023",
        "on Tuesday, March 14, 2023, or so", "[03/14/2023]", "about 03/14/2023 (not 03/15/2023)",
    ],
)  # fmt: skip
def test_every_form_is_the_same_day(value):
    assert date_of(value) == MARCH_14


def test_two_numbers_that_may_both_be_the_month_follow_the_prompt():
    assert date_of("03/04/2023") == date(2023, 3, 4)
    assert date_of("13/04/2023") == date(2023, 4, 13)


@pytest.mark.parametrize(
    "value",
    ["", "03/2023", "March 2023", "2023", "02/30/2023", "13/13/2023", "00/10/2023", "mm/dd/yyyy", "03/14/1723",
     "03/14/2223", "1.2.3.2023", "03/14", "$3.14/2023", "January 32, 2023", "version 1.2.23.4"],
)  # fmt: skip
def test_what_is_no_day_is_none(value):
    assert date_of(value) is None


def test_two_digits_of_a_year_are_of_1950_to_2049():
    assert date_of("1/2/49") == date(2049, 1, 2)
    assert date_of("1/2/50") == date(1950, 1, 2)


def test_every_date_of_a_text_is_found_in_its_order():
    text = "5 March 2023, then 03/04/2023, 2023-13-01 and 2022-01-31."
    found = [(text[start:end], day) for start, end, day in dates_in(text)]
    assert found == [
        ("5 March 2023", date(2023, 3, 5)),
        ("03/04/2023", date(2023, 3, 4)),
        ("2022-01-31", date(2022, 1, 31)),
    ]


@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)))
def test_the_prompts_own_form_comes_back(day):
    assert date_of(f"{day:%m/%d/%Y}") == day
    assert date_of(f"Date: {day.isoformat()}.") == day


@given(st.text(max_size=60))
def test_no_text_breaks_it(text):
    assert date_of(text) is None or isinstance(date_of(text), date)
