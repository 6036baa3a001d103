"""A rate of zero is 0.0 in the files that ship: -0.0 would be printed in answers and hashes."""

from __future__ import annotations

from datetime import date
from math import copysign

import pytest

from neuter.data.shipped_series import SERIES, shipped_series


@pytest.mark.parametrize("name", SERIES)
def test_no_value_that_ships_is_a_zero_below_zero(name):
    series = shipped_series(name)
    for reading in series.readings:
        zeros = series.values(reading).filter(value=0)["value"].to_list()
        assert all(copysign(1, zero) == 1 for zero in zeros)


def test_the_small_falls_of_2015_are_rates_of_zero():
    # CPI-U, not adjusted: 234.722 in February 2015 after 234.781, 237.805 in May after 237.900, 237.945 in September
    # after 238.031 (BLS): falls of less than 0.05 percent.
    rates = dict(shipped_series("inflation").values().rows())
    assert [rates[date(2015, month, 1)] for month in (2, 5, 9)] == [0.0, 0.0, 0.0]
