"""The statistics of Table A1, by hand."""

from datetime import date
from math import sqrt

import numpy as np
import polars as pl
import pytest

from neuter.scoring.recall.summary_statistics import (
    changes,
    mean,
    mean_absolute_error,
    mean_absolute_percent_error,
    mean_error,
    mean_percent_error,
    share_above,
    share_rising,
    simple_returns,
    standard_deviation,
)

NOTHING = np.array([], dtype=np.float64)


def months(*values: tuple[int, int, float]) -> pl.DataFrame:
    rows = [(date(year, month, 1), value) for year, month, value in values]
    return pl.DataFrame(rows, schema={"date": pl.Date, "value": pl.Float64}, orient="row")


def test_a_return_is_simple_and_in_percent():
    found = simple_returns(months((2020, 11, 100.0), (2020, 12, 110.0), (2021, 1, 99.0)), "monthly")
    assert found["date"].to_list() == [date(2020, 12, 1), date(2021, 1, 1)]
    assert found["value"].to_list() == pytest.approx([10.0, -10.0])


def test_a_period_after_a_gap_has_no_return_and_no_change():
    told = months((2025, 8, 1.0), (2025, 9, 2.0), (2025, 11, 8.0), (2025, 12, 4.0))
    assert simple_returns(told, "monthly")["date"].to_list() == [date(2025, 9, 1), date(2025, 12, 1)]
    assert changes(told, "monthly")["value"].to_list() == [1.0, -4.0]


def test_the_same_month_a_year_later_is_no_neighbour():
    assert changes(months((2020, 5, 1.0), (2021, 5, 2.0)), "monthly").height == 0


def test_quarters_are_neighbours_three_months_apart():
    told = months((1995, 7, 4.0), (1996, 1, 2.0), (1996, 4, 5.0))
    assert changes(told, "quarterly").rows() == [(date(1996, 4, 1), 3.0)]


def test_month_ends_are_neighbours_whatever_their_day():
    rows = [(date(2024, 2, 29), 2.0), (date(2024, 3, 28), 3.0), (date(2024, 4, 30), 3.0)]
    told = pl.DataFrame(rows, schema={"date": pl.Date, "value": pl.Float64}, orient="row")
    assert changes(told, "monthly")["value"].to_list() == [1.0, 0.0]


def test_days_are_neighbours_over_a_weekend():
    rows = [(date(2024, 3, 28), 4.0), (date(2024, 4, 1), 5.0)]
    told = pl.DataFrame(rows, schema={"date": pl.Date, "value": pl.Float64}, orient="row")
    assert simple_returns(told, "daily").rows() == [(date(2024, 4, 1), 25.0)]


def test_order_does_not_matter_and_a_value_of_zero_starts_no_return():
    told = months((2020, 3, 6.0), (2020, 1, 0.0), (2020, 2, 3.0))
    assert simple_returns(told, "monthly").rows() == [(date(2020, 3, 1), 100.0)]


def test_the_deviation_is_the_samples():
    found = standard_deviation(np.array([2.0, 4.0, 9.0]))
    assert found.value == pytest.approx(sqrt((9 + 1 + 16) / 2))
    assert found.n == 3


def test_a_value_at_the_threshold_is_not_above_it():
    assert share_above(np.array([4.0, 4.1, 3.9]), 4.0).value == pytest.approx(100 / 3)


def test_no_change_is_no_rise_but_counts():
    found = share_rising(np.array([1.0, 0.0, 0.0, -1.0, 2.0]))
    assert (found.value, found.n) == (40.0, 5)


def test_errors_of_the_average():
    values = np.array([1.0, 2.0, 6.0])  # the average is 3: errors 2, 1, -3
    assert mean(values).value == 3.0
    assert mean_error(values).value == pytest.approx(0.0)
    assert mean_absolute_error(values).value == 2.0
    # 2/1 + 1/2 - 3/6 = 2, and with absolute values 3
    assert mean_percent_error(values).value == pytest.approx(100 * 2 / 3)
    assert mean_absolute_percent_error(values).value == pytest.approx(100 * 3 / 3)


def test_an_actual_of_zero_has_no_percent_error_but_is_in_the_average():
    found = mean_percent_error(np.array([0.0, 1.0, 5.0]))  # the average is 2: errors 1/1 and -3/5
    assert (found.value, found.n) == (pytest.approx(100 * (1 - 0.6) / 2), 2)
    assert mean_absolute_percent_error(np.array([0.0, 1.0, 5.0])).value == pytest.approx(100 * 1.6 / 2)


def test_a_negative_actual_turns_the_sign():
    # (average 1 - (-1)) / -1 = -2; (1 - 3) / 3 = -2/3
    assert mean_percent_error(np.array([-1.0, 3.0])).value == pytest.approx(100 * (-2 - 2 / 3) / 2)


@pytest.mark.parametrize(
    "statistic",
    [mean, standard_deviation, share_rising, mean_error, mean_absolute_error, mean_percent_error],
)
def test_of_nothing_there_is_no_figure(statistic):
    assert (statistic(NOTHING).value, statistic(NOTHING).n) == (None, 0)


def test_of_one_value_there_is_no_deviation_and_of_zeros_no_percent_error():
    assert standard_deviation(np.array([1.0])).value is None
    assert mean_percent_error(np.array([0.0, 0.0])).value is None
