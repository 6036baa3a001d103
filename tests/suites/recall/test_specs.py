"""What the series of the recall suites are, as the paper says."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from neuter.errors import UnknownName, UsageError
from neuter.models.answers import Question, parse_answer
from neuter.suites.recall.specs import spec_of, specs_of

SUITES = ("macro", "indices", "stocks", "portfolios")


def test_series_are_in_the_order_of_the_papers_tables():
    assert {suite: [spec.name for spec in specs_of(suite)] for suite in SUITES} == {
        "macro": [
            "gdp_growth",
            "inflation",
            "unemployment_rate",
            "treasury_10y",
            "vix",
            "housing_starts",
            "nonfarm_payrolls",
        ],
        "indices": ["sp500", "djia", "nasdaq"],
        "stocks": ["META", "GOOGL", "AMZN", "TSLA", "NVDA", "MSFT", "AAPL"],
        "portfolios": ["Small", "Mid", "Large"],
    }
    assert [spec.name for spec in specs_of("headlines")] == ["sp500"]


def test_thresholds_are_those_of_the_note_of_table_1(shared_data: Path):
    paper = (shared_data.parent / "seeds" / "the-memorization-problem.txt").read_text(encoding="utf-8")
    (said,) = re.findall(r"above a threshold value \((.*?)\)\. For Levels", paper)
    words = {"GDP Growth": "gdp_growth", "the 10-Year Treasury Yield": "treasury_10y"}
    told = re.findall(r"([0-9.]+)%? for (.*?)(?:, and|,|$)", said)
    expected = {words.get(name, name.lower().replace(" ", "_")): float(value) for value, name in told}
    ours = {spec.name: spec.threshold for spec in specs_of("macro")}
    assert ours == expected
    assert ours == {
        "gdp_growth": 2.5,
        "inflation": 3,
        "unemployment_rate": 4,
        "treasury_10y": 4,
        "vix": 16,
        "housing_starts": 1400,
        "nonfarm_payrolls": 200,
    }


def test_no_threshold_where_the_paper_has_none():
    assert {spec.threshold for suite in ("indices", "stocks", "portfolios") for spec in specs_of(suite)} == {
        None
    }


def test_rates_have_errors_in_points_and_levels_in_percent():
    rates = {spec.name for spec in specs_of("macro") if spec.kind == "rate"}
    assert rates == {"gdp_growth", "inflation", "unemployment_rate", "treasury_10y"}
    assert {spec.unit for spec in specs_of("macro") if spec.kind == "rate"} == {"percent"}


def test_first_estimates_are_asked_for_by_name():
    names = {spec.name: spec.data_name for spec in specs_of("macro")}
    assert names == {
        "gdp_growth": "earliest estimate of the US GDP growth rate",
        "inflation": "earliest estimate of the US inflation rate",
        "unemployment_rate": "US unemployment rate",
        "treasury_10y": "10-year Treasury yield",
        "vix": "VIX",
        "housing_starts": "earliest estimate of the US housing starts",
        "nonfarm_payrolls": "earliest estimate of the US change in nonfarm payrolls",
    }
    firsts = {name for name in names if spec_of(name).readings[0] == "first"}
    assert firsts == {name for name, said in names.items() if said.startswith("earliest estimate")}


def test_first_dates_are_those_of_the_tables():
    from neuter.suites.recall.published import published_rows

    for suite, condition in (("macro", "none"), ("indices", "none"), ("stocks", "none")):
        rows = published_rows(suite).filter(split="pre", condition=condition)
        rows = rows.filter(panel="daily_levels") if suite == "indices" else rows
        printed = dict(rows.select("series", "first_date").iter_rows())
        printed |= {"vix": date(1990, 1, 31)} if suite == "macro" else {}
        assert {spec.name: spec.first for spec in specs_of(suite)} == printed


def test_a_ticker_is_its_own_data_name():
    spec = spec_of("BRK.B")
    assert (spec.name, spec.data_name, spec.instrument, spec.suite) == (
        "BRK.B",
        "BRK.B",
        "stock_close",
        "stocks",
    )
    assert spec.readings == ("traded", "split_adjusted")
    assert spec.first == date(1990, 1, 31)
    assert spec_of("META").first == date(2012, 5, 31)


def test_series_are_found_in_any_case_and_the_vix_is_no_stock():
    assert spec_of("VIX") is spec_of("vix")
    assert spec_of("SP500").suite == "indices"


@pytest.mark.parametrize("name", ["gdp_growht", "aapl", "", "A B", "Ａ", "A\nB"])
def test_an_unknown_series_lists_the_nearest(name: str):
    with pytest.raises(UnknownName, match="no series"):
        spec_of(name)


def test_the_nearest_name_is_told():
    with pytest.raises(UnknownName, match="gdp_growth"):
        spec_of("gdp_growht")


def test_a_suite_without_series_is_refused():
    with pytest.raises(UsageError, match="macro"):
        specs_of("masking")


@pytest.mark.parametrize("suite", SUITES)
def test_every_series_has_a_prompt_and_a_question(suite: str):
    from neuter.prompts.recall import instrument

    for spec in specs_of(suite):
        assert instrument(spec.instrument)
        kind = "percent" if spec.unit == "percent" else "number"
        Question(kind, spec.unit, ones_from=spec.ones_from, low=spec.low, high=spec.high)


@pytest.mark.parametrize(
    ("name", "true"),
    # The extremes of the first prints, in thousands: April 2020, and what was revised to later.
    # Housing starts: the least (April 2009) and the most (January 1972) of the series' history.
    [
        *[("nonfarm_payrolls", -20500), ("nonfarm_payrolls", -20679), ("nonfarm_payrolls", 4800)],
        *[("housing_starts", 458), ("housing_starts", 2494)],
    ],
)
def test_no_true_value_in_thousands_is_taken_for_ones(name: str, true: float):
    spec = spec_of(name)
    question = Question("number", spec.unit, ones_from=spec.ones_from, low=spec.low, high=spec.high)
    for said in (f"{true}", f"{true * 1000}", f"{true} thousand", f"{true / 1000} million"):
        assert parse_answer(f'{{"answer": "{said}"}}', question).value == true, said
