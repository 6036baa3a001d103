"""Which questions are asked where not all are."""

from datetime import date, timedelta

import polars as pl
import pytest

from neuter.errors import UsageError
from neuter.suites.recall.sampling import sampled, shares_of, spread

CUTOFF = date(2023, 10, 1)


def questions(days, conditions=("none", "history"), series=("a",)):
    return pl.DataFrame(
        [
            {"panel": "p", "series": s, "cluster": "", "condition": c, "date": d}
            for s in series
            for d in days
            for c in conditions
        ],
        schema={
            "panel": pl.String,
            "series": pl.String,
            "cluster": pl.String,
            "condition": pl.String,
            "date": pl.Date,
        },
    )


DAYS = [date(2019, 1, 1) + timedelta(days=10 * n) for n in range(200)]


def test_without_any_wish_everything_is_asked():
    asked = questions(DAYS)
    assert sampled(asked, cutoffs=[CUTOFF]).equals(asked)


def test_every_month_is_its_last_date_under_every_condition():
    asked = sampled(questions([date(2020, 1, 5), date(2020, 1, 30), date(2020, 2, 3)]), every="month")
    assert asked["date"].to_list() == [date(2020, 1, 30)] * 2 + [date(2020, 2, 3)] * 2


def test_a_sample_is_as_many_dates_for_each_condition():
    asked = sampled(questions(DAYS), sample=10, seed=3, cutoffs=[CUTOFF])
    by_condition = asked.partition_by("condition", as_dict=True)
    none, history = by_condition["none",]["date"], by_condition["history",]["date"]
    assert none.len() == 10
    assert none.equals(history)


def test_a_sample_is_spread_over_time_and_both_sides_of_the_cutoff():
    days = sampled(questions(DAYS, ("none",)), sample=20, seed=1, cutoffs=[CUTOFF])["date"]
    after = days.filter(days >= CUTOFF).len()
    # 174 of 200 days are before: half equally (5 each), half by size (8.7 and 1.3).
    assert after == 6
    assert set(days.dt.year()) == {2019, 2020, 2021, 2022, 2023, 2024}


def test_a_sample_follows_from_its_seed_and_the_series_alone():
    one = sampled(questions(DAYS, series=("a",)), sample=10, seed=1, cutoffs=[CUTOFF])
    both = sampled(questions(DAYS, series=("b", "a")), sample=10, seed=1, cutoffs=[CUTOFF])
    assert both.filter(pl.col("series") == "a").equals(one)
    other = sampled(questions(DAYS, series=("a",)), sample=10, seed=2, cutoffs=[CUTOFF])
    assert not other.equals(one)


def test_a_limit_is_the_first_dates():
    assert sampled(questions(DAYS), limit=2)["date"].unique().to_list() == DAYS[:2]


@pytest.mark.parametrize(
    ("sizes", "total", "expected"),
    [
        ([400, 20], 10, [7, 3]),
        ([3, 2, 500], 10, [2, 2, 6]),
        ([5, 5], 20, [5, 5]),
        ([0, 7], 3, [0, 3]),
        ([9], 4, [4]),
    ],
)
def test_no_zone_gives_more_than_it_has(sizes, total, expected):
    assert shares_of(sizes, total) == expected


def test_places_are_distinct_and_in_order_for_any_size():
    for size in range(1, 30):
        for take in range(size + 1):
            places = spread(size, take, f"{size}")
            assert len(set(places)) == take
            assert places == sorted(places)
            assert all(0 <= place < size for place in places)


def test_an_unknown_period_is_refused():
    with pytest.raises(UsageError, match="every 'week'"):
        sampled(questions(DAYS), every="week")
