"""Dates as sources write them: days, months and quarters, brought to the date that a point carries."""

from __future__ import annotations

import polars as pl

#: The ways that are read, for messages.
WAYS = "2008-12-31, 20081231, 31DEC2008, 2008-12, 2008:12, 2008M12, 2008Q4 or 2008:Q4"

_DAY = r"^\d{4}-\d{2}-\d{2}$"
_MIDNIGHT = r"[T ]00:00(:00(\.0+)?)?(Z|[+-]\d{2}:?\d{2})?$"
_DIGITS = r"^\d{8}$"
_NAMED = r"^\d{2}[A-Za-z]{3}\d{4}$"
_MONTH = r"^(\d{4})[-:M/](0?[1-9]|1[0-2])$"
_QUARTER = r"^(\d{4})[-: ]?[Qq]([1-4])$"


def day_of(text: pl.Expr) -> pl.Expr:
    """The first day of what a text names (Date); null where it is no date in one of ``WAYS``."""
    told = text.str.strip_chars().str.replace(_MIDNIGHT, "")
    return pl.coalesce(
        _where(told, _DAY).str.to_date("%Y-%m-%d", strict=False),
        _where(told, _DIGITS).str.to_date("%Y%m%d", strict=False),
        _where(told, _NAMED).str.to_titlecase().str.to_date("%d%b%Y", strict=False),
        pl.date(_part(told, _MONTH, 1), _part(told, _MONTH, 2), 1),
        pl.date(_part(told, _QUARTER, 1), _part(told, _QUARTER, 2) * 3 - 2, 1),
    )


def grain_of(text: pl.Expr) -> pl.Expr:
    """``day``, ``month`` or ``quarter``: how fine a date is written; null where it is none."""
    told = text.str.strip_chars()
    month, quarter = told.str.contains(_MONTH), told.str.contains(_QUARTER)
    fine = pl.when(day_of(text).is_not_null()).then(pl.lit("day"))
    return pl.when(month).then(pl.lit("month")).when(quarter).then(pl.lit("quarter")).otherwise(fine)


def period_of(day: pl.Expr, frequency: str) -> pl.Expr:
    """The date of a point: the day itself, or the first day of its month or quarter."""
    if frequency == "daily":
        return day
    return day.dt.truncate("1q" if frequency == "quarterly" else "1mo")


def _where(text: pl.Expr, pattern: str) -> pl.Expr:
    return pl.when(text.str.contains(pattern)).then(text)


def _part(text: pl.Expr, pattern: str, group: int) -> pl.Expr:
    return text.str.extract(pattern, group).cast(pl.Int32, strict=False)
