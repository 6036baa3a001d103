"""Marks of the ignorance figures: points with intervals in rows, lines between conditions, and what they are of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from neuter.reports.figure_drawing import LOOKS, ReportFigure, shortened
from neuter.reports.ignorance.about_run import AboutRun
from neuter.reports.ignorance.score_lookup import ForecastScores, Row
from neuter.reports.wording import visible

GREY = "#767676"
#: Control, simulated and true ignorance: green, vermilion and blue of Okabe and Ito (2008), each with its own shape.
CONTROL, SIMULATED, TRUE = LOOKS[2], LOOKS[1], LOOKS[0]
#: The two groups of models.
GROUP_LOOKS = {"reasoning": LOOKS[3], "non_reasoning": LOOKS[4]}
WIDTH_INCHES = 9.0
_LABEL = 26
_PUBLISHED: dict[str, Any] = {
    "marker": "D",
    "markersize": 7,
    "markerfacecolor": "none",
    "markeredgewidth": 1.2,
    "linestyle": "",
}


@dataclass(frozen=True, slots=True)
class Source:
    """What a figure is drawn from: the scores, what run.json says, and the run folder for questions and answers."""

    scores: ForecastScores
    run: AboutRun
    folder: Path


@dataclass(frozen=True, slots=True)
class Marks:
    """One kind of mark: its label, colour and shape, the score of each row, and the paper's figure of each row."""

    label: str
    look: tuple[str, str]
    rows: Sequence[Row | None]
    published: Sequence[float | None] = field(default_factory=tuple)

    @property
    def any(self) -> bool:
        return any(row is not None and row["value"] is not None for row in self.rows)


def canvas(
    columns: int, height: float, rows: int = 1, ratios: Sequence[float] = ()
) -> tuple[Figure, list[Axes]]:
    """An empty figure of the page's width with its axes, row by row."""
    figure = ReportFigure(figsize=(WIDTH_INCHES, height), layout="constrained")
    FigureCanvasAgg(figure)
    widths = {"width_ratios": list(ratios)} if ratios else None
    return figure, list(figure.subplots(rows, columns, squeeze=False, gridspec_kw=widths).flat)


def in_rows(
    axis: Axes,
    titles: Sequence[str],
    marks: Sequence[Marks],
    title: str,
    *,
    zero: bool = False,
    apart: bool = True,
) -> None:
    """Points with intervals, a row for each title from the top; its marks stand ``apart``, below each other."""
    axis.set_title(title, fontsize=9, loc="left")
    for place in range(0, len(titles), 2):
        axis.axhspan(place - 0.5, place + 0.5, color="#808080", alpha=0.09, linewidth=0)
    step = 0.62 / max(len(marks), 2)
    for order, one in enumerate(marks):
        shift = (order - (len(marks) - 1) / 2) * step * apart
        for place, row in enumerate(one.rows):
            _point(axis, place + shift, row, one.look)
        for place, value in enumerate(one.published):
            if value is not None:
                axis.plot([value], [place + shift], color=GREY, zorder=5, **_PUBLISHED)
    if zero:
        axis.axvline(0, color=GREY, linewidth=0.9)
    axis.set_yticks(range(len(titles)), labels=[shortened(visible(name), _LABEL) for name in titles])
    axis.set_ylim(len(titles) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", color="#808080", alpha=0.3, linewidth=0.6)
    axis.set_axisbelow(True)


def _point(axis: Axes, height: float, row: Row | None, look: tuple[str, str]) -> None:
    if row is None or row["value"] is None:
        return
    colour, shape = look
    if row["ci_low"] is not None and row["ci_high"] is not None:
        ends = [row["ci_low"], row["ci_high"]]
        axis.plot(ends, [height, height], color=colour, linewidth=1.6, solid_capstyle="butt")
    axis.plot([row["value"]], [height], color=colour, marker=shape, markersize=5.5, linestyle="", zorder=4)


def between(axis: Axes, ticks: Sequence[str], marks: Sequence[Marks], title: str) -> None:
    """A line for each kind of mark over a few places, with intervals at each."""
    axis.set_title(title, fontsize=9, loc="left")
    for order, one in enumerate(marks):
        shift = (order - (len(marks) - 1) / 2) * 0.05
        there = [
            (k + shift, row) for k, row in enumerate(one.rows) if row is not None and row["value"] is not None
        ]
        colour, shape = one.look
        values = [row["value"] for _, row in there]
        axis.plot([k for k, _ in there], values, color=colour, marker=shape, markersize=6, linewidth=1.6)
        for k, row in there:
            if row["ci_low"] is not None and row["ci_high"] is not None:
                axis.plot([k, k], [row["ci_low"], row["ci_high"]], color=colour, linewidth=1.6)
            axis.annotate(
                f"{row['value']:.3f}", (k, row["value"]), (7, 4), textcoords="offset points", fontsize=7.5
            )
    axis.set_xticks(range(len(ticks)), labels=list(ticks))
    axis.set_xlim(-0.35, len(ticks) - 0.45)
    finish_vertical(axis)


def finish_vertical(axis: Axes) -> None:
    axis.spines["left"].set_visible(True)
    axis.grid(axis="y", color="#808080", alpha=0.3, linewidth=0.6)
    axis.set_axisbelow(True)


def legend(
    figure: Figure, marks: Iterable[Marks], *, published: str = "", more: Sequence[Artist] = ()
) -> None:
    """What the marks are, above the axes, and ``more``; ``published`` where a figure of the paper is drawn."""
    handles: list[Artist] = [
        Line2D([], [], color=one.look[0], marker=one.look[1], linewidth=1.6, markersize=5.5, label=one.label)
        for one in marks
    ]
    if published:
        handles.append(Line2D([], [], color=GREY, label=published, **_PUBLISHED))
    handles += more
    columns = len(handles) if len(handles) < 5 else -(-len(handles) // 2)
    figure.legend(handles=handles, loc="outside upper center", ncols=columns, frameon=False)


def has_published(marks: Iterable[Marks]) -> bool:
    return any(value is not None for one in marks for value in one.published)


def looks_of(names: Sequence[str]) -> Mapping[str, tuple[str, str]]:
    """A colour and shape for each name, in their order."""
    return {name: LOOKS[place % len(LOOKS)] for place, name in enumerate(names)}
