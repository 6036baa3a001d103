"""A panel of a user's own monthly table: sizes by its own NYSE stocks, firms by permno, errors that name the row."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from neuter.data.panel import COLUMNS, panel_from
from neuter.errors import DataError

DAY = date(1990, 1, 31)


def table(**columns: list[object]) -> pl.DataFrame:
    """Seven NYSE firms with caps 1 to 7 and three NASDAQ firms at the edges of the terciles."""
    rows: dict[str, object] = {
        "date": [DAY] * 10,
        "permno": list(range(10001, 10011)),
        "symbol": [f"S{n}" for n in range(10)],
        "close": [10.0 + n for n in range(10)],
        "market_cap": [1.0, 2, 3, 4, 5, 6, 7, 3.0, 5.0, 1000.0],
        "exchange": ["NYSE"] * 7 + ["NASDAQ"] * 3,
    }
    return pl.DataFrame(rows | columns)


def test_sizes_are_terciles_of_the_nyse_stocks_alone():
    # The 33 1/3 percentile of 1..7 is 1 + 6/3 = 3, the 66 2/3 one 5; NASDAQ's thousand does not move them.
    sizes = dict(panel_from(table()).select("symbol", "size").iter_rows())
    assert sizes == dict(
        zip(
            [f"S{n}" for n in range(10)],
            ["Small", "Small", "Small", "Mid", "Mid", "Large", "Large", "Small", "Mid", "Large"],
            strict=True,
        )
    )


def test_crsps_codes_stand_for_the_exchanges():
    coded = table(exchange=[1] * 7 + [3] * 3)
    assert panel_from(coded).drop("exchange").equals(panel_from(table()).drop("exchange"))


def test_it_has_the_columns_of_the_shipped_panel():
    panel = panel_from(table())
    assert tuple(panel.columns) == COLUMNS
    assert set(panel["digits"]) == {2}
    assert panel["firm"].to_list() == list(range(10001, 10011))
    # A midpoint has no digits, and what the user says of it stays.
    assert panel_from(table(digits=[None] + [2] * 9))["digits"].to_list() == [None] + [2] * 9


def test_without_symbols_a_firm_is_its_permno_and_the_other_way_round():
    assert panel_from(table().drop("symbol"))["symbol"].to_list() == [str(n) for n in range(10001, 10011)]
    by_symbol = pl.concat([table(), table(date=[date(1990, 2, 28)] * 10)]).drop("permno")
    panel = panel_from(by_symbol)
    assert panel.group_by("symbol").agg(pl.col("firm").n_unique())["firm"].to_list() == [1] * 10
    assert panel["firm"].n_unique() == 10


def test_a_firm_without_a_market_cap_has_no_size_and_one_without_a_close_no_row():
    panel = panel_from(
        table(market_cap=[None, float("nan"), 0.0, 4, 5, 6, 7, 3, 5, 9], close=[None, *range(1, 10)])
    )
    assert panel["symbol"].to_list() == [f"S{n}" for n in range(1, 10)]
    assert panel["size"].head(2).to_list() == [None, None]


def test_a_month_with_too_few_nyse_stocks_has_no_sizes():
    panel = panel_from(table(exchange=["NYSE"] * 2 + ["NASDAQ"] * 8))
    assert panel["size"].null_count() == 10


def test_without_the_exchange_there_is_no_guess():
    with pytest.raises(DataError, match=r"no column exchange.*NYSE's own stocks"):
        panel_from(table().drop("exchange"), "crsp.csv")
    with pytest.raises(DataError, match=r"crsp\.csv: no column close, symbol \(or permno\)"):
        panel_from(table().drop("close", "symbol", "permno"), "crsp.csv")


@pytest.mark.parametrize("close", [-10.5, 0.0, float("inf"), float("nan")])
def test_a_close_that_is_no_price_is_named(close):
    with pytest.raises(DataError, match=r"close .* of S0 on 1990-01-31"):
        panel_from(table(close=[close, *range(1, 10)]))


def test_a_firm_that_is_there_twice_in_a_month_is_named():
    twice = pl.concat([table(), table(date=[date(1990, 1, 30)] * 10).head(1)])
    with pytest.raises(DataError, match="S0 is there twice in 1990-01"):
        panel_from(twice)


def test_an_empty_table_is_an_empty_panel():
    panel = panel_from(table().clear())
    assert (panel.height, tuple(panel.columns)) == (0, COLUMNS)
