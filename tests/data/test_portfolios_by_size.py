"""Portfolios by size: drawn anew each year, the same for a seed, and followed month by month."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from neuter.data.panel import firm_panel
from neuter.data.portfolios import draw_portfolios, missing_months, portfolio_closes
from neuter.errors import DataError, UsageError

MONTHS = [date(2020, 11, 30), date(2020, 12, 31), date(2021, 1, 29), date(2021, 2, 26), date(2021, 3, 31)]


def panel(firms: int = 8, months: list[date] = MONTHS, size: str = "Small") -> pl.DataFrame:
    """Firms A, B, ... with closes 10, 11, ... that grow by 1 a month, and a million shares."""
    rows = [
        {
            "date": day,
            "symbol": chr(65 + firm),
            "firm": firm,
            "close": 10.0 + firm + at,
            "digits": 2,
            "size": size,
        }
        for firm in range(firms)
        for at, day in enumerate(months)
    ]
    frame = pl.DataFrame(rows, schema_overrides={"digits": pl.Int8, "firm": pl.Int64})
    return frame.with_columns(market_cap=pl.col("close") * 1e6)


def without(frame: pl.DataFrame, symbol: str, *days: date) -> pl.DataFrame:
    return frame.filter(~((pl.col("symbol") == symbol) & pl.col("date").is_in(days)))


def test_ten_firms_of_each_size_and_year():
    drawn = draw_portfolios(firm_panel())
    counts = drawn.group_by("year", "size", maintain_order=True).len().rows()
    assert counts == [(year, size, 10) for year in range(2021, 2027) for size in ("Small", "Mid", "Large")]
    assert not drawn.select(pl.struct("year", "firm").is_duplicated().any()).item()
    assert draw_portfolios(firm_panel(), per_size=3).height == 6 * 3 * 3


def test_sizes_are_of_the_last_month_end_of_the_year_before_and_first_of_the_first_month_with_sizes():
    drawn = draw_portfolios(firm_panel())
    formed = dict(drawn.select("year", "formed").unique().iter_rows())
    assert formed[2021] == date(2021, 2, 26)
    assert formed[2022] == date(2021, 12, 31)
    assert formed[2026] == date(2025, 12, 31)
    then = firm_panel().select("date", "firm", then="size")
    both = drawn.join(then, left_on=["formed", "firm"], right_on=["date", "firm"])
    assert both.height == 180
    assert (both["then"] == both["size"]).all()


def test_the_same_seed_draws_the_same_whatever_the_order_of_rows():
    drawn = draw_portfolios(firm_panel(), seed=4)
    assert draw_portfolios(firm_panel().sample(fraction=1, shuffle=True, seed=1), seed=4).equals(drawn)
    assert not draw_portfolios(firm_panel(), seed=5).equals(drawn)


def test_a_years_draw_depends_on_no_other_year():
    all_years = draw_portfolios(firm_panel()).filter(year=2024)
    alone = draw_portfolios(firm_panel().filter(pl.col("date") >= date(2023, 12, 1))).filter(year=2024)
    assert alone.equals(all_years)
    years = draw_portfolios(firm_panel()).filter(size="Small")
    assert set(years.filter(year=2024)["symbol"]) != set(years.filter(year=2025)["symbol"])


def test_firms_are_drawn_anew_each_year():
    years = panel(26, [date(year, 12, 31) for year in range(2000, 2006)])
    drawn = draw_portfolios(years, per_size=5).group_by("year").agg(pl.col("symbol").sort().str.join())
    assert drawn["symbol"].n_unique() >= 5


def test_another_firm_displaces_at_most_one():
    before = set(draw_portfolios(panel(8), per_size=3).filter(year=2021)["symbol"])
    after = set(draw_portfolios(panel(9), per_size=3).filter(year=2021)["symbol"])
    assert len(before - after) <= 1


def test_the_draw_is_even():
    few = panel(8)
    counts = dict.fromkeys("ABCDEFGH", 0)
    for seed in range(400):
        for symbol in draw_portfolios(few, per_size=2, seed=seed).filter(year=2021)["symbol"]:
            counts[symbol] += 1
    # 400 draws of 2 in 8: 100 each; five standard deviations are 43.
    assert all(57 <= count <= 143 for count in counts.values()), counts


def test_a_firm_without_a_close_or_a_size_then_is_not_drawn():
    gone = without(panel(5), "A", MONTHS[1])
    gone = gone.with_columns(
        size=pl.when(pl.col("symbol") != "B").then("size"),
        close=pl.when(pl.col("symbol") != "C").then("close"),
    )
    assert draw_portfolios(gone).filter(year=2021)["symbol"].to_list() == ["D", "E"]


def test_months_are_those_of_the_year_and_in_the_first_year_from_the_sizes_on():
    frame = panel(1)
    closes = portfolio_closes(frame, draw_portfolios(frame))
    assert closes["date"].to_list() == MONTHS
    later = frame.with_columns(size=pl.when(pl.col("date") >= MONTHS[1]).then("size"))
    assert portfolio_closes(later, draw_portfolios(later))["date"].to_list() == MONTHS[1:]


def test_previous_is_the_close_one_month_end_before_and_null_over_a_gap():
    frame = without(panel(1), "A", MONTHS[3])
    closes = portfolio_closes(frame, draw_portfolios(frame))
    assert closes.select("date", "close", "previous").rows() == [
        (MONTHS[0], 10.0, None),
        (MONTHS[1], 11.0, 10.0),
        (MONTHS[2], 12.0, 11.0),
        (MONTHS[4], 14.0, None),
    ]


def test_a_firm_is_followed_under_its_new_symbol():
    frame = panel(1).with_columns(
        symbol=pl.when(pl.col("date") < MONTHS[3]).then("symbol").otherwise(pl.lit("Z"))
    )
    closes = portfolio_closes(frame, draw_portfolios(frame)).filter(pl.col("date") > MONTHS[1])
    assert closes.select("symbol", "previous").rows() == [("A", 11.0), ("Z", 12.0), ("Z", 13.0)]


def test_a_symbol_that_went_to_another_firm_has_no_previous_close_from_the_first():
    frame = panel(1).with_columns(
        firm=pl.when(pl.col("date") < MONTHS[1]).then(1).otherwise(2).cast(pl.Int64)
    )
    closes = portfolio_closes(frame, draw_portfolios(frame))
    assert closes.filter(date=MONTHS[1])["previous"].to_list() in ([], [None])
    assert closes.filter(date=MONTHS[2])["previous"].item() == 11.0


def test_who_leaves_is_counted_and_not_replaced():
    frame = without(panel(4), "A", *MONTHS[3:])
    drawn = draw_portfolios(frame)
    closes = portfolio_closes(frame, drawn).filter(symbol="A")
    assert closes["date"].to_list() == MONTHS[:3]
    assert missing_months(frame, drawn).rows() == [(2021, "Small", "A", 2, MONTHS[2])]


@pytest.mark.parametrize(
    ("closes", "shares", "split"),
    [
        ([100.0, 26.0], [1.0, 4.0], True),  # four for one
        ([2.0, 19.0], [10.0, 1.0], True),  # one for ten
        ([100.0, 70.0], [1.0, 1.5], True),  # three for two
        ([100.0, 25.0], [1.0, 1.0], False),  # a fall
        ([100.0, 98.0], [1.0, 2.0], False),  # a merger paid in shares
        ([100.0, 95.0], [1.0, 1.1], False),  # an issue
    ],
)
def test_a_split_has_no_previous_close(closes, shares, split):
    days = MONTHS[1:3]
    frame = panel(1, days).with_columns(
        close=pl.Series(closes), market_cap=pl.Series(closes) * pl.Series(shares) * 1e6
    )
    told = portfolio_closes(frame, draw_portfolios(frame)).filter(date=days[1])
    assert told["previous"].to_list() == [None if split else closes[0]]


@pytest.mark.parametrize("entered", [1, 2, 3, 4])
def test_a_split_whose_shares_are_entered_late_is_seen_up_to_two_months_on(entered):
    closes = [100.0, 10.5, 11.0, 12.0, 12.0]
    shares = [1.0 if at < entered else 10.0 for at in range(5)]
    frame = panel(1).with_columns(close=pl.Series(closes), market_cap=pl.Series(closes) * pl.Series(shares))
    told = portfolio_closes(frame, draw_portfolios(frame))["previous"].to_list()
    assert told == [None, None if entered <= 3 else 100.0, 10.5, 11.0, 12.0]


@pytest.mark.parametrize(
    ("symbol", "day"),
    [
        ("NVDA", date(2024, 6, 28)),
        ("AMZN", date(2022, 6, 30)),
        ("GOOGL", date(2022, 7, 29)),
        ("TSLA", date(2022, 8, 31)),
        ("WMT", date(2024, 2, 29)),
        ("CMG", date(2024, 6, 28)),
        ("AVGO", date(2024, 7, 31)),
    ],
)
def test_well_known_splits_are_seen_and_no_others(symbol, day):
    one = firm_panel().filter(symbol=symbol)
    closes = portfolio_closes(one, draw_portfolios(one, per_size=1)).filter(
        pl.col("date").dt.year() == day.year
    )
    empty = closes.filter(pl.col("previous").is_null())["date"].to_list()
    assert [on for on in empty if on.month != 1 or on == day] == [day]


def test_a_portfolio_needs_a_firm_and_a_panel_sizes():
    with pytest.raises(UsageError, match="per_size = 0"):
        draw_portfolios(panel(), per_size=0)
    with pytest.raises(DataError, match="no firm has a size"):
        draw_portfolios(panel().with_columns(size=pl.lit(None, pl.String)))
