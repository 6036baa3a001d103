"""Sectors by the names that models and classifications give them; the right ones are GICS's own (structure of 2023)."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from neuter.firms import sectors
from neuter.firms.labels import firm_label_of
from neuter.firms.sectors import (
    SECTORS,
    classified_sectors,
    names_only_a_sector,
    same_sector,
    sector_of_label,
    sectors_of,
)

#: Industries as models write them, by the sector of GICS that holds them.
MEANT = {
    "Communication Services": """Telecommunications | Internet search and advertising | Social media | Streaming video | Video games | Advertising | Cable television | Wireless carrier | Newspapers | Radio broadcasting | Movie theaters | Media""",
    "Consumer Discretionary": """Quick-service restaurants | Homebuilding | Apparel & Footwear | Automotive Retail | Cruise lines | E-commerce | Home improvement retail | Household appliances | Education services | Hotels and lodging | Casinos & Gaming | Toys | Auto parts | Electric vehicles | Tires | Recreational vehicles | Jewelry retail | Department stores | Fast food | Coffee shops | Funeral services | Theme parks | Golf equipment | Mattresses | Furniture retail | Flooring manufacturer | Weight loss | Used car retail | Travel booking | Timeshare | Boats | Motorcycles | Restaurants""",
    "Consumer Staples": """Consumer Packaged Goods | Grocery retail | Pharmacy retail | Alcoholic beverages | Tobacco | Personal care products | Agricultural commodities processing | Packaged foods | Meat processing | Wholesale food distribution | Nutritional supplements | Cosmetics | Fragrance and beauty | Convenience stores | Warehouse clubs""",
    "Energy": """Oil & gas exploration | Oilfield services | Midstream energy / pipelines | Refining and marketing | Uranium | Coal mining | Energy""",
    "Financials": """Regional banking | Property & Casualty Insurance | Asset Management | Life insurance | Financial exchanges | Investment banking | Credit cards | Consumer finance | Title insurance | Insurance brokerage | Reinsurance | Community bank | Savings and loan | Business development company | Auto insurance | Banking | Insurance""",
    "Health Care": """Biotech | Medical Devices | Pharmaceuticals | Health insurance / managed care | Hospitals | Diagnostics and lab testing | Animal health | Life sciences tools | Contract research organization | Dental products | Healthcare services | Healthcare IT | Rare disease therapeutics | Vaccines | Opioid pharmaceuticals | Veterinary | Healthcare""",
    "Industrials": """Aerospace and defense | Industrial Manufacturing | Airlines | Waste management | Railroads | Trucking/logistics | Electrical equipment | Building products | Staffing services | Farm equipment | Security services | Uniform rental | Elevators | HVAC | Shipbuilding | Marine shipping | Car rental | Ride-hailing | Industrial distribution | Engineering & construction | Infrastructure engineering services | Environmental consulting and engineering | Truck manufacturing | Transportation""",
    "Information Technology": """Semiconductors | SaaS | Enterprise Software | Cloud computing | Data storage | Networking equipment | Semiconductor capital equipment | Electronic components | IT consulting | Cybersecurity | Artificial intelligence | Technology - Hardware | Test and measurement equipment | Automotive semiconductor | Technology""",
    "Materials": """Specialty Chemicals | Construction materials | Gold mining | Steel manufacturing | Packaging | Paper and forest products | Fertilizers | Industrial gases | Paints and coatings | Glass containers | Mining | Chemicals""",
    "Real Estate": """REIT | Office REIT | Self-storage REIT | Senior housing REIT | Real estate services | Timber REIT | Data center REIT | Real Estate""",
    "Utilities": """Electric Utilities | Water utility | Natural gas distribution utility | Independent power producer | Utilities""",
}
PAIRS = [(guess.strip(), sector) for sector, guesses in MEANT.items() for guess in guesses.split("|")]

#: Guesses that may mean two sectors, both of which count.
BOTH = {
    "Financial technology": {"Financials", "Information Technology"},
    "Payments": {"Financials", "Information Technology"},
    "Technology services": {"Information Technology", "Industrials"},
    "Technology (consumer electronics)": {"Information Technology", "Consumer Discretionary"},
    "Discount retail": {"Consumer Staples", "Consumer Discretionary"},
    "Retail": {"Consumer Staples", "Consumer Discretionary"},
    "Mortgage REIT": {"Financials", "Real Estate"},
    "Solar energy": {"Utilities", "Information Technology"},
    "renewable energy": {"Utilities", "Energy"},
    "Internet": {"Communication Services", "Information Technology"},
    "Firearms": {"Consumer Discretionary", "Industrials"},
    # GEO and CoreCivic were REITs from 2013 to 2020.
    "Prisons": {"Industrials", "Real Estate"},
    "Prison operator / corrections": {"Industrials", "Real Estate"},
    "Correctional facilities": {"Industrials", "Real Estate"},
}


@pytest.mark.parametrize(("guess", "sector"), PAIRS)
def test_industries_as_models_write_them(guess: str, sector: str) -> None:
    assert sectors_of(guess) == {sector}


@pytest.mark.parametrize(("guess", "both"), BOTH.items())
def test_an_ambiguous_guess_counts_for_both(guess: str, both: set[str]) -> None:
    assert sectors_of(guess) == both


@pytest.mark.parametrize(
    "guess",
    ["", "   ", None, "N/A", "unknown", "Cannot determine", "Company_1", "various", "the company", "Services", "Other",
     "banks, hospitals and restaurants", "Bananarama", "x" * 100_000, "energy " * 500, "\x00\ud800"],
)  # fmt: skip
def test_what_is_no_sector_is_not_understood(guess: str | None) -> None:
    assert sectors_of(guess) == frozenset()
    assert same_sector(guess, "Energy") is None


@pytest.mark.parametrize(
    "forms",
    [
        ["oil & gas", "Oil and Gas", "OIL/GAS", "oil-gas", "oil  gas."],
        ["health care equipment", "Healthcare Equipment", "HEALTH-CARE EQUIPMENT", "healthcare equipments"],
        ["semiconductor", "Semiconductors", "semis", "SEMICONDUCTOR"],
        ["e-commerce", "ecommerce", "E-Commerce"],
        ["utility", "utilities", "Utilities"],
        ["Pharma", "pharmaceuticals", "Pharmaceutical"],
        ["aerospace and defence", "Aerospace & Defense"],
    ],
)
def test_spelling_does_not_count(forms: list[str]) -> None:
    assert len({sectors_of(form) for form in forms}) == 1
    assert sectors_of(forms[0])


def test_the_longest_phrase_wins() -> None:
    assert sectors_of("medical technology") == {"Health Care"}
    assert sectors_of("a hardware and electronics firm") == {"Information Technology"}
    assert sectors_of("automotive semiconductors") == {"Information Technology"}
    assert sectors_of("real estate software") == {"Information Technology"}
    assert sectors_of("natural gas distribution") == {"Utilities"}
    assert sectors_of("oil and gas pipeline transportation") == {"Energy"}
    assert sectors_of("software or hospitals") == {"Information Technology", "Health Care"}


def test_gics_names_mean_themselves() -> None:
    for name in SECTORS:
        assert sectors_of(name) == classified_sectors(name.upper()) == {name}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Capital Goods", {"Industrials", "Information Technology", "Consumer Discretionary"}),
        ("Consumer Non-Durables", {"Consumer Staples", "Consumer Discretionary"}),
        ("Consumer Services", {"Consumer Discretionary", "Real Estate", "Communication Services"}),
        ("Public Utilities", {"Utilities", "Energy", "Communication Services"}),
        ("Finance", {"Financials", "Real Estate"}),
        ("Consumer Cyclical", {"Consumer Discretionary"}),
        ("Consumer Defensive", {"Consumer Staples"}),
        ("Healthcare", {"Health Care"}),
        ("BusEq", {"Information Technology"}),
        ("NoDur", {"Consumer Staples", "Consumer Discretionary"}),
        ("Telecommunication Services", {"Communication Services"}),
        ("Regional Banks", {"Financials"}),
        ("Distributors", {"Consumer Discretionary"}),
        ("Miscellaneous", set()),
        ("Services", set()),
        ("", set()),
        (None, set()),
    ],
)
def test_names_of_other_classifications(name: str | None, meant: set[str]) -> None:
    assert classified_sectors(name) == meant


def test_a_name_of_several_classifications_means_what_any_of_them_means() -> None:
    # NASDAQ's Basic Materials, and Yahoo's until 2019, which held oil.
    assert classified_sectors("Basic Materials") == {"Materials", "Industrials", "Energy"}
    assert sectors_of("basic materials") == {"Materials"}


def test_pipelines_telephone_and_towers_are_right_under_nasdaqs_names() -> None:
    assert same_sector("midstream pipelines", "Public Utilities") is True  # KMI, LNG, ET
    assert same_sector("wireless carrier", "Public Utilities") is True  # TDS, USM
    assert same_sector("cell tower REIT", "Finance") is True  # AMT
    assert same_sector("semiconductors", "Public Utilities") is False


def test_same_sector_has_three_answers() -> None:
    assert same_sector("Semiconductors", "Technology") is True
    assert same_sector("Regional banks", "Technology") is False
    assert same_sector("who knows", "Technology") is None
    assert same_sector("Semiconductors", "Miscellaneous") is None
    assert same_sector("Semiconductors", None) is None
    assert same_sector("Consumer Non-Durables", "Consumer Staples") is True


@pytest.mark.parametrize(
    ("guess", "only"),
    [
        ("a large U.S. semiconductor company", True),
        ("Regional bank", True),
        ("mid-cap oil and gas producer based in America", True),
        ("Unknown biotech firm", True),
        ("an S&P 500 retailer", False),
        ("Delta Air Lines", False),
        ("Acme Steel", False),
        ("Bank of Springfield", False),
        ("company", False),
        ("", False),
        (None, False),
    ],
)
def test_a_guess_of_a_sector_alone_is_told_from_a_name(guess: str | None, only: bool) -> None:
    assert names_only_a_sector(guess) is only


def test_the_universe_says_a_firms_sector_where_the_document_does_not() -> None:
    assert "Information Technology" in sector_of_label(firm_label_of(ticker="MSFT"))
    assert sector_of_label(firm_label_of(ticker="XOM")) == {"Energy"}
    assert sector_of_label("ticker:QZXW") == frozenset()
    assert sector_of_label("") == frozenset()


def test_the_lists_say_each_phrase_once() -> None:
    raw = sectors._raw()
    ambiguous = {sectors._tokens(phrase) for phrase in raw["ambiguous"]}
    for kind in ("phrases", "weak"):
        twice = {k for k, v in sectors._phrases(raw["sectors"], kind).items() if len(v) > 1}
        assert twice <= ambiguous
    assert set(raw["sectors"]) == set(SECTORS)
    assert len(sectors._lists().phrases) >= 1_500


def test_every_sector_string_of_the_data_is_understood(shared_data: Path) -> None:
    calls = pl.read_parquet(shared_data / "transcripts/ectsum_dev.parquet")["sector"]
    panel = pl.read_parquet(shared_data / "stocks/us_month_end_panel.parquet", columns=["sector"])["sector"]
    index = pl.read_parquet(shared_data / "universe/sp500_constituents_history.parquet")["sector"]
    names = {str(name) for series in (calls, panel, index) for name in series.drop_nulls().unique()} - {""}
    assert len(names) > 100
    assert {name for name in names if not classified_sectors(name)} == {"Miscellaneous"}


def test_nasdaqs_names_mean_the_sectors_of_a_tenth_of_their_members(shared_data: Path) -> None:
    """The lists' rule, done again: NASDAQ's sector beside the GICS sector of the same symbol in the S&P 500."""
    index = pl.read_parquet(shared_data / "universe/sp500_constituents_history.parquet")
    gics = index.filter(pl.col("sector").is_in(SECTORS)).sort("snapshot").group_by("symbol").last()
    panel = pl.read_parquet(shared_data / "stocks/us_month_end_panel.parquet", columns=["symbol", "sector"])
    both = panel.unique().join(gics.select("symbol", pl.col("sector").alias("gics")), on="symbol")
    names = sectors._raw()["classifications"]["nasdaq"]
    for name in set(names) - {"Miscellaneous"}:
        counts = both.filter(pl.col("sector") == name)["gics"].value_counts()
        often = counts.filter(pl.col("count") >= counts["count"].sum() / 10)["gics"]
        assert set(often) == set(names[name]), name
