"""Yahoo by yfinance, against a loopback server that answers in the chart's shape."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest

from neuter.data.sources import Sources, check_sources, find_series, yahoo
from neuter.errors import DataError, MissingExtra

yfinance = pytest.importorskip("yfinance")


@pytest.fixture(autouse=True)
def served(monkeypatch, loopback, tmp_path):
    import yfinance.base
    import yfinance.data
    import yfinance.scrapers.history

    for module in (yfinance.base, yfinance.scrapers.history):
        monkeypatch.setattr(module, "_BASE_URL_", loopback.address)
    monkeypatch.setattr(yfinance.data.YfData, "_get_cookie_and_crumb", lambda self, *_, **__: (None, "basic"))
    yfinance.set_tz_cache_location(str(tmp_path / "zones"))
    yahoo._asked.cache_clear()
    yield
    yahoo._asked.cache_clear()


def moment(day: str) -> int:
    return int(datetime.combine(date.fromisoformat(day), time(14, 30), UTC).timestamp())


def chart(closes, splits=()):
    """A chart of daily closes, with splits as (day, new, old)."""
    days = [moment(day) for day, _ in closes]
    prices = [price for _, price in closes]
    events = {
        str(moment(day)): {
            "date": moment(day),
            "numerator": new,
            "denominator": old,
            "splitRatio": f"{new}:{old}",
        }
        for day, new, old in splits
    }
    meta = {
        "currency": "USD",
        "exchangeTimezoneName": "America/New_York",
        "instrumentType": "EQUITY",
        "validRanges": ["1d", "max"],
        "priceHint": 2,
        "dataGranularity": "1d",
    }
    quote = dict.fromkeys(("open", "high", "low", "close"), prices) | {"volume": [1] * len(days)}
    told = {
        "meta": meta,
        "timestamp": days,
        "events": {"splits": events} if events else {},
        "indicators": {
            "quote": [quote],
            "adjclose": [{"adjclose": [price and price / 2 for price in prices]}],
        },
    }
    return {"chart": {"result": [told], "error": None}}


def test_the_traded_close_is_yahoo_s_times_all_later_splits_to_the_cent(loopback, answer):
    # Apple closed at 85.35 on 2008-12-31 and at 192.53 on 2023-12-29; Yahoo's numbers are 32-bit floats.
    closes = [("2008-12-31", 3.0482139587402344), ("2023-12-28", 193.58), ("2023-12-29", 192.52999877929688)]
    loopback.answers = [answer(chart(closes, [("2014-06-09", 7, 1), ("2020-08-31", 4, 1)]))]
    series = find_series("AAPL", Sources(yahoo=True))
    assert series.points.select("date", "traded", "digits").rows() == [
        (date(2008, 12, 31), 85.35, 2),
        (date(2023, 12, 29), 192.53, 2),
    ]
    assert series.points["split_adjusted"].to_list() == pytest.approx([3.048214, 192.53])
    assert series.points["source"][0].startswith("Yahoo AAPL, asked ")


def test_the_close_on_the_day_of_a_split_is_in_new_shares_already(loopback, answer):
    closes = [("2020-07-31", 106.260002), ("2020-08-31", 129.039993)]
    loopback.answers = [answer(chart(closes, [("2020-08-31", 4, 1)]))]
    assert find_series("AAPL", Sources(yahoo=True)).points["traded"].to_list() == [425.04, 129.04]


def test_a_close_in_fractions_of_a_dollar_has_no_digits(loopback, answer):
    # 102 13/16 on the last day of 1999; since then the shares were split by 112.
    loopback.answers = [answer(chart([("1999-12-31", 102.8125 / 112)], [("2014-06-09", 112, 1)]))]
    point = find_series("AAPL", Sources(yahoo=True)).points
    assert point["traded"].to_list() == pytest.approx([102.8125], abs=1e-4)
    assert point["digits"].to_list() == [None]


def test_a_whole_number_of_cents_before_prices_were_in_cents_has_no_digits_either(loopback, answer):
    loopback.answers = [answer(chart([("1999-12-31", 102.5), ("2001-03-30", 22.07), ("2001-04-30", 25.49)]))]
    assert find_series("AAPL", Sources(yahoo=True)).points["digits"].to_list() == [None, None, 2]


def test_a_price_that_is_no_whole_number_of_cents_has_no_digits(loopback, answer):
    loopback.answers = [answer(chart([("2023-12-29", 192.5342)]))]
    point = find_series("AAPL", Sources(yahoo=True)).points
    assert (point["traded"][0], point["digits"][0]) == (pytest.approx(192.5342), None)


def test_indices_have_two_decimals_and_daily_dates(loopback, answer):
    loopback.answers = [answer(chart([("2008-12-30", 890.6400146484375), ("2008-12-31", 903.25)]))]
    series = find_series("sp500", Sources(yahoo=True), first=date(2008, 12, 30), last=date(2008, 12, 31))
    assert series.points.select("close", "digits").rows() == [(890.64, 2), (903.25, 2)]
    assert "/v8/finance/chart/%5EGSPC" in loopback.paths or "/v8/finance/chart/^GSPC" in loopback.paths


def test_a_row_without_a_close_is_a_gap(loopback, answer):
    loopback.answers = [answer(chart([("2008-12-29", 869.42), ("2008-12-30", None), ("2008-12-31", 903.25)]))]
    series = find_series("sp500", Sources(yahoo=True), first=date(2008, 12, 29), last=date(2008, 12, 31))
    assert series.points["date"].to_list() == [date(2008, 12, 29), date(2008, 12, 31)]
    assert series.gaps == (date(2008, 12, 30),)


def test_the_present_day_is_left_out_for_it_may_not_have_closed(loopback, answer):
    today = datetime.now(yahoo._NEW_YORK).date()
    loopback.answers = [answer(chart([(str(today - timedelta(days=1)), 10.0), (str(today), 11.0)]))]
    series = find_series("sp500", Sources(yahoo=True))
    assert series.points["date"].max() == today - timedelta(days=1)


def test_a_ticker_with_a_class_is_asked_for_with_a_hyphen(loopback, answer):
    loopback.answers = [answer(chart([("2023-12-29", 356.66)]))]
    assert find_series("BRK.B", Sources(yahoo=True)).points["traded"].to_list() == [356.66]
    assert loopback.paths[0].endswith("/BRK-B")


def test_yahoo_is_asked_once_for_a_symbol(loopback, answer):
    loopback.answers = [answer(chart([("2008-12-31", 40.0)]))]
    find_series("vix", Sources(yahoo=True))
    before = len(loopback.paths)
    find_series("vix_daily", Sources(yahoo=True))
    assert len(loopback.paths) == before


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ({"status": 429, "body": b"Too Many Requests"}, "Yahoo AAPL: limits how often it may be asked"),
        (
            {
                "status": 404,
                "body": {
                    "chart": {"result": None, "error": {"code": "Not Found", "description": "No data found"}}
                },
            },
            "Yahoo AAPL: has no prices. Check the symbol",
        ),
        ({"body": {"chart": {"result": [], "error": None}}}, "Yahoo AAPL: has no prices"),
        ({"body": chart([("2008-12-31", None)])}, "Yahoo AAPL: has no prices"),
        ({"status": 500, "body": b"<html>"}, "Yahoo AAPL: (could not be read|has no prices)"),
        ({"body": b'{"chart": {"result": [{"meta"'}, "Yahoo AAPL: (could not be read|has no prices)"),
        (
            {"body": chart([("2008-12-31", 1.0)]), "cut": True},
            "Yahoo AAPL: (could not be read|has no prices)",
        ),
    ],
)
def test_a_bad_answer_is_named_and_is_not_replaced_by_what_ships(loopback, answer, bad, told, monkeypatch):
    # Without a time zone yfinance asks again for other things of the ticker; they are not there either.
    monkeypatch.setattr(yfinance.base, "_tz_info_fetch_ctr", 9)
    loopback.answers = [answer(**bad)]
    with pytest.raises(DataError, match=told):
        find_series("AAPL", Sources(yahoo=True))


@pytest.mark.parametrize("hidden", [True, False])
def test_yfinance_keeps_the_setting_that_its_user_gave_it(loopback, answer, hidden):
    loopback.answers = [answer(chart([("2008-12-31", 40.0)]))]
    yfinance.config.debug.hide_exceptions = hidden
    find_series("vix", Sources(yahoo=True))
    assert yfinance.config.debug.hide_exceptions is hidden
    yfinance.config.debug.hide_exceptions = True


def test_a_missing_package_names_the_extra(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "yfinance", None)
    with pytest.raises(MissingExtra, match=r"pip install 'neuter\[yahoo\]'"):
        check_sources(Sources(yahoo=True))


@pytest.mark.parametrize("price", [0.0, -890.64])
def test_a_close_that_is_not_above_zero_is_refused_by_day(loopback, answer, price):
    loopback.answers = [answer(chart([("2008-12-30", price), ("2008-12-31", 903.25)]))]
    with pytest.raises(DataError, match=rf"Yahoo \^GSPC: has a close of {price:g} on 2008-12-30"):
        find_series("sp500", Sources(yahoo=True))
