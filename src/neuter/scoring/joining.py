"""Guesses set beside the metadata of their documents, with the firm's label and the day of each."""

from __future__ import annotations

from typing import Any

import polars as pl

from neuter.errors import RunError, UsageError
from neuter.firms.fiscal_years import year_ends
from neuter.firms.labels import labels_of
from neuter.firms.periods import days_of

_TRUTH: dict[str, Any] = {
    "kind": pl.String,
    "ticker": pl.String,
    "firm": pl.String,
    "cik": pl.Int64,
    "date": pl.Date,
    "date_assumed": pl.Boolean,
    "fiscal_year": pl.Int64,
    "fiscal_quarter": pl.Int64,
    "fiscal_year_end": pl.Int64,
    "size": pl.String,
    "sector": pl.String,
}
_SAID: dict[str, Any] = {
    "firm": pl.String,
    "industry": pl.String,
    "year": pl.Int64,
    "quarter": pl.Int64,
    "date": pl.Date,
    "confidence": pl.Float64,
    "candidates": pl.List(pl.String),
    "model": pl.String,
}


def joined(truth: pl.DataFrame, guesses: pl.DataFrame) -> pl.DataFrame:
    """A row a guess, in the guesses' order: what was said (``said_firm`` ...), and what is true of the document.

    ``label`` is the firm's, empty where the document names none. ``year_end`` is the month in which its fiscal year
    ends, with ``year_end_source`` (given, listed, assumed) and ``by_start``; ``on`` its date, and ``on_assumed``
    whether that is worked out from its fiscal period.

    Raises:
        UsageError: guesses of more than one scheme, attacker or model, or two guesses of one document.
        RunError: a guess of a document that ``truth`` does not hold.
    """
    _check(truth, guesses)
    said = (
        _with(guesses, _SAID)
        .with_columns(_possible("year"))
        .select("id", "outcome", *(pl.col(name).alias(f"said_{name}") for name in _SAID))
    )
    known = _with(truth, _TRUTH).with_columns(_possible("fiscal_year")).select("id", *_TRUTH)
    known = known.with_columns(labels_of(known).alias("label"), pl.lit(True).alias("_known"))
    frame = said.join(known, on="id", how="left", maintain_order="left")
    stray = frame.filter(pl.col("_known").is_null())
    if stray.height:
        raise RunError(
            f"a guess of {stray['id'][0]!r}, which the corpus does not hold ({stray.height} in all)",
            where="guesses",
            todo="Score guesses with the corpus that they were made from",
        )
    ends = year_ends(frame)
    days, assumed = days_of(frame, ends)
    return frame.with_columns(
        ends.month.alias("year_end"),
        ends.source.alias("year_end_source"),
        ends.by_start.alias("by_start"),
        days.alias("on"),
        assumed.alias("on_assumed"),
    )


def _possible(year: str) -> pl.Expr:
    """A year as it may be counted with; one outside 1 to 9999 is none."""
    return pl.when(pl.col(year).is_between(1, 9999)).then(year)


def _check(truth: pl.DataFrame, guesses: pl.DataFrame) -> None:
    for column in ("scheme", "attacker", "model"):
        if column in guesses.columns and guesses[column].n_unique() > 1:
            raise UsageError(f"guesses of more than one {column}", todo="Score each on its own")
    if guesses["outcome"].null_count():
        at = guesses.filter(pl.col("outcome").is_null())["id"][0]
        raise UsageError(
            f"the guess of {at!r} has no outcome", todo="Outcomes: answered, refused, failed ..."
        )
    for name, frame in (("document", truth), ("guess", guesses)):
        if frame["id"].n_unique() < frame.height:
            twice = frame.filter(pl.col("id").is_duplicated())
            raise UsageError(f"more than one {name} with the id {twice['id'][0]!r}")


def _with(frame: pl.DataFrame, columns: dict[str, Any]) -> pl.DataFrame:
    absent = [
        pl.lit(None, dtype=kind).alias(name) for name, kind in columns.items() if name not in frame.columns
    ]
    return frame.with_columns(absent).cast(dict(columns))  # type: ignore[arg-type]
