"""A user's own CSV or Parquet file: values, digits, gaps, and what is wrong with it by file, line and column."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.data.sources import Sources, find_series
from neuter.errors import DataError


@pytest.fixture
def written(tmp_path: Path):
    def write(name: str, text: str | bytes):
        path = tmp_path / "mine.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return find_series(name, Sources(data=(f"{name}={path}",)))

    return write


def test_a_file_stands_in_the_place_of_what_ships_and_is_sorted(written):
    series = written("sp500", "date,value\n2008-12-31,903.25\n2008-12-29,869.42\n2008-12-30,890.64\n")
    assert series.values().rows() == [
        (date(2008, 12, 29), 869.42),
        (date(2008, 12, 30), 890.64),
        (date(2008, 12, 31), 903.25),
    ]
    assert series.readings == ("close",)
    assert series.source.endswith("mine.csv")


def test_an_empty_value_and_a_trading_day_that_is_left_out_are_gaps(written):
    text = "date,value\n2008-12-26,872.80\n2008-12-29,\n2008-12-31,903.25\n"
    series = written("sp500", text)
    # The 27th and 28th were a weekend.
    assert series.gaps == (date(2008, 12, 29), date(2008, 12, 30))


def test_digits_are_the_most_decimals_of_the_column_for_software_drops_zeros(written):
    series = written("sp500", "date,value\n2008-12-29,869.42\n2008-12-30,890.6\n2008-12-31,903.0\n")
    assert series.points["digits"].to_list() == [2, 2, 2]


def test_the_noise_of_binary_numbers_has_no_digits(written):
    series = written("sp500", "date,value\n2008-12-30,890.64\n2008-12-31,903.24999999999977\n")
    assert series.points["digits"].to_list() == [2, None]


def test_whole_numbers_have_no_decimals(written):
    assert written("housing_starts", "date,value\n2020-04,891\n").points["digits"].to_list() == [0]


@pytest.mark.parametrize(
    "label", ["2020-04", "2020-04-01", "2020-04-30", "20200430", "30APR2020", "2020:04", "2020M4"]
)
def test_a_month_has_its_first_day_however_it_is_written(written, label):
    series = written("housing_starts", f"date,value\n{label},891\n")
    assert series.points["date"].to_list() == [date(2020, 4, 1)]


def test_a_quarter_has_its_first_day_and_a_missing_one_is_a_gap(written):
    series = written(
        "gdp_growth", "date,first,latest\n2008Q2,2.8,2.3\n2008Q3,-0.5,\n2009Q1,-6.1,-4.5\n2008Q4,,-8.5\n"
    )
    assert series.points["date"].to_list() == [
        date(2008, 4, 1),
        date(2008, 7, 1),
        date(2008, 10, 1),
        date(2009, 1, 1),
    ]
    assert series.points["first"].to_list() == [2.8, -0.5, None, -6.1]
    assert series.points["latest"].to_list() == [2.3, None, -8.5, -4.5]
    assert series.gaps == (date(2008, 10, 1),)


def test_a_value_is_the_default_reading(written):
    assert written("unemployment_rate", "date,value\n2009-10,10.0\n").points["latest"].to_list() == [10.0]
    assert written("gdp_growth", "date,value\n2008Q4,-3.8\n").points["first"].to_list() == [-3.8]


def test_any_single_column_of_numbers_is_the_value(written):
    series = written("sp500", "Day;Note;Last\n2008-12-31;holiday soon;903.25\n")
    assert series.values()["value"].to_list() == [903.25]


def test_a_level_from_fred_s_site_is_not_taken_for_growth(written):
    with pytest.raises(DataError, match="holds the level GDPC1, and gdp_growth is"):
        written("gdp_growth", "observation_date,GDPC1\n2008-10-01,16485.35\n")
    assert (
        written("unemployment_rate", "observation_date,UNRATE\n2009-10-01,10.0\n").points["latest"][0] == 10.0
    )


def test_a_byte_order_mark_tabs_and_quotes_do_no_harm(written):
    series = written("sp500", b'\xef\xbb\xbfdate\tvalue\n"2008-12-31"\t"903.25"\n')
    assert series.values().rows() == [(date(2008, 12, 31), 903.25)]


def test_daily_values_of_a_month_end_series_give_the_last_trading_day_of_each_whole_month(written):
    text = "date,value\n2008-11-26,54.92\n2008-11-28,55.28\n2008-12-30,41.63\n2008-12-31,40.00\n2009-01-05,39.08\n"
    series = written("vix", text)
    assert series.values().rows() == [(date(2008, 11, 28), 55.28), (date(2008, 12, 31), 40.0)]


def test_a_month_whose_last_trading_day_is_missing_is_a_gap_and_not_the_value_of_an_earlier_day(written):
    series = written("vix", "date,value\n2008-10-31,59.89\n2008-11-26,54.92\n2008-12-31,40.00\n")
    assert series.points["date"].to_list() == [date(2008, 10, 31), date(2008, 12, 31)]
    assert series.gaps == (date(2008, 11, 28),)


def test_the_last_day_of_a_month_stands_for_its_last_trading_day(written):
    # 2008-11-30 was a Sunday, the 28th a Friday.
    series = written("vix", "date,value\n2008-11-30,55.28\n2008-12,40.00\n")
    assert series.points["date"].to_list() == [date(2008, 11, 28), date(2008, 12, 31)]


def test_a_bond_market_that_closed_earlier_still_has_a_month_end(written):
    series = written(
        "treasury_10y", "date,value\n2024-03-28,4.20\n2024-04-26,4.67\n2024-04-30,4.69\n2024-05-20,4.44\n"
    )
    assert series.values().rows() == [(date(2024, 3, 28), 4.2), (date(2024, 4, 30), 4.69)]


def test_a_stock_has_both_prices(written):
    series = written("IBM", "date,traded,split_adjusted\n2020-12-31,125.88,120.34\n")
    assert series.points.select("traded", "split_adjusted", "digits").row(0) == (125.88, 120.34, 2)


def test_the_split_adjusted_price_of_a_stock_that_ships_follows_from_its_splits(written):
    # Apple split 7 for 1 in June 2014 and 4 for 1 in August 2020.
    series = written("AAPL", "date,traded\n2008-12-31,85.35\n")
    assert series.points["split_adjusted"].to_list() == pytest.approx([85.35 / 28])


def test_the_traded_price_follows_too_and_is_to_the_cent_only_where_the_adjusted_one_has_the_decimals(
    written,
):
    series = written("AAPL", "date,split_adjusted\n2008-12-31,3.048214\n")
    assert series.points.select("traded", "digits").row(0) == (85.35, 2)
    series = written("AAPL", "date,split_adjusted\n2008-12-31,3.05\n")
    assert series.points["traded"].to_list() == pytest.approx([85.4])
    assert series.points["digits"].to_list() == [None]


def test_a_stock_whose_splits_nobody_knows_needs_the_traded_price(written):
    with pytest.raises(DataError, match=r"no traded closes.*splits of IBM are not known"):
        written("IBM", "date,split_adjusted\n2020-12-31,120.34\n")


def test_a_stock_must_say_which_price_it_has(written):
    with pytest.raises(DataError, match=r"does not say which price.*traded"):
        written("AAPL", "date,close\n2008-12-31,85.35\n")


def test_text_in_the_place_of_a_number_is_named_by_line_and_column(written):
    with pytest.raises(DataError, match=r"mine.csv: line 4, column value: 'abc' is no number"):
        written("sp500", "date,value\n2008-12-30,890.64\n\n2008-12-31,abc\n")


def test_decimal_commas_are_refused_with_a_hint(written):
    with pytest.raises(
        DataError, match=r"line 2, column value: '903,25' is no number.*a point before the decimals"
    ):
        written("sp500", "date;value\n2008-12-31;903,25\n")


@pytest.mark.parametrize("text", ["inf", "-inf", "1e999", "infinity"])
def test_an_infinite_value_is_refused(written, text):
    with pytest.raises(DataError, match=r"line 2, column value: .* is no number"):
        written("sp500", f"date,value\n2008-12-31,{text}\n")


@pytest.mark.parametrize("text", ["", "NA", "#N/A", ".", "NaN", "null"])
def test_what_files_write_for_a_missing_value_is_one(written, text):
    assert len(written("sp500", f"date,value\n2008-12-30,{text}\n2008-12-31,903.25\n").points) == 1


def test_a_date_twice_names_both_lines(written):
    with pytest.raises(DataError, match=r"line 3: a second value for 2008-12-31 \(the first is in 2\)"):
        written("sp500", "date,value\n2008-12-31,903.25\n2008-12-31,903.26\n")


def test_two_days_of_one_month_are_no_monthly_series(written):
    with pytest.raises(DataError, match="line 3: a second value for 2020-04-01"):
        written("housing_starts", "date,value\n2020-04-01,891\n2020-04-15,900\n")


def test_a_date_that_is_none_is_named(written):
    with pytest.raises(DataError, match=r"line 3, column date: '31/12/2008' is no date. Write 2008-12-31"):
        written("sp500", "date,value\n2008-12-30,890.64\n31/12/2008,903.25\n")
    with pytest.raises(DataError, match="'2008-02-30' is no date"):
        written("sp500", "date,value\n2008-02-30,890.64\n")


def test_a_month_is_no_date_of_a_daily_series(written):
    with pytest.raises(DataError, match="line 2, column date: '2008-12' is a month, and sp500 is daily"):
        written("sp500", "date,value\n2008-12,903.25\n")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("date,value\n", "is empty"),
        ("date,value\n2008-12-31\n", "line 2: has 1 fields where the header has 2"),
        ("day2,value\n2008-12-31,1\n", "has no column date.*day2"),
        ("date,a,b\n2008-12-31,1,2\n", "has no column value.*a, b.*value or close"),
        ("date,value,value\n2008-12-31,1,2\n", "more than one column 'value'"),
        ("date,value\n2008-12-31,\n", "has no value of sp500"),
        ('date,value\n2008-12-31,"903\n', "cannot be read as CSV"),
    ],
)
def test_a_malformed_file_is_refused(written, text, told):
    with pytest.raises(DataError, match=told):
        written("sp500", text)


def test_a_file_in_another_encoding_is_refused(written):
    with pytest.raises(DataError, match="is not UTF-8"):
        written("sp500", "date,value,köln\n2008-12-31,1,2\n".encode("latin-1"))


def test_a_missing_file_is_named():
    with pytest.raises(DataError, match=r"nowhere.csv: no such file"):
        find_series("sp500", Sources(data=("sp500=nowhere.csv",)))


def test_a_parquet_file_is_the_same(tmp_path):
    days = [date(2008, 12, 30), date(2008, 12, 31)]
    pl.DataFrame({"Date": days, "value": [890.64, 903.2]}).write_parquet(tmp_path / "mine.parquet")
    series = find_series("sp500", Sources(data=(f"sp500={tmp_path / 'mine.parquet'}",)))
    assert series.values().rows() == [(days[0], 890.64), (days[1], 903.2)]
    assert series.points["digits"].to_list() == [2, 2]


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    (tmp_path / "mine.parquet").write_text("date,value\n")
    with pytest.raises(DataError, match="is no Parquet file"):
        find_series("sp500", Sources(data=(f"sp500={tmp_path / 'mine.parquet'}",)))


@pytest.mark.parametrize("name", ["sp500", "djia", "nasdaq", "vix", "vix_daily", "housing_starts"])
@pytest.mark.parametrize("text", ["0", "-0.0", "-903.25"])
def test_a_price_or_level_that_is_not_above_zero_is_refused_by_line_and_column(written, name, text):
    rows = f"date,value\n2008-11-28,896.24\n2008-12-31,{text}\n"
    with pytest.raises(
        DataError, match=rf"mine.csv: line 3, column value: '{text}' cannot be, for {name} is"
    ):
        written(name, rows)


@pytest.mark.parametrize("column", ["traded", "split_adjusted"])
def test_a_stock_s_price_that_is_not_above_zero_is_refused(written, column):
    with pytest.raises(
        DataError, match=f"line 2, column {column}: '-85.35' cannot be, for AAPL is always above 0"
    ):
        written("AAPL", f"date,{column}\n2008-12-31,-85.35\n")


def test_unemployment_may_be_zero_and_not_below(written):
    assert written("unemployment_rate", "date,value\n2009-10,0.0\n").points["latest"].to_list() == [0.0]
    with pytest.raises(
        DataError, match=r"line 2, column value: '-1.0' cannot be, for unemployment_rate is never"
    ):
        written("unemployment_rate", "date,value\n2009-10,-1.0\n")


@pytest.mark.parametrize("name", ["gdp_growth", "inflation", "nonfarm_payrolls", "treasury_10y"])
def test_growth_changes_and_yields_may_be_negative(written, name):
    label = "2008Q4" if name == "gdp_growth" else "2008-12"
    assert written(name, f"date,value\n{label},-0.5\n").values()["value"].to_list() == [-0.5]


def test_a_zero_below_zero_is_zero(written):
    series = written("inflation", "date,value\n2015-02,-0.0\n")
    assert str(series.values()["value"][0]) == "0.0"


@pytest.mark.parametrize(
    ("name", "day"),
    [("sp500", "2034-12-01"), ("sp500", "1984-12-31"), ("vix", "2034-12-29"), ("AAPL", "2034-12-29")],
)
def test_a_day_that_the_trading_calendar_does_not_know_is_named_by_line(written, name, day):
    column = "traded" if name == "AAPL" else "value"
    with pytest.raises(
        DataError, match=f"mine.csv: line 3, column date: '{day}' is outside the trading calendar"
    ):
        written(name, f"date,{column}\n2008-12-31,903.25\n{day},903.25\n")


def test_a_month_end_before_the_trading_calendar_needs_none(written):
    assert written("treasury_10y", "date,value\n1980-12-31,12.43\n").points["date"][0] == date(1980, 12, 31)


@pytest.mark.parametrize("value", [[[903.25]], [{"close": 903.25}], [b"\xff"]])
def test_a_parquet_column_of_lists_records_or_bytes_is_refused_by_name(tmp_path, value):
    pl.DataFrame({"date": ["2008-12-31"], "value": value}).write_parquet(tmp_path / "mine.parquet")
    with pytest.raises(DataError, match=r"mine.parquet: column value is of type (List|Struct|Binary)"):
        find_series("sp500", Sources(data=(f"sp500={tmp_path / 'mine.parquet'}",)))
