"""The shipped headlines: what holds of all of them, days that anybody can look up, and what its builder complains of."""

from __future__ import annotations

import importlib.util
import sys
from datetime import date
from pathlib import Path

import pytest

from neuter.data.headline_sets import shipped_headlines

FOLDER = Path(__file__).parents[2] / "corpora" / "headlines"


@pytest.fixture(scope="module")
def build():
    spec = importlib.util.spec_from_file_location("headlines_build", FOLDER / "build.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["headlines_build"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rows(build):
    return build.read_rows()


@pytest.fixture(scope="module")
def sets():
    return shipped_headlines()


def test_the_sample_is_as_large_as_its_manifest_says(sets):
    told = sets.counts()
    assert (told["headlines"], told["sets"], told["duplicates"]) == (583, 179, 0)
    assert (sets.days[0], sets.days[-1]) == (date(1990, 2, 12), date(2026, 6, 6))
    assert told["headlines_without_content"] == 204


def test_the_sample_keeps_its_own_rules(build, rows):
    assert list(build.problems(rows, None)) == []
    assert rows == build.ordered(rows)


def test_what_it_says_of_the_indices_is_what_they_did(build, rows):
    assert sum(bool(row["market"]) for row in rows) > 250
    assert list(build.problems(rows, build.read_closes())) == []


@pytest.mark.parametrize(
    ("day", "word"),
    [
        (date(1990, 8, 3), "Kuwait"),
        (date(1997, 7, 3), "Baht"),
        (date(2001, 9, 12), "World Trade Center"),
        (date(2008, 9, 16), "Lehman"),
        (date(2009, 6, 2), "General Motors"),
        (date(2011, 3, 12), "Japan"),
        (date(2016, 6, 25), "Britain"),
        (date(2020, 3, 12), "Pandemic"),
        (date(2023, 3, 11), "Silicon Valley Bank"),
        (date(2024, 8, 6), "Google"),
    ],
)
def test_well_known_days_stand_on_the_paper_of_the_day_after(sets, day, word):
    assert any(word in title for title, _ in sets.of(day))


def test_news_before_a_day_comes_from_the_days_before(sets):
    assert "Lehman" in sets.before(date(2008, 9, 17))[0][0]
    assert sets.before(date(2008, 9, 16)) == ()


def spoilt(rows, day, **changes):
    """The rows with the first of ``day`` changed."""
    at = next(place for place, row in enumerate(rows) if row["date"] == day)
    return [*rows[:at], {**rows[at], **changes}, *rows[at + 1 :]]


@pytest.mark.parametrize(
    ("day", "changes", "complaint"),
    [
        ("2008-09-16", {"title": "Lehman Fails in 2008"}, "the title gives the day away: 2008"),
        (
            "2008-09-16",
            {"content": "It filed on September 15."},
            "the content gives the day away: September 15",
        ),
        ("2008-09-16", {"content": "It filed"}, "a content is a sentence"),
        ("2008-09-16", {"title": "Lehman  Fails"}, "blanks or characters that do not belong"),
        ("2008-09-16", {"title": ""}, "a title is there"),
        ("2008-09-16", {"event_date": "2008-09-16"}, "not one to three days before"),
        ("2008-09-16", {"event_date": "2008-09-12"}, "not one to three days before"),
        ("2008-09-16", {"event_date": "2008-09-14"}, "more than one day of the event"),
        ("2008-09-16", {"date": "2008-09-14"}, "a Sunday without a paper"),
        ("1994-02-07", {"date": "1994-02-05"}, "a Saturday without a paper"),
        ("2008-09-16", {"title": "dow SINKS 4.4%"}, "a title twice"),
        ("1992-08-25", {"date": "1992-08-26"}, "1992-08-25: 2 headlines"),
    ],
)
def test_the_builder_names_what_is_wrong(build, rows, day, changes, complaint):
    assert any(complaint in problem for problem in build.problems(spoilt(rows, day, **changes), None))


@pytest.mark.parametrize(
    ("title", "market", "complaint"),
    [
        ("Dow Falls 7%", "2008-09-29 DJIA -6.90", "DJIA moved by -10.0, not -6.9"),
        ("Dow Falls 9%", "2008-09-29 DJIA -10.00", "9.0% is the move of none of DJIA"),
        ("Dow Falls to a Record", "2008-09-29 DJIA -10.00", "DJIA was higher before"),
        (
            "Dow Closes Above 90 for the First Time",
            "2008-09-29 DJIA -10.00",
            "DJIA did not first close above 90",
        ),
        (
            "Dow Falls 10%",
            "2008-09-30 DJIA 5.00",
            "the session of 2008-09-30 is not the last up to 2008-09-29",
        ),
    ],
)
def test_the_builder_knows_what_the_indices_did(build, title, market, complaint):
    closes = {"DJIA": {date(2008, 9, 26): 100.0, date(2008, 9, 29): 90.0, date(2008, 9, 30): 94.5}}
    row = {"date": "2008-09-30", "event_date": "2008-09-29", "title": title, "content": "", "market": market}
    assert complaint in list(build.market_problems(row, closes))


def test_a_first_close_above_a_level_and_a_rounded_move_are_right(build):
    closes = {"DJIA": {date(2008, 9, 26): 100.0, date(2008, 9, 29): 109.96}}
    row = {
        "date": "2008-09-30",
        "event_date": "2008-09-29",
        "content": "The Dow rose 10%.",
        "market": "2008-09-29 DJIA 9.96",
    }
    title = "Dow Closes Above 105 for the First Time"
    assert list(build.market_problems({**row, "title": title}, closes)) == []
    assert list(build.market_problems({**row, "title": title.replace("105", "110")}, closes)) != []
