"""Answering a question once for each distinct row of a table: a million rows ask few different things."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


def by_distinct(
    frame: pl.DataFrame, columns: list[str], answer: Callable[[Sequence[tuple[Any, ...]]], pl.Series]
) -> pl.Series:
    """``answer(rows)``, a series with a value for each DISTINCT row of ``columns``, as a value for each row."""
    distinct = frame.select(columns).unique(maintain_order=True)
    table = distinct.with_columns(answer(distinct.rows()).alias("_answer"))
    asked = frame.select(columns).join(table, on=columns, how="left", nulls_equal=True, maintain_order="left")
    return asked["_answer"]
