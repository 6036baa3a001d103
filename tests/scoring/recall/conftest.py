"""Questions with answers, made from a few columns: everything else is empty or usual."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

import polars as pl
import pytest

from neuter.scoring.recall.schema import ANSWERS_SCHEMA, QUESTIONS_SCHEMA

SCHEMA = QUESTIONS_SCHEMA | ANSWERS_SCHEMA


def month_starts(n: int, year: int = 2000, month: int = 1) -> list[date]:
    return [date(year + (month - 1 + k) // 12, (month - 1 + k) % 12 + 1, 1) for k in range(n)]


def asked_frame(**columns: Any) -> pl.DataFrame:
    """A row an entry of the first list; an answer with a number, word or day is answered, else refused."""
    n = max((len(v) for v in columns.values() if isinstance(v, (list, tuple))), default=1)
    usual: dict[str, Any] = {
        "id": [f"q{k}" for k in range(n)],
        "suite": "macro",
        "panel": "rates",
        "series": "s",
        "task": "rate",
        "condition": "none",
        "date": month_starts(n),
        "cluster": "",
        "model": "m",
    }
    told = usual | columns
    frame = pl.DataFrame(
        {
            k: list(v) if isinstance(v, Sequence) and not isinstance(v, str) else [v] * n
            for k, v in told.items()
        },
        strict=False,
    )
    absent = [pl.lit(None, dtype=kind).alias(name) for name, kind in SCHEMA.items() if name not in told]
    frame = frame.with_columns(absent)
    if "outcome" not in columns:
        said = pl.any_horizontal(pl.col("number", "word", "day").is_not_null())
        frame = frame.with_columns(
            pl.when(said).then(pl.lit("answered")).otherwise(pl.lit("refused")).alias("outcome")
        )
    return frame.cast(dict(SCHEMA)).select(list(SCHEMA))


@pytest.fixture
def asked() -> Callable[..., pl.DataFrame]:
    return asked_frame


@pytest.fixture
def months() -> Callable[..., list[date]]:
    return month_starts


@pytest.fixture
def weekdays() -> Callable[[int], list[date]]:
    """So many weekdays before June 2026."""

    def last(n: int) -> list[date]:
        days = [date(2026, 6, 1) - timedelta(days=k) for k in range(1, 2 * n + 10)]
        return [day for day in days if day.weekday() < 5][:n][::-1]

    return last
