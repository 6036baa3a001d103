"""Sources that the user named and that had no part in what was looked for are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from neuter.data.sources import Sources, unused
from neuter.errors import UsageError


@pytest.fixture
def written(tmp_path: Path):
    def write(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def crsp(written, *tickers: str, name: str = "msf.csv") -> str:
    rows = "".join(f"{at},20081231,{ticker},85.35\n" for at, ticker in enumerate(tickers, 1))
    return written(name, "permno,date,ticker,prc\n" + rows)


def test_a_file_for_another_series_than_was_looked_for_is_told():
    sources = Sources(data=("inflation=mine.csv", "sp500=closes.csv"))
    assert unused(sources, ["inflation_core", "sp500"]) == [
        "--data inflation=mine.csv: inflation was not looked for, so nothing came from this file."
    ]
    assert unused(sources, {"inflation", "sp500"}) == []
    assert unused(Sources(), ["inflation_core"]) == []


def test_a_crsp_file_without_any_of_the_stocks_is_told(written):
    one, two = crsp(written, "AAPL"), crsp(written, "IBM", name="two.csv")
    sources = Sources(crsp=(one, two))
    assert unused(sources, ["AAPL", "MSFT"]) == [
        f"--crsp {two}: it adds none of AAPL, MSFT, so nothing came from this file."
    ]
    assert unused(sources, ["sp500"]) == [
        f"--crsp {path}: no stock was looked for in it, so nothing came from this file."
        for path in (one, two)
    ]
    assert unused(sources, [], panel=True) == []


def test_a_second_crsp_file_with_stocks_of_the_first_alone_is_told(written):
    one, two = crsp(written, "AAPL", "MSFT"), crsp(written, "AAPL", name="two.csv")
    assert [told.split(":")[0] for told in unused(Sources(crsp=(one, two)), ["AAPL", "MSFT"])] == [
        f"--crsp {two}"
    ]


def test_a_file_of_vintages_of_another_variable_is_told(written):
    path = written("starts.csv", "DATE,HSTARTS99M12\n1999:11,1600\n")
    sources = Sources(philadelphia_fed=(path,))
    assert unused(sources, ["housing_starts"]) == []
    (told,) = unused(sources, ["gdp_growth"])
    assert told.startswith(f"--philadelphia-fed {path}: housing_starts, which it holds, was not looked for")
    behind = Sources(philadelphia_fed=(path,), data=("housing_starts=mine.csv",))
    assert len(unused(behind, ["housing_starts"])) == 1


@pytest.mark.parametrize(
    ("service", "asked", "told"),
    [
        ("fred", ["sp500"], False),
        ("fred", ["AAPL"], True),
        ("alfred", ["housing_starts"], False),
        ("alfred", ["sp500", "inflation"], True),
        ("yahoo", ["AAPL"], False),
        ("yahoo", ["gdp_growth"], True),
        ("yahoo", [], True),
    ],
)
def test_a_service_that_has_none_of_the_series_is_told(service, asked, told):
    sentence = f"--{service}: no series was looked for there, so nothing was asked of it."
    assert unused(Sources(**{service: True}), asked) == ([sentence] if told else [])


def test_a_service_behind_a_file_that_stands_alone_is_told(written):
    assert len(unused(Sources(data=("sp500=mine.csv",), yahoo=True), ["sp500"])) == 1
    path = crsp(written, "AAPL")
    assert len(unused(Sources(crsp=(path,), yahoo=True), ["AAPL"])) == 1
    assert unused(Sources(crsp=(path,), yahoo=True), ["AAPL", "MSFT"]) == []


def test_a_series_that_is_none_is_refused():
    with pytest.raises(UsageError, match="no series 'sp50'"):
        unused(Sources(), ["sp50"])
