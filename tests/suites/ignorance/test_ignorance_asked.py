"""Which questions are asked: after the simulated cutoff, on both sides of the models' cutoffs, and drawn evenly."""

from datetime import date, timedelta

import polars as pl
import pytest

from neuter.errors import UsageError
from neuter.questions.schema import DOMAINS, QUESTION_SCHEMA
from neuter.suites.ignorance.asked import sampled, see_both_sides, usable

C = date(2023, 1, 1)
CUTOFFS = {"x/early": date(2024, 4, 1), "x/late": date(2025, 1, 1)}


def questions(*days: date, domain: str = "business") -> pl.DataFrame:
    rows = [
        {"id": f"q{i}", "question": "Will it?", "resolution_date": day, "resolution": i % 2, "domain": domain}
        for i, day in enumerate(days)
    ]
    full = [{**dict.fromkeys(QUESTION_SCHEMA), "community": [], **row} for row in rows]
    return pl.DataFrame(full, schema=QUESTION_SCHEMA)


def test_what_resolved_by_the_simulated_cutoff_is_refused_with_a_count():
    frame = questions(date(2022, 5, 1), C, date(2023, 1, 2))
    with pytest.raises(UsageError, match=r"2 of 3 questions were resolved by 2023-01-01.*q0, q1") as caught:
        usable(frame, C, skip_invalid=False)
    assert "--skip-invalid" in str(caught.value)
    late, early = usable(frame, C, skip_invalid=True)
    assert (late["id"].to_list(), early) == (["q2"], 2)


def test_no_question_left_is_said():
    with pytest.raises(UsageError, match="no question is left"):
        usable(questions(date(2022, 1, 1)), C, skip_invalid=True)


def test_without_a_question_after_a_cutoff_there_is_no_true_ignorance():
    frame = questions(date(2023, 5, 1), date(2024, 12, 31))
    with pytest.raises(
        UsageError, match=r"after the cutoff of x/late \(2025-01-01\): the last one was on 2024-12-31"
    ):
        see_both_sides(frame, CUTOFFS)
    see_both_sides(questions(date(2023, 5, 1), date(2025, 1, 1)), CUTOFFS)


def test_without_a_question_before_a_cutoff_there_is_nothing_to_forget():
    frame = questions(date(2024, 4, 1), date(2025, 12, 31))
    with pytest.raises(
        UsageError, match=r"before the cutoff of x/early \(2024-04-01\): the first one was on 2024-04-01"
    ):
        see_both_sides(frame, CUTOFFS)


def many() -> pl.DataFrame:
    parts = []
    for i, domain in enumerate(DOMAINS):
        days = [date(2023, 2, 1) + timedelta(days=17 * k + i) for k in range(80)]
        part = questions(*days, domain=domain)
        parts.append(part.with_columns(pl.format("{}-{}", pl.lit(domain), pl.col("id")).alias("id")))
    return pl.concat(parts)


def test_a_sample_is_even_over_sides_domains_and_outcomes():
    drawn = sampled(many(), 48, None, 3, CUTOFFS)
    day = pl.col("resolution_date")
    side = (
        pl.when(day < date(2024, 4, 1)).then(pl.lit("pre")).when(day >= date(2025, 1, 1)).then(pl.lit("post"))
    )
    counts = drawn.group_by(side.alias("side"), "domain", "resolution").len()
    assert drawn.height == 48
    assert counts["side"].null_count() == 0
    assert counts["len"].to_list() == [2] * 24
    assert drawn["id"].to_list() == [id_ for id_ in many()["id"] if id_ in set(drawn["id"])]


def test_a_larger_sample_goes_on_with_the_questions_of_a_smaller_one():
    small, large = (set(sampled(many(), n, None, 3, CUTOFFS)["id"]) for n in (24, 48))
    assert small < large


def test_what_is_between_is_drawn_last():
    day = pl.col("resolution_date")
    inside = many().filter(day.is_between(date(2024, 4, 1), date(2024, 12, 31))).height
    drawn = sampled(many(), many().height - 5, None, 0, CUTOFFS)
    assert drawn.filter(day.is_between(date(2024, 4, 1), date(2024, 12, 31))).height == inside - 5


def test_a_limit_takes_the_first_and_a_large_sample_all():
    assert sampled(many(), None, 7, 0, CUTOFFS)["id"].to_list() == many()["id"].head(7).to_list()
    assert sampled(many(), 10_000, None, 0, CUTOFFS).equals(many())
    assert not sampled(many(), 24, None, 0, CUTOFFS).equals(sampled(many(), 24, None, 1, CUTOFFS))
