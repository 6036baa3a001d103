"""Splits as data: which shares are meant, on the day itself and around it."""

from __future__ import annotations

import csv
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.data.splits import Split, split_factor, split_factors, splits_of, traded_of
from neuter.errors import DataError
from neuter.shipped import VARIABLE, shipped_path


# 2 * 2 * 7 * 4 for Apple since 2000; 2 * 2 * 2 * 1.5 * 4 * 10 for NVIDIA; 2 * 3 * 2 * 20 for Amazon.
@pytest.mark.parametrize(
    ("ticker", "day", "factor"),
    [
        ("AAPL", date(2000, 6, 20), 112),
        ("AAPL", date(2000, 6, 21), 56),
        ("AAPL", date(2020, 8, 31), 1),
        ("NVDA", date(1999, 1, 29), 480),
        ("AMZN", date(1997, 5, 30), 240),
        ("TSLA", date(2010, 6, 30), 15),
        ("MSFT", date(1988, 12, 30), 144),
        ("GOOGL", date(2014, 4, 2), 39.96),
        ("META", date(2012, 5, 31), 1),
    ],
)
def test_a_share_then_is_so_many_today(ticker, day, factor):
    assert split_factor(ticker, day) == pytest.approx(factor, rel=1e-12)


def test_many_days_at_once_are_the_same_as_each():
    days = [date(2001, 9, 10), date(2001, 9, 17), date(2024, 6, 7), date(2024, 6, 10)]
    found = split_factors("NVDA", pl.Series([*days, None], dtype=pl.Date))
    assert found.to_list() == [*(split_factor("NVDA", day) for day in days), None]


def test_an_adjusted_price_is_undone_with_ones_own_splits_too():
    days = pl.Series([date(2020, 1, 31), date(2020, 2, 28)])
    own = [Split("XYZ", date(2020, 2, 3), 3.0)]
    assert traded_of("XYZ", days, pl.Series([10.0, 11.0]), own).to_list() == [30.0, 11.0]


def test_splits_are_in_the_order_of_their_days():
    days = [split.on for split in splits_of("MSFT")]
    assert days == sorted(days)
    assert len(days) == 9
    assert splits_of("META") == ()


def test_of_an_unknown_ticker_it_is_not_said_that_it_had_none():
    with pytest.raises(DataError, match="no splits are known of 'GOOG'"):
        splits_of("GOOG")


def test_a_damaged_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from neuter.data import splits

    (tmp_path / "stocks").mkdir()
    (tmp_path / "stocks/splits.toml").write_text(
        'tickers = ["X"]\n[[splits]]\nticker = "X"\non = 2020-01-01\nnew = 0\nold = 1\n'
    )
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    splits._shipped_splits.cache_clear()
    try:
        with pytest.raises(DataError, match=r"splits\.toml"):
            splits_of("X")
    finally:
        splits._shipped_splits.cache_clear()


def test_prices_show_each_split_in_ratio_and_day():
    with shipped_path("stocks", "splits_checked.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    known = [
        (split.ticker, split.on)
        for ticker in ("GOOGL", "AMZN", "TSLA", "NVDA", "MSFT", "AAPL")
        for split in splits_of(ticker)
    ]
    assert sorted((row["ticker"], date.fromisoformat(row["on"])) for row in rows) == sorted(known)
    for row in rows:
        assert float(row["before"]) >= 0.93, row
        assert float(row["after"]) >= 0.93, row
        assert float(row["without"]) <= float(row["before"]) - 0.15, row
