"""Table A1 from what ships: the paper's own figures where it is right, and where it is not, what was computed instead."""

from datetime import date, timedelta

import polars as pl
import pytest

from neuter.data.series import DataSeries
from neuter.data.shipped_series import shipped_series
from neuter.errors import DataError
from neuter.scoring.table import SCORES_SCHEMA
from neuter.suites.recall.summary_table import STOCKS, summary_scores


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return summary_scores()


def of(table: pl.DataFrame, panel: str, series: str, metric: str) -> dict:
    (row,) = table.filter(panel=panel, series=series, metric=metric).rows(named=True)
    return row


def figures(table: pl.DataFrame, panel: str, series: str) -> list[float]:
    return [round(value, 2) for value in table.filter(panel=panel, series=series)["value"]]


def test_every_row_of_the_table_is_there_once(table):
    assert list(table.columns) == list(SCORES_SCHEMA)
    assert table.height == (3 + 3 + 7 + 3) * 3 + (4 + 3) * 6
    assert not table.select("panel", "series", "metric").is_duplicated().any()
    assert set(table["suite"]) == {"summary"}


@pytest.mark.parametrize(
    ("panel", "series", "paper"),
    [
        # mean, SD, direction, directional change (not compared), errors: Table A1, panels C and D.
        ("rates", "gdp_growth", [2.39, 4.48, 50.36, None, 0.0, 1.93]),
        ("rates", "inflation", [2.70, 1.62, 31.28, None, 0.0, 1.13]),
    ],
)
def test_figures_that_the_paper_prints_too(table, panel, series, paper):
    ours = figures(table, panel, series)
    assert [mine for mine, printed in zip(ours, paper, strict=True) if printed is not None] == [
        printed for printed in paper if printed is not None
    ]


def test_daily_directions_and_means_of_the_sp500_are_the_papers(table):
    mean, deviation, rising = figures(table, "indices_daily", "sp500")
    assert (mean, rising) == (0.04, 53.59)
    # The paper prints 0.11: a tenth.
    assert deviation == 1.13


def test_indices_have_the_figures_that_were_computed_independently(table):
    # paper-decisions.md, "Published figures to flag".
    assert figures(table, "indices_daily", "nasdaq")[2] == 54.98
    assert figures(table, "indices_monthly", "nasdaq")[2] == 61.37
    assert figures(table, "indices_daily", "djia")[2] == 53.26
    assert figures(table, "indices_monthly", "djia")[2] == 63.03
    assert figures(table, "indices_monthly", "sp500")[1] == 4.27


def test_without_the_first_month_the_monthly_rows_are_the_papers():
    # The paper has no return for January 1990: 270 of 421 and 259 of 421.
    later = summary_scores(first=date(1990, 2, 1))
    for series, mean, deviation, rising in (("sp500", 0.78, 4.3, 64.13), ("nasdaq", 1.10, 6.2, 61.52)):
        ours = figures(later, "indices_monthly", series)
        assert (ours[0], round(ours[1], 1), ours[2]) == (mean, deviation, rising)


def test_payroll_errors_leave_out_the_month_without_change(table):
    row = of(table, "levels", "nonfarm_payrolls", "mean_percent_error")
    assert (round(row["value"], 2), row["n"]) == (-58.78, 421)
    row = of(table, "levels", "nonfarm_payrolls", "mean_absolute_percent_error")
    assert round(row["value"], 1) == 188.2
    assert of(table, "levels", "nonfarm_payrolls", "mean")["n"] == 422


def test_unemployment_is_the_papers_with_its_first_month():
    with_december = summary_scores(first=date(1989, 12, 1))
    assert figures(with_december, "rates", "unemployment_rate")[:3] == [5.71, 1.75, 84.16]


def test_the_yield_is_the_papers_with_its_last_day():
    # Table 1 ends on 2025-03-07, which is no month end; DGS10 was 4.32 on that day.
    def found(name: str) -> DataSeries:
        series = shipped_series(name)
        if name != "treasury_10y":
            return series
        day = pl.DataFrame({"date": [date(2025, 3, 7)], "close": [4.32]}).with_columns(
            digits=pl.lit(2, pl.Int8), source=pl.lit("FRED DGS10")
        )
        points = pl.concat([series.points.filter(pl.col("date") < date(2025, 3, 1)), day])
        return DataSeries(name, "monthly", ("close",), points)

    table = summary_scores(last=date(2025, 3, 7), series_of=found)
    assert figures(table, "rates", "treasury_10y") == [4.23, 1.97, 52.01, 48.82, 0.0, 1.62]


@pytest.mark.parametrize(
    ("ticker", "paper"),
    [("TSLA", [3.45, 19.4, 52.20]), ("META", [2.34, 11.2, 61.76]), ("AMZN", [2.53, 16.7, 58.23])],
)
def test_the_papers_stock_returns_are_of_traded_closes_to_september_2023(ticker, paper):
    traded = summary_scores(last_of_stocks=date(2023, 9, 29), price="traded")
    mean, deviation, rising = figures(traded, "stocks_monthly", ticker)
    assert [mean, round(deviation, 1), rising] == paper


def test_a_split_is_no_return(table):
    # NVDA split 4 for 1 on 2021-07-20: traded closes fall from 800.10 to 194.99, the holder's return was -2.5%.
    assert of(table, "stocks_monthly", "NVDA", "mean_return")["value"] == pytest.approx(3.91, abs=0.005)
    month = summary_scores(date(2021, 7, 1), date(2021, 7, 31))
    assert of(month, "stocks_monthly", "NVDA", "mean_return")["value"] == pytest.approx(
        100 * (194.99 * 4 / 800.10 - 1), abs=0.01
    )


def test_a_period_is_in_if_it_is_over(table):
    # The first quarter of 2025 is dated 2025-01-01 and ends after February.
    row = of(table, "rates", "gdp_growth", "mean")
    assert (row["first_date"], row["last_date"], row["n"]) == (date(1990, 1, 1), date(2024, 10, 1), 139)
    assert of(table, "rates", "inflation", "mean")["last_date"] == date(2025, 2, 1)
    assert of(table, "rates", "treasury_10y", "mean")["last_date"] == date(2025, 2, 28)
    cut = summary_scores(last=date(2025, 2, 27))
    assert of(cut, "rates", "inflation", "mean")["last_date"] == date(2025, 1, 1)
    assert of(cut, "indices_monthly", "sp500", "mean_return")["last_date"] == date(2025, 1, 31)
    assert of(cut, "indices_daily", "sp500", "mean_return")["last_date"] == date(2025, 2, 27)


def test_changes_do_not_reach_over_gaps(table):
    # 139 quarters in two runs (1995Q4 has no first print).
    assert of(table, "rates", "gdp_growth", "directional_change")["n"] == 137


def test_portfolios_are_empty_without_closes(table):
    empty = table.filter(panel="portfolios_monthly")
    assert empty.height == 9
    assert empty["value"].null_count() == 9
    assert set(empty["n"]) == {0}


def test_portfolios_weigh_their_firms_equally():
    march, april = date(2021, 3, 31), date(2021, 4, 30)
    rows = [
        # +10%, +50% and +3% in March: 21%.
        ("Small", march, 110.0, 100.0),
        ("Small", march, 3.0, 2.0),
        ("Small", march, 103.0, 100.0),
        # -10% in April; the others have no month before, no close, or a close of nothing before.
        ("Small", april, 99.0, 110.0),
        ("Small", april, 4.0, None),
        ("Small", april, None, 3.0),
        ("Small", april, 4.0, 0.0),
        ("Large", april, 5.0, 4.0),
    ]
    table = summary_scores(
        portfolios=pl.DataFrame(rows, schema=["series", "date", "close", "previous"], orient="row")
    )
    small = of(table, "portfolios_monthly", "Small", "mean_return")
    assert (small["value"], small["n"], small["first_date"]) == (pytest.approx((21 - 10) / 2), 2, march)
    assert of(table, "portfolios_monthly", "Small", "directional_change")["value"] == 50.0
    assert of(table, "portfolios_monthly", "Large", "mean_return")["value"] == pytest.approx(25.0)
    assert of(table, "portfolios_monthly", "Large", "sd_return")["value"] is None
    assert of(table, "portfolios_monthly", "Mid", "mean_return")["value"] is None


def test_portfolios_without_their_columns_are_refused():
    with pytest.raises(DataError, match="without previous"):
        summary_scores(
            portfolios=pl.DataFrame({"series": ["Small"], "date": [date(2021, 1, 29)], "close": [1.0]})
        )


def test_dates_in_the_wrong_order_are_refused():
    with pytest.raises(DataError, match="2024-01-02 is after 2024-01-01"):
        summary_scores(date(2024, 1, 2), date(2024, 1, 1))


def test_dates_without_data_give_empty_figures():
    table = summary_scores(date(1960, 1, 1), date(1960, 12, 31))
    assert table["value"].null_count() == table.height
    assert set(table["n"]) == {0}


def test_a_users_series_takes_the_place_of_the_shipped_one():
    day = date(2020, 1, 1)
    points = pl.DataFrame({"date": [day, day + timedelta(days=31)], "mine": [1.0, 3.0]}).with_columns(
        digits=pl.lit(None, pl.Int8), source=pl.lit("mine")
    )
    mine = DataSeries("inflation", "monthly", ("mine",), points)
    table = summary_scores(series_of=lambda name: mine if name == "inflation" else shipped_series(name))
    assert figures(table, "rates", "inflation") == [2.0, 1.41, 0.0, 100.0, 0.0, 1.0]


def test_a_stock_with_one_column_of_closes_is_taken_as_it_is():
    points = pl.DataFrame({"date": [date(2020, 1, 31), date(2020, 2, 28)], "close": [1.0, 1.5]}).with_columns(
        digits=pl.lit(2, pl.Int8), source=pl.lit("mine")
    )
    own = {ticker: DataSeries(ticker, "monthly", ("close",), points) for ticker in STOCKS}
    table = summary_scores(series_of=lambda name: own.get(name) or shipped_series(name))
    assert of(table, "stocks_monthly", "AAPL", "mean_return")["value"] == 50.0
