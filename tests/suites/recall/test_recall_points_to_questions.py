"""From points to questions: what a row holds beside its prompt, and which dates a draw takes."""

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from neuter.data.series import DataSeries
from neuter.suites.recall.building import Form, check_conditions, questions_of
from neuter.suites.recall.points import POINTS_SCHEMA
from neuter.suites.recall.returns import monthly_pairs, monthly_returns
from neuter.suites.recall.sampling import sampled, shares_of
from neuter.suites.recall.specs import spec_of

PLACES = {
    "panel": pl.String,
    "series": pl.String,
    "cluster": pl.String,
    "condition": pl.String,
    "date": pl.Date,
}


def places(*rows):
    made = [
        dict(zip(PLACES, ("p", series, cluster, "none", day), strict=True)) for series, cluster, day in rows
    ]
    return pl.DataFrame(made, schema=PLACES)


def point(**known):
    row = {**dict.fromkeys(POINTS_SCHEMA), "date": date(2020, 1, 31), **known}
    return pl.DataFrame([row], schema=POINTS_SCHEMA, orient="row")


def closes(*pairs):
    points = pl.DataFrame(
        {"date": [date.fromisoformat(day) for day, _ in pairs], "close": [float(value) for _, value in pairs]}
    ).with_columns(pl.lit(2, pl.Int8).alias("digits"), pl.lit("here").alias("source"))
    return DataSeries("sp500", "daily", ("close",), points)


def test_the_last_date_of_a_month_is_each_firms_own():
    rows = [("Small", "A", date(2020, 1, 30)), ("Small", "B", date(2020, 1, 31))]
    assert sampled(places(*rows), every="month")["cluster"].to_list() == ["A", "B"]


def test_a_limit_takes_the_first_dates_whatever_the_order_of_the_firms():
    rows = [("Small", "A", date(2020, 2, 28)), ("Small", "B", date(2020, 1, 31))]
    assert sampled(places(*rows), limit=1)["cluster"].to_list() == ["B"]


def test_series_with_the_same_dates_are_drawn_apart():
    days = [date(2000 + n // 12, n % 12 + 1, 1) for n in range(200)]
    drawn = sampled(places(*(("a", "", day) for day in days), *(("b", "", day) for day in days)), sample=10)
    of = {name: part["date"].to_list() for (name,), part in drawn.group_by("series")}
    assert len(of["a"]) == len(of["b"]) == 10
    assert of["a"] != of["b"]


def test_a_date_on_the_cutoff_is_of_the_part_after_it():
    """Of 40 months before the cutoff and the one on it, 2 are drawn: one of each part."""
    days = [date(2020 + n // 12, n % 12 + 1, 1) for n in range(41)]
    drawn = sampled(places(*(("a", "", day) for day in days)), sample=2, cutoffs=[days[-1]])
    assert drawn["date"][-1] == days[-1]


def test_a_short_part_gives_all_it_has_and_no_more():
    assert shares_of([1, 500], 10) == [1, 9]


def test_only_levels_and_rates_have_a_threshold():
    word = point(truth=1.0).with_columns(pl.lit("up").alias("truth_word"))
    made = questions_of(
        Form("indices", "p", "direction", "sp500", replace(spec_of("sp500"), threshold=1.0), "monthly"),
        word,
        ("none",),
    )
    assert made["threshold"].to_list() == [None]
    assert (made["truth"][0], made["truth_word"][0]) == (None, "up")
    level = questions_of(
        Form("macro", "rates", "rate", "inflation", spec_of("inflation"), "monthly"),
        point(truth=1.0),
        ("none",),
    )
    assert level["threshold"].to_list() == [3.0]


def test_a_question_without_a_second_reading_names_none():
    form = Form("stocks", "p", "level", "AAPL", spec_of("AAPL"), "monthly", other_reading="split_adjusted")
    assert questions_of(form, point(truth=1.0), ("none",))["other_reading"].to_list() == [None]
    assert questions_of(form, point(truth=1.0, other=0.25), ("none",))["other_reading"].to_list() == [
        "split_adjusted"
    ]


def test_what_baselines_need_stands_in_the_row():
    form = Form("stocks", "p", "level", "AAPL", spec_of("AAPL"), "monthly")
    row = questions_of(
        form, point(truth=4.0, previous=3.0, previous_other=2.0, year_ago=1.0, digits=2), ("none",)
    )
    assert row.select("previous", "previous_other", "year_ago", "digits").row(0) == (3.0, 2.0, 1.0, 2)


def test_an_id_names_the_firm():
    form = Form("portfolios", "p", "level", "Small", spec_of("AAPL"), "monthly", cluster="AAPL")
    assert questions_of(form, point(truth=1.0), ("none",))["id"].to_list() == ["p:Small:AAPL:none:2020-01-31"]


def test_a_context_named_twice_is_asked_once():
    assert check_conditions(("none", "history", "none")) == ("none", "history")


def test_one_previous_close_is_told_alone():
    form = Form("stocks", "p", "level", "AAPL", spec_of("AAPL"), "monthly")
    one = point(truth=4.0, date_1=date(2019, 12, 31), value_1=3.0)
    (prompt,) = questions_of(form, one, ("history",))["prompt"]
    assert "3.00 on December 31, 2019" in prompt
    assert "Context:" not in prompt


def test_the_return_of_the_same_month_a_year_ago():
    ends = [date(2008, 1, 31), date(2008, 2, 29), date(2008, 12, 31), date(2009, 1, 30), date(2009, 2, 27)]
    values = [100.0, 110.0, 50.0, 60.0, 75.0]
    made = monthly_returns(closes(*((str(day), value) for day, value in zip(ends, values, strict=True))))
    year_ago = dict(made.select("date", "year_ago").iter_rows())
    assert year_ago[date(2009, 2, 1)] == pytest.approx(10.0)
    assert year_ago[date(2009, 1, 1)] is None


def test_a_tie_of_two_indices_is_not_asked_about():
    one = closes(("2007-12-31", 100), ("2008-01-31", 110), ("2008-02-29", 121))
    other = closes(("2007-12-31", 10), ("2008-01-31", 11), ("2008-02-29", 13))
    made = monthly_pairs(one, other, ("S&P 500", "DJIA"))
    assert made["date"].to_list() == [date(2008, 2, 1)]
    assert made["truth_word"].to_list() == ["DJIA"]


def test_a_month_that_one_of_two_lacks_is_no_pair():
    one = closes(("2007-12-31", 100), ("2008-01-31", 110), ("2008-02-29", 122))
    other = closes(("2008-01-31", 11), ("2008-02-29", 13))
    assert monthly_pairs(one, other, ("S&P 500", "DJIA"))["date"].to_list() == [date(2008, 2, 1)]
