"""Firms drawn from each tercile, anew each year: counts by hand, and what a draw must not depend on."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from neuter.errors import UsageError
from neuter.firms import resample


def rows(**columns: list[object]) -> pl.DataFrame:
    return pl.DataFrame(columns, strict=False)


def corpus_of(years: range, firms: int) -> pl.DataFrame:
    """Firms Q000.. in order of size, two documents a year each."""
    made = [
        (
            f"{firm}-{year}-{month}",
            f"QZ{firm:03d}",
            date(year, month, 1),
            ("Small", "Mid", "Large")[firm * 3 // firms],
        )
        for year in years
        for firm in range(firms)
        for month in (2, 8)
    ]
    return pl.DataFrame(made, schema=["id", "ticker", "date", "size"], orient="row")


def test_ten_firms_of_each_tercile_are_drawn_each_year() -> None:
    drawn = resample(corpus_of(range(2010, 2013), 60), per_tercile=10, seed=1)
    assert drawn.notes == []
    counts = drawn.firms.group_by("year", "size").len()
    assert counts.height == 9
    assert set(counts["len"]) == {10}
    assert drawn.frame.height == 3 * 3 * 10 * 2
    by_year = {year: set(part["label"]) for (year,), part in drawn.firms.group_by("year")}
    assert by_year[2010] != by_year[2011] != by_year[2012]


def test_a_years_draw_does_not_depend_on_other_years_or_on_order() -> None:
    frame = corpus_of(range(2010, 2013), 60)
    whole = resample(frame, seed=3).firms.filter(pl.col("year") == 2011)
    alone = resample(frame.filter(pl.col("date").dt.year() == 2011), seed=3).firms
    mixed = resample(frame.sample(fraction=1.0, shuffle=True, seed=9), seed=3).firms.filter(
        pl.col("year") == 2011
    )
    assert whole.equals(alone)
    assert whole.equals(mixed)
    assert not whole.equals(resample(frame, seed=4).firms.filter(pl.col("year") == 2011))


def test_over_seeds_every_firm_is_drawn_about_as_often() -> None:
    frame = corpus_of(range(2010, 2011), 60)
    drawn = pl.concat([resample(frame, seed=seed).firms for seed in range(200)])["label"].value_counts()
    # Each of 20 firms is drawn with chance 1/2: 100 of 200, standard deviation 7.1; five of them either way.
    assert drawn.height == 60
    assert drawn["count"].is_between(65, 135).all()


def test_a_tercile_with_fewer_firms_is_taken_whole_and_named() -> None:
    frame = corpus_of(range(2010, 2011), 12).filter(pl.col("size") != "Large")
    drawn = resample(frame, per_tercile=10)
    assert drawn.frame.height == 16
    assert drawn.notes == [
        "Large: fewer than 10 firms (2010: 0); all of them are taken",
        "Mid: fewer than 10 firms (2010: 4); all of them are taken",
        "Small: fewer than 10 firms (2010: 4); all of them are taken",
    ]


def test_a_firm_is_drawn_by_the_size_of_its_first_document_of_the_year() -> None:
    frame = rows(
        id=["a", "b"], ticker=["QA", "QA"], date=[date(2015, 9, 1), date(2015, 2, 1)], size=["Large", "Small"]
    )
    assert resample(frame, per_tercile=1).firms.select("size").to_series().to_list() == ["Small"]


def test_what_cannot_be_drawn_is_left_out() -> None:
    frame = rows(
        id=list("abcd"),
        ticker=["QA", None, "QC", "QD"],
        date=[date(2015, 1, 1), date(2015, 1, 1), None, date(2015, 1, 1)],
        size=["Small", "Small", "Small", None],
    )
    assert resample(frame).frame["id"].to_list() == ["a"]
    assert resample(frame.head(0)).frame.height == 0
    with pytest.raises(UsageError, match="at least 1"):
        resample(frame, per_tercile=0)
