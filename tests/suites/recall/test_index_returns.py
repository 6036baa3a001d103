"""Monthly returns, directions and pairs that follow from daily closes."""

from datetime import date

import polars as pl
import pytest

from neuter.data.series import DataSeries
from neuter.suites.recall.returns import (
    daily_directions,
    monthly_directions,
    monthly_pairs,
    monthly_returns,
    yearly_pairs,
)


def closes(*pairs, name="sp500"):
    points = pl.DataFrame(
        {"date": [date.fromisoformat(day) for day, _ in pairs], "close": [float(value) for _, value in pairs]}
    ).with_columns(pl.lit(2, pl.Int8).alias("digits"), pl.lit("here").alias("source"))
    return DataSeries(name, "daily", ("close",), points)


#: The S&P 500 at the ends of months: 1468.36, 1378.55, 1330.63 (2007-12-31, 2008-01-31, 2008-02-29).
SP = closes(
    ("2007-12-28", 1478.49),
    ("2007-12-31", 1468.36),
    ("2008-01-31", 1378.55),
    ("2008-02-29", 1330.63),
)


def test_a_return_is_from_month_end_to_month_end_in_percent():
    points = monthly_returns(SP)
    assert points["date"].to_list() == [date(2008, 1, 1), date(2008, 2, 1)]
    assert points["truth"].to_list() == pytest.approx([-6.1164, -3.4761], abs=1e-4)
    assert points["previous"].to_list() == [None, pytest.approx(-6.1164, abs=1e-4)]


def test_a_context_of_a_return_tells_the_closes_before():
    row = monthly_returns(SP).row(1, named=True)
    assert (row["date_1"], row["value_1"]) == (date(2008, 1, 31), 1378.55)
    assert (row["date_2"], row["value_2"]) == (date(2007, 12, 31), 1468.36)


def test_a_month_that_has_not_ended_has_no_return():
    points = monthly_returns(
        closes(("2008-01-31", 1378.55), ("2008-02-29", 1330.63), ("2008-03-14", 1288.14))
    )
    assert points["date"].to_list() == [date(2008, 2, 1)]


def test_a_month_ends_with_its_last_trading_day():
    """2008-03-28 was a Friday, and the Monday after it was the last of the month."""
    assert monthly_returns(closes(("2008-02-29", 1330.63), ("2008-03-28", 1315.22))).is_empty()
    assert monthly_returns(closes(("2008-02-29", 1330.63), ("2008-03-31", 1322.7))).height == 1


def test_a_month_without_data_breaks_the_chain():
    points = monthly_returns(closes(("2008-01-31", 100), ("2008-03-31", 110), ("2008-04-30", 121)))
    assert points["date"].to_list() == [date(2008, 4, 1)]
    assert points["truth"].to_list() == pytest.approx([10.0])


def test_directions_are_words_and_no_change_is_left_out():
    flat = closes(("2008-01-31", 100), ("2008-02-29", 110), ("2008-03-31", 110), ("2008-04-30", 99))
    points = monthly_directions(flat)
    assert points["date"].to_list() == [date(2008, 2, 1), date(2008, 4, 1)]
    assert points["truth_word"].to_list() == ["up", "down"]
    days = daily_directions(closes(("2008-01-30", 100), ("2008-01-31", 101), ("2008-02-01", 101)))
    assert days["truth_word"].to_list() == ["up"]


def test_a_pair_is_of_whole_years_dated_at_their_end():
    one = closes(("2006-12-29", 100), ("2007-12-31", 110), ("2008-12-31", 60), ("2009-06-30", 70))
    other = closes(("2006-12-29", 50), ("2007-12-31", 54), ("2008-12-31", 33), ("2009-06-30", 30))
    points = yearly_pairs(one, other, ("S&P 500", "DJIA"))
    assert points["date"].to_list() == [date(2007, 12, 31), date(2008, 12, 31)]
    assert points["truth_word"].to_list() == ["S&P 500", "DJIA"]


def test_a_pair_of_months_is_dated_at_its_first_day():
    other = closes(("2007-12-31", 100), ("2008-01-31", 99), ("2008-02-29", 90))
    points = monthly_pairs(SP, other, ("S&P 500", "DJIA"))
    assert points["date"].to_list() == [date(2008, 1, 1), date(2008, 2, 1)]
    # -6.1% against -1%, then -3.5% against -9.1%.
    assert points["truth_word"].to_list() == ["DJIA", "S&P 500"]
