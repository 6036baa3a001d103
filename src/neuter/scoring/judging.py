"""Guesses set beside the truth: for each document and metric, how right the guess was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from neuter.errors import RunError, UsageError
from neuter.firms.labels import labels_of
from neuter.firms.matching import matches
from neuter.firms.periods import day_of, period_end
from neuter.types import Outcome

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric over all documents.

    ``values`` is 1 or 0 for right or wrong (or a rank's reciprocal, or years), NaN where the guess says
    nothing that can be measured; ``known`` tells which documents have the truth in question; ``truth`` is
    its class as a number, for the best constant guess.
    """

    metric: str
    kind: str
    values: Floats
    known: NDArray[np.bool_]
    truth: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Judged:
    """Documents of one scheme, attacker and model, in the guesses' order, with every measure of them."""

    frame: pl.DataFrame
    firms: NDArray[np.int64]
    firm_labels: list[str]
    answered: NDArray[np.bool_]
    outcomes: NDArray[np.int64]
    days: NDArray[np.datetime64]
    measures: list[Measure]


_TRUTH: dict[str, Any] = {
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
    "year": pl.Int64,
    "quarter": pl.Int64,
    "date": pl.Date,
    "candidates": pl.List(pl.String),
    "model": pl.String,
}


def judge(truth: pl.DataFrame, guesses: pl.DataFrame) -> Judged:
    """Joins guesses with their documents' truth and measures each.

    Raises:
        UsageError: guesses of more than one scheme, attacker or model, or two guesses of one document.
        RunError: a guess of a document that the corpus does not hold.
    """
    frame = _joined(truth, guesses)
    labels = frame["label"]
    clusters = pl.select(pl.when(labels != "").then(labels).otherwise("document:" + frame["id"])).to_series()
    firm_labels = clusters.unique(maintain_order=True).to_list()
    order = {label: number for number, label in enumerate(firm_labels)}
    firms = (
        clusters.replace_strict(order, return_dtype=pl.Int64).to_numpy()
        if firm_labels
        else np.empty(0, np.int64)
    )
    answered = (frame["outcome"] == Outcome.ANSWERED.value).to_numpy()
    measures = [*_firm_measures(frame, firms, answered), *_period_measures(frame, answered)]
    return Judged(
        frame=frame,
        firms=firms,
        firm_labels=firm_labels,
        answered=answered,
        outcomes=_outcomes(frame["outcome"]),
        days=frame["on"].to_numpy().astype("datetime64[D]"),
        measures=measures,
    )


def _outcomes(column: pl.Series) -> NDArray[np.int64]:
    """Outcomes by their place in ``Outcome``."""
    places = {outcome.value: place for place, outcome in enumerate(Outcome)}
    strange = set(column) - set(places)
    if strange:
        raise RunError(f"unknown outcome {sorted(map(str, strange))[0]!r}", where="guesses")
    return column.replace_strict(places, return_dtype=pl.Int64).to_numpy()


def _joined(truth: pl.DataFrame, guesses: pl.DataFrame) -> pl.DataFrame:
    for column in ("scheme", "attacker", "model"):
        if column in guesses.columns and guesses[column].n_unique() > 1:
            raise UsageError(f"guesses of more than one {column}", todo="Score each on its own")
    for name, frame in (("document", truth), ("guess", guesses)):
        twice = frame.filter(pl.col("id").is_duplicated())
        if twice.height:
            raise UsageError(f"more than one {name} with the id {twice['id'][0]!r}")
    said = _with(guesses, _SAID).select(
        "id", "outcome", *(pl.col(name).alias(f"said_{name}") for name in _SAID)
    )
    known = _with(truth, _TRUTH).select("id", *_TRUTH)
    known = known.with_columns(labels_of(known).alias("label"), pl.lit(True).alias("_known"))
    frame = said.join(known, on="id", how="left", maintain_order="left")
    stray = frame.filter(pl.col("_known").is_null())
    if stray.height:
        raise RunError(
            f"a guess of {stray['id'][0]!r}, which the corpus does not hold ({stray.height} in all)",
            where="guesses",
            todo="Score guesses with the corpus that they were made from",
        )
    dated = frame.select("date", "fiscal_year", "fiscal_quarter", "fiscal_year_end")
    days = [day_of(*row) for row in dated.iter_rows()]
    return frame.with_columns(pl.Series("on", days, dtype=pl.Date))


def _with(frame: pl.DataFrame, columns: dict[str, Any]) -> pl.DataFrame:
    absent = [
        pl.lit(None, dtype=kind).alias(name) for name, kind in columns.items() if name not in frame.columns
    ]
    return frame.with_columns(absent).cast(dict(columns))  # type: ignore[arg-type]


def _firm_measures(
    frame: pl.DataFrame, firms: NDArray[np.int64], answered: NDArray[np.bool_]
) -> list[Measure]:
    known = (frame["label"] != "").to_numpy()
    right = _right_firms(frame)
    measures = [Measure("firm_accuracy", "share", right, known, firms)]
    if (frame["said_candidates"].list.len().fill_null(0).to_numpy() * answered).any():
        ranks = _ranks(frame, known & answered)
        top5 = ((ranks >= 1) & (ranks <= 5)).astype(np.float64)
        reciprocal = np.divide(1.0, ranks, out=np.zeros(len(ranks)), where=ranks > 0)
        measures.append(Measure("firm_accuracy_top5", "top5", top5, known, firms))
        measures.append(Measure("firm_mrr", "mrr", reciprocal, known, firms))
    measures.append(Measure("firm_skill", "skill", right, known, firms))
    return measures


def _right_firms(frame: pl.DataFrame) -> Floats:
    """1 where the guess names the document's firm, 0 else; each distinct pair is matched once."""
    keys = ["said_firm", "label", "ticker", "firm", "month"]
    asked = frame.with_columns(pl.col("on").dt.truncate("1mo").alias("month")).select(keys)
    distinct = asked.unique(maintain_order=True)
    found = [bool(said) and matches(said, *rest) for said, *rest in distinct.iter_rows()]
    table = distinct.with_columns(pl.Series("right", found, dtype=pl.Boolean))
    joined = asked.join(table, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return joined["right"].fill_null(False).to_numpy().astype(np.float64)


def _ranks(frame: pl.DataFrame, wanted: NDArray[np.bool_]) -> Floats:
    """The place of the first candidate that is right, from 1; 0 where none is."""
    ranks = np.zeros(frame.height)
    columns = frame.select("said_candidates", "label", "ticker", "firm", "on").iter_rows()
    for at, (candidates, label, ticker, firm, on) in enumerate(columns):
        if wanted[at]:
            ranks[at] = _rank(candidates or (), label, ticker, firm, on)
    return ranks


def _rank(
    candidates: Sequence[str | None], label: str, ticker: str | None, firm: str | None, on: date | None
) -> int:
    for place, candidate in enumerate(candidates, 1):
        if candidate and (candidate == label or matches(candidate, label, ticker, firm, on)):
            return place
    return 0


def _period_measures(frame: pl.DataFrame, answered: NDArray[np.bool_]) -> list[Measure]:
    said_year, said_quarter = _said_period(frame)
    if answered.any() and not np.isfinite(said_year[answered]).any():
        return []
    if not answered.any() and not frame["said_model"].is_not_null().any():
        return []
    year, quarter = _numbers(frame["fiscal_year"]), _numbers(frame["fiscal_quarter"])
    measures = [_right_year("year_accuracy", said_year, year)]
    measures += _right_quarter("quarter_year_accuracy", said_year, said_quarter, year, quarter)
    measures.append(_within_one(said_year, said_quarter, year, quarter))
    measures += _differences(said_year, year)
    for name, (at_year, at_quarter) in (("calendar", _calendar(frame)), ("call", _call(frame))):
        measures.append(_right_year(f"{name}_year_accuracy", said_year, at_year))
        measures += _right_quarter(
            f"{name}_quarter_year_accuracy", said_year, said_quarter, at_year, at_quarter
        )
    if not np.isfinite(said_quarter[answered]).any() and answered.any():
        measures = [m for m in measures if "quarter" not in m.metric]
    return measures


def _right_year(metric: str, said: Floats, year: Floats) -> Measure:
    known = np.isfinite(year)
    return Measure(metric, "share", (said == year).astype(np.float64), known, _classes(year))


def _right_quarter(
    metric: str, said_y: Floats, said_q: Floats, year: Floats, quarter: Floats
) -> list[Measure]:
    index = year * 4 + quarter
    right = (said_y * 4 + said_q == index) & (said_y == year)
    return [Measure(metric, "share", right.astype(np.float64), np.isfinite(index), _classes(index))]


def _within_one(said_y: Floats, said_q: Floats, year: Floats, quarter: Floats) -> Measure:
    index = year * 4 + quarter
    right = np.abs(said_y * 4 + said_q - index) <= 1
    return Measure(
        "quarter_within_one", "window", right.astype(np.float64), np.isfinite(index), _classes(index)
    )


def _differences(said: Floats, year: Floats) -> list[Measure]:
    off, known = said - year, np.isfinite(year)
    return [
        Measure("mean_years_difference", "mean", off, known, _classes(year)),
        Measure("mean_absolute_years_difference", "absolute", np.abs(off), known, _classes(year)),
    ]


def _said_period(frame: pl.DataFrame) -> tuple[Floats, Floats]:
    """Year and quarter as guessed; from a guessed date where the attacker gave that instead."""
    year = pl.coalesce("said_year", pl.col("said_date").dt.year().cast(pl.Int64))
    quarter = pl.coalesce("said_quarter", pl.col("said_date").dt.quarter().cast(pl.Int64))
    picked = frame.select(year.alias("year"), quarter.alias("quarter"))
    said_quarter = _numbers(picked["quarter"])
    said_quarter[~np.isin(said_quarter, (1, 2, 3, 4))] = np.nan
    return _numbers(picked["year"]), said_quarter


def _call(frame: pl.DataFrame) -> tuple[Floats, Floats]:
    """Year and calendar quarter of the document's own date, never of an assumed one."""
    given = pl.when(~pl.col("date_assumed").fill_null(False)).then(pl.col("date"))
    picked = frame.select(given.alias("date"))["date"]
    return _numbers(picked.dt.year()), _numbers(picked.dt.quarter())


def _calendar(frame: pl.DataFrame) -> tuple[Floats, Floats]:
    """Year and calendar quarter in which the fiscal period ends, where the fiscal year's end is known."""
    ends = [
        period_end(year, quarter, month)
        if year and quarter in (1, 2, 3, 4) and month in range(1, 13)
        else None
        for year, quarter, month in frame.select(
            "fiscal_year", "fiscal_quarter", "fiscal_year_end"
        ).iter_rows()
    ]
    days = pl.Series("end", ends, dtype=pl.Date)
    return _numbers(days.dt.year()), _numbers(days.dt.quarter())


def _numbers(series: pl.Series) -> Floats:
    return np.array(series.cast(pl.Float64).fill_null(float("nan")).to_numpy(), dtype=np.float64)


def _classes(values: Floats) -> NDArray[np.int64]:
    return np.where(np.isfinite(values), values, -1).astype(np.int64)
