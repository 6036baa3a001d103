"""Ends of periods: a month without its last trading day has no return, and ``--until`` a month takes all of it."""

from datetime import date

import polars as pl
import pytest

from neuter.data.series import DataSeries
from neuter.suites.recall.returns import monthly_returns
from neuter.suites.recall.stocks import Stocks
from neuter.suites.suite import Setting


def test_the_day_before_is_not_taken_for_a_missing_month_end():
    """The close of 2008-03-31 is missing: March has no return, and so has April."""
    days = ["2008-01-31", "2008-02-29", "2008-03-28", "2008-04-30", "2008-05-30"]
    points = pl.DataFrame(
        {
            "date": [date.fromisoformat(day) for day in days],
            "close": [1378.55, 1330.63, 1315.22, 1385.59, 1400.38],
        }
    ).with_columns(pl.lit(2, pl.Int8).alias("digits"), pl.lit("here").alias("source"))
    made = monthly_returns(DataSeries("sp500", "daily", ("close",), points))
    assert made["date"].to_list() == [date(2008, 2, 1), date(2008, 5, 1)]
    assert made["truth"].to_list() == pytest.approx([-3.4761, 1.0674], abs=1e-4)


def test_until_a_month_is_until_its_end():
    asked = Stocks(series=["AAPL"], since="2023-10", until="2023-10", context=["none"])
    made = asked.questions(Setting(models=("simulated/cutoff=2023-10",)))
    assert made["date"].to_list() == [date(2023, 10, 31)]
