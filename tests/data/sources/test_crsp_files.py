"""CRSP's stock files in WRDS' column names, old and new: prices, midpoints, tickers, market caps, and what is wrong."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.data.shipped_series import shipped_series
from neuter.data.sources import Sources, find_panel, find_series
from neuter.data.sources.crsp_panel import crsp_months
from neuter.errors import DataError

HEAD = "PERMNO,date,SHRCD,EXCHCD,TICKER,COMNAM,PERMCO,PRC,RET,SHROUT,CFACPR,CFACSHR\n"


@pytest.fixture
def written(tmp_path: Path):
    def write(rows: str, head: str = HEAD, name: str = "msf.csv") -> str:
        path = tmp_path / name
        path.write_text(head + rows)
        return str(path)

    return write


def stock(ticker: str, path: str):
    return find_series(ticker, Sources(crsp=(path,)))


def apple(day: str, price: str, *, permno: str = "14593", ticker: str = "AAPL", factor: str = "28") -> str:
    return f"{permno},{day},11,3,{ticker},APPLE INC,7,{price},0.01,888326,{factor},{factor}\n"


def test_a_close_is_as_traded_and_the_adjusted_one_is_that_over_the_cumulative_factor(written):
    series = stock("AAPL", written(apple("20081128", "92.67") + apple("20081231", "85.35")))
    assert series.points.select("date", "traded", "digits").rows() == [
        (date(2008, 11, 28), 92.67, 2),
        (date(2008, 12, 31), 85.35, 2),
    ]
    assert series.points["split_adjusted"].to_list() == pytest.approx([92.67 / 28, 85.35 / 28])
    assert series.source == "CRSP msf.csv, permno 14593"


def test_a_negative_price_is_a_midpoint_without_its_sign_and_without_digits(written):
    series = stock("AAPL", written(apple("20081128", "92.67") + apple("20081231", "-85.345")))
    assert series.points.select("traded", "digits").rows() == [(92.67, 2), (85.345, None)]
    assert "midpoints: 1" in series.source


@pytest.mark.parametrize("price", ["", "0", "0.0", "."])
def test_no_price_and_a_price_of_zero_are_gaps_and_counted(written, price):
    rows = apple("20081031", "107.59") + apple("20081128", price) + apple("20081231", "85.35")
    series = stock("AAPL", written(rows))
    assert series.points["date"].to_list() == [date(2008, 10, 31), date(2008, 12, 31)]
    assert series.gaps == (date(2008, 11, 28),)
    assert "rows without a price: 1" in series.source


@pytest.mark.parametrize("factor", ["0", "", "-1"])
def test_without_a_positive_factor_there_is_no_adjusted_price(written, factor):
    points = stock("AAPL", written(apple("20081231", "85.35", factor=factor))).points
    assert points.select("traded", "split_adjusted").row(0) == (85.35, None)


def test_the_noise_of_32_bit_prices_is_taken_out_and_fractions_are_kept(written):
    series = stock("AAPL", written(apple("19991231", "102.8125") + apple("20081231", "85.3499985")))
    assert series.points["traded"].to_list() == [102.8125, 85.35]


@pytest.mark.parametrize("day", ["20081231", "2008-12-31", "31DEC2008", "31dec2008", "2008-12-31 00:00:00"])
def test_dates_are_read_as_wrds_writes_them(written, day):
    assert stock("AAPL", written(apple(day, "85.35"))).points["date"].to_list() == [date(2008, 12, 31)]


def test_lower_case_names_are_the_same(written):
    assert stock("AAPL", written(apple("20081231", "85.35"), HEAD.lower())).points["traded"].to_list() == [
        85.35
    ]


def test_the_new_names_with_flags_are_the_same(written):
    head = "PERMNO,MthCalDt,Ticker,MthPrc,MthPrcFlg,MthCumFacPr,ShrOut,MthCap\n"
    rows = "14593,2008-10-31,AAPL,107.59,TR,28,1,1\n14593,2008-11-28,AAPL,92.66,BA,28,1,1\n"
    rows += "14593,2008-12-31,AAPL,85.35,DA,28,1,1\n"
    series = stock("AAPL", written(rows, head))
    # DA marks what was paid at a delisting: no close.
    assert series.points.select("traded", "digits").rows() == [(107.59, 2), (92.66, None)]


def test_a_daily_file_gives_the_last_trading_day_of_each_month(written):
    rows = "".join(
        apple(day, price)
        for day, price in [
            ("20081128", "92.67"),
            ("20081230", "86.29"),
            ("20081231", "85.35"),
            ("20090102", "90.75"),
        ]
    )
    assert stock("AAPL", written(rows, HEAD)).values().rows() == [
        (date(2008, 11, 28), 92.67),
        (date(2008, 12, 31), 85.35),
    ]


def test_a_security_keeps_its_rows_under_a_former_ticker(written):
    rows = apple("20220531", "193.64", permno="13407", ticker="FB", factor="1")
    rows += apple("20220630", "161.25", permno="13407", ticker="META", factor="1")
    assert stock("META", written(rows)).points["traded"].to_list() == [193.64, 161.25]


def test_a_ticker_that_two_securities_had_is_that_of_the_last_one(written):
    # META was a fund's ticker before Facebook took it.
    rows = apple("20211231", "15.10", permno="99999", ticker="META", factor="1")
    rows += apple("20211231", "336.35", permno="13407", ticker="FB", factor="1")
    rows += apple("20220630", "161.25", permno="13407", ticker="META", factor="1")
    rows += apple("20220630", "9.10", permno="99999", ticker="METV", factor="1")
    assert stock("META", written(rows)).points["traded"].to_list() == [336.35, 161.25]


def test_a_ticker_of_two_securities_at_once_is_refused(written):
    rows = apple("20081231", "96600", permno="17778", ticker="BRK") + apple(
        "20081231", "3214", permno="83443", ticker="BRK"
    )
    with pytest.raises(DataError, match="BRK is the ticker of permnos 17778, 83443 on 2008-12-31"):
        stock("BRK", written(rows))


def test_a_stock_that_the_file_lacks_comes_from_what_ships(written):
    path = written(apple("20081231", "85.35"))
    assert stock("MSFT", path).hash == shipped_series("MSFT").hash


def test_a_file_without_a_factor_has_the_adjusted_price_by_the_splits_that_ship(written):
    head = "permno,date,ticker,prc\n"
    points = stock("AAPL", written("14593,20081231,AAPL,85.35\n", head)).points
    assert points["split_adjusted"].to_list() == pytest.approx([85.35 / 28])


def test_a_parquet_file_with_numbers_is_the_same(tmp_path):
    frame = pl.DataFrame(
        {
            "permno": [14593.0],
            "mthcaldt": [date(2008, 12, 31)],
            "ticker": ["AAPL"],
            "mthprc": [85.35],
            "mthcumfacpr": [28.0],
        }
    )
    frame = frame.with_columns(pl.col("mthprc").cast(pl.Float32))
    frame.write_parquet(tmp_path / "msf.parquet")
    series = stock("AAPL", str(tmp_path / "msf.parquet"))
    assert series.points.select("date", "traded").row(0) == (date(2008, 12, 31), 85.35)
    assert series.source.endswith("permno 14593")


def test_a_day_twice_is_refused_by_line(written):
    rows = apple("20081128", "92.67") + apple("20081231", "85.35") + apple("20081231", "85.36")
    with pytest.raises(
        DataError, match=r"msf.csv: line 4: permno 14593 has 2008-12-31 a second time \(first in 3\)"
    ):
        stock("AAPL", written(rows))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (
            apple("20081128", "92.67") + apple("20081231", "abc"),
            "msf.csv: line 3, column PRC: price 'abc' is no number",
        ),
        (
            apple("20081128", "92.67") + apple("12/31/2008", "85.35"),
            "msf.csv: line 3: '12/31/2008' is no date",
        ),
        ("", "has no rows"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(written, rows, told):
    with pytest.raises(DataError, match=told):
        stock("AAPL", written(rows))


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("permno,date,ticker\n", "has no column prc or mthprc or dlyprc"),
        ("cusip,date,prc\n", "has no column permno"),
        ("permno,date,prc\n", "has no column ticker"),
    ],
)
def test_a_missing_column_is_named(written, head, told):
    with pytest.raises(DataError, match=told):
        stock("AAPL", written("1,20081231,2\n", head))


def test_a_missing_file_is_named():
    with pytest.raises(DataError, match=r"nowhere.csv: no such file"):
        stock("AAPL", "nowhere.csv")


def firm(
    permno: int, price: str, shares: str = "1000", *, share: str = "11", exchange: str = "1", permco: str = ""
) -> str:
    return f"{permno},20081231,{share},{exchange},T{permno},FIRM {permno},{permco or permno},{price},0,{shares},1,1\n"


def test_market_cap_is_price_times_shares_in_thousands(written):
    panel = crsp_months(written(firm(1, "10.50", "2000") + firm(2, "-20.25", "100")))
    assert panel.select("permno", "close", "market_cap", "digits").rows() == [
        (1, 10.5, 21_000_000.0, 2),
        (2, 20.25, 2_025_000.0, None),
    ]
    assert panel.select("date", "symbol", "name", "exchange").row(0) == (
        date(2008, 12, 31),
        "T1",
        "FIRM 1",
        "NYSE",
    )


def test_only_common_stocks_of_three_exchanges_are_in_the_panel(written):
    rows = firm(1, "1") + firm(2, "1", exchange="2") + firm(3, "1", exchange="3", share="10")
    rows += (
        firm(4, "1", share="14")
        + firm(5, "1", share="73")
        + firm(6, "1", exchange="31")
        + firm(7, "1", exchange="0")
    )
    panel = crsp_months(written(rows))
    assert panel.select("symbol", "exchange").rows() == [("T1", "NYSE"), ("T2", "AMEX"), ("T3", "NASDAQ")]


def test_the_new_types_of_common_stock_are_told_by_all_their_columns(written):
    head = "permno,mthcaldt,ticker,mthprc,mthcap,primaryexch,sharetype,securitytype,securitysubtype,usincflg,issuertype\n"
    rows = "1,2008-12-31,A,10,5000,N,NS,EQTY,COM,Y,CORP\n2,2008-12-31,B,10,5000,Q,NS,FUND,ETF,Y,CORP\n"
    rows += "3,2008-12-31,C,10,5000,Q,NS,EQTY,COM,N,CORP\n4,2008-12-31,D,10,5000,A,NS,EQTY,COM,Y,ACOR\n"
    panel = crsp_months(written(rows, head))
    assert panel.select("symbol", "exchange", "market_cap").rows() == [("A", "NYSE", 5e6), ("D", "AMEX", 5e6)]


def test_two_classes_of_a_firm_are_one_line_with_the_market_cap_of_both(written):
    panel = crsp_months(
        written(firm(1, "100", "10", permco="7") + firm(2, "50", "40", permco="7") + firm(3, "1"))
    )
    assert panel.select("symbol", "market_cap").rows() == [("T2", 3_000_000.0), ("T3", 1_000_000.0)]


def test_a_stock_without_price_or_shares_is_not_in_the_month(written):
    panel = crsp_months(
        written(firm(1, "") + firm(2, "0") + firm(3, "10", "0") + firm(4, "10", "") + firm(5, "10"))
    )
    assert panel["symbol"].to_list() == ["T5"]


def test_days_within_a_month_are_left_out_of_the_panel(written):
    rows = firm(1, "10") + firm(1, "11").replace("20081231", "20081230")
    assert crsp_months(written(rows))["close"].to_list() == [10.0]


def test_a_panel_needs_to_know_what_is_a_common_stock_and_where_it_trades(written):
    head = "permno,date,ticker,prc,shrout,exchcd\n"
    with pytest.raises(DataError, match=r"does not tell common stocks from others.*shrcd"):
        crsp_months(written("1,20081231,A,10,100,1\n", head))
    with pytest.raises(DataError, match="has no column exchcd or primaryexch"):
        crsp_months(written("1,20081231,A,10,100,11\n", "permno,date,ticker,prc,shrout,shrcd\n"))


def test_the_panel_is_refused_with_a_firm_twice_in_a_month_by_line(written):
    with pytest.raises(DataError, match="line 3: permno 1 has 2008-12-31 a second time"):
        crsp_months(written(firm(1, "10") + firm(1, "10")))


def test_the_panel_of_a_file_has_sizes_by_its_own_nyse_stocks(written):
    rows = (
        "".join(firm(at, str(10 * at)) for at in range(1, 8))
        + firm(8, "5", exchange="3")
        + firm(9, "900", exchange="3")
    )
    panel = find_panel(Sources(crsp=(written(rows),)))
    sizes = dict(panel.select("symbol", "size").rows())
    # The terciles of 10 to 70 are 30 and 50.
    assert [sizes[f"T{at}"] for at in (1, 3, 4, 6, 7, 8, 9)] == [
        "Small",
        "Small",
        "Mid",
        "Large",
        "Large",
        "Small",
        "Large",
    ]


def test_a_permno_that_is_none_is_named_by_line(written):
    with pytest.raises(DataError, match="line 3, column PERMNO: permno is no whole number"):
        crsp_months(written(firm(1, "10") + firm(2, "10").replace("2,", "X2,", 1)))


def test_of_two_files_the_first_that_has_a_month_wins_it(written):
    one = written(firm(1, "10"), name="one.csv")
    two = written(firm(1, "11") + firm(1, "12").replace("20081231", "20090130"), name="two.csv")
    assert find_panel(Sources(crsp=(one, two)))["close"].to_list() == [10.0, 12.0]


@pytest.mark.parametrize("head", ["permno,date,ticker,prc,PRC\n", "permno,date,ticker,prc,prc\n"])
def test_two_columns_of_one_name_are_refused_for_one_would_be_read_for_the_other(written, head):
    with pytest.raises(DataError, match=r"msf.csv: has more than one column 'prc'"):
        stock("AAPL", written("14593,20081231,AAPL,85.35,0.01\n", head))


def test_two_columns_alike_but_for_case_are_refused_in_parquet_too(tmp_path):
    path = tmp_path / "msf.parquet"
    one = {"permno": [1], "date": ["20081231"], "ticker": ["AAPL"], "prc": [85.35], "PRC": [0.01]}
    pl.DataFrame(one).write_parquet(path)
    with pytest.raises(DataError, match="more than one column 'prc'"):
        stock("AAPL", str(path))


def test_a_negative_price_that_is_flagged_as_a_trade_is_refused(written):
    head = "permno,mthcaldt,ticker,mthprc,mthprcflg\n"
    with pytest.raises(
        DataError, match=r"line 2, column mthprc: price -85.35 is flagged as a trade, and below 0"
    ):
        stock("AAPL", written("14593,2008-12-31,AAPL,-85.35,TR\n", head))
    midpoint = stock("AAPL", written("14593,2008-12-31,AAPL,-85.35,BA\n", head))
    assert midpoint.points.select("traded", "digits").rows() == [(85.35, None)]


def test_a_price_of_nan_is_none_in_series_and_panel(written):
    rows = apple("20081128", "92.67") + apple("20081231", "NaN")
    assert stock("AAPL", written(rows)).points["traded"].to_list() == [92.67]
    rows = firm(1, "NaN") + firm(2, "10") + firm(3, "10", "NaN")
    assert crsp_months(written(rows))["permno"].to_list() == [2]


def test_a_price_of_nan_is_none_in_parquet(tmp_path):
    path = tmp_path / "msf.parquet"
    days = [date(2008, 11, 28), date(2008, 12, 31)]
    prices = {"prc": [92.67, float("nan")], "cfacpr": [float("nan"), 28.0]}
    pl.DataFrame({"permno": [1, 1], "date": days, "ticker": ["AAPL", "AAPL"], **prices}).write_parquet(path)
    points = stock("AAPL", str(path)).points
    assert points.select("date", "traded", "split_adjusted").rows() == [(days[0], 92.67, None)]


def test_an_infinite_price_or_number_of_shares_is_no_number(written):
    with pytest.raises(DataError, match="line 2, column PRC: price 'inf' is no number"):
        stock("AAPL", written(apple("20081231", "inf")))
    assert crsp_months(written(firm(1, "10", "inf") + firm(2, "10")))["permno"].to_list() == [2]


def test_a_file_in_another_encoding_is_named_by_line(written, tmp_path):
    path = written("")
    Path(path).write_bytes((HEAD + firm(1, "10") + firm(2, "10").replace("FIRM", "CAFÉ")).encode("latin-1"))
    with pytest.raises(DataError, match=r"msf.csv: line 3: is not UTF-8. Save the file as UTF-8"):
        find_panel(Sources(crsp=(path,)))


def test_a_row_too_long_is_named_by_line(written):
    rows = firm(1, "10") + firm(2, "10").replace("FIRM 2", "FIRM, 2")
    with pytest.raises(DataError, match="line 3: has 13 fields where the header has 12"):
        crsp_months(written(rows))


def test_a_permno_of_letters_is_no_firm_that_is_there_twice(written):
    rows = firm(1, "10").replace("1,", "A1,", 1) + firm(2, "10").replace("2,", "A2,", 1)
    with pytest.raises(DataError, match="line 2, column PERMNO: permno is no whole number"):
        crsp_months(written(rows))
