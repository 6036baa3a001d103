"""The index closes that ship: known levels, digits, gaps and dates; and damaged files."""

from datetime import date

import polars as pl
import pytest

from neuter.data.shipped_series import SERIES, shipped_series
from neuter.errors import DataError
from neuter.shipped import shipped_path


def close(name: str, day: date) -> float:
    return dict(shipped_series(name).values().iter_rows())[day]


@pytest.mark.parametrize(
    ("name", "day", "level"),
    [
        ("sp500", date(2008, 12, 31), 903.25),
        ("nasdaq", date(2000, 3, 10), 5048.62),
        ("djia", date(2008, 12, 31), 8776.39),
        ("vix_daily", date(2008, 11, 20), 80.86),
        # From memory of the market, not from the file: record closes and crashes.
        ("sp500", date(2000, 3, 24), 1527.46),
        ("sp500", date(2009, 3, 9), 676.53),
        ("sp500", date(2020, 3, 23), 2237.40),
        ("djia", date(2009, 3, 9), 6547.05),
        ("vix_daily", date(2020, 3, 16), 82.69),
    ],
)
def test_known_closes(name, day, level):
    assert close(name, day) == level


def test_single_precision_noise_is_gone():
    # The raw file has 4128.7998 and 34200.6719.
    assert close("sp500", date(2021, 4, 9)) == 4128.80
    assert close("djia", date(2021, 4, 16)) == 34200.67


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("sp500", date(1989, 11, 30), date(2026, 8, 21)),
        ("djia", date(1989, 11, 30), date(2026, 3, 16)),
        # 2026-08-21 is no price of two decimals in the raw file (26180.4551), so it is left out.
        ("nasdaq", date(1989, 11, 30), date(2026, 8, 20)),
        ("vix_daily", date(1990, 1, 2), date(2026, 7, 23)),
    ],
)
def test_spans(name, first, last):
    series = shipped_series(name)
    assert (series.points["date"][0], series.points["date"][-1]) == (first, last)
    assert (series.frequency, series.readings) == ("daily", ("close",))


def test_closes_that_the_source_rounded_have_one_digit():
    digits = {
        name: dict(shipped_series(name).points.select("date", "digits").iter_rows())
        for name in ("nasdaq", "djia")
    }
    assert digits["nasdaq"][date(1989, 12, 29)] == 1  # 454.8 here, 454.82 in the newspapers
    assert digits["nasdaq"][date(1991, 3, 8)] == 2
    assert digits["djia"][date(1992, 6, 1)] == 1
    assert digits["djia"][date(2008, 12, 31)] == 2
    assert sum(d == 1 for d in digits["nasdaq"].values()) == 318
    assert sum(d == 1 for d in digits["djia"].values()) == 467
    assert set(shipped_series("sp500").points["digits"]) == {2}


def test_trading_days_without_a_vix_are_gaps():
    expected = (date(1991, 3, 1), date(1997, 1, 31), date(1997, 11, 26), date(1999, 12, 31))
    assert shipped_series("vix_daily").gaps == expected
    assert shipped_series("sp500").gaps == ()


def test_vix_at_month_ends_is_the_daily_one():
    month_end = shipped_series("vix")
    assert month_end.points["date"][0] == date(1990, 1, 31)
    # July 2026 is cut short, so it has no month end.
    assert month_end.points["date"][-1] == date(2026, 6, 30)
    assert close("vix", date(2023, 9, 29)) == close("vix_daily", date(2023, 9, 29)) == 17.52
    # Both gaps are month ends: the day before is not put in their place.
    assert month_end.gaps == (date(1997, 1, 31), date(1999, 12, 31))
    assert month_end.frequency == "monthly"


def test_an_unknown_name_lists_the_nearest():
    with pytest.raises(DataError, match="sp500"):
        shipped_series("sp_500")
    with pytest.raises(DataError, match=r"gdp_growth, inflation"):
        shipped_series("")


def test_every_name_is_a_series_with_its_source_told():
    for name in SERIES:
        series = shipped_series(name)
        assert series.name == name
        assert series.source
        assert not series.points["source"].null_count()


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    for part in ("indices", "macro"):
        (tmp_path / part).mkdir()
    monkeypatch.setenv("NEUTER_CORPORA", str(tmp_path))
    shipped_series.cache_clear()
    yield tmp_path
    shipped_series.cache_clear()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("date,sp500\n2024-01-02,47x\n", r"sp500 of 2024-01-02 is '47x', no number"),
        ("date,djia\n2024-01-02,47\n", r"cannot be read .*sp500"),
        ("date,sp500\n02/01/2024,47\n", r"cannot be read"),
        ("date,sp500\n2024-01-02,47\n2024-01-02,47\n", r"2024-01-02 is there twice"),
        ("date,sp500\n", r"no rows"),
        ("", r"cannot be read"),
        ("date,sp500\n2024-01-02,inf\n", r"no finite number"),
        ("date,sp500\n2024-01-02,\n", r"no sp500"),
    ],
)
def test_a_damaged_file_is_told(corpora, text, said):
    (corpora / "indices/closes.csv").write_text(text)
    with pytest.raises(DataError, match=said):
        shipped_series("sp500")


def test_a_missing_file_is_told(corpora):
    with pytest.raises(DataError, match=r"closes\.csv: cannot be read"):
        shipped_series("sp500")


def test_the_manifest_names_the_file_that_is_there():
    import tomllib

    manifest = tomllib.loads(shipped_path("indices", "manifest.toml").read_text())
    assert [file["name"] for file in manifest["files"]] == ["closes.csv"]
    assert pl.read_csv(shipped_path("indices", "closes.csv")).columns == [
        "date",
        "sp500",
        "djia",
        "nasdaq",
        "vix",
    ]
