"""What goes before a date: the period before it and not an earlier one; splits are no falls in price."""

from datetime import date

import polars as pl
import pytest

from neuter.data.series import DataSeries
from neuter.errors import UsageError
from neuter.suites.recall.points import points_of, readings_of


def series(frequency, dates, readings=("close",), digits=2, **columns):
    height = len(dates)
    points = pl.DataFrame(
        {
            "date": dates,
            **columns,
            "digits": pl.Series([digits] * height, dtype=pl.Int8),
            "source": ["here"] * height,
        }
    )
    return DataSeries("x", frequency, readings, points)


def months(*numbers):
    return [date(2000 + (n - 1) // 12, (n - 1) % 12 + 1, 1) for n in numbers]


def test_the_previous_period_is_the_one_before():
    points = points_of(series("monthly", months(1, 2, 3), close=[10.0, 11.0, 12.0]))
    assert points["previous"].to_list() == [None, 10.0, 11.0]
    assert points["value_2"].to_list() == [None, None, 10.0]
    assert points["date_1"].to_list() == [None, date(2000, 1, 1), date(2000, 2, 1)]


def test_over_a_gap_there_is_no_previous_value():
    points = points_of(series("monthly", months(1, 3, 4), close=[10.0, 12.0, 13.0]))
    assert points["previous"].to_list() == [None, None, 12.0]
    # Two periods back is still known.
    assert points["value_2"].to_list() == [None, 10.0, None]


def test_a_missing_value_is_no_point_and_no_previous_value():
    points = points_of(series("monthly", months(1, 2, 3), close=[10.0, None, 12.0]))
    assert points["date"].to_list() == months(1, 3)
    assert points["previous"].to_list() == [None, None]


def test_month_ends_are_months_whatever_their_day():
    ends = [date(2000, 1, 31), date(2000, 2, 29), date(2000, 3, 31)]
    assert points_of(series("monthly", ends, close=[1.0, 2.0, 3.0]))["previous"].to_list() == [None, 1.0, 2.0]


def test_the_previous_day_is_the_trading_day_before_over_weekends():
    days = [date(2008, 12, 26), date(2008, 12, 29), date(2008, 12, 31)]
    assert points_of(series("daily", days, close=[1.0, 2.0, 3.0]))["previous"].to_list() == [None, 1.0, 2.0]


def test_quarters_follow_each_other_over_the_year():
    quarters = [date(2007, 10, 1), date(2008, 1, 1), date(2008, 7, 1)]
    assert points_of(series("quarterly", quarters, close=[1.0, 2.0, 3.0]))["previous"].to_list() == [
        None,
        1.0,
        None,
    ]


def test_the_same_period_last_year():
    points = points_of(series("monthly", months(1, 2, 13, 14, 15), close=[1.0, 2.0, 3.0, 4.0, 5.0]))
    assert points["year_ago"].to_list() == [None, None, 1.0, 2.0, None]


def test_a_year_ago_that_was_no_trading_day_is_the_last_one_before():
    days = [date(2018, 3, 29), date(2018, 4, 2), date(2019, 4, 1)]
    assert points_of(series("daily", days, close=[1.0, 2.0, 3.0]))["year_ago"].to_list() == [None, None, 1.0]


def test_a_year_without_any_day_near_has_no_year_ago():
    days = [date(2018, 3, 1), date(2019, 4, 1)]
    assert points_of(series("daily", days, close=[1.0, 3.0]))["year_ago"].to_list() == [None, None]


def test_a_split_is_no_fall_in_price():
    """AAPL, 4 for 1 on 2020-08-31: 425.04 at the end of July is 106.26 in the shares of August."""
    ends = [date(2020, 7, 31), date(2020, 8, 31)]
    split = series(
        "monthly",
        ends,
        ("traded", "split_adjusted"),
        traded=[425.04, 129.04],
        split_adjusted=[106.26, 129.04],
    )
    points = points_of(split)
    assert points["previous"].to_list() == [None, pytest.approx(106.26)]
    # A context tells the close as it was traded then.
    assert points["value_1"].to_list() == [None, 425.04]
    assert points["previous_other"].to_list() == [None, 106.26]


def test_the_other_reading_can_be_the_truth_and_then_has_no_digits():
    both = series("monthly", months(1, 2), ("first", "latest"), digits=1, first=[1.0, 2.0], latest=[1.5, 2.5])
    assert points_of(both)["truth"].to_list() == [1.0, 2.0]
    assert points_of(both)["digits"].to_list() == [1, 1]
    latest = points_of(both, "latest")
    assert latest["truth"].to_list() == [1.5, 2.5]
    assert latest["other"].to_list() == [1.0, 2.0]
    assert latest["digits"].to_list() == [None, None]


def test_a_reading_that_a_series_lacks_is_refused_by_name():
    with pytest.raises(UsageError, match=r"no reading 'traded'.*close"):
        readings_of(series("monthly", months(1), close=[1.0]), "traded")
