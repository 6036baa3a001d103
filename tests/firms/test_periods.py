"""Fiscal periods: ends and assumed dates, by hand."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuter.firms.fiscal_years import year_ends
from neuter.firms.periods import (
    assumed_date,
    assumed_dates,
    calendar_quarter,
    day_of,
    days_of,
    period_end,
    period_ends,
)


@pytest.mark.parametrize(
    ("year", "quarter", "month", "end"),
    [
        (2021, 1, 12, date(2021, 3, 31)),
        (2021, 4, 12, date(2021, 12, 31)),
        (2021, None, 12, date(2021, 12, 31)),
        (2022, 1, 9, date(2021, 12, 31)),  # Apple's first fiscal quarter of 2022
        (2022, 4, 9, date(2022, 9, 30)),
        (2021, 4, 6, date(2021, 6, 30)),  # Microsoft
        (2024, 4, 2, date(2024, 2, 29)),
        (2022, 1, 1, date(2021, 4, 30)),
    ],
)
def test_period_ends(year: int, quarter: int | None, month: int, end: date) -> None:
    assert period_end(year, quarter, month) == end


def test_the_assumed_date_is_thirty_days_after_the_period() -> None:
    assert assumed_date(2021, 4) == date(2022, 1, 30)
    assert assumed_date(2021) == date(2022, 1, 30)
    assert assumed_date(None, 3) is None
    assert assumed_date(2021, 7) is None


def test_a_date_that_is_given_stands() -> None:
    assert day_of(date(2020, 5, 1), 2021, 4) == date(2020, 5, 1)
    assert day_of(None, 2021, 1) == date(2021, 4, 30)
    assert day_of(None, None, None) is None


def test_there_is_no_fifth_quarter() -> None:
    with pytest.raises(ValueError, match="no such period"):
        period_end(2021, 5)


def test_calendar_quarters() -> None:
    assert calendar_quarter(date(2021, 3, 31)) == (2021, 1)
    assert calendar_quarter(date(2021, 4, 1)) == (2021, 2)


def test_a_year_named_by_its_beginning_ends_in_the_next() -> None:
    # Target's fiscal 2021 ran from 2021-01-31 to 2022-01-29; its first quarter ended on 2021-05-01.
    assert period_end(2021, 4, 1, named_by_start=True) == date(2022, 1, 31)
    assert period_end(2021, 1, 1, named_by_start=True) == date(2021, 4, 30)
    assert period_end(2021, 4, 12, named_by_start=True) == date(2021, 12, 31)
    assert assumed_date(2021, 4, 1, named_by_start=True) == date(2022, 3, 2)


def test_an_assumed_date_of_an_impossible_period_is_none() -> None:
    assert assumed_date(2021, 1, 13) is None
    assert assumed_date(2021, 0) is None
    assert assumed_date(0, 1) is None
    assert assumed_date(20_000, 1) is None
    assert assumed_date(9999, 4) is None  # its day would lie in the year 10000
    assert assumed_date(9998, 4, 11, named_by_start=True) == date(9999, 12, 30)


def one_period(year: int | None, quarter: int | None, month: int | None, start: bool | None) -> date | None:
    """The scalar's answer, None where it raises or is not asked."""
    if year is None or not 1 < year <= 9998 or month is None:
        return None
    try:
        return period_end(year, quarter, month, named_by_start=bool(start))
    except ValueError:
        return None


years = st.one_of(st.none(), st.integers(-5, 20_000), st.integers(1995, 2030))
quarters = st.one_of(st.none(), st.integers(-1, 6))
months = st.one_of(st.none(), st.integers(-1, 14))
days = st.one_of(st.none(), st.dates(date(1990, 1, 1), date(2030, 12, 31)))
row = st.tuples(years, quarters, months, st.one_of(st.none(), st.booleans()), days, st.booleans())
SCHEMA = {
    "fiscal_year": pl.Int64,
    "fiscal_quarter": pl.Int64,
    "fiscal_year_end": pl.Int64,
    "start": pl.Boolean,
    "date": pl.Date,
    "date_assumed": pl.Boolean,
}


@given(st.lists(row, max_size=30))
def test_columns_give_what_single_periods_give(rows: list[tuple]) -> None:
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    year, quarter, month, start = frame.get_columns()[:4]
    assert period_ends(year, quarter, month, start).to_list() == [one_period(*r[:4]) for r in rows]
    assert period_ends(year, quarter, month).to_list() == [one_period(*r[:3], False) for r in rows]
    assert assumed_dates(year, quarter, month, start).to_list() == [
        None if r[2] is None else assumed_date(r[0], r[1], r[2], named_by_start=bool(r[3])) for r in rows
    ]
    on, assumed = days_of(frame)
    assert on.to_list() == [day_of(r[4], r[0], r[1], r[2]) for r in rows]
    assert assumed.to_list() == [
        r[5] or (r[4] is None and day_of(None, r[0], r[1], r[2]) is not None) for r in rows
    ]


def test_columns_of_years_named_by_their_beginning() -> None:
    months, yes = pl.Series([12, 1]), pl.Series([True, True])
    ends = period_ends(pl.Series([2021, 2021]), pl.Series([4, 4]), months, yes)
    assert ends.to_list() == [date(2021, 12, 31), date(2022, 1, 31)]


def test_days_of_a_frame_without_those_columns_are_unknown() -> None:
    on, assumed = days_of(pl.DataFrame({"id": ["a", "b"]}))
    assert on.to_list() == [None, None]
    assert assumed.to_list() == [False, False]


def test_a_quarter_that_is_no_number_is_not_a_whole_year() -> None:
    ends = period_ends(pl.Series([2021, 2021]), pl.Series(["Q1", "1"]), pl.Series([12, 12]))
    assert ends.to_list() == [None, date(2021, 3, 31)]


def test_days_by_listed_year_ends() -> None:
    frame = pl.DataFrame(
        {"ticker": ["AAPL", "TGT", "QZXW"], "fiscal_year": [2022, 2021, 2021], "fiscal_quarter": [1, 4, 4]}
    )
    on, assumed = days_of(frame, year_ends(frame))
    assert on.to_list() == [date(2022, 1, 30), date(2022, 3, 2), date(2022, 1, 30)]
    assert assumed.to_list() == [True] * 3
