"""Forecasts as the paper averages them: the runs of a question, model and condition become one forecast.

"We run each model-question pair 3 times per condition and average the predictions" (Simulated Ignorance Fails,
section 3.2): the mean is over the runs that were answered; a pair of which none was is left out of every mean and
counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from neuter.errors import UsageError
from neuter.scoring.forecasts.schema import CONDITIONS, FORECAST_SCHEMA, RESOLVED_SCHEMA
from neuter.types import Outcome

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: The outcomes of a call, in the order of the last axis of :attr:`Averaged.outcomes`.
OUTCOMES = tuple(map(str, Outcome))


@dataclass(frozen=True, eq=False)
class Averaged:
    """Q questions, M models and K conditions as arrays.

    Attributes:
        ids, domain: of each question (Q).
        outcome: 1 or 0 (Q).
        resolved, opened: days since 1970 (Q); −1 where the opening is unknown.
        cluster: which questions are not independent of each other, numbered from 0 (Q).
        crowd, base_rate: probabilities (Q), NaN where there is none.
        crowd_from: what the crowd's forecast is of (Q), "" where there is none.
        models, conditions: names of the axes below; conditions in the order of CONDITIONS.
        forecast: the mean probability over the answered runs (M, K, Q), NaN where none was answered.
        best, worst: the mean if every unanswered run had been right (its probability the outcome), or wrong (M, K, Q);
            NaN where the question was not asked.
        neutral: the mean if every unanswered run had said one half (M, K, Q).
        outcomes: calls by outcome (M, K, Q, O), as OUTCOMES names them.
    """

    ids: NDArray[np.str_]
    domain: NDArray[np.str_]
    outcome: Floats
    resolved: Ints
    opened: Ints
    cluster: Ints
    crowd: Floats
    crowd_from: NDArray[np.str_]
    base_rate: Floats
    models: tuple[str, ...]
    conditions: tuple[str, ...]
    forecast: Floats
    best: Floats
    worst: Floats
    neutral: Floats
    outcomes: Ints

    @cached_property
    def brier(self) -> Floats:
        """The squared distance of the averaged forecast from the outcome (M, K, Q); NaN where there is none."""
        return np.asarray((self.forecast - self.outcome) ** 2)

    def condition(self, name: str) -> int | None:
        """The place of a condition, or None where it was not asked."""
        return self.conditions.index(name) if name in self.conditions else None


def averaged(questions: pl.DataFrame, forecasts: pl.DataFrame) -> Averaged:
    """The arrays of a run's questions (RESOLVED_SCHEMA) and forecasts (FORECAST_SCHEMA).

    Questions keep their order; models keep that of the forecasts.

    Raises:
        UsageError: a column is missing, a question is there twice, a forecast is of no question or there twice, an
            outcome that is neither 0 nor 1, or a probability outside of 0 and 1.
    """
    _check(questions, RESOLVED_SCHEMA, "questions")
    _check(forecasts, FORECAST_SCHEMA, "forecasts")
    _see_questions(questions)
    models = tuple(forecasts["model"].unique(maintain_order=True).to_list())
    given = set(forecasts["condition"].unique().to_list())
    if strange := sorted(given - set(CONDITIONS)):
        raise UsageError(
            f"no condition {strange[0]!r}", where="forecasts", todo=f"Known: {', '.join(CONDITIONS)}"
        )
    conditions = tuple(name for name in CONDITIONS if name in given)
    shape = (len(models), len(conditions), questions.height)
    place, calls = _placed(questions, forecasts, models, conditions)
    said = calls["probability"].to_numpy().astype(np.float64)
    counts = _counts(place, calls["outcome"], shape)
    asked, answered = counts.sum(axis=-1), counts[..., OUTCOMES.index("answered")]
    total = np.bincount(place, np.nan_to_num(said), np.prod(shape, dtype=int)).reshape(shape)
    outcome = questions["outcome"].to_numpy().astype(np.float64)
    missing = asked - answered
    with np.errstate(invalid="ignore", divide="ignore"):
        return Averaged(
            ids=_words(questions["id"]),
            domain=_words(questions["domain"]),
            outcome=outcome,
            resolved=_days(questions["resolution_date"]),
            opened=_days(questions["open"]),
            cluster=_clusters(questions),
            crowd=_numbers(questions["crowd"]),
            crowd_from=_words(questions["crowd_from"]),
            base_rate=_numbers(questions["base_rate"]),
            models=models,
            conditions=conditions,
            forecast=np.asarray(total / np.where(answered > 0, answered, np.nan)),
            best=np.asarray((total + missing * outcome) / np.where(asked > 0, asked, np.nan)),
            worst=np.asarray((total + missing * (1 - outcome)) / np.where(asked > 0, asked, np.nan)),
            neutral=np.asarray((total + missing / 2) / np.where(asked > 0, asked, np.nan)),
            outcomes=counts,
        )


def _check(frame: pl.DataFrame, schema: dict[str, type[pl.DataType]], what: str) -> None:
    wanted = [name for name in schema if name not in {"answer", "reason"}]
    if missing := [name for name in wanted if name not in frame.columns]:
        raise UsageError(f"{what} without {', '.join(missing)}", where=what)
    if not frame.height:
        raise UsageError("there are none", where=what)
    texts = [name for name in wanted if schema[name] != pl.String]
    if wrong := [name for name in texts if frame.schema[name] == pl.String]:
        raise UsageError(f"{wrong[0]} is text", where=what, todo=f"Give it as {schema[wrong[0]]}")


def _see_questions(questions: pl.DataFrame) -> None:
    if questions["id"].n_unique() < questions.height:
        twice = questions.filter(questions["id"].is_duplicated())["id"][0]
        raise UsageError("a question is there twice", where=str(twice))
    strange = questions.filter(~pl.col("outcome").is_in([0.0, 1.0]).fill_null(False))
    if strange.height:
        raise UsageError("resolved neither yes nor no", where=str(strange["id"][0]))
    if questions["resolution_date"].null_count():
        undated = questions.filter(pl.col("resolution_date").is_null())["id"][0]
        raise UsageError("no resolution date", where=str(undated))
    for name in ("crowd", "base_rate"):
        outside = questions.filter(~pl.col(name).cast(pl.Float64).is_between(0, 1))
        if outside.height:
            row = outside.row(0, named=True)
            raise UsageError(f"{name} of {row[name]:g}", where=str(row["id"]), todo="It is within 0 and 1")


def _placed(
    questions: pl.DataFrame, forecasts: pl.DataFrame, models: tuple[str, ...], conditions: tuple[str, ...]
) -> tuple[Ints, pl.DataFrame]:
    """Where each call belongs in a flat (M, K, Q) array, and the calls."""
    height = questions.height
    numbered = questions.select("id", pl.int_range(height, dtype=pl.Int64).alias("question"))
    if forecasts["run"].null_count() or forecasts["model"].null_count():
        raise UsageError("a forecast without its run or model", where="forecasts")
    calls = forecasts.select("id", "model", "condition", "run", "outcome", "probability").join(
        numbered, on="id", how="left", maintain_order="left"
    )
    if calls["question"].null_count():
        lost = calls.filter(pl.col("question").is_null())["id"][0]
        raise UsageError("a forecast of no question", where=str(lost))
    model = calls["model"].replace_strict(list(models), range(len(models)), return_dtype=pl.Int64)
    condition = calls["condition"].replace_strict(
        list(conditions), range(len(conditions)), return_dtype=pl.Int64
    )
    place = ((model * len(conditions) + condition) * height + calls["question"]).to_numpy().astype(np.int64)
    _see_calls(calls, place)
    return place, calls


def _see_calls(calls: pl.DataFrame, place: Ints) -> None:
    doubled = pl.DataFrame({"place": place, "run": calls["run"]}).is_duplicated()
    if doubled.any():
        row = calls.filter(doubled).row(0, named=True)
        raise UsageError(
            f"run {row['run']} is there twice", where=f"{row['id']}, {row['model']}, {row['condition']}"
        )
    answered = pl.col("outcome") == "answered"
    within = pl.col("probability").is_between(0, 1).fill_null(False)
    strange = calls.filter((answered & ~within) | (~answered & pl.col("probability").is_not_null()))
    if strange.height:
        row = strange.row(0, named=True)
        raise UsageError(
            f"probability {row['probability']} of an outcome {row['outcome']}",
            where=f"{row['id']}, {row['model']}",
            todo="An answered forecast is within 0 and 1, any other has none",
        )


def _counts(place: Ints, outcomes: pl.Series, shape: tuple[int, int, int]) -> Ints:
    known = outcomes.replace_strict(list(OUTCOMES), range(len(OUTCOMES)), default=None, return_dtype=pl.Int64)
    if known.null_count():
        strange = outcomes.filter(known.is_null())[0]
        raise UsageError(f"no outcome {strange!r}", where="forecasts", todo=f"Known: {', '.join(OUTCOMES)}")
    size = int(np.prod(shape)) * len(OUTCOMES)
    flat = np.bincount(place * len(OUTCOMES) + known.to_numpy(), minlength=size)
    return flat.reshape(*shape, len(OUTCOMES)).astype(np.int64)


def _clusters(questions: pl.DataFrame) -> Ints:
    """Numbers of clusters in the order of their first question; a question without one is its own."""
    name = (
        pl.when(pl.col("cluster").fill_null("") == "")
        .then("q:" + pl.col("id"))
        .otherwise("c:" + pl.col("cluster"))
    )
    return questions.select(name.rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()


def _days(dates: pl.Series) -> Ints:
    return dates.to_physical().fill_null(-1).to_numpy().astype(np.int64)


def _numbers(values: pl.Series) -> Floats:
    return values.cast(pl.Float64).fill_null(np.nan).to_numpy().astype(np.float64)


def _words(values: pl.Series) -> NDArray[np.str_]:
    return np.array(values.fill_null("").to_list(), dtype=np.str_)
