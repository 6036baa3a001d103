"""Questions as a frame: made of rows and packed predictions, and checked where a frame comes from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from neuter.errors import DataError
from neuter.questions.predictions import Predictions
from neuter.questions.schema import DOMAINS, QUESTION_SCHEMA


def question_frame(rows: Sequence[dict[str, Any]], predictions: Sequence[Predictions]) -> pl.DataFrame:
    """QUESTION_SCHEMA of rows, which have every column but the community, and of their predictions."""
    told = {name: kind for name, kind in QUESTION_SCHEMA.items() if name != "community"}
    frame = pl.DataFrame({name: [row[name] for row in rows] for name in told}, schema=told)
    return frame.with_columns(_series(predictions)).select(list(QUESTION_SCHEMA))


def see_questions(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """The frame's columns of QUESTION_SCHEMA, in its order and types, if they hold questions.

    Raises:
        DataError: a column is missing or of another type, an id is there twice, or a value cannot be; the question and
            the field are named.
    """
    if missing := [name for name in QUESTION_SCHEMA if name not in frame.columns]:
        raise DataError(f"no column {missing[0]}", where=where)
    try:
        told = frame.select(pl.col(name).cast(kind) for name, kind in QUESTION_SCHEMA.items())
    except pl.exceptions.PolarsError as error:
        raise DataError(f"a column of another type ({error})", where=where) from error
    for field, wrong, what in _rules():
        bad = told.filter(wrong.fill_null(False)).head(1)
        if bad.height:
            id_, value = bad["id"][0], "" if field == "community" else f" ({bad[field][0]})"
            raise DataError(f"field {field} of {str(id_)[:60]!r}: {what}{value}", where=where)
    return told


def _rules() -> list[tuple[str, pl.Expr, str]]:
    """What makes a row no question: its field, the test, and what is wrong then."""
    resolved, opened, rate = (pl.col(name) for name in ("resolution_date", "open", "base_rate"))
    said = pl.col("community").list.eval(~_within(pl.element().struct.field("probability"))).list.any()
    undated = pl.col("community").list.eval(pl.element().struct.field("date").is_null()).list.any()
    return [
        *(
            (name, pl.col(name).fill_null("").str.strip_chars() == "", "is empty")
            for name in ("id", "question")
        ),
        ("id", pl.col("id").is_duplicated(), "is there twice"),
        ("resolution_date", resolved.is_null(), "no date"),
        ("resolution", ~pl.col("resolution").is_in([0, 1]).fill_null(False), "is neither 1 nor 0"),
        ("resolution_date", resolved < opened, "is before it opened"),
        ("close", pl.col("close") < opened, "is before it opened"),
        ("domain", ~pl.col("domain").fill_null("").is_in(["", *DOMAINS]), "is no domain"),
        ("base_rate", rate.is_not_null() & ~_within(rate), "a probability outside of 0 and 1"),
        ("community", said, "a probability outside of 0 and 1"),
        ("community", undated, "a prediction without a date"),
    ]


def _within(probability: pl.Expr) -> pl.Expr:
    return probability.is_between(0, 1).fill_null(False)


def _series(predictions: Sequence[Predictions]) -> pl.Series:
    """The lists of all questions, made column by column."""
    lengths = np.array([one.days.size for one in predictions], dtype=np.int64)
    flat = pl.DataFrame(
        {
            "row": np.repeat(np.arange(lengths.size, dtype=np.int64), lengths),
            "date": np.concatenate([np.empty(0, np.int32), *(one.days for one in predictions)]),
            "probability": np.concatenate([np.empty(0), *(one.values for one in predictions)]),
        },
        schema={"row": pl.Int64, "date": pl.Int32, "probability": pl.Float64},
    ).with_columns(pl.col("date").cast(pl.Date))
    grouped = flat.group_by("row", maintain_order=True).agg(
        pl.struct("date", "probability").alias("community")
    )
    every = pl.DataFrame({"row": np.arange(lengths.size, dtype=np.int64)}, schema={"row": pl.Int64})
    joined = every.join(grouped, on="row", how="left", maintain_order="left")
    return joined["community"].fill_null([]).cast(QUESTION_SCHEMA["community"])
