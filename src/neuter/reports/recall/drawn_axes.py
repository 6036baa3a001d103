"""Lines over time as every figure of a recall run draws them: colours, gaps, lone points and ticks of dates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

#: Blue and vermilion of Okabe and Ito (2008): the actual line is broad, so that it shows under a right estimate.
ACTUAL, ESTIMATED, GREY = "#56B4E9", "#D55E00", "#808080"
#: Up to so many points each has a mark; of more than so many the estimates are a cloud.
MARKED, MANY = 120, 2000
#: How a tick names a year, a month, a day, and shorter spans that no series has.
_TICKS = ["%Y", "%Y-%m", "%m-%d", "%H:%M", "%H:%M", "%S"]


def draw_line(axis: Axes, when: Any, values: Any, *, marked: bool, colour: str = ESTIMATED) -> None:
    """A line with gaps where there is no value; a point between two gaps is a dot, or it would not show."""
    width = 0.8 if len(when) <= MANY else 0.3
    axis.plot(when, values, color=colour, linewidth=width, marker="." if marked else "", markersize=3)
    there = np.isfinite(values)
    before, after = np.roll(there, 1), np.roll(there, -1)
    before[:1], after[-1:] = False, False
    alone = there & ~before & ~after
    if alone.any() and not marked:
        axis.plot(when[alone], values[alone], color=colour, linestyle="", marker=".", markersize=2)


def days_of(dates: Sequence[date]) -> Any:
    """Dates as matplotlib draws them."""
    return np.array(dates, dtype="datetime64[D]")


def numbers_of(values: Sequence[float | None]) -> Any:
    """Values to draw; NaN is a gap."""
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def finish(axis: Axes) -> None:
    """Grid, margins and ticks of years, months or days."""
    axis.grid(color=GREY, alpha=0.25, linewidth=0.5)
    axis.set_axisbelow(True)
    axis.tick_params(labelsize=8)
    axis.margins(x=0.02)
    # A few ticks, so that those of a short span do not run into one another.
    ticks = AutoDateLocator(minticks=3, maxticks=8)  # type: ignore[no-untyped-call]
    axis.xaxis.set_major_locator(ticks)
    named = ConciseDateFormatter(ticks, formats=_TICKS, show_offset=False)  # type: ignore[no-untyped-call]
    axis.xaxis.set_major_formatter(named)
