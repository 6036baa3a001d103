"""Figure 6 of Simulated Ignorance Fails of a run, and ours beside it: placebo jumps, and calibration curves."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import matplotlib.dates as mdates
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from neuter.reports.ignorance.drawing import (
    GREY,
    SIMULATED,
    TRUE,
    Marks,
    Source,
    canvas,
    finish_vertical,
    legend,
    looks_of,
)
from neuter.reports.ignorance.score_lookup import Row
from neuter.reports.wording import number

_COLUMNS, _PANEL_INCHES = 2, 2.3
_QUARTERS: dict[str, Any] = {"color": TRUE[0], "marker": "o", "markersize": 4.5, "linewidth": 1.2}
_QUARTER = re.compile(r"(\d{4})Q([1-4])")


def figure_6(source: Source) -> Figure | None:
    """The Brier score by quarter for each model, with its own cutoff."""
    condition = source.run.main
    place = {"panel": "quarters", "metric": "brier", "condition": condition, "group_by": "quarter"}
    models = [one for one in source.run.models if source.scores.having(**place, model=one)]
    if not models:
        return None
    figure, axes = _grid(len(models))
    for letter, (axis, model) in enumerate(zip(axes, models, strict=False)):
        _quarterly(axis, source.scores.having(**place, model=model), source.run.section_5_cutoffs.get(model))
        _own_cutoff(axis, source.run.section_5_cutoffs.get(model))
        jump = source.scores.row("jump", panel="discontinuity", condition=condition, model=model)
        axis.set_title(
            f"{chr(65 + letter % 26)}: {source.run.title(model)}{_jump(jump)}", fontsize=9, loc="left"
        )
    _same_axes(axes[: len(models)])
    handles = [
        Line2D([], [], label="Brier score of a quarter's questions", **_QUARTERS),
        Line2D([], [], color=SIMULATED[0], linestyle="--", linewidth=1.3, label="the model's own cutoff"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2, frameon=False)
    return figure


def _grid(panels: int) -> tuple[Figure, list[Axes]]:
    columns = min(panels, _COLUMNS)
    rows = -(-panels // columns)
    figure, axes = canvas(columns, _PANEL_INCHES * rows + 0.6, rows)
    for unused in axes[panels:]:
        unused.set_visible(False)
    return figure, axes


def _is_before(day: date, cutoff: date | None) -> bool:
    return cutoff is None or day < cutoff


def _quarterly(axis: Axes, rows: list[Row], cutoff: date | None) -> None:
    there = [(day, row) for row in rows if row["value"] is not None and (day := middle_of(row["group"]))]
    there.sort(key=lambda one: one[0])
    days = [mdates.date2num(day) for day, _ in there]  # type: ignore[no-untyped-call]
    for part in (True, False):
        # The line is broken at the cutoff: it would draw a slope where there is a jump.
        side = [
            (at, row["value"])
            for at, (day, row) in zip(days, there, strict=True)
            if _is_before(day, cutoff) is part
        ]
        axis.plot([at for at, _ in side], [value for _, value in side], **_QUARTERS)
    for at, (_, row) in zip(days, there, strict=True):
        if row["ci_low"] is not None and row["ci_high"] is not None:
            axis.plot([at, at], [row["ci_low"], row["ci_high"]], color=TRUE[0], linewidth=1.1, alpha=0.7)
    _dated(axis)
    axis.set_ylabel("Brier score", fontsize=8)


def middle_of(quarter: str) -> date | None:
    """The middle of a quarter such as 2024Q3; None where it is none.

    >>> middle_of("2024Q3"), middle_of("2024")
    (datetime.date(2024, 8, 15), None)
    """
    found = _QUARTER.fullmatch(quarter)
    return date(int(found[1]), 3 * int(found[2]) - 1, 15) if found else None


def _dated(axis: Axes) -> None:
    ticks = mdates.AutoDateLocator(minticks=3, maxticks=7)  # type: ignore[no-untyped-call]
    axis.xaxis.set_major_locator(ticks)
    axis.xaxis.set_major_formatter(mdates.DateFormatter("%Y-%m"))  # type: ignore[no-untyped-call]
    axis.tick_params(labelsize=8)
    finish_vertical(axis)


def _own_cutoff(axis: Axes, cutoff: date | None) -> None:
    if cutoff is not None:
        axis.axvline(mdates.date2num(cutoff), color=SIMULATED[0], linestyle="--", linewidth=1.3)  # type: ignore[no-untyped-call]


def _jump(row: Row | None) -> str:
    if row is None or row["value"] is None:
        return ""
    interval = ""
    if row["ci_low"] is not None and row["ci_high"] is not None:
        interval = f" [{number(row['ci_low'], 'brier')}, {number(row['ci_high'], 'brier')}]"
    return f", jump {number(row['value'], 'brier')}{interval}"


def _same_axes(axes: list[Axes]) -> None:
    high = max(axis.get_ylim()[1] for axis in axes)
    left, right = min(axis.get_xlim()[0] for axis in axes), max(axis.get_xlim()[1] for axis in axes)
    for axis in axes:
        axis.set_ylim(0, high)
        axis.set_xlim(left, right)


def placebo(source: Source) -> Figure | None:
    """The jump at each model's own cutoff among the jumps at placebo dates."""
    condition = source.run.main
    place = {"panel": "discontinuity", "metric": "jump", "condition": condition}
    models = [
        one for one in source.run.models if source.scores.having(**place, group_by="placebo", model=one)
    ]
    if not models:
        return None
    figure, axes = _grid(len(models))
    for letter, (axis, model) in enumerate(zip(axes, models, strict=False)):
        for row in source.scores.having(**place, group_by="placebo", model=model):
            _jump_mark(axis, _date_of(row["group"]), row, GREY, "o")
        own = source.scores.row("jump", panel="discontinuity", condition=condition, model=model)
        if own is not None:
            _jump_mark(axis, source.run.section_5_cutoffs.get(model), own, SIMULATED[0], "s")
        axis.axhline(0, color=GREY, linewidth=0.9)
        axis.set_title(f"{chr(65 + letter % 26)}: {source.run.title(model)}", fontsize=9, loc="left")
        axis.set_ylabel("jump (Brier points)", fontsize=8)
        _dated(axis)
    handles = [
        Line2D([], [], color=SIMULATED[0], marker="s", linewidth=1.4, label="at the own cutoff"),
        Line2D([], [], color=GREY, marker="o", linewidth=1.4, label="at placebo dates"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2, frameon=False)
    return figure


def _date_of(said: str) -> date | None:
    try:
        return date.fromisoformat(said)
    except ValueError:
        return None


def _jump_mark(axis: Axes, day: date | None, row: Row, colour: str, shape: str) -> None:
    if day is None or row["value"] is None:
        return
    at = mdates.date2num(day)  # type: ignore[no-untyped-call]
    if row["ci_low"] is not None and row["ci_high"] is not None:
        axis.plot([at, at], [row["ci_low"], row["ci_high"]], color=colour, linewidth=1.4)
    axis.plot([at], [row["value"]], color=colour, marker=shape, markersize=5.5, linestyle="", zorder=4)


def calibration(source: Source) -> Figure | None:
    """How often what was given a probability came true, before and after the cutoff, by condition."""
    looks, whose = looks_of(source.run.conditions), _calibrated(source)
    panels = [(split, curves) for split in ("pre", "post") if (curves := _curves(source, split, whose))]
    if not panels:
        return None
    figure, axes = canvas(len(panels), 3.6)
    for letter, (axis, (split, curves)) in enumerate(zip(axes, panels, strict=True)):
        axis.plot([0, 1], [0, 1], color=GREY, linewidth=0.9, linestyle=":")
        for condition, points in curves.items():
            colour, shape = looks[condition]
            forecasts, shares = zip(*points, strict=True)
            axis.plot(forecasts, shares, color=colour, marker=shape, markersize=5, linewidth=1.2)
        axis.set_title(
            f"{chr(65 + letter)}: {split}-cutoff, {source.run.title(whose)}", fontsize=9, loc="left"
        )
        axis.set_xlabel("mean forecast", fontsize=8)
        axis.set_ylabel("share that came out yes", fontsize=8)
        axis.set_xlim(-0.02, 1.02)
        axis.set_ylim(-0.02, 1.02)
        finish_vertical(axis)
    shown = [one for one in source.run.conditions if any(one in curves for _, curves in panels)]
    legend(figure, [Marks(one, looks[one], ()) for one in shown])
    return figure


def _calibrated(source: Source) -> str:
    """Whose curves are drawn: those over all models, or where there are none the first model's."""
    known = source.scores.distinct("model", panel="calibration")
    return source.run.whole if source.run.whole in known else next(iter(known), source.run.whole)


def _curves(source: Source, split: str, whose: str) -> dict[str, list[tuple[float, float]]]:
    """Points (mean forecast, observed share) by condition, in the order of forecasts."""
    found = {}
    for condition in source.run.conditions:
        place = {"panel": "calibration", "condition": condition, "split": split, "model": whose}
        at = {**place, "group_by": "forecast_bin"}
        points = []
        for row in source.scores.having(**at, metric="mean_forecast"):
            shares = source.scores.having(**at, metric="observed_share", group=row["group"])
            if shares and row["value"] is not None and shares[0]["value"] is not None:
                points.append((row["value"], shares[0]["value"]))
        if points:
            found[condition] = sorted(points)
    return found
