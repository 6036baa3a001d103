"""Days of publication: every way of writing that is read, and what is refused."""

from __future__ import annotations

from calendar import month_name
from datetime import date, datetime

import pytest

from neuter.corpus.fields import Invalid
from neuter.corpus.importers.publication_dates import is_day, published_day


@pytest.mark.parametrize(
    "written",
    [
        "2019-03-15",
        "2019-03-15T23:30:00-05:00",
        "2019-03-15 06:00",
        "15 March 2019",
        "15 Mar 2019",
        "15-Mar-2019",
        "15. March 2019",
        "15th March 2019",
        "March 15, 2019",
        "Mar. 15 2019",
        "Friday, March 15, 2019",
        "Fri 15 March 2019",
        "  15\u00a0March\n2019 ",
        "03/15/2019",
        "15/03/2019",
        "15.3.2019",
        date(2019, 3, 15),
        datetime(2019, 3, 15, 23, 59),
    ],
)
def test_the_same_day_in_all_its_forms(written):
    assert published_day(written) == date(2019, 3, 15)


def test_a_day_and_month_of_the_same_number_are_no_puzzle():
    assert published_day("04/04/2019") == date(2019, 4, 4)


@pytest.mark.parametrize("day_first", [True, False])
def test_the_order_that_was_said_is_kept_and_not_bent_to_fit(day_first):
    written = "03/15/2019" if day_first else "15/03/2019"
    with pytest.raises(Invalid, match="no day of the calendar"):
        published_day(written, day_first=day_first)


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ("Monday, March 15, 2019", "is a Friday"),
        ("31 April 2019", "no day of the calendar"),
        ("29 February 2019", "no day of the calendar"),
        ("15 mars 2019", "a month that is not English"),
        ("15 Marches 2019", "a month that is not English"),
        ("3/15/19", "is no date that can be read"),
        ("20190315", "is no date that can be read"),
        ("15 March 2019 and after", "is no date that can be read"),
        ("15/03.2019", "is no date that can be read"),
        ("1 May 0019", "between 1850 and 2100"),
        ("", "has no date"),
        (None, "has no date"),
        (43539, "is no date: 43539"),
    ],
)
def test_what_is_no_day_is_refused(written, what):
    with pytest.raises(Invalid, match=what):
        published_day(written)


def test_every_month_is_known_by_its_name_and_short():
    for number, name in enumerate(month_name[1:], start=1):
        assert published_day(f"9 {name} 2019") == published_day(f"9 {name[:3]} 2019") == date(2019, number, 9)
    assert published_day("Sept. 9, 2019") == date(2019, 9, 9)


def test_only_a_date_in_words_and_nothing_else_is_a_line_of_date():
    assert is_day("15 March 2019")
    assert not is_day("on 15 March 2019")
    assert not is_day("2019")
