"""Month-end closes of the seven stocks: right as traded, right across splits, complete, and as their sources say."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.data import stocks
from neuter.data.calendar import month_ends
from neuter.data.splits import traded_of
from neuter.data.stocks import STOCKS, stock_series
from neuter.errors import DataError
from neuter.shipped import VARIABLE

# Public facts, but for the first four, which are issue 5's.
TRADED = [
    ("AAPL", date(2023, 12, 29), 192.53),
    ("AAPL", date(2008, 12, 31), 85.35),
    ("NVDA", date(2023, 12, 29), 495.22),
    ("MSFT", date(2023, 12, 29), 376.04),
    ("AMZN", date(2021, 12, 31), 3334.34),
    ("AMZN", date(1999, 12, 31), 76.125),
    ("TSLA", date(2020, 7, 31), 1430.76),
    ("TSLA", date(2010, 6, 30), 23.83),
    ("GOOGL", date(2012, 12, 31), 707.38),
    ("META", date(2012, 5, 31), 29.60),
    ("MSFT", date(1999, 12, 31), 116.75),
    ("AAPL", date(1999, 12, 31), 102.8125),
    ("AAPL", date(2020, 8, 31), 129.04),
    ("AAPL", date(2020, 7, 31), 425.04),
]


def value(ticker: str, day: date, reading: str) -> float:
    return float(stock_series(ticker).points.filter(date=day)[reading].item())


@pytest.mark.parametrize(("ticker", "day", "close"), TRADED)
def test_a_close_is_the_one_at_which_the_share_was_traded(ticker, day, close):
    assert value(ticker, day, "traded") == close


@pytest.mark.parametrize(
    ("ticker", "first", "months"),
    [
        ("META", date(2012, 5, 31), 171),
        ("GOOGL", date(2004, 8, 31), 264),
        ("AMZN", date(1997, 5, 30), 351),
        ("TSLA", date(2010, 6, 30), 194),
        ("NVDA", date(1999, 1, 29), 331),
        ("MSFT", date(1988, 11, 30), 453),
        ("AAPL", date(1988, 11, 30), 453),
    ],
)
def test_every_month_end_since_the_listing_is_there_or_a_gap(ticker, first, months):
    series = stock_series(ticker)
    days = series.points["date"].to_list()
    # Table 4's start dates, but for the two that it takes from January 1989 on: they have two closes before it.
    assert days[0] == first
    assert sorted([*days, *series.gaps]) == month_ends(first, date(2026, 7, 31))
    assert len(days) + len(series.gaps) == months


def test_the_seven_are_in_the_order_of_table_4():
    assert STOCKS == ("META", "GOOGL", "AMZN", "TSLA", "NVDA", "MSFT", "AAPL")
    for ticker in STOCKS:
        series = stock_series(ticker)
        assert (series.name, series.frequency, series.readings) == (
            ticker,
            "monthly",
            ("traded", "split_adjusted"),
        )


# The close after, over the close before, in shares of the same kind: 129.04 * 4 / 425.04 - 1 for Apple's 4 for 1.
@pytest.mark.parametrize(
    ("ticker", "before", "after", "percent"),
    [
        ("AAPL", date(2020, 7, 31), date(2020, 8, 31), 100 * (129.04 * 4 / 425.04 - 1)),
        ("NVDA", date(2024, 5, 31), date(2024, 6, 28), 100 * (123.54 * 10 / 1096.33 - 1)),
        ("AMZN", date(2022, 5, 31), date(2022, 6, 30), 100 * (106.21 * 20 / 2404.19 - 1)),
        ("TSLA", date(2022, 7, 29), date(2022, 8, 31), 100 * (275.61 * 3 / 891.45 - 1)),
        ("MSFT", date(2003, 1, 31), date(2003, 2, 28), 100 * (23.70 * 2 / 47.46 - 1)),
    ],
)
def test_a_monthly_return_across_a_split_is_the_holders(ticker, before, after, percent):
    gain = 100 * (value(ticker, after, "split_adjusted") / value(ticker, before, "split_adjusted") - 1)
    assert gain == pytest.approx(percent, abs=1e-4)


def test_split_adjusted_is_traded_by_all_later_splits():
    for ticker in STOCKS:
        points = stock_series(ticker).points
        undone = traded_of(ticker, points["date"], points["split_adjusted"])
        # Eight decimals are written: half of the last, times the 480 shares that NVIDIA's first ones have become.
        assert (undone - points["traded"]).abs().max() < 5e-9 * 480 + 1e-9


def test_the_last_split_adjusted_close_is_the_traded_one():
    for ticker in STOCKS:
        last = stock_series(ticker).points.row(-1, named=True)
        assert last["traded"] == last["split_adjusted"]


def test_a_close_with_digits_lies_on_the_prices_of_its_time():
    for ticker in STOCKS:
        points = stock_series(ticker).points.drop_nulls("digits")
        assert set(points["digits"]) == {2}
        cents = points.filter(pl.col("date") >= date(2001, 4, 9))["traded"] * 100
        assert (cents - cents.round()).abs().max() < 1e-6
        fractions = points.filter(pl.col("date") < date(2001, 3, 1))["traded"] * 64
        assert fractions.is_empty() or (fractions - fractions.round()).abs().max() < 1e-3


def test_a_point_says_which_source_it_is_from_and_which_agree():
    points = stock_series("AAPL").points
    assert points.filter(date=date(2023, 12, 29))["source"].item() == "panel (agrees: ibkr)"
    assert points.filter(date=date(1989, 1, 31))["source"].item() == "yahoo"


@pytest.mark.parametrize(
    ("asked", "said"), [("NVDIA", "Did you mean NVDA"), ("GOOG", "GOOGL"), ("", "Known are META")]
)
def test_another_ticker_is_refused_with_the_nearest(asked, said):
    with pytest.raises(DataError, match=said):
        stock_series(asked)


def test_the_panels_month_ends_are_what_ships(shared_data: Path):
    panel = pl.read_parquet(shared_data / "stocks/us_month_end_panel.parquet")
    panel = panel.with_columns(pl.col("date").str.to_date(), pl.col("symbol").replace("FB", "META"))
    for ticker in STOCKS:
        both = stock_series(ticker).points.join(panel.filter(symbol=ticker), on="date")
        assert both.height == 66
        assert (both["traded"] == both["close"]).all()


def test_quandls_month_ends_agree_to_half_a_cent(shared_data: Path):
    told = pl.read_csv(
        shared_data / "stocks/magnificent7/quandl_wiki_nominal_to_2013.csv", try_parse_dates=True
    ).select("Ticker", "Close", date="Date")
    for ticker, name, months in [
        ("AAPL", "AAPL", 156),
        ("MSFT", "MSFT", 156),
        ("GOOGL", "GOOG", 103),
        ("META", "FB", 10),
    ]:
        both = stock_series(ticker).points.join(told.filter(Ticker=name), on="date")
        assert both.height == months
        assert (both["traded"] - both["Close"]).abs().max() < 0.00501


@pytest.fixture
def own_closes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts another closes.csv in the place of the one that ships."""
    (tmp_path / "stocks").mkdir()
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    for cached in (stocks.stock_series, stocks._closes):
        cached.cache_clear()
    yield tmp_path / "stocks/closes.csv"
    for cached in (stocks.stock_series, stocks._closes):
        cached.cache_clear()


HEAD = "ticker,date,traded,split_adjusted,digits,source,agree\n"


def test_a_month_end_without_a_close_is_a_gap_and_one_not_to_the_cent_has_no_digits(own_closes: Path):
    own_closes.write_text(
        HEAD + "META,2020-01-31,1.5,1.5,2,panel,\nMETA,2020-02-28,,,,,\nMETA,2020-03-31,2.0,2.0,,ibkr,\n"
    )
    series = stock_series("META")
    assert series.gaps == (date(2020, 2, 28),)
    assert series.points["digits"].to_list() == [2, None]
    assert series.points["source"].to_list() == ["panel", "ibkr"]


@pytest.mark.parametrize("text", ["", HEAD + "META,2020-01-31,much,1.5,2,panel,\n", None])
def test_a_damaged_or_missing_file_is_named(own_closes: Path, text):
    if text is not None:
        own_closes.write_text(text)
    with pytest.raises(DataError, match=r"closes\.csv: closes cannot be read"):
        stock_series("META")
