"""Where a fiscal year's end comes from: facts of the firms' annual reports, and the order of the sources."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.errors import CorpusError
from neuter.firms.fiscal_years import (
    known_days,
    known_year_end,
    names_by_start,
    read_fiscal_year_ends,
    year_ends,
)
from neuter.firms.labels import firm_label_of
from neuter.shipped import shipped_path


def label(ticker: str) -> str:
    return firm_label_of(ticker=ticker)


@pytest.mark.parametrize(
    ("ticker", "month"),
    [
        ("AAPL", 9),
        ("MSFT", 6),
        ("NVDA", 1),
        ("WMT", 1),
        ("COST", 8),
        ("ORCL", 5),
        ("NKE", 5),
        ("CSCO", 7),
        ("MDT", 4),
        ("KMX", 2),
        ("MCK", 3),
        ("DE", 10),
        ("ADBE", 11),
        ("GOOG", 12),
        ("GOOGL", 12),
        ("JPM", 12),
        ("FOX", 6),
        ("WMS", 3),  # Advanced Drainage Systems
        ("PCTY", 6),  # Paylocity
        ("CSRA", 3),
        ("ARMK", 9),
    ],
)
def test_year_ends_of_known_firms(ticker: str, month: int) -> None:
    assert known_year_end(label(ticker)) == month


def test_a_firm_in_no_list_is_unknown() -> None:
    assert known_year_end("ticker:QZXW") is None
    assert known_year_end("") is None


@pytest.mark.parametrize(
    ("ticker", "on", "month"),
    [
        ("VFC", date(2017, 6, 30), 12),  # the last year to end in December was 2017
        ("VFC", date(2018, 6, 30), 3),
        ("LHX", date(2019, 6, 28), 6),  # Harris, until its merger with L3 on 2019-06-29
        ("LHX", date(2020, 1, 3), 12),
        ("GPN", date(2016, 5, 31), 5),
        ("GPN", date(2017, 3, 31), 12),
        ("UAA", date(2021, 12, 31), 12),
        ("UAA", None, 3),
        (
            "BBY",
            date(2012, 2, 15),
            2,
        ),  # fiscal 2012 ended on 2012-03-03, the year of eleven months on 2013-02-02
        ("BBY", date(2013, 1, 15), 1),
        ("CMP", date(2020, 12, 31), 12),
        ("CMP", date(2021, 9, 30), 9),  # after nine months
        ("ELF", date(2018, 12, 31), 12),
        ("ELF", date(2020, 3, 31), 3),
        ("TTWO", date(2009, 10, 31), 10),
        ("TTWO", date(2011, 3, 31), 3),
        ("SEDG", date(2016, 6, 30), 6),
        ("SEDG", date(2017, 12, 31), 12),
    ],
)
def test_a_change_of_the_year_end_is_dated(ticker: str, on: date | None, month: int) -> None:
    assert known_year_end(label(ticker), on) == month


@pytest.mark.parametrize(
    ("ticker", "on", "month"),
    [
        ("FOXA", date(2015, 1, 1), 6),  # Twenty-First Century Fox
        ("MON", date(2015, 1, 1), 8),  # Monsanto
        ("S", date(2016, 1, 1), 3),  # Sprint
        ("S", date(2023, 1, 1), 1),  # SentinelOne
        ("SNDK", date(2015, 1, 1), 12),  # SanDisk until 2016, which Western Digital bought
        ("SNDK", date(2025, 8, 1), 6),  # Sandisk, split off in 2025
    ],
)
def test_a_ticker_that_went_to_another_firm_is_told_apart(ticker: str, on: date, month: int) -> None:
    assert known_year_end(firm_label_of(ticker, on=on), on) == month


def test_target_names_a_year_by_its_beginning_and_walmart_by_its_end() -> None:
    assert names_by_start(label("TGT"))
    assert names_by_start(label("HD"))
    assert not names_by_start(label("WMT"))
    assert not names_by_start(label("NVDA"))
    assert not names_by_start(label("BBY"))


@pytest.mark.parametrize(
    ("ticker", "on"),
    [
        ("REX", None),
        ("BBBY", date(2020, 3, 1)),  # fiscal 2019 ended on 2020-02-29
        ("TLRD", date(2019, 3, 1)),
        ("PETM", date(2015, 1, 1)),
        ("S", date(2016, 1, 1)),  # Sprint's 2015 ended in March 2016
        ("TCS", None),  # The Container Store's 2021 ended on 2022-04-02
    ],
)
def test_others_that_name_a_year_by_its_beginning(ticker: str, on: date | None) -> None:
    assert names_by_start(firm_label_of(ticker, on=on))


def test_best_buys_fiscal_2012_ended_at_the_end_of_february() -> None:
    frame = pl.DataFrame({"label": [label("BBY")] * 2, "fiscal_year": [2012, 2013], "fiscal_quarter": [4, 4]})
    assert year_ends(frame).month.to_list() == [2, 1]


def test_given_comes_before_listed_and_listed_before_december() -> None:
    frame = pl.DataFrame(
        {
            "label": [label("AAPL"), label("AAPL"), "ticker:QZXW", "", label("MSFT"), label("MSFT")],
            "fiscal_year_end": [None, 3, None, None, 13, 0],
        }
    )
    found = year_ends(frame)
    assert found.month.to_list() == [9, 3, 12, 12, 6, 6]
    assert found.source.to_list() == ["listed", "given", "assumed", "assumed", "listed", "listed"]
    assert found.by_start.to_list() == [False] * 6


def test_without_labels_they_are_made_from_ticker_or_name() -> None:
    frame = pl.DataFrame({"ticker": ["NKE", None, None], "firm": [None, "Target Corporation", None]})
    found = year_ends(frame)
    assert found.month.to_list() == [5, 1, 12]
    assert found.by_start.to_list() == [False, True, False]


def test_a_year_by_its_beginning_needs_a_year_that_does_not_end_in_december() -> None:
    frame = pl.DataFrame({"label": [label("TGT")] * 2, "fiscal_year_end": [12, 2]})
    assert year_ends(frame).by_start.to_list() == [False, True]


def test_the_fiscal_year_decides_where_the_year_end_changed() -> None:
    # V.F.'s fiscal 2017 ended in December 2017 and was reported in February 2018; "fiscal 2019" ended in March 2019.
    frame = pl.DataFrame(
        {
            "label": [label("VFC")] * 4 + [label("LHX")] * 2,
            "fiscal_year": [2017, 2019, None, None, 2019, 2020],
            "fiscal_quarter": [4, 1, None, None, 4, 4],
            "date": [date(2018, 2, 16), None, date(2015, 7, 24), None, date(2019, 7, 31), date(2021, 1, 29)],
        }
    )
    assert year_ends(frame).month.to_list() == [12, 3, 12, 3, 6, 12]


def test_a_document_without_a_date_is_of_its_firms_own_fiscal_period() -> None:
    # Target's 2021 ended in January 2022, Apple's first quarter of 2022 in December 2021.
    day = date(2020, 5, 5)
    frame = pl.DataFrame(
        {
            "ticker": ["TGT", "AAPL", "QZXW", "AAPL", "AAPL"],
            "fiscal_year": [2021, 2022, 2022, 2022, None],
            "fiscal_quarter": [4, 1, 1, 1, None],
            "date": [None, None, None, day, None],
        }
    )
    on, assumed = known_days(frame)
    assert on.to_list() == [date(2022, 3, 2), date(2022, 1, 30), date(2022, 4, 30), day, None]
    assert assumed.to_list() == [True, True, True, False, False]
    dated, told = known_days(frame[3:4])
    assert (dated.to_list(), told.to_list()) == ([day], [False])
    assert known_days(frame.drop("date"))[0].to_list()[:2] == [date(2022, 3, 2), date(2022, 1, 30)]


def test_an_empty_frame_and_strange_values() -> None:
    empty = year_ends(pl.DataFrame({"label": []}, schema={"label": pl.String}))
    assert empty.month.len() == empty.source.len() == empty.by_start.len() == 0
    strange = pl.DataFrame(
        {"label": [label("VFC"), None], "fiscal_year": [99_999, -3], "fiscal_quarter": [9, None]}
    )
    assert year_ends(strange).month.to_list() == [3, 12]


def test_the_shipped_list_is_long_and_of_one_mind() -> None:
    listed = read_fiscal_year_ends(shipped_path("firms", "fiscal_year_ends.toml"))
    months = list(listed.months.values())
    assert sum(month != 12 for month in months) >= 500
    assert months.count(12) >= 500
    assert all(1 <= month <= 12 for month in months)
    assert listed.by_start <= set(listed.months)
    assert not {key for key in listed.by_start if listed.months[key] == 12}
    for change in listed.changes.values():
        assert change.before != change.after


def test_the_list_agrees_with_the_sample_corpus() -> None:
    sample = pl.read_ndjson(
        shipped_path("sample", "statements.jsonl"), schema_overrides={"date": pl.Date}
    ).filter(pl.col("fiscal_year_end").is_not_null())
    found = year_ends(sample.drop("fiscal_year_end"))
    known = found.source == "listed"
    assert known.sum() >= 10
    assert found.month.filter(known).to_list() == sample["fiscal_year_end"].filter(known).to_list()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[months]\n13 = "AAPL"\n', "no such month: '13'"),
        ('[months]\n9 = "AAPL"\n6 = "AAPL"\n', "AAPL is listed twice"),
        ('[months]\n9 = "AAPL@2015-1"\n', "no such month: '2015-1'"),
        ("[months\n", "cannot be read"),
    ],
)
def test_a_list_that_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "ends.toml"
    path.write_text(text)
    with pytest.raises(CorpusError, match=said):
        read_fiscal_year_ends(path)


def test_two_tickers_of_a_firm_that_disagree_give_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ends.toml"
    path.write_text('[months]\n12 = "GOOG"\n6 = "GOOGL MSFT"\n')
    assert read_fiscal_year_ends(path).months == {label("MSFT"): 6}
