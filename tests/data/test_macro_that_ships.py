"""The macro series that ship: known first prints and latest values, what is no first print, digits and gaps."""

import sys
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.data.calendar import month_ends
from neuter.data.shipped_series import shipped_series
from neuter.shipped import shipped_path

REPOSITORY = Path(__file__).parents[2]
RAW = REPOSITORY.parent / "shared/data/macro"


def value(name: str, day: date, reading: str) -> float | None:
    return shipped_series(name).points.filter(pl.col("date") == day)[reading][0]


def digits(name: str, day: date) -> int | None:
    return shipped_series(name).points.filter(pl.col("date") == day)["digits"][0]


@pytest.mark.parametrize(
    ("name", "day", "reading", "expected"),
    [
        ("nonfarm_payrolls", date(2008, 12, 1), "first", -524.0),
        ("nonfarm_payrolls", date(2011, 8, 1), "first", 0.0),
        ("nonfarm_payrolls", date(2020, 4, 1), "first", -20500.0),
        ("nonfarm_payrolls", date(2024, 8, 1), "first", 142.0),
        ("nonfarm_payrolls", date(2025, 7, 1), "first", 73.0),
        ("unemployment_rate", date(2009, 10, 1), "first", 10.2),
        ("unemployment_rate", date(2009, 10, 1), "latest", 10.0),
        ("unemployment_rate", date(2020, 4, 1), "first", 14.7),
        ("unemployment_rate", date(2020, 4, 1), "latest", 14.8),
        ("housing_starts", date(2020, 4, 1), "first", 891.0),
        # 12 months to December 2008: 210.228 / 210.036; to June 2022 the highest since 1981.
        ("inflation", date(2008, 12, 1), "first", 0.1),
        ("inflation", date(2022, 6, 1), "first", 9.1),
        ("inflation", date(2009, 7, 1), "latest", -2.1),
        ("treasury_10y", date(2023, 9, 29), "close", 4.59),
        ("treasury_10y", date(2008, 12, 31), "close", 2.25),
    ],
)
def test_known_values(name, day, reading, expected):
    assert value(name, day, reading) == expected


@pytest.mark.parametrize(("day", "expected"), [(date(2008, 10, 1), -3.80), (date(2020, 4, 1), -32.90)])
def test_known_first_prints_of_growth(day, expected):
    assert round(value("gdp_growth", day, "first"), 2) == expected


@pytest.mark.parametrize(
    ("name", "frequency", "readings"),
    [
        ("gdp_growth", "quarterly", ("first", "latest")),
        ("inflation", "monthly", ("first", "latest")),
        # The paper asks for FRED's rate, not for its earliest estimate (section 3).
        ("unemployment_rate", "monthly", ("latest", "first")),
        ("treasury_10y", "monthly", ("close",)),
        ("housing_starts", "monthly", ("first", "latest")),
        ("nonfarm_payrolls", "monthly", ("first", "latest")),
    ],
)
def test_readings_and_dates(name, frequency, readings):
    series = shipped_series(name)
    assert (series.frequency, series.readings) == (frequency, readings)
    dates = series.points["date"]
    if name == "treasury_10y":
        assert dates.to_list() == month_ends(date(1988, 12, 1), date(2026, 7, 31))
    else:
        assert set(dates.dt.day()) == {1}
        assert set(dates.dt.month()) == ({1, 4, 7, 10} if frequency == "quarterly" else set(range(1, 13)))


@pytest.mark.parametrize(
    "name", ["inflation", "unemployment_rate", "housing_starts", "nonfarm_payrolls", "treasury_10y"]
)
def test_the_year_before_the_papers_sample_is_there(name):
    dates = shipped_series(name).values()["date"]
    assert (dates[0].year, dates[0].month) == (1988, 12)


@pytest.mark.parametrize(
    ("name", "gaps"),
    [
        ("gdp_growth", [date(1995, 10, 1), date(2025, 7, 1)]),
        ("inflation", [date(2025, 10, 1)]),
        ("unemployment_rate", [date(2025, 10, 1)]),
        (
            "housing_starts",
            [
                date(1995, 12, 1),
                date(2013, 9, 1),
                date(2013, 10, 1),
                date(2019, 1, 1),
                date(2025, 9, 1),
                date(2025, 11, 1),
            ],
        ),
        ("nonfarm_payrolls", [date(2025, 10, 1)]),
        ("treasury_10y", []),
    ],
)
def test_gaps(name, gaps):
    assert list(shipped_series(name).gaps) == gaps


def test_no_first_print_is_taken_from_a_later_vintage():
    points = shipped_series("unemployment_rate").points
    assert points.filter(pl.col("date") < date(1999, 7, 1))["first"].null_count() == 127
    assert points.filter(pl.col("date") >= date(1999, 7, 1))["first"].null_count() == 0
    # January 2019 was printed as 1230 and stood at 1273 in the first vintage that has it.
    assert value("housing_starts", date(2019, 1, 1), "first") is None
    assert value("housing_starts", date(2019, 1, 1), "latest") == 1226.0
    # Late, but the first: the shutdown of 2018-19.
    assert value("housing_starts", date(2018, 12, 1), "first") == 1078.0


def test_inflation_over_the_missing_month_compares_the_same_months():
    # 324.122 in November 2025, 315.493 in November 2024; twelve rows back is October 2024.
    assert value("inflation", date(2025, 11, 1), "first") == round((324.122 / 315.493 - 1) * 100, 1) == 2.7


def test_inflation_is_never_revised():
    points = shipped_series("inflation").points
    assert points.height == 449
    assert points["first"].to_list() == points["latest"].to_list()


def test_digits_are_those_that_the_source_prints():
    expected = {
        "gdp_growth": 1,
        "inflation": 1,
        "unemployment_rate": 1,
        "housing_starts": 0,
        "nonfarm_payrolls": 0,
    }
    for name, count in expected.items():
        assert set(shipped_series(name).points["digits"].drop_nulls()) == {count}, name
    assert set(shipped_series("treasury_10y").points["digits"]) == {2}


def test_points_whose_last_digit_nobody_knows_have_no_digits():
    # Two sources disagree (-20,500 and -20,537).
    assert digits("nonfarm_payrolls", date(2020, 4, 1)) is None
    # -0.2522 was printed as -0.3, and 0.2482 as 0.2: too near the middle for levels in tenths of a billion.
    assert digits("gdp_growth", date(2008, 7, 1)) is None
    assert digits("gdp_growth", date(2008, 10, 1)) == 1
    # Consumer prices of January to August 2000 were corrected in September.
    assert digits("inflation", date(2000, 3, 1)) is None
    assert digits("inflation", date(2000, 9, 1)) == 1
    # A period without the default truth has none to print.
    assert digits("housing_starts", date(2019, 1, 1)) is None


@pytest.fixture
def first_prints(monkeypatch):
    monkeypatch.syspath_prepend(str(REPOSITORY / "corpora/macro"))
    yield __import__("first_prints")
    sys.modules.pop("first_prints", None)


def prints(*rows: tuple[str, str, int]) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema=["date", "vintage", "lag"], orient="row")
    return frame.with_columns(pl.col("date").str.to_date())


def test_a_late_print_is_a_first_one_only_if_nothing_newer_came_with_it(first_prints):
    told = prints(
        ("2018-11-01", "2018-12", 1),
        ("2018-12-01", "2019-02", 2),  # late, alone in its vintage
        ("2019-01-01", "2019-03", 2),  # late, and February came with it: may be revised
        ("2019-02-01", "2019-03", 1),
    )
    kept = first_prints.true_first_prints(told)["date"].to_list()
    assert kept == [date(2018, 11, 1), date(2018, 12, 1), date(2019, 2, 1)]


def test_what_the_oldest_vintage_holds_of_earlier_months_is_no_first_print(first_prints):
    told = prints(("1999-05-01", "1999-08", 3), ("1999-06-01", "1999-08", 2), ("1999-07-01", "1999-08", 1))
    assert first_prints.true_first_prints(told)["date"].to_list() == [date(1999, 7, 1)]
    alone = prints(("1999-05-01", "1999-08", 3), ("1999-08-01", "1999-09", 1))
    assert first_prints.true_first_prints(alone)["date"].to_list() == [date(1999, 8, 1)]


@pytest.mark.skipif(not RAW.is_dir(), reason="the raw data is not here")
def test_payroll_changes_are_of_one_vintage():
    # The level of the month less that of the month before, both as that vintage has them.
    raw = pl.read_csv(RAW / "payems_first_print_from_fredmd.csv")
    points = shipped_series("nonfarm_payrolls").points
    told = dict(points.select(pl.col("date").dt.strftime("%Y-%m"), "first").iter_rows())
    later = raw.filter(pl.col("obs") > "2024-02", pl.col("lag") == 1)
    assert later.height == 21
    assert [told[month] for month in later["obs"]] == later["change_k"].to_list()


def test_the_manifest_names_the_files_that_are_there():
    import tomllib

    manifest = tomllib.loads(shipped_path("macro", "manifest.toml").read_text())
    named = sorted(file["name"] for file in manifest["files"])
    assert named == sorted(path.name for path in shipped_path("macro").glob("*.csv"))
