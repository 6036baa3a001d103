"""The figure of the suite ``cutoff``: actual and estimated growth by how the cutoff is told, and what was refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from neuter.reports.figure_drawing import ReportFigure, shortened, style
from neuter.reports.recall.drawn_axes import ACTUAL, ESTIMATED, GREY, days_of, draw_line, finish, numbers_of
from neuter.reports.wording import one_line, signed, visible

if TYPE_CHECKING:
    import polars as pl

#: The suite, and the figure's name.
NAME = "cutoff"
_TITLES = {
    "both": "cutoff in system and user message",
    "system": "cutoff in the system message alone",
    "user": "cutoff in the user message alone",
    "none": "no cutoff told",
}
_ROW_INCHES, _WIDTH_INCHES = 1.9, 9.0
_LETTERS = "ABCDEFGH"
#: What was refused is marked at the foot of an axis, at this share of its height.
_FOOT = 0.03
#: Growth of more percent is drawn on a logarithmic axis: the two quarters of 2020 would flatten all others.
_LINEAR = 10
_TICKS = (-30, -10, -5, 0, 5, 10, 30)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """One condition's quarters: actual and estimated growth in percent, and which were refused."""

    condition: str
    dates: tuple[date, ...]
    actual: tuple[float, ...]
    estimated: tuple[float | None, ...]
    refused: tuple[date, ...]

    @property
    def errors(self) -> list[float | None]:
        """Estimated − actual in percentage points; None without an answer."""
        pairs = zip(self.actual, self.estimated, strict=True)
        return [None if estimate is None else estimate - actual for actual, estimate in pairs]


def cutoff_figure(
    estimates: pl.DataFrame, run: Mapping[str, Any], model: str, *, ink: str
) -> tuple[Figure, str] | None:
    """The figure of one model with its caption; None where none of its questions was answered.

    Left: actual and estimated growth, a mark at the foot where the model refused; right: estimated − actual in
    percentage points. A row a condition. Lines stand at the fake cutoff and at the model's own, which shade follows.

    Args:
        estimates: as of :func:`neuter.reports.recall.answers.read_estimates`.
        run: run.json of the suite ``cutoff``.
        ink: the colour of words and axes.
    """
    drawn = list(_drawn(estimates, run, model))
    if not drawn:
        return None
    days = {
        "fake": date.fromisoformat(str(run["fake_from"])) if run.get("fake_from") else None,
        "own": _day((run.get("cutoffs") or {}).get(model)),
    }
    with style(ink), mpl.rc_context({"axes.spines.left": True}):
        figure = _figure(drawn, days, visible(model))
    return figure, _caption(drawn, run, model)


def _drawn(estimates: pl.DataFrame, run: Mapping[str, Any], model: str) -> Iterator[_Drawn]:
    import polars as pl

    own = estimates.filter(pl.col("model") == model, pl.col("actual").is_not_null()).sort("date")
    for condition in run.get("conditions") or ():
        part = own.filter(pl.col("condition") == str(condition))
        if part.height > part["estimated"].null_count():
            yield _Drawn(
                str(condition),
                tuple(part["date"]),
                tuple(part["actual"]),
                tuple(part["estimated"]),
                tuple(part.filter(pl.col("outcome") == "refused")["date"]),
            )


def _figure(drawn: Sequence[_Drawn], days: Mapping[str, date | None], model: str) -> Figure:
    figure = ReportFigure(figsize=(_WIDTH_INCHES, _ROW_INCHES * len(drawn) + 0.8), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(drawn), 2, squeeze=False, sharex=True, sharey="col")
    letters = iter(_LETTERS)
    for one, (left, right) in zip(drawn, axes, strict=True):
        title = _TITLES.get(one.condition, one_line(one.condition))
        _growth(left, one, f"{next(letters)}: {title}")
        _errors(right, one, f"{next(letters)}: error (percentage points)")
        for axis in (left, right):
            _lines(axis, one, days)
            finish(axis)
    handles = list(_explained(days, any(one.refused for one in drawn)))
    figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False, fontsize=8.5)
    figure.supxlabel(shortened(model, 60), fontsize=7.5)
    return figure


def _growth(axis: Axes, one: _Drawn, title: str) -> None:
    axis.set_title(title, fontsize=9, loc="left")
    axis.set_yscale("symlog", linthresh=_LINEAR)
    axis.set_yticks(_TICKS, [signed(f"{tick}") for tick in _TICKS])
    axis.minorticks_off()
    when = days_of(one.dates)
    axis.plot(when, one.actual, color=ACTUAL, linewidth=2.4, zorder=2)
    draw_line(axis, when, numbers_of(one.estimated), marked=True)
    if one.refused:
        refused = days_of(one.refused)
        foot = axis.get_xaxis_transform()
        axis.plot(
            refused,
            [_FOOT] * len(refused),
            transform=foot,
            color=ESTIMATED,
            linestyle="",
            marker="x",
            markersize=3,
        )


def _errors(axis: Axes, one: _Drawn, title: str) -> None:
    axis.set_title(title, fontsize=9, loc="left")
    axis.axhline(0, color=GREY, linewidth=0.8)
    draw_line(axis, days_of(one.dates), numbers_of(one.errors), marked=True)


def _lines(axis: Axes, one: _Drawn, days: Mapping[str, date | None]) -> None:
    if days["fake"] is not None:
        axis.axvline(days_of([days["fake"]])[0], color=GREY, linewidth=1.2, linestyle="--")
    if days["own"] is not None:
        at, last = days_of([days["own"], one.dates[-1]])
        axis.axvline(at, color=GREY, linewidth=1.2, linestyle=":")
        if last > at:
            axis.axvspan(at, last, color=GREY, alpha=0.15, linewidth=0)


def _explained(days: Mapping[str, date | None], refused: bool) -> Iterator[Line2D | Patch]:
    yield Line2D([], [], color=ACTUAL, linewidth=2.4, label="actual (first print)")
    yield Line2D([], [], color=ESTIMATED, linewidth=1.0, label="estimated, and its error")
    if refused:
        yield Line2D([], [], color=ESTIMATED, linestyle="", marker="x", markersize=4, label="refused")
    if days["fake"] is not None:
        label = "not to be known from here on"
        yield Line2D([], [], color=GREY, linewidth=1.2, linestyle="--", label=label)
    if days["own"] is not None:
        label = f"training cutoff {days['own']:%Y-%m}"
        yield Line2D([], [], color=GREY, linewidth=1.2, linestyle=":", label=label)


def _caption(drawn: Sequence[_Drawn], run: Mapping[str, Any], model: str) -> str:
    told = one_line(str(run.get("fake_cutoff") or "unknown"))
    counts = [f"{len(one.refused)} refused ({_TITLES.get(one.condition, one.condition)})" for one in drawn]
    return (
        f"US GDP growth as first printed (blue) and as {one_line(model)} gave it (red) when told a knowledge cutoff "
        f"of {told}, beyond ±{_LINEAR}% on a logarithmic axis; right: the error in percentage points. Dashed: the "
        f"first quarter that is not to be known; dotted: the model's own cutoff. Crosses: {'; '.join(counts)}. "
        "Not in the paper."
    )


def _day(text: object) -> date | None:
    return date.fromisoformat(str(text)) if text else None
