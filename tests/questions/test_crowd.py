"""The crowd's forecast: of a question's first two weeks, or the last before it was frozen."""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import polars as pl
import pytest

from neuter.errors import UsageError
from neuter.questions import crowd_at, read_questions, resolved_frame, with_crowd
from neuter.questions.schema import QUESTION_SCHEMA
from neuter.scoring.forecasts.schema import RESOLVED_SCHEMA

SHARED = Path(__file__).parents[3] / "shared" / "data" / "questions"
OPEN, RESOLVED = date(2024, 1, 1), date(2024, 6, 1)
there = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not here")


def questions(
    *communities: list[tuple[int, float | None]], opened: date | None = OPEN, resolved: date = RESOLVED
) -> pl.DataFrame:
    """One question a community; its days are counted from the opening."""
    rows = [
        {
            **dict.fromkeys(QUESTION_SCHEMA), "id": f"q{number}", "open": opened, "resolution_date": resolved,
            "resolution": 1, "community": [{"date": OPEN + timedelta(days), "probability": share} for days, share in community],
        }
        for number, community in enumerate(communities)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=QUESTION_SCHEMA)


def crowd(frame: pl.DataFrame, average: str = "daily") -> list[tuple[float | None, str]]:
    return with_crowd(frame, average=average).select("crowd", "crowd_from").rows()


def test_the_first_two_weeks_are_the_day_of_opening_and_thirteen_more():
    frame = questions([(-1, 0.9), (0, 0.2), (13, 0.4), (14, 0.9)])
    assert crowd(frame) == [(pytest.approx(0.3), "first_two_weeks")]


def test_a_day_counts_once_with_its_last_prediction():
    frame = questions([(0, 0.9), (0, 0.1), (1, 0.5), (10, 0.6)])
    assert crowd(frame) == [(pytest.approx((0.1 + 0.5 + 0.6) / 3), "first_two_weeks")]


def test_every_prediction_counts_or_each_day_keeps_the_last():
    frame = questions([(0, 0.9), (0, 0.1), (1, 0.5), (10, 0.6)], [(4, 0.2), (40, 0.9)])
    every, carried = (0.9 + 0.1 + 0.5 + 0.6) / 4, (1 * 0.1 + 9 * 0.5 + 4 * 0.6) / 14
    assert [share for share, _ in crowd(frame, "every")] == [pytest.approx(every), pytest.approx(0.2)]
    assert [share for share, _ in crowd(frame, "carried")] == [pytest.approx(carried), pytest.approx(0.2)]
    with pytest.raises(UsageError, match="no average 'median'"):
        crowd(frame, "median")


def test_without_an_opening_the_weeks_begin_with_the_first_prediction():
    assert crowd(questions([(30, 0.2), (43, 0.4), (44, 0.9)], opened=None)) == [
        (pytest.approx(0.3), "first_two_weeks")
    ]


def test_the_day_of_resolution_is_too_late():
    early = OPEN + timedelta(3)
    frame = questions([(2, 0.2), (3, 0.99), (4, 1.0)], [(3, 0.99)], resolved=early)
    assert crowd(frame) == [(0.2, "first_two_weeks"), (None, "")]
    assert crowd(frame, "carried") == [(0.2, "first_two_weeks"), (None, "")]


def test_a_single_later_prediction_is_frozen_and_several_later_ones_are_none():
    frame = questions([(30, 0.7)], [(30, 0.7), (31, 0.8)], [], [(5, 0.6)], [(30, None), (40, 0.4)])
    assert crowd(frame) == [
        (0.7, "freeze"),
        (None, ""),
        (None, ""),
        (0.6, "first_two_weeks"),
        (0.4, "freeze"),
    ]


def test_the_order_of_a_series_does_not_matter_but_that_of_a_day_does():
    assert crowd(questions([(5, 0.4), (0, 0.1), (0, 0.2)])) == [(pytest.approx(0.3), "first_two_weeks")]


def test_the_crowd_on_a_day_is_its_last_prediction_until_then():
    frame = questions([(0, 0.1), (9, 0.3), (9, 0.4), (20, 0.9)], [(15, 0.5)], [])
    assert crowd_at(frame, OPEN + timedelta(10)).to_list() == [0.4, None, None]
    assert crowd_at(frame, OPEN + timedelta(9)).to_list() == [0.4, None, None]
    assert crowd_at(frame, pl.col("open")).to_list() == [0.1, None, None]


def test_questions_are_resolved_for_scoring_in_their_order():
    frame = questions([(0, 0.2)], [], [(30, 0.7)]).with_columns(pl.Series("resolution", [1, 0, 1], pl.Int8))
    told = resolved_frame(frame)
    assert told.schema == pl.Schema(RESOLVED_SCHEMA)
    assert told["id"].to_list() == ["q0", "q1", "q2"]
    assert told["outcome"].to_list() == [1.0, 0.0, 1.0]
    assert told["crowd"].to_list() == [0.2, None, 0.7]
    assert resolved_frame(frame.clear()).schema == pl.Schema(RESOLVED_SCHEMA)


# The done-when figures of the issue, each calculated here from the raw file without the package


def raw(name: str) -> Iterator[dict]:
    with (SHARED / name).open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def brier(told: pl.DataFrame) -> float:
    return told.select(((pl.col("crowd") - pl.col("outcome")) ** 2).mean()).item()


@there
def test_the_crowds_brier_score_at_the_freeze_date():
    losses = [
        (float(row["freeze_datetime_value"]) - row["resolved_to"]) ** 2
        for row in raw("forecastbench_dev.jsonl")
    ]
    read = read_questions(SHARED / "forecastbench_dev.jsonl")
    told = resolved_frame(read.frame)
    assert (len(read), len(losses), read.set_aside) == (594, 594, {})
    assert set(told["crowd_from"]) == {"freeze", "first_two_weeks"}  # Some froze within two weeks of opening.
    assert told["crowd_from"].value_counts(sort=True).rows() == [("freeze", 507), ("first_two_weeks", 87)]
    assert brier(told) == pytest.approx(sum(losses) / len(losses), abs=1e-12)
    assert brier(told) == pytest.approx(0.106331, abs=5e-7)
    frozen = crowd_at(read.frame, pl.col("resolution_date"))
    assert frozen.to_list() == [float(row["freeze_datetime_value"]) for row in raw("forecastbench_dev.jsonl")]


def first_weeks(row: dict, average: str) -> float:
    """The squared error of a question's crowd in its first two weeks, in plain Python."""
    opened, resolved = (date.fromisoformat(row[name]) for name in ("date_begin", "date_resolve_at"))
    said = [(date.fromisoformat(day), share) for day, share in row["community_predictions"]]
    early = [(day, share) for day, share in said if 0 <= (day - opened).days < 14 and day < resolved]
    by_day, last, carried = dict(early), None, []
    for number in range(14):
        last = by_day.get(opened + timedelta(number), last)
        if last is not None and opened + timedelta(number) < resolved:
            carried.append(last)
    values = {"daily": list(by_day.values()), "every": [share for _, share in early], "carried": carried}[
        average
    ]
    return (sum(values) / len(values) - row["resolution"]) ** 2


@there
@pytest.mark.parametrize(
    ("average", "known"), [("daily", 0.129430), ("every", 0.131247), ("carried", 0.129095)]
)
def test_the_crowds_brier_score_in_the_first_two_weeks(average: str, known: float):
    losses = [first_weeks(row, average) for row in raw("metaculus_2023_sample.jsonl")]
    told = resolved_frame(read_questions(SHARED / "metaculus_2023_sample.jsonl").frame, average=average)
    assert (told.height, len(losses)) == (127, 127)
    assert set(told["crowd_from"]) == {"first_two_weeks"}
    assert brier(told) == pytest.approx(sum(losses) / len(losses), abs=1e-12)
    assert brier(told) == pytest.approx(known, abs=5e-7)
