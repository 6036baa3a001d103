"""Terciles by NYSE breakpoints, worked by hand from the shipped table."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.errors import CorpusError, UsageError
from neuter.firms import assign_sizes, firms_with_at_least
from neuter.firms.sizes import read_breakpoints
from neuter.shipped import shipped_path


def rows(**columns: list[object]) -> pl.DataFrame:
    return pl.DataFrame(columns, strict=False)


def june_2021() -> tuple[float, float]:
    row = (
        pl.read_csv(shipped_path("breakpoints", "nyse_size.csv"))
        .filter(pl.col("date") == "2021-06-30")
        .row(0, named=True)
    )
    third = row["p30"] + 2 / 3 * (row["p35"] - row["p30"])
    two_thirds = row["p65"] + 1 / 3 * (row["p70"] - row["p65"])
    return third * 1e6, two_thirds * 1e6


def test_breakpoints_are_interpolated_between_neighbouring_columns() -> None:
    # First row of the file: p30 1522.6, p35 1970.4, p65 7301.6, p70 9598.7.
    table = read_breakpoints(str(shipped_path("breakpoints", "nyse_size.csv")))
    assert table.months[0] == 2021 * 12 + 1
    assert table.lower[0] == pytest.approx(1821.1333e6, rel=1e-6)  # 1522.6 + 447.8 * 2/3
    assert table.upper[0] == pytest.approx(8067.3e6, rel=1e-6)  # 7301.6 + 2297.1 / 3


def test_sizes_at_and_around_the_breakpoints() -> None:
    low, high = june_2021()
    caps = [low - 1, low, low + 1, high, high + 1, 2e12]
    frame = rows(id=list("abcdef"), market_cap=caps, date=[date(2021, 6, 15)] * 6)
    result = assign_sizes(frame)
    assert result.frame["size"].to_list() == ["Small", "Small", "Mid", "Mid", "Large", "Large"]
    assert result.notes == []


def test_a_cap_that_is_no_cap_gives_no_size_and_a_note() -> None:
    caps = [None, 0.0, -5.0, float("nan"), float("inf"), 1e9]
    result = assign_sizes(rows(id=list("abcdef"), market_cap=caps, date=[date(2021, 6, 15)] * 6))
    assert result.frame["size"].to_list() == [None, None, None, None, None, "Small"]
    assert result.notes == [
        "1 document without a market cap: no size",
        "4 documents with a market cap that is zero, negative or not a number: no size",
    ]


def test_months_outside_of_the_table_take_the_nearest_and_are_counted() -> None:
    days = [date(2010, 1, 1), date(2031, 1, 1), date(2025, 10, 15), date(2021, 6, 1)]
    result = assign_sizes(rows(id=list("abcd"), market_cap=[5e9] * 4, date=days))
    assert result.frame["size"].to_list() == ["Mid"] * 4
    assert result.notes == [
        "1 document before the first month of the NYSE breakpoints: 2021-02 used",
        "1 document after the last month of the NYSE breakpoints: 2026-07 used",
        "1 document in a month without NYSE breakpoints: the nearest month used",
    ]


def test_a_document_without_a_date_is_placed_by_its_fiscal_period() -> None:
    # 9.0 bn is Large in 2021-02 and Mid in 2026-07 (upper 10.57 bn).
    frame = rows(
        id=["a", "b", "c"], market_cap=[9e9] * 3, fiscal_year=[2020, 2026, None], fiscal_quarter=[4, 2, None]
    )
    result = assign_sizes(frame)
    assert result.frame["size"].to_list() == ["Large", "Mid", None]
    assert "1 document with neither a date nor a fiscal year: no size" in result.notes
    assert "2 documents placed by an assumed date (end of the fiscal period + 30 days)" in result.notes


def test_an_undated_document_is_placed_by_its_firms_own_year_end(tmp_path: Path) -> None:
    # Ralph Lauren's fiscal 2022 began in April 2021: its second quarter ended in September 2021, taken as 2021-10-30. By
    # calendar quarters it would be 2022-07-30. A firm in no list has calendar quarters; a given year end comes first.
    path = tmp_path / "mine.csv"
    path.write_text("date,p30,p35,p65,p70\n2021-10-31,1,1,2,2\n2022-07-31,10,10,20,20\n")
    frame = rows(
        id=list("abcd"),
        ticker=["RL", "QZXW", "RL", "RL"],
        market_cap=[5e6] * 4,
        fiscal_year=[2022] * 4,
        fiscal_quarter=[2] * 4,
        fiscal_year_end=[None, None, 12, None],
        date=[None, None, None, date(2022, 7, 30)],
    )
    sized = assign_sizes(frame.with_columns(pl.col("date").cast(pl.Date)), breakpoints=path)
    assert sized.frame["size"].to_list() == ["Large", "Small", "Small", "Small"]
    assert "3 documents placed by an assumed date (end of the fiscal period + 30 days)" in sized.notes


def test_a_size_of_the_corpus_is_kept() -> None:
    frame = rows(
        id=list("abcd"),
        market_cap=[1e6, 1e6, 1e6, 1e6],
        size=["Large", "medium", "Mega", None],
        date=[date(2022, 1, 1)] * 4,
    )
    result = assign_sizes(frame)
    assert result.frame["size"].to_list() == ["Large", "Mid", "Small", "Small"]
    assert result.notes[:1] == [
        "1 document with a size that is none of Large, Mid, Small: taken from the market cap instead"
    ]


def test_breakpoints_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("date,p30,p35,p65,p70\n2000-01-31,3,6,9,12\n")
    result = assign_sizes(
        rows(id=["a", "b"], market_cap=[5e6, 5.1e6], date=[date(2000, 1, 1)] * 2), breakpoints=path
    )
    assert result.frame["size"].to_list() == ["Small", "Mid"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("date,p30,p35,p65\n2000-01-31,3,6,9\n", "no column p70"),
        ("date,p30,p35,p65,p70\n", "no rows"),
        ("date,p30,p35,p65,p70\n2000-01-31,3,6,nine,12\n", "line 2"),
        ("date,p30,p35,p65,p70\n2000-01-31,3,6,9,12\n2000-02-31,3,6,9,12\n", "line 3"),
        ("date,p30,p35,p65,p70\n2000-01-31,9,6,3,12\n", "do not rise"),
    ],
)
def test_bad_breakpoints_are_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(CorpusError, match=said):
        assign_sizes(rows(id=["a"], market_cap=[1.0]), breakpoints=path)


def test_firms_with_two_documents_by_any_of_their_names() -> None:
    frame = rows(
        id=list("abcdef"),
        ticker=["GOOG", "GOOGL", "AAPL", None, None, "QZXW"],
        firm=[None, None, None, "Apple Inc.", None, None],
    )
    assert firms_with_at_least(frame, 2) == (["a", "b", "c", "d"], 2)
    assert firms_with_at_least(frame, 1) == (["a", "b", "c", "d", "f"], 1)


MINE = "date,p30,p35,p65,p70\n2014-12-31,1,1,10,10\n2015-01-31,2,2,20,20\n2015-12-31,3,3,30,30\n"


def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text(MINE)
    return path


def test_as_of_the_year_a_firm_has_one_size_by_its_first_cap_and_last_decembers_breakpoints(
    tmp_path: Path,
) -> None:
    # 2015 is sorted by December 2014 (1 and 10 million), 2016 by December 2015 (3 and 30 million).
    frame = rows(
        id=list("abcdefg"),
        ticker=["QA", "QA", "QA", "QB", "QA", "QC", None],
        date=[
            date(2015, 7, 1),
            date(2015, 2, 1),
            date(2015, 12, 31),
            date(2015, 6, 1),
            date(2016, 3, 1),
            date(2016, 1, 1),
            date(2015, 5, 5),
        ],
        market_cap=[50e6, 9e6, 0.5e6, 1e6, 9e6, None, 11e6],
    )
    result = assign_sizes(frame, breakpoints=mine(tmp_path), as_of="year")
    assert result.frame["size"].to_list() == ["Mid", "Mid", "Mid", "Small", "Mid", None, "Large"]
    assert result.notes == ["1 document without a market cap: no size"]
    by_month = assign_sizes(frame, breakpoints=mine(tmp_path))
    assert by_month.frame["size"].to_list()[:3] == ["Large", "Mid", "Small"]


def test_as_of_the_year_the_first_usable_cap_counts_and_order_does_not(tmp_path: Path) -> None:
    frame = rows(
        id=["late", "none", "first"],
        ticker=["GOOG", "GOOGL", "GOOGL"],
        date=[date(2015, 9, 1), date(2015, 1, 2), date(2015, 4, 1)],
        market_cap=[0.5e6, float("nan"), 5e6],
    )
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        result = assign_sizes(frame[order], breakpoints=mine(tmp_path), as_of="year")
        assert result.frame["size"].to_list() == ["Mid"] * 3
        assert result.notes == []


def test_as_of_the_year_outside_of_the_table_the_nearest_month_is_used() -> None:
    frame = rows(
        id=["a", "b"], ticker=["QA", "QA"], market_cap=[5e9] * 2, date=[date(2021, 5, 1), date(2022, 5, 1)]
    )
    result = assign_sizes(frame, as_of="year")
    assert result.notes == ["1 document before the first month of the NYSE breakpoints: 2021-02 used"]


def test_an_unknown_as_of_is_refused() -> None:
    with pytest.raises(UsageError, match="month or year"):
        assign_sizes(rows(id=["a"], market_cap=[1.0]), as_of="decade")  # type: ignore[arg-type]


def test_a_corpus_of_its_own_terciles_with_a_warning() -> None:
    # Four firms of 1, 2, 3 and 10: a third of the way through 3 gaps is 2, two thirds 3.
    # QA's second document of the month does not count twice, though it is compared.
    frame = rows(
        id=list("abcdefg"),
        ticker=["QA", "QB", "QC", "QD", "QA", "QE", "QF"],
        date=[date(2015, 3, d) for d in (1, 2, 3, 4, 5)] + [date(2015, 4, 1)] * 2,
        market_cap=[1.0, 2.0, 3.0, 10.0, 2.5, 7.0, 9.0],
    )
    result = assign_sizes(frame, breakpoints="corpus")
    assert result.frame["size"].to_list() == ["Small", "Small", "Mid", "Large", "Mid", None, None]
    assert result.notes == [
        "2 documents in a month with fewer than 3 firms that have a market cap: no size",
        "sizes are terciles of this corpus's own firms by month, not of NYSE common stocks: "
        "they are not comparable with Table 7",
    ]


def test_a_corpus_of_its_own_terciles_between_its_firms() -> None:
    # 1, 2, 4: a third of the way is 1 2/3, two thirds 2 2/3.
    frame = rows(
        id=list("abc"), ticker=["QA", "QB", "QC"], date=[date(2015, 3, 1)] * 3, market_cap=[1.0, 2.0, 4.0]
    )
    assert assign_sizes(frame, breakpoints="corpus").frame["size"].to_list() == ["Small", "Mid", "Large"]


def test_documents_without_a_firm_are_firms_of_their_own(tmp_path: Path) -> None:
    frame = rows(id=["a", "b"], ticker=[None, None], date=[date(2015, 3, 1)] * 2, market_cap=[0.5e6, 50e6])
    result = assign_sizes(frame, breakpoints=mine(tmp_path), as_of="year")
    assert result.frame["size"].to_list() == ["Small", "Large"]


def test_an_assumed_date_that_places_nothing_is_not_counted() -> None:
    frame = rows(id=["a"], market_cap=[None], fiscal_year=[2021], fiscal_quarter=[4])
    assert assign_sizes(frame).notes == ["1 document without a market cap: no size"]


def test_a_corpus_of_its_own_terciles_by_year() -> None:
    frame = rows(
        id=list("abcdef"),
        ticker=["QA", "QB", "QC", "QD", "QA", "QB"],
        date=[date(2015, m, 1) for m in (1, 3, 5, 7, 9, 11)],
        market_cap=[1.0, 2.0, 3.0, 10.0, 900.0, 900.0],
    )
    result = assign_sizes(frame, breakpoints="corpus", as_of="year")
    assert result.frame["size"].to_list() == ["Small", "Small", "Mid", "Large", "Small", "Small"]


def test_caps_that_are_none_are_counted_under_every_reading() -> None:
    caps = [None, 0.0, -5.0, float("nan"), float("inf")]
    frame = rows(id=list("abcde"), ticker=list("QRXYZ"), market_cap=caps, date=[date(2021, 6, 15)] * 5)
    for choice in ({"as_of": "year"}, {"breakpoints": "corpus"}, {"breakpoints": "corpus", "as_of": "year"}):
        result = assign_sizes(frame, **choice)
        assert result.frame["size"].to_list() == [None] * 5
        assert result.notes[:2] == [
            "1 document without a market cap: no size",
            "4 documents with a market cap that is zero, negative or not a number: no size",
        ]


def test_a_frame_without_rows_or_caps_gives_no_sizes() -> None:
    empty = pl.DataFrame(schema={"id": pl.String, "market_cap": pl.Float64, "ticker": pl.String})
    for choice in ({}, {"as_of": "year"}, {"breakpoints": "corpus"}):
        assert assign_sizes(empty, **choice).frame["size"].to_list() == []
        assert assign_sizes(rows(id=["a"], ticker=["QA"]), **choice).frame["size"].to_list() == [None]


@pytest.mark.parametrize(("unit", "asked"), [(1.0, False), (1e-6, True)])
def test_market_caps_in_millions_are_asked_about(unit: float, asked: bool) -> None:
    frame = pl.DataFrame(
        {"id": ["a", "b"], "market_cap": [2.1e12 * unit, 4e9 * unit], "date": [date(2022, 5, 1)] * 2}
    )
    notes = " ".join(assign_sizes(frame).notes)
    assert ("are they in thousands or millions?" in notes) == asked
