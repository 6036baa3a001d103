"""From a series to windows: an earlier value, a later one, what came of it, and how often that had come before.

Nothing that a question or its base rate says is from after its opening, but for the outcome itself.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray

from neuter.questions.generating.specs import Spec, is_delayed

#: Fewer windows that ended by then make no base rate.
FEWEST_WINDOWS = 24

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Window:
    """One question's figures: ``earlier`` at ``start``, ``later`` at ``end`` (dates of the values, or of the periods).

    ``opened`` and ``known`` are the days on which the earlier and the later value were known. ``label`` tells firms
    apart.
    """

    start: date
    end: date
    opened: date
    known: date
    earlier: float
    later: float
    horizon: int
    threshold: float
    outcome: bool
    base_rate: float
    label: str = ""


def change_of(spec: Spec, earlier: Floats, later: Floats) -> Floats:
    """Percent of the earlier value, or points; rounded, so that 0.1 is not more than 0.1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        raw = 100 * (later - earlier) / earlier if spec.change == "percent" else later - earlier
    return np.asarray(np.round(raw, 9))


def is_yes(change: Floats, threshold: float) -> NDArray[np.bool_]:
    """Above by more than the threshold; of one less than 0, below by more than it says.

    >>> is_yes(np.array([-6.0, -5.0, 0.0, 0.1]), -5.0).tolist(), is_yes(np.array([0.0, 0.1]), 0.0).tolist()
    ([True, False, False, False], [False, True])
    """
    return np.asarray(change < threshold if threshold < 0 else change > threshold)


def series_windows(spec: Spec, values: pl.DataFrame) -> Iterator[Window]:
    """The windows of a series (``date``, ``value``), for each horizon and threshold."""
    dates, grid = _grid(spec, values)
    for horizon in spec.horizons:
        change = change_of(spec, grid[:-horizon], grid[horizon:])
        for threshold in spec.thresholds:
            yes = is_yes(change, threshold)
            rates = _past_rates(yes, np.isfinite(change), horizon)
            for place in np.flatnonzero(np.isfinite(change) & np.isfinite(rates)):
                start, end = dates[place], dates[place + horizon]
                if spec.kind == "print" and (is_delayed(start) or is_delayed(end)):
                    continue
                yield Window(
                    start,
                    end,
                    known_on(spec, start),
                    known_on(spec, end),
                    float(grid[place]),
                    float(grid[place + horizon]),
                    horizon,
                    threshold,
                    bool(yes[place]),
                    float(rates[place]),
                )


def firm_windows(spec: Spec, panel: pl.DataFrame) -> Iterator[Window]:
    """The windows of the largest firms of each month (``date, symbol, name, market_cap, firm``).

    A firm is told by its number, so that a change of symbol ends nothing. The base rate is pooled: the share of all
    windows of largest firms that had ended when the question opens.
    """
    capped = panel.filter(pl.col("market_cap") > 0).unique(
        ["firm", "date"], keep="first", maintain_order=True
    )
    largest = capped.filter(
        pl.col("market_cap").rank("ordinal", descending=True).over("date") <= spec.largest
    )
    for horizon in spec.horizons:
        later = capped.select("firm", pl.col("date").alias("end"), pl.col("market_cap").alias("later"))
        ends = largest.with_columns(pl.col("date").dt.offset_by(f"{horizon}mo").dt.month_end().alias("month"))
        joined = ends.join(
            later.with_columns(pl.col("end").dt.month_end().alias("month")), on=["firm", "month"]
        ).sort("date", "symbol")
        change = change_of(spec, joined["market_cap"].to_numpy(), joined["later"].to_numpy())
        for threshold in spec.thresholds:
            told = joined.with_columns(pl.Series("yes", is_yes(change, threshold)))
            yield from _firms(spec, told, horizon, threshold)


def _firms(spec: Spec, told: pl.DataFrame, horizon: int, threshold: float) -> Iterator[Window]:
    ended = told.group_by("end").agg(pl.col("yes").sum(), pl.len().alias("n")).sort("end")
    sums = ended.select("end", pl.col("yes").cum_sum(), pl.col("n").cum_sum())
    rated = told.drop("yes").join_asof(sums.rename({"end": "past"}), left_on="date", right_on="past")
    for row, yes in zip(rated.iter_rows(named=True), told["yes"], strict=True):
        if row["n"] is None or row["n"] < FEWEST_WINDOWS:
            continue
        said = spec.said.format(name=row["name"], symbol=row["symbol"])
        yield Window(
            row["date"],
            row["end"],
            row["date"],
            row["end"],
            row["market_cap"],
            row["later"],
            horizon,
            threshold,
            yes,
            row["yes"] / row["n"],
            f"{row['symbol']}\t{said}",
        )


def known_on(spec: Spec, day: date) -> date:
    """The day on which a value was known: a close on its day, a print by the last day of the month after its period."""
    if spec.kind != "print":
        return day
    months = 3 if spec.name == "gdp_growth" else 1
    month = day.month - 1 + months
    year, month = day.year + month // 12, month % 12 + 1
    return date(year, month, monthrange(year, month)[1])


def _grid(spec: Spec, values: pl.DataFrame) -> tuple[list[date], Floats]:
    """The values on a grid without gaps: month ends, months or quarters; what is missing is NaN."""
    if spec.kind == "close":
        from neuter.data.calendar import month_ends

        dates = month_ends(values["date"][0], values["date"][-1])
    else:
        step = "3mo" if spec.name == "gdp_growth" else "1mo"
        dates = pl.date_range(values["date"][0], values["date"][-1], step, eager=True).to_list()
    placed = pl.DataFrame({"date": dates}).join(values, on="date", how="left", maintain_order="left")
    return dates, placed["value"].fill_null(np.nan).to_numpy().astype(np.float64)


def _past_rates(yes: NDArray[np.bool_], there: NDArray[np.bool_], horizon: int) -> Floats:
    """Of the windows that had ended when each begins, the share that came out yes; NaN under FEWEST_WINDOWS."""
    sums = np.concatenate([[0], np.cumsum(yes & there)])
    counts = np.concatenate([[0], np.cumsum(there)])
    # Window i begins at i; those that began at i - horizon or before had ended.
    last = np.maximum(np.arange(yes.size) - horizon + 1, 0)
    n = counts[last]
    return np.where(n >= FEWEST_WINDOWS, sums[last] / np.where(n > 0, n, 1), np.nan)
