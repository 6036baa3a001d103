"""The exchange's calendar: special closings, neighbours, month ends, and the days of the shipped closes."""

from datetime import date, timedelta

import pytest

from neuter.data.calendar import (
    FIRST_DAY,
    LAST_DAY,
    is_trading_day,
    month_ends,
    next_trading_day,
    previous_trading_day,
    trading_days,
)
from neuter.data.shipped_series import shipped_series
from neuter.errors import DataError

#: Days on which the exchange was shut although they were no usual holidays (its own list of special closings).
SPECIAL = [
    date(1985, 9, 27),  # hurricane Gloria
    date(1994, 4, 27),  # funeral of Nixon
    *(date(2001, 9, day) for day in (11, 12, 13, 14)),
    date(2004, 6, 11),  # funeral of Reagan
    date(2007, 1, 2),  # funeral of Ford
    date(2012, 10, 29),  # hurricane Sandy
    date(2012, 10, 30),
    date(2018, 12, 5),  # funeral of Bush
    date(2025, 1, 9),  # funeral of Carter
]


@pytest.mark.parametrize("day", SPECIAL, ids=str)
def test_special_closings_are_no_trading_days(day):
    assert day.weekday() < 5
    assert not is_trading_day(day)


@pytest.mark.parametrize(
    "day",
    [date(2024, 3, 29), date(2022, 6, 20), date(2021, 12, 24), date(1998, 1, 19), date(2030, 7, 4)],
    ids=str,
)
def test_usual_holidays_are_no_trading_days(day):
    # Good Friday, Juneteenth observed, Christmas observed, the first Martin Luther King day, a day to come.
    assert not is_trading_day(day)


@pytest.mark.parametrize(
    "day",
    [date(2021, 6, 18), date(1997, 1, 20), date(2010, 12, 31), date(2023, 11, 24), date(2001, 9, 10)],
    ids=str,
)
def test_days_that_only_look_like_holidays_are_trading_days(day):
    # Before Juneteenth and Martin Luther King day were kept, a New Year's Eve, an early closing, a usual Monday.
    assert is_trading_day(day)


def test_neighbours_pass_weekends_and_closings():
    assert next_trading_day(date(2001, 9, 10)) == date(2001, 9, 17)
    assert previous_trading_day(date(2001, 9, 17)) == date(2001, 9, 10)
    assert next_trading_day(date(2024, 3, 28)) == date(2024, 4, 1)
    # From a day without trading, too.
    assert next_trading_day(date(2024, 3, 30)) == date(2024, 4, 1)
    assert previous_trading_day(date(2024, 3, 30)) == date(2024, 3, 28)


def test_month_ends_are_last_trading_days_of_whole_months():
    assert month_ends(date(1990, 1, 1), date(1990, 3, 29)) == [date(1990, 1, 31), date(1990, 2, 28)]
    assert month_ends(date(2024, 3, 1), date(2024, 3, 31)) == [date(2024, 3, 28)]
    assert len(month_ends(date(1990, 1, 1), date(2025, 2, 28))) == 422


def test_bounds_are_included_and_an_empty_span_is_empty():
    assert trading_days(date(2024, 1, 2), date(2024, 1, 3)) == [date(2024, 1, 2), date(2024, 1, 3)]
    assert trading_days(date(2024, 1, 6), date(2024, 1, 7)) == []
    assert trading_days(date(2024, 2, 1), date(2024, 1, 1)) == []


@pytest.mark.parametrize("ask", [next_trading_day, previous_trading_day, is_trading_day])
@pytest.mark.parametrize("day", [FIRST_DAY - timedelta(days=1), LAST_DAY + timedelta(days=1)], ids=str)
def test_days_beyond_the_calendar_are_refused(ask, day):
    with pytest.raises(DataError, match=r"1985-01-01 to 2030-12-31"):
        ask(day)


def test_the_first_and_last_day_have_no_neighbour_beyond():
    with pytest.raises(DataError, match="no trading day is known beyond"):
        next_trading_day(LAST_DAY)
    with pytest.raises(DataError, match="no trading day is known beyond"):
        previous_trading_day(date(1985, 1, 2))


@pytest.mark.parametrize("name", ["sp500", "djia", "nasdaq"])
def test_the_calendar_is_the_days_on_which_the_indices_closed(name):
    days = shipped_series(name).points["date"].to_list()
    assert trading_days(days[0], days[-1]) == days


@pytest.mark.slow
def test_the_calendar_agrees_with_another_library():
    other = pytest.importorskip("exchange_calendars").get_calendar("XNYS", start=FIRST_DAY, end=LAST_DAY)
    assert [session.date() for session in other.sessions] == trading_days(FIRST_DAY, LAST_DAY)
