"""What resolve gives back, in which order, and for many guesses at once."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuter.firms import firm_label_of, labels_of, resolve, resolve_many
from neuter.firms.claims import chosen
from neuter.firms.guesses import alternatives
from neuter.firms.index import EVER, Claim, Span, indexed
from neuter.firms.periods import day_of
from neuter.firms.steps import firms_named
from neuter.firms.universe import shipped_firms

APPLE, META = "cik:0000320193", "cik:0001326801"


def test_a_borne_name_comes_before_an_alias_and_a_large_firm_before_a_small_one() -> None:
    claims = [Claim(3, *EVER, alias=True), Claim(9, *EVER), Claim(4, *EVER)]
    assert chosen(claims, None) == chosen(claims, 24_000) == (4, 9, 3)


def test_the_holder_of_the_month_alone_is_chosen_else_the_nearest() -> None:
    claims = [Claim(1, 100, 200), Claim(2, 300, 400)]
    assert chosen(claims, 150) == (1,)
    assert chosen(claims, 260) == (2,)
    assert chosen(claims, 240) == (1,)
    assert chosen(claims, None) == (2,)
    assert chosen([Claim(1, 100, 200, strict=True)], 201) == ()
    assert chosen([], 5) == ()


def test_many_guesses_are_answered_as_one_by_one() -> None:
    guesses = ["AAPL", None, "", "Facebook", "AAPL", "Hewlett-Packard", "no such firm at all"]
    assert resolve_many(guesses) == [resolve(guess) for guess in guesses]
    assert resolve_many(guesses)[:4] == [(APPLE,), (), (), (META,)]
    assert resolve_many([]) == []


def test_each_of_many_guesses_has_its_own_day() -> None:
    days = [date(2014, 5, 1), date(2018, 5, 1), None]
    guesses = ["Hewlett-Packard"] * 3
    assert resolve_many(guesses, days) == [resolve("Hewlett-Packard", day) for day in days]
    assert resolve_many(guesses, days)[0] == ("cik:0000047217",)
    assert resolve_many(guesses, days)[1] == ()
    assert resolve_many(guesses[:2], date(2014, 5, 1)) == [("cik:0000047217",)] * 2
    with pytest.raises(ValueError, match="shorter"):
        resolve_many(guesses, days[:2])


def test_a_guess_of_many_pages_is_no_name() -> None:
    assert resolve("Apple " * 100_000) == ()
    assert resolve("(" * 5_000) == ()
    assert resolve("Apple" + " Inc" * 100) == ()
    assert resolve("Apple" + " " * 1_000) == (APPLE,)
    assert resolve("A/" * 5_000 + "AAPL") == ()


@pytest.mark.parametrize(
    ("guess", "label"),
    [
        ("Facebook (now Meta)", META),
        ("Meta (formerly known as Facebook)", META),
        ("Zorblax (f/k/a Facebook, Inc.)", META),
        ("Apple/AAPL", APPLE),
        ("[AAPL]", APPLE),
        ("AAPL (Nasdaq)", APPLE),
    ],
)
def test_another_name_beside_the_first(guess: str, label: str) -> None:
    assert resolve(guess) == (label,)


@pytest.mark.parametrize(
    "guess", ["Apple/Zorblax", "AAPL/MSFT", "Zorblax Litecoin Trust (LTC)", "Apple (MSFT)"]
)
def test_parts_that_do_not_agree_name_nobody(guess: str) -> None:
    assert resolve(guess) == ()


@given(st.text(alphabet=st.sampled_from("ABab/()[]-:.$&' ,\x00é"), max_size=30))
def test_any_marks_are_read(text: str) -> None:
    assert 1 <= len(alternatives(text)) <= 2
    assert isinstance(resolve(text), tuple)


def test_labels_of_a_frame_are_those_of_its_rows() -> None:
    frame = pl.DataFrame(
        {
            "ticker": ["AAPL", None, "FB", "HPQ", "", "QZXW", "AAPL"],
            "firm": [None, "Alphabet Inc.", None, "Hewlett-Packard", None, "Zorblax Inc", "Zorblax Dynamics"],
            "cik": [None, None, None, None, 1652044, None, None],
            "date": [
                date(2020, 1, 31),
                None,
                date(2019, 1, 1),
                date(2014, 5, 5),
                None,
                None,
                date(2020, 1, 1),
            ],
            "fiscal_year": [2020, 2021, None, None, None, None, None],
        },
        schema_overrides={"cik": pl.Int64},
    )
    frame = pl.concat([frame, frame.reverse()])
    expected = [
        firm_label_of(r["ticker"], r["firm"], r["cik"], day_of(r["date"], r["fiscal_year"], None))
        for r in frame.iter_rows(named=True)
    ]
    assert labels_of(frame).to_list() == expected
    assert labels_of(frame).name == "label"
    assert labels_of(frame.clear()).dtype == pl.String
    assert labels_of(frame.select("ticker"))[0] == APPLE


@pytest.mark.parametrize(
    "ticker",
    [
        "AAPL",
        "aapl",
        "NASDAQ:AAPL",
        "AAPL:US",
        "AAPL US",
        "AAPL US Equity",
        "AAPL.O",
        "AAPL.OQ",
        "AAPL-US",
        "$AAPL",
    ],
)
def test_a_documents_ticker_is_read_as_a_guess_is(ticker: str) -> None:
    assert firm_label_of(ticker) == "cik:0000320193"


@pytest.mark.parametrize("ticker", ["PRU:LN", "LSE:PRU", "TSX:T", "T:CN"])
def test_another_countrys_ticker_is_no_american_firm_and_none_of_its_neighbours(ticker: str) -> None:
    label = firm_label_of(ticker)
    assert label.startswith("ticker:")
    assert label not in {firm_label_of("PRU"), firm_label_of("T"), "ticker:LN", "ticker:CN"}
    assert label != firm_label_of(ticker.replace("PRU", "VOD").replace("T", "X"))


@pytest.mark.parametrize(
    ("ticker", "firm"),
    [("AAPL", "AAPL"), ("AAPL", "AAPL US Equity"), ("NVDA", "nvda"), ("BRK.B", "BRK.B"), (None, "AAPL")],
)
def test_a_column_of_names_that_holds_tickers_says_what_the_ticker_says(
    ticker: str | None, firm: str
) -> None:
    assert firm_label_of(ticker, firm) == firm_label_of((ticker or firm).split(" ")[0])


def test_a_hostile_name_costs_no_more_than_another() -> None:
    for bomb in ("class a common stock" + " " * 200_000 + "x", "x" + " " * 200_000 + "/ q", "a " * 200_000):
        assert firm_label_of("ZZXQ", bomb) == "ticker:ZZXQ"
        assert resolve(bomb) == ()


def test_of_two_short_names_the_one_that_was_not_listed_yet_does_not_count() -> None:
    shipped = shipped_firms()[0]
    old, new = (
        replace(
            shipped, label=f"name:{n}", cik=None, aliases=(n,), names=(), tickers=(Span("QZ", first, 99_999),)
        )
        for n, first in (("Quibstar Group", 0), ("Quibstar Systems", 24_240))
    )
    index = indexed((replace(old, aliases=("Quibstar Energy",)), new))
    assert firms_named(index, "Quibstar", 24_200) == (0,)
    assert firms_named(index, "Quibstar", 24_240) == ()
    assert firms_named(index, "Quibstar", None) == ()
