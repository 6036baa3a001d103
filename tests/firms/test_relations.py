"""Parents, subsidiaries and sectors as of a day: facts of public announcements."""

from __future__ import annotations

from datetime import date
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest

from neuter.errors import CorpusError
from neuter.firms.fiscal_years import known_year_end
from neuter.firms.labels import firm_label_of, firm_of
from neuter.firms.own import use_firms
from neuter.firms.relations import Relation, _ownership, read_relations, relation, relations_of
from neuter.types import Document

SAME, LESS, OTHER = Relation.SAME, Relation.LESS_PRECISE, Relation.DIFFERENT


def call(ticker: str, on: str, sector: str | None = None) -> Document:
    return Document(id="d", text="", ticker=ticker, date=date.fromisoformat(on), sector=sector)


@pytest.mark.parametrize(
    ("guess", "ticker", "on", "expected"),
    [
        # Bought and kept.
        ("Instagram", "FB", "2015-01-28", LESS),
        ("Instagram", "FB", "2012-04-26", OTHER),  # agreed on in April, closed on 2012-09-06
        ("WhatsApp", "META", "2022-02-02", LESS),
        ("YouTube", "GOOG", "2020-07-30", LESS),
        ("YouTube", "GOOG", "2006-07-20", OTHER),  # closed on 2006-11-13
        ("DeepMind", "GOOGL", "2021-04-27", LESS),
        ("LinkedIn", "MSFT", "2018-01-31", LESS),
        ("LinkedIn", "MSFT", "2015-01-26", OTHER),
        ("GitHub", "MSFT", "2021-01-26", LESS),
        ("Activision Blizzard", "MSFT", "2023-07-25", OTHER),  # closed on 2023-10-13
        ("Activision Blizzard", "MSFT", "2024-01-30", LESS),
        ("GEICO", "BRK-B", "2019-02-23", LESS),
        ("BNSF Railway", "BRK-A", "2019-02-23", LESS),
        ("Sam's Club", "WMT", "2021-05-18", LESS),
        ("Pixar", "DIS", "2019-02-05", LESS),
        ("Pixar", "DIS", "2005-11-17", OTHER),
        ("ESPN", "DIS", "2005-11-17", LESS),
        ("Whole Foods", "AMZN", "2018-02-01", LESS),
        ("Whole Foods", "AMZN", "2016-02-01", OTHER),
        ("AWS", "AMZN", "2018-02-01", LESS),
        ("NBCUniversal", "CMCSA", "2015-01-27", LESS),
        ("NBCUniversal", "GE", "2009-01-23", LESS),
        ("NBCUniversal", "GE", "2015-01-23", OTHER),
        ("Red Hat", "IBM", "2020-01-21", LESS),
        ("Red Hat", "IBM", "2018-01-18", OTHER),
        ("Slack", "CRM", "2022-03-01", LESS),
        ("Taco Bell", "YUM", "2020-02-06", LESS),
        ("Frito-Lay", "PEP", "2020-02-13", LESS),
        ("Converse", "NKE", "2020-03-24", LESS),
        # Sold or split off.
        ("PayPal", "EBAY", "2014-01-22", LESS),
        ("PayPal", "EBAY", "2016-01-27", OTHER),
        ("Zoetis", "PFE", "2013-01-29", LESS),
        ("Zoetis", "PFE", "2014-01-28", OTHER),
        ("CNN", "T", "2019-01-30", LESS),
        ("CNN", "T", "2023-01-25", OTHER),
        ("CNN", "WBD", "2023-02-23", LESS),
        ("Duracell", "PG", "2012-01-27", LESS),
        ("Duracell", "PG", "2019-01-23", OTHER),
        ("Pringles", "PG", "2012-01-27", LESS),
        ("Wrangler", "VFC", "2017-02-17", LESS),
        ("Wrangler", "KTB", "2020-03-05", LESS),
        # The parent, for a document of the subsidiary.
        ("Microsoft", "LNKD", "2016-02-04", OTHER),
        ("Dell", "VMW", "2018-03-01", LESS),
        ("DELL", "VMW", "2022-03-01", OTHER),
        ("EMC", "VMW", "2014-01-28", LESS),
        ("Loews Corporation", "CNA", "2020-02-10", LESS),
        ("Icahn Enterprises", "CVI", "2020-02-20", LESS),
        ("Intel", "MBLY", "2023-01-26", LESS),
        ("Johnson & Johnson", "KVUE", "2023-07-20", LESS),
        ("Johnson & Johnson", "KVUE", "2024-02-08", OTHER),
        # A listed subsidiary is not its parent, whichever way.
        ("VMware", "DELL", "2018-03-01", LESS),
        ("VMW", "DELL", "2018-03-01", LESS),
        ("CNA Financial", "L", "2020-02-10", LESS),
        ("Match Group", "IAC", "2018-02-07", LESS),
        ("Match Group", "IAC", "2021-02-04", OTHER),
        ("Mobileye", "INTC", "2023-01-26", LESS),
        # The firm itself, and others.
        ("Meta", "FB", "2022-02-02", SAME),
        ("Alphabet", "GOOG", "2020-07-30", SAME),
        ("MSFT", "MSFT", "2020-07-30", SAME),
        ("Apple", "MSFT", "2020-07-30", OTHER),
        ("Instagram", "GOOG", "2020-07-30", OTHER),
        ("Facebook", "GOOG", "2020-07-30", OTHER),
        ("GGG", "NWL", "2020-01-29", OTHER),  # Graco Inc. of Minneapolis, not Newell's Graco
        ("MCS", "GS", "2020-01-29", OTHER),  # The Marcus Corporation, not Goldman's Marcus
        ("LNKD", "MSFT", "2018-01-31", LESS),
    ],
)
def test_parents_and_subsidiaries_as_of_a_day(guess: str, ticker: str, on: str, expected: Relation) -> None:
    assert relation(guess, call(ticker, on)) is expected


@pytest.mark.parametrize(
    ("guess", "ticker", "sector", "expected"),
    [
        ("a semiconductor company", "NVDA", "Information Technology", LESS),
        ("Regional bank", "CMA", "Finance", LESS),
        ("Regional bank", "CMA", None, LESS),  # the universe says Finance
        ("Semiconductors", "CMA", None, OTHER),
        ("Oil and gas exploration", "XOM", None, LESS),
        ("large pharmaceutical company", "PFE", "Health Care", LESS),
        ("large pharmaceutical company", "PFE", "Miscellaneous", LESS),  # says nothing: the universe does
        ("American Airlines", "DAL", "Industrials", OTHER),  # a firm of the same sector
        ("Wells Fargo", "CMA", "Finance", OTHER),
        ("Bank of Springfield", "CMA", "Finance", OTHER),  # a name, though of nobody known
    ],
)
def test_a_guess_of_the_sector_alone(guess: str, ticker: str, sector: str | None, expected: Relation) -> None:
    assert relation(guess, call(ticker, "2020-02-05", sector)) is expected


@pytest.mark.parametrize(
    "guess", [None, "", "  ", "N/A", "unknown", "The Company", "Inc", "Company_1", "TIK"]
)
@pytest.mark.parametrize("ticker", ["META", "CMA", "QZXW"])
def test_an_empty_or_generic_guess_is_different(guess: str | None, ticker: str) -> None:
    assert relation(guess, call(ticker, "2020-02-05", "Finance")) is OTHER


def test_a_truth_may_be_a_ticker_a_name_or_a_label() -> None:
    on = date(2020, 1, 29)
    for truth in ("FB", "Facebook", firm_label_of(ticker="META")):
        assert relation("Instagram", truth, on) is LESS
        assert relation("Facebook", truth, on) is SAME
        assert relation("Google", truth, on) is OTHER
    assert relation("software", firm_label_of(ticker="MSFT"), on, sector="Technology") is LESS


def test_a_firm_outside_of_the_universe_has_its_owner_by_name() -> None:
    document = Document(id="d", text="", firm="NBCUniversal Media", date=date(2015, 2, 1))
    assert relation("Comcast", Document(id="d", text="", firm="NBCUniversal", date=date(2015, 2, 1))) is LESS
    assert relation("Comcast", Document(id="d", text="", firm="NBCUniversal", date=date(2009, 2, 1))) is OTHER
    assert relation("NBCUniversal Media", document) is SAME


def test_without_a_day_ownership_at_any_time_counts() -> None:
    assert relation("PayPal", "EBAY") is LESS
    assert relation("Instagram", "META") is LESS


def test_columns_give_what_single_guesses_give() -> None:
    cases = [
        ("Instagram", "META", date(2015, 1, 28), None),
        ("Instagram", "META", date(2012, 4, 26), None),
        ("Meta", "META", date(2022, 3, 1), None),
        (None, "META", date(2022, 3, 1), None),
        ("Regional bank", "CMA", None, "Finance"),
        ("PayPal", "EBAY", date(2014, 1, 22), None),
    ]
    frame = pl.DataFrame(
        [(said, firm_label_of(ticker=t), t, on, sector) for said, t, on, sector in cases] * 3,
        schema={
            "said_firm": pl.String,
            "label": pl.String,
            "ticker": pl.String,
            "on": pl.Date,
            "sector": pl.String,
        },
        orient="row",
    )
    expected = ["less_precise", "different", "same", "different", "less_precise", "less_precise"]
    assert relations_of(frame).to_list() == expected * 3
    by_month = frame.with_columns(pl.col("on").dt.truncate("1mo").alias("month")).drop("on")
    assert relations_of(by_month).to_list() == expected * 3
    assert relations_of(frame.head(0)).to_list() == []
    assert relations_of(pl.DataFrame({"said_firm": ["Meta"], "label": ["cik:0001326801"]})).to_list() == [
        "same"
    ]


def test_the_list_is_long_and_names_firms_that_are_known() -> None:
    ownership = _ownership()
    assert len(ownership.names) >= 1_000
    parents = {owned.parent for owners in ownership.names.values() for owned in owners}
    assert len(parents) >= 250
    assert not {parent for parent in parents if firm_of(parent) is None}
    for words, owners in ownership.names.items():
        # Nothing has two owners in one month, unless the one is the other's listed subsidiary.
        for a, b in combinations(owners, 2):
            nested = {(a.parent, b.parent), (b.parent, a.parent)} & PAIRS
            assert nested or a.first >= b.last or b.first >= a.last, (words, a, b)


#: Labels of listed subsidiaries with their parents'.
PAIRS = {(label, owned.parent) for label, owners in _ownership().listed.items() for owned in owners}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[owns]\nMETA = "Instagram @2012-13.."\n', "month must be in"),
        ('[owns]\nMETA = "Instagram @2014-01..2013-01"\n', "comes after"),
        ('[owns]\nMETA = "Instagram | | WhatsApp"\n', "is no entry"),
        ('[owns]\nMETA = "Instagram @2012"\n', "is no entry"),
        ('[[listed]]\nsubsidiary = "FB"\nparent = "META"\n', "its own parent"),
        ("[owns\n", "cannot be read"),
    ],
)
def test_a_list_that_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "relations.toml"
    path.write_text(text)
    with pytest.raises(CorpusError, match=said):
        read_relations(path)


def test_the_users_own_firms_may_name_their_parent(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("name,ticker,parent,fiscal_year_end,sector\nZorblatt Widgets,QZXW,MSFT,3,Utilities\n")
    try:
        use_firms(path)
        assert relation("Microsoft", call("QZXW", "2020-01-01")) is LESS
        assert relation("Zorblatt Widgets", call("MSFT", "2020-01-01")) is LESS
        assert relation("Apple", call("QZXW", "2020-01-01")) is OTHER
        assert relation("electric utility", call("QZXW", "2020-01-01")) is LESS
        assert known_year_end(firm_label_of(ticker="QZXW")) == 3
    finally:
        use_firms()
    assert relation("Microsoft", call("QZXW", "2020-01-01")) is OTHER
    assert known_year_end(firm_label_of(ticker="QZXW")) is None
