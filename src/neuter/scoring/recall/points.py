"""The points of one panel, series and condition as arrays: what was asked, what is true, what was answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from neuter.errors import UsageError
from neuter.scoring.recall.schema import ANSWERS_SCHEMA, QUESTIONS_SCHEMA, TASKS
from neuter.types import Outcome

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

OUTCOMES = tuple(outcome.value for outcome in Outcome)
#: A day that is not known, as a number of days.
NO_DAY = np.iinfo(np.int64).min
_GROUP = ("panel", "series", "condition")
_NUMBERS = ("truth", "other", "previous", "previous_other", "year_ago", "threshold", "number", "confidence")
_WORDS = ("truth_word", "word")
_COLUMNS = (
    *("id", "task", "cluster", "other_reading", "outcome", "model", "date", "truth_date", "day", "digits"),
    *(*_GROUP, *_NUMBERS, *_WORDS),
)


# Without slots, so that ``answered`` is worked out once.
@dataclass(frozen=True)
class Points:
    """One panel, series and condition, by rising date; every array has an entry a question, NaN where unknown.

    ``date, truth_day, day`` are days since 1970 (``NO_DAY`` where unknown), ``outcome`` places in ``OUTCOMES``,
    ``truth_word`` and ``word`` are in lower case, "" where unknown, ``firm`` places in ``firms`` (one, named "",
    where the series is one).
    """

    panel: str
    series: str
    condition: str
    task: str
    other_reading: str
    date: Ints
    firm: Ints
    firms: tuple[str, ...]
    outcome: Ints
    truth: Floats
    other: Floats
    previous: Floats
    previous_other: Floats
    year_ago: Floats
    threshold: Floats
    digits: Floats
    number: Floats
    confidence: Floats
    truth_word: NDArray[np.str_]
    word: NDArray[np.str_]
    truth_day: Ints
    day: Ints

    @property
    def size(self) -> int:
        return int(self.date.size)

    @property
    def by_firm(self) -> bool:
        """Whether the points belong to firms, so that firms and not months are drawn."""
        return len(self.firms) > 1

    @cached_property
    def answered(self) -> Bools:
        """Questions with an answer that could be read (for a date and level: either of them)."""
        number, day = np.isfinite(self.number), self.day != NO_DAY
        if self.task == "date_level":
            return np.asarray(number | day)
        read = {"date": day, "direction": self.word != "", "pair": self.word != ""}.get(self.task, number)
        return np.asarray(read & (self.outcome == OUTCOMES.index("answered")))


def check_asked(asked: pl.DataFrame) -> None:
    """See that questions and answers can be scored together.

    Raises:
        UsageError: a column is missing, an id is there twice, answers are of two models, a task or an outcome is
            unknown, or a question has no date.
    """
    missing = [
        name for name in (*QUESTIONS_SCHEMA, *ANSWERS_SCHEMA) if name in _COLUMNS and name not in asked
    ]
    if missing:
        raise UsageError(f"questions and answers without {', '.join(missing)}", where="recall scores")
    if asked["model"].n_unique() > 1:
        raise UsageError(
            "answers of more than one model", where="recall scores", todo="Score each on its own"
        )
    if asked["id"].n_unique() < asked.height:
        twice = asked.filter(pl.col("id").is_duplicated())["id"][0]
        raise UsageError(f"the question {twice!r} is there twice", where="recall scores")
    for column, known in (("task", TASKS), ("outcome", OUTCOMES)):
        strange = asked.filter(~pl.col(column).is_in(known).fill_null(value=False))
        if strange.height:
            row = strange.row(0, named=True)
            raise UsageError(
                f"the {column} {row[column]!r}",
                where=f"the question {row['id']!r}",
                todo=f"Known: {', '.join(known)}",
            )
    if asked["date"].null_count():
        undated = asked.filter(pl.col("date").is_null())["id"][0]
        raise UsageError("a question without a date", where=f"the question {undated!r}")


def points_of(asked: pl.DataFrame) -> Iterator[Points]:
    """The points of each panel, series and condition, in the order of their names.

    Raises:
        UsageError: as ``check_asked``; or one panel, series and condition has two tasks or two other readings.
    """
    check_asked(asked)
    frame = asked.select(_COLUMNS).with_columns(
        pl.col("cluster", "other_reading").fill_null(""),
        pl.col(_WORDS).str.strip_chars().str.to_lowercase(),
        # Numbers that are none are no answers; a model may say 1e999.
        *(
            pl.when(pl.col(name).cast(pl.Float64).is_finite()).then(pl.col(name)).alias(name)
            for name in _NUMBERS
        ),
    )
    frame = frame.sort(*_GROUP, "date", "cluster", "id")
    for part in frame.partition_by(_GROUP, maintain_order=True):
        yield _points(part)


def _points(part: pl.DataFrame) -> Points:
    panel, series, condition = (str(part[name][0] or "") for name in _GROUP)
    firms = tuple(sorted(part["cluster"].unique()))
    return Points(
        panel=panel,
        series=series,
        condition=condition,
        task=_one(part, "task"),
        other_reading=_one(part.filter(pl.col("other").is_not_null()), "other_reading"),
        date=days_of(part["date"]),
        firm=_places(part["cluster"], firms),
        firms=firms,
        outcome=_places(part["outcome"], OUTCOMES),
        digits=floats_of(part["digits"]),
        truth_day=days_of(part["truth_date"]),
        day=days_of(part["day"]),
        truth_word=_words(part["truth_word"]),
        word=_words(part["word"]),
        **{name: floats_of(part[name]) for name in _NUMBERS},
    )


def _one(part: pl.DataFrame, column: str) -> str:
    found = part[column].unique().sort().to_list()
    if len(found) > 1:
        named = ", ".join(str(part[name][0]) for name in _GROUP)
        raise UsageError(f"the {column}s {', '.join(map(str, found))} in one series", where=named)
    return str(found[0]) if found else ""


def floats_of(column: pl.Series) -> Floats:
    """A column as floats, NaN where it is null."""
    return np.array(column.cast(pl.Float64).fill_null(float("nan")).to_numpy(), dtype=np.float64)


def _words(column: pl.Series) -> NDArray[np.str_]:
    return np.array(column.fill_null("").to_list(), dtype=np.str_)


def days_of(column: pl.Series) -> Ints:
    """A column of dates as days since 1970, ``NO_DAY`` where it is null."""
    return np.array(column.cast(pl.Date).cast(pl.Int32).cast(pl.Int64).fill_null(NO_DAY).to_numpy())


def _places(column: pl.Series, names: tuple[str, ...]) -> Ints:
    return np.array(column.replace_strict({n: at for at, n in enumerate(names)}).to_numpy(), dtype=np.int64)
