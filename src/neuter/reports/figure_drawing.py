"""How figures of a run are drawn: the paper, the marks, the legend, and the bytes of a file."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from neuter.reports.score_blocks import Cell
from neuter.reports.wording import SMALL_MODEL, visible

#: Colours of Okabe and Ito (2008), told apart by people who see no red or green, each with a shape of its own.
LOOKS = (
    ("#0072B2", "o"),
    ("#D55E00", "s"),
    ("#009E73", "^"),
    ("#CC79A7", "D"),
    ("#56B4E9", "v"),
    ("#E69F00", "P"),
)
INK = "#1a1a1a"
#: Stands for the page's own text colour until the drawing is put into a page.
PAGE_INK = "#010203"
_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "text.parse_math": False,
    "svg.hashsalt": "neuter",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "figure.dpi": 100,
    "savefig.dpi": 200,
}
_ROW_INCHES = 0.5
#: Characters of a panel's or mark's label, and of a line's; a panel's is smaller from so many on, or it would not fit.
_LABEL, _LINE, _COMMON_LABEL = 40, 24, 32


class ReportFigure(Figure):
    """A matplotlib figure that shows itself in a notebook without any set-up."""

    def _repr_png_(self) -> bytes:
        return image_bytes(self, "png")


_PUBLISHED: dict[str, Any] = {
    "marker": "D",
    "markersize": 6.5,
    "markerfacecolor": "none",
    "markeredgewidth": 1.2,
    "linestyle": "",
}


@dataclass(frozen=True, slots=True)
class DrawnPanel:
    """One attacker: for each line (a scheme, or a firm) its marks (groups, or schemes) with their cells."""

    title: str
    rows: Mapping[str, Mapping[str, Cell]]


@contextmanager
def style(ink: str) -> Iterator[None]:
    colours: tuple[Any, ...] = (
        "text.color",
        "axes.labelcolor",
        "axes.edgecolor",
        "xtick.color",
        "ytick.color",
    )
    with mpl.rc_context({**_STYLE, **dict.fromkeys(colours, ink)}):
        yield


def columns_for(panels: int) -> int:
    return 2 if panels == 4 else min(max(panels, 1), 3)


def canvas(panels: int, schemes: int) -> tuple[Figure, list[Axes]]:
    columns = columns_for(panels)
    rows = -(-max(panels, 1) // columns)
    height = rows * (max(schemes, 1) * _ROW_INCHES + 0.75) + 0.75
    figure = ReportFigure(figsize=(max(5.2, 1.1 + 2.6 * columns), height), layout="constrained")
    FigureCanvasAgg(figure)
    # Axes that share their scales tell each other of every change: the time grows with the square of their number.
    grid = figure.subplots(rows, columns, squeeze=False)
    axes = list(grid.flat)
    for unused in axes[max(panels, 1) :]:
        unused.set_visible(False)
    return figure, axes


def draw(axis: Axes, panel: DrawnPanel, schemes: Sequence[str], groups: Sequence[str]) -> None:
    title = "\n".join(shortened(line, _LABEL) for line in visible(panel.title).splitlines())
    long = max(map(len, title.splitlines()), default=0) > _COMMON_LABEL
    axis.set_title(title, fontsize=7.5 if long else 9, loc="left")
    for line, scheme in enumerate(schemes):
        if line % 2 == 0:
            axis.axhspan(line - 0.5, line + 0.5, color="#808080", alpha=0.09, linewidth=0)
        cells = panel.rows.get(scheme)
        if cells is None:
            axis.text(50, line, "not run", ha="center", va="center", fontsize=8, style="italic")
            continue
        for place, group in enumerate(groups):
            if group in cells:
                offset = (place - (len(groups) - 1) / 2) * 0.62 / max(len(groups), 2)
                _mark(axis, line + offset, cells[group], look=LOOKS[place], depth=0.62 / max(len(groups), 2))
    axis.set_yticks(range(len(schemes)), labels=[shortened(visible(name), _LINE) for name in schemes])
    axis.set_ylim(len(schemes) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)


def shortened(name: str, most: int) -> str:
    """``name`` with an ellipsis in its middle where it is longer than ``most``: models differ at either end.

    >>> shortened("openrouter/meta-llama/llama-4-maverick", 24)
    'openrouter/…a-4-maverick'
    """
    if len(name) <= most:
        return name
    head = (most - 1) // 2
    return f"{name[:head]}…{name[head + 1 - most :]}"


def _mark(axis: Axes, height: float, cell: Cell, *, look: tuple[str, str], depth: float) -> None:
    colour, shape = look
    if cell.value is None:
        return
    if cell.low is not None and cell.high is not None:
        axis.plot([cell.low, cell.high], [height, height], color=colour, linewidth=1.6, solid_capstyle="butt")
    if cell.baseline is not None:
        ends = [height - depth / 2, height + depth / 2]
        axis.plot([cell.baseline] * 2, ends, color="#767676", linewidth=1.8, solid_capstyle="butt", zorder=3)
    if cell.published is not None:
        axis.plot([cell.published], [height], color="#767676", clip_on=False, zorder=5, **_PUBLISHED)
    axis.plot(
        [cell.value],
        [height],
        color=colour,
        marker=shape,
        markersize=5.5,
        linestyle="",
        zorder=4,
        clip_on=False,
    )


def finish(
    figure: Figure,
    axes: Sequence[Axes],
    title: str,
    groups: Sequence[str],
    panels: Sequence[DrawnPanel],
    *,
    small: bool,
) -> None:
    """Scale, footing and legend; these name only what a mark of ``panels`` has."""
    for axis in axes:
        axis.set_xlim(-2, 102)
        axis.set_xticks([0, 25, 50, 75, 100])
        axis.grid(axis="x", color="#808080", alpha=0.3, linewidth=0.6)
        axis.set_axisbelow(True)
    cells = _drawn(panels, groups)
    intervals = any(cell.low is not None and cell.high is not None for cell in cells)
    figure.supxlabel(_footing(title, small=small, intervals=intervals), fontsize=9)
    handles = [*_groups_explained(groups), *_signs_explained(cells)]
    figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 4), frameon=False)


def _drawn(panels: Sequence[DrawnPanel], groups: Sequence[str]) -> list[Cell]:
    """The cells that have a mark."""
    return [
        cell
        for panel in panels
        for row in panel.rows.values()
        for group, cell in row.items()
        if group in groups and cell.value is not None
    ]


def _groups_explained(groups: Sequence[str]) -> Iterator[Line2D]:
    for group, (colour, shape) in zip(groups, LOOKS, strict=False):
        label = shortened(visible(group), _LABEL)
        yield Line2D([], [], color=colour, marker=shape, linewidth=1.6, markersize=5.5, label=label)


def _signs_explained(cells: Sequence[Cell]) -> Iterator[Line2D]:
    if any(cell.baseline is not None for cell in cells):
        tick = Line2D([], [], color="#767676", marker="|", linestyle="", markersize=9, markeredgewidth=1.8)
        tick.set_label("baseline (no text read)")
        yield tick
    if any(cell.published is not None for cell in cells):
        yield Line2D([], [], color="#767676", label="published (GPT-4o)", **_PUBLISHED)


def _footing(title: str, *, small: bool, intervals: bool) -> str:
    text = f"{title}: % of answered documents" + (", with 95% intervals" if intervals else "")
    return f"{text}\n† embedded model that {SMALL_MODEL}" if small else text


def image_bytes(figure: Figure, kind: str, *, ink: str = INK, fonts: str = "path") -> bytes:
    """The drawing as a file's bytes, free of dates and versions so that the same scores give the same file.

    ``fonts`` is ``path`` for letters as shapes, which look the same everywhere, or ``none`` for text. A letter that the
    font lacks is drawn as an empty box: a name that a user gave is no reason to warn of fonts.
    """
    metadata: dict[str, Any] = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
    buffer = io.BytesIO()
    with style(ink), mpl.rc_context({"svg.fonttype": fonts}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from font")
        figure.savefig(buffer, format=kind, metadata=metadata, transparent=ink == PAGE_INK)
    return buffer.getvalue()
