"""Which source a series comes from, and one hash for what decides the data."""

from __future__ import annotations

import subprocess
import sys
from datetime import date

import pytest

from neuter.data.shipped_series import SERIES, shipped_series
from neuter.data.sources import Sources, check_sources, find_panel, find_series, hash_of
from neuter.data.sources.known import known, known_series
from neuter.errors import DataError, UsageError


def test_the_names_readings_and_frequencies_are_those_of_what_ships():
    assert set(known_series()) == set(SERIES)
    for name in SERIES:
        shipped = shipped_series(name)
        assert (known(name).readings, known(name).frequency) == (shipped.readings, shipped.frequency)


@pytest.mark.parametrize("name", [*SERIES, "AAPL"])
def test_without_sources_everything_is_what_ships(name):
    assert find_series(name).hash == shipped_series(name).hash


def test_days_outside_are_left_out_of_points_and_gaps():
    series = find_series("gdp_growth", first=date(1995, 7, 1), last=date(1996, 1, 1))
    assert series.points["date"].to_list() == [date(1995, 7, 1), date(1995, 10, 1), date(1996, 1, 1)]
    assert series.gaps == (date(1995, 10, 1),)
    assert find_series("gdp_growth", first=date(1996, 1, 1)).points["date"][0] == date(1996, 1, 1)


def test_a_file_of_the_user_s_own_stands_alone(tmp_path):
    path = tmp_path / "starts.csv"
    path.write_text("date,value\n2020-04,900\n")
    found = find_series("housing_starts", Sources(data=(f"housing_starts={path}",)))
    assert found.points.select("date", "first", "latest").rows() == [(date(2020, 4, 1), 900.0, None)]


def test_a_stock_from_crsp_stands_alone_for_shares_of_two_days_are_not_mixed(tmp_path):
    path = tmp_path / "msf.csv"
    path.write_text("permno,date,ticker,prc,cfacpr\n14593,20081231,AAPL,85.35,28\n")
    found = find_series("AAPL", Sources(crsp=(str(path),)))
    assert found.points.select("date", "traded").rows() == [(date(2008, 12, 31), 85.35)]


def test_a_file_of_the_user_s_own_goes_before_crsp_and_the_philadelphia_fed(tmp_path):
    mine, theirs, prices = tmp_path / "mine.csv", tmp_path / "theirs.csv", tmp_path / "msf.csv"
    mine.write_text("date,value\n1999-11,1\n")
    theirs.write_text("DATE,HSTARTS99M12\n1999:11,2\n")
    found = find_series(
        "housing_starts", Sources(data=(f"housing_starts={mine}",), philadelphia_fed=(str(theirs),))
    )
    assert found.points["first"].to_list() == [1.0]
    stock = tmp_path / "stock.csv"
    stock.write_text("date,traded\n2008-12-31,85.35\n")
    prices.write_text("permno,date,ticker,prc\n14593,20081231,AAPL,1\n")
    found = find_series("AAPL", Sources(data=(f"AAPL={stock}",), crsp=(str(prices),)))
    assert found.points["traded"].to_list() == [85.35]


def test_a_stock_that_nobody_has_is_refused():
    with pytest.raises(DataError, match="no closes of 'ZZZZ' ship"):
        find_series("ZZZZ")


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("mine.csv", "'mine.csv' is not NAME=FILE"),
        ("sp500=", "is not NAME=FILE"),
        ("=mine.csv", "is not NAME=FILE"),
        ("sp50=mine.csv", "no series 'sp50'. Did you mean sp500?"),
        ("aapl=mine.csv", "no series 'aapl'"),
    ],
)
def test_an_entry_that_names_no_series_is_refused_before_what_ships_is_taken_for_it(entry, told):
    with pytest.raises(UsageError, match=told.replace("?", r"\?")):
        Sources(data=(entry,))


def test_two_files_for_one_series_are_refused():
    with pytest.raises(UsageError, match="two files for sp500"):
        Sources(data=("sp500=a.csv", "sp500=b.csv"))


def test_an_unknown_name_is_refused():
    with pytest.raises(UsageError, match=r"no series 'gdp_grow'. Did you mean gdp_growth"):
        find_series("gdp_grow")


def test_the_hash_is_that_of_contents_services_and_days(tmp_path):
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("date,value\n2008-12-31,903.25\n")
    two.write_text("date,value\n2008-12-31,903.25\n")
    day = date(2026, 11, 30)
    base = hash_of(Sources(data=(f"sp500={one}",)), asked=day)
    assert hash_of(Sources(data=(f"sp500={two}",)), asked=day) == base
    assert hash_of(Sources(data=(f"djia={one}",)), asked=day) != base
    assert hash_of(Sources(data=(f"sp500={one}",), fred=True), asked=day) != base
    assert hash_of(Sources(fred=True), asked=day) != hash_of(Sources(alfred=True), asked=day)
    assert hash_of(Sources(fred=True), asked=day) != hash_of(Sources(fred=True), asked=date(2026, 12, 1))
    assert hash_of(Sources(crsp=(str(one),))) != hash_of(Sources(philadelphia_fed=(str(one),)))
    two.write_text("date,value\n2008-12-31,903.26\n")
    assert hash_of(Sources(data=(f"sp500={two}",)), asked=day) != base


def test_the_hash_of_a_missing_file_names_it():
    with pytest.raises(DataError, match=r"nowhere.csv: cannot be read"):
        hash_of(Sources(crsp=("nowhere.csv",)))


def test_the_key_is_no_part_of_what_is_hashed_or_shown(monkeypatch):
    day = date(2026, 11, 30)
    monkeypatch.setenv("FRED_API_KEY", "firstkey")
    before = hash_of(Sources(fred=True), asked=day)
    monkeypatch.setenv("FRED_API_KEY", "secondkey")
    assert hash_of(Sources(fred=True), asked=day) == before
    assert "key" not in repr(Sources(fred=True))


def test_what_cannot_be_used_is_told_before_anything_is_asked(monkeypatch, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("date,value\n2008-12-31,abc\n")
    monkeypatch.delenv("FRED_API_KEY", raising=False)
    for sources, told in (
        (Sources(data=(f"sp500={bad}",)), "'abc' is no number"),
        (Sources(philadelphia_fed=(str(bad),)), "is no file of the Real-Time Data Set"),
        (Sources(crsp=(str(bad),)), "has no column permno"),
        (Sources(alfred=True), "FRED_API_KEY is not set"),
    ):
        with pytest.raises(DataError, match=told):
            check_sources(sources)
    check_sources(Sources())


def test_the_panel_without_sources_is_the_one_that_ships():
    from neuter.data.panel import firm_panel

    assert find_panel().equals(firm_panel())


def test_nothing_heavy_is_loaded_to_name_sources():
    code = "import sys; from neuter.data.sources import Sources; Sources(data=('sp500=a.csv',), fred=True); "
    code += "print([name for name in ('polars', 'httpx2', 'yfinance', 'fastexcel', 'pandas') if name in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
