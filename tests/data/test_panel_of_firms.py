"""The shipped panel of firms: operating firms only, one line each, with closes as traded and NYSE sizes."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.data.calendar import is_trading_day
from neuter.data.panel import COLUMNS, firm_panel, panel_gaps
from neuter.firms.sizes import read_breakpoints
from neuter.shipped import shipped_path


def rows_of(symbol: str) -> pl.DataFrame:
    return firm_panel().filter(symbol=symbol)


def test_columns_types_and_months():
    panel = firm_panel()
    assert tuple(panel.columns) == COLUMNS
    types = {"date": pl.Date, "close": pl.Float64, "market_cap": pl.Float64, "digits": pl.Int8}
    assert {name: panel.schema[name] for name in types} == types
    assert panel["date"].n_unique() == 66
    assert all(is_trading_day(day) for day in panel["date"].unique())


def test_the_months_it_lacks_are_listed():
    assert panel_gaps() == (date(2021, 1, 29), date(2025, 10, 31))
    january = firm_panel().filter(date=date(2021, 1, 29))
    assert set(january["exchange"]) == {"NASDAQ"}
    assert january["size"].null_count() == january.height


@pytest.mark.parametrize(
    ("symbol", "day", "close"),
    [
        ("AAPL", date(2023, 12, 29), 192.53),
        ("NVDA", date(2023, 12, 29), 495.22),
        ("NVDA", date(2024, 5, 31), 1096.33),
        ("BRK.A", date(2023, 12, 29), 542625.03),
    ],
)
def test_closes_are_as_traded(symbol, day, close):
    assert rows_of(symbol).filter(date=day)["close"].item() == close


def test_a_firm_has_one_line():
    panel = firm_panel()
    assert not panel.select(pl.struct("firm", "date").is_duplicated().any()).item()
    assert not panel.select(pl.struct("symbol", "date").is_duplicated().any()).item()
    there = set(panel["symbol"])
    assert {"GOOGL", "BRK.A", "FOXA", "NWSA"} <= there
    assert not {"GOOG", "BRK.B", "FOX", "NWS"} & there


def test_a_new_symbol_is_the_same_firm():
    assert set(rows_of("FB")["firm"]) == set(rows_of("META")["firm"])
    assert rows_of("FB")["date"].max() < rows_of("META")["date"].min()


@pytest.mark.parametrize(
    "symbol",
    [
        *("BAC^L", "WFC^L", "JPM^C"),  # preferred shares
        *("TSM", "BABA", "ASML"),  # depositary receipts
        *("EPD", "ET"),  # partnerships
        *("PDI", "GAB", "BDJ", "ETV"),  # closed-end funds
        *("DWAC", "CCIV", "PSTH"),  # blank checks
        *("TBB", "SBR"),  # notes, a royalty trust
    ],
)
def test_what_is_no_operating_firms_common_stock_is_left_out(symbol):
    assert rows_of(symbol).is_empty()


@pytest.mark.parametrize(
    "symbol", ["NTRS", "OPI", "NAPA", "TPG", "EQR", "UBER", "HON", "LIN", "O", "SPG", "SBUX"]
)
def test_firms_that_look_like_something_else_stay(symbol):
    assert rows_of(symbol).height > 5


def test_sizes_are_those_of_the_months_own_nyse_breakpoints():
    panel = firm_panel().drop_nulls("size")
    table = read_breakpoints(str(shipped_path("breakpoints", "nyse_size.csv")))
    assert panel["date"].n_unique() == len(table.months)
    for day in (date(2021, 2, 26), date(2026, 7, 31)):
        at = table.months.index(day.year * 12 + day.month - 1)
        month = panel.filter(date=day)
        small, large = month.filter(size="Small")["market_cap"], month.filter(size="Large")["market_cap"]
        mid = month.filter(size="Mid")["market_cap"]
        assert small.max() <= table.lower[at] < mid.min()
        assert mid.max() <= table.upper[at] < large.min()
    # By hand: p30 1522.6 and p35 1970.4 millions make 1.821 billion; p65 7301.6 and p70 9598.7 make 8.067 billion.
    february = panel.filter(date=date(2021, 2, 26))
    assert february.filter(pl.col("market_cap").is_between(1.9e9, 8.0e9))["size"].unique().to_list() == [
        "Mid"
    ]
    assert february.filter(pl.col("market_cap") < 1.8e9)["size"].unique().to_list() == ["Small"]


def test_a_third_or_so_of_the_nyses_firms_is_in_each_size():
    nyse = firm_panel().filter(date=date(2023, 12, 29), exchange="NYSE").drop_nulls("size")
    shares = {size: nyse.filter(size=size).height / nyse.height for size in ("Small", "Mid", "Large")}
    assert all(0.25 < share < 0.42 for share in shares.values()), shares


def test_a_market_cap_that_counts_shares_many_times_over_has_no_size():
    may = rows_of("DXCM").filter(date=date(2022, 5, 31))
    assert (may["market_cap"].item(), may["size"].item()) == (None, None)
    assert may["close"].item() == 297.94


def test_digits_are_the_closes_decimals():
    panel = firm_panel()
    for digits, parts in ((2, 100), (3, 1000), (4, 10_000)):
        times = panel.filter(digits=digits)["close"] * parts
        assert times.len() > 1000
        assert (times - times.round()).abs().max() < 1e-2
    assert set(panel["digits"]) == {2, 3, 4}


def test_closes_are_the_sources(shared_data: Path):
    told = pl.read_parquet(shared_data / "stocks/us_month_end_panel.parquet").select(
        pl.col("date").str.to_date(), pl.col("symbol").str.replace("/", ".", literal=True), told="close"
    )
    both = firm_panel().join(told, on=["date", "symbol"], how="left")
    assert (both["close"] == both["told"]).all()
