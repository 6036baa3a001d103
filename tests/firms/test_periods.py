"""Fiscal periods: ends and assumed dates, by hand."""

from __future__ import annotations

from datetime import date

import pytest

from neuter.firms.periods import assumed_date, calendar_quarter, day_of, period_end


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
