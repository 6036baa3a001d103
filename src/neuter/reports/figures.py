"""Figures of a run: what each attacker finds under each scheme, by size, with intervals and baselines."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from neuter.reports.score_blocks import Block, Cell, Row, blocks_of
from neuter.reports.wording import MAIN_METRICS, SMALL_MODEL, is_small_model, measure, one_line, visible
from neuter.whole_files import write_whole

if TYPE_CHECKING:
    import polars as pl

#: Colours of Okabe and Ito (2008), told apart by people who see no red or green, each with a shape of its own.
_LOOKS = (
    ("#0072B2", "o"),
    ("#D55E00", "s"),
    ("#009E73", "^"),
    ("#CC79A7", "D"),
    ("#56B4E9", "v"),
    ("#E69F00", "P"),
)
_INK = "#1a1a1a"
#: Stands for the page's own text colour until the drawing is put into a page.
_PAGE_INK = "#010203"
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


class ReportFigure(Figure):
    """A matplotlib figure that shows itself in a notebook without any set-up."""

    def _repr_png_(self) -> bytes:
        return _bytes(self, "png")


#: Metrics that are drawn: the main ones, and those of headlines.
_DRAWN = (*MAIN_METRICS, "month_year_accuracy", "exact_date_accuracy")
#: As many firms as can be told apart on a page.
_FIRMS = 30
_PUBLISHED: dict[str, Any] = {
    "marker": "D",
    "markersize": 6.5,
    "markerfacecolor": "none",
    "markeredgewidth": 1.2,
    "linestyle": "",
}


@dataclass(frozen=True, slots=True)
class _Panel:
    """One attacker: for each line (a scheme, or a firm) its marks (groups, or schemes) with their cells."""

    title: str
    rows: Mapping[str, Mapping[str, Cell]]


def accuracy_figure(
    scores: pl.DataFrame, *, metric: str = "firm_accuracy", by: str = "size", panel: str | None = None
) -> Figure:
    """A panel for each attacker, a line for each scheme, and in it a mark for each group of ``by``.

    By firm it is the other way round: a line for each of the 30 firms with most documents, a mark for each scheme.
    A bar is the 95% interval, a grey tick the baseline: what could be had without reading the text. An empty diamond is
    the published figure. ``panel`` is as in :func:`neuter.reports.score_blocks.blocks_of`.

    Raises:
        UsageError: ``by`` is no grouping.
        RunError: columns of the tidy scores table are missing.
    """
    return _figure(scores, metric, by, _INK, panel)


def write_figures(scores: pl.DataFrame, folder: Path) -> list[Path]:
    """Write an ``.svg`` and a ``.png`` into ``folder`` for each metric that is drawn, and of a Panel A one by firm.

    The same scores give the same bytes. Raises RunError where a file cannot be written.
    """
    paths = []
    for metric in drawable(scores):
        for by, panel in groupings_drawn(scores):
            figure = accuracy_figure(scores, metric=metric, by=by, panel=panel)
            name = metric.replace("_", "-") + ("-by-firm" if by == "firm" else "")
            for kind in ("svg", "png"):
                path = folder / f"{name}.{kind}"
                write_whole(path, _bytes(figure, kind))
                paths.append(path)
    return paths


def drawable(scores: pl.DataFrame) -> list[str]:
    """The drawn metrics that have a value in ``scores``."""
    present = set(scores.filter(scores["value"].is_not_null())["metric"])
    return [metric for metric in _DRAWN if metric in present]


def groupings_drawn(scores: pl.DataFrame) -> list[tuple[str, str | None]]:
    """Grouping and panel of each figure of a metric: by size, and of a Panel A by firm before it."""
    panels = set(scores["panel"].fill_null("")) if "panel" in scores.columns else {""}
    by_size: list[tuple[str, str | None]] = [("size", None)] if panels != {"A"} else []
    return [*([("firm", "A")] if "A" in panels else []), *by_size]


def inline_svg(
    scores: pl.DataFrame, metric: str, prefix: str, *, by: str = "size", panel: str | None = None
) -> str:
    """The figure as an ``<svg>`` element for a page: its text is text, in the page's own colour and font.

    ``prefix`` keeps the ids of several drawings in a page apart.
    """
    figure = _figure(scores, metric, by, _PAGE_INK, panel)
    raw = _bytes(figure, "svg", ink=_PAGE_INK, fonts="none").decode()
    return for_page(raw, prefix, describe(scores, metric, panel))


def for_page(raw: str, prefix: str, description: str) -> str:
    """A whole SVG file as an element: no prologue, comments or style sheet that would reach the page around it."""
    svg = raw[raw.index("<svg") :]
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(\sid="|url\(#|xlink:href="#)', rf"\g<1>{prefix}-", svg)
    svg = svg.replace(_PAGE_INK, "currentColor")
    label = description.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return re.sub(
        r'<svg([^>]*?) width="[^"]*"', rf'<svg role="img" aria-label="{_literal(label)}"\1', svg, count=1
    )


def _literal(text: str) -> str:
    return text.replace("\\", r"\\")


def describe(scores: pl.DataFrame, metric: str, panel: str | None = None) -> str:
    """The figure in words, for those who do not see it."""
    parts = []
    for block in blocks_of(scores, panel=panel):
        if block.whole and (cell := block.whole.cells.get(metric)) and cell.value is not None:
            parts.append(f"{block.series.title}: {cell.value:.1f}%")
    return f"{measure(metric).title}, percent of answered documents, over all of them. " + "; ".join(parts)


def _figure(scores: pl.DataFrame, metric: str, by: str, ink: str, panel: str | None = None) -> Figure:
    blocks = blocks_of(scores, by, panel)
    panels = _panels(blocks, metric)
    schemes = list(dict.fromkeys(scheme for one in panels for scheme in one.rows))
    groups = _groups(blocks, metric)
    if by == "firm":
        firms = _most_documents(blocks, metric)
        panels, schemes, groups = [_turned(one, firms) for one in panels], firms, schemes[: len(_LOOKS)]
    with _style(ink):
        figure, axes = _canvas(len(panels), len(schemes))
        for place, (axis, one) in enumerate(zip(axes, panels, strict=False)):
            _draw(axis, one, schemes, groups)
            columns = _columns(len(panels))
            axis.tick_params(labelleft=place % columns == 0, labelbottom=place + columns >= len(panels))
        _finish(
            figure,
            axes,
            measure(metric).title,
            groups,
            small=any(is_small_model(b.series.model) for b in blocks),
            published=any(
                cell.published is not None
                for one in panels
                for row in one.rows.values()
                for cell in row.values()
            ),
        )
    return figure


@contextmanager
def _style(ink: str) -> Iterator[None]:
    colours: tuple[Any, ...] = (
        "text.color",
        "axes.labelcolor",
        "axes.edgecolor",
        "xtick.color",
        "ytick.color",
    )
    with mpl.rc_context({**_STYLE, **dict.fromkeys(colours, ink)}):
        yield


def _panels(blocks: Sequence[Block], metric: str) -> list[_Panel]:
    panels: dict[str, dict[str, dict[str, Cell]]] = {}
    for block in blocks:
        title = block.series.attacker_title.replace(" (", "\n(", 1)
        cells = {row.title: row.cells[metric] for row in _shown(block.rows) if metric in row.cells}
        if any(cell.value is not None for cell in cells.values()):
            panels.setdefault(title, {})[one_line(block.series.scheme)] = cells
    return [_Panel(title, rows) for title, rows in panels.items()]


def _turned(panel: _Panel, firms: Sequence[str]) -> _Panel:
    """Firms as lines and schemes as marks."""
    rows = {
        firm: {scheme: cells[firm] for scheme, cells in panel.rows.items() if firm in cells} for firm in firms
    }
    return _Panel(panel.title, {firm: row for firm, row in rows.items() if row})


def _most_documents(blocks: Sequence[Block], metric: str) -> list[str]:
    """The firms with most documents, in the order of the table."""
    counts: dict[str, int] = {}
    for block in blocks:
        for row in _shown(block.rows):
            if cell := row.cells.get(metric):
                counts[row.title] = max(counts.get(row.title, 0), cell.n)
    most = set(sorted(counts, key=lambda firm: -counts[firm])[:_FIRMS])
    return [firm for firm in counts if firm in most]


def _shown(rows: Sequence[Row]) -> Sequence[Row]:
    """The groups, or the row over all documents where there are no groups."""
    return [row for row in rows if row.group_by != "all"] or rows


def _groups(blocks: Sequence[Block], metric: str) -> list[str]:
    found = {row.title: None for block in blocks for row in _shown(block.rows) if metric in row.cells}
    return list(found)[: len(_LOOKS)]


def _columns(panels: int) -> int:
    return 2 if panels == 4 else min(max(panels, 1), 3)


def _canvas(panels: int, schemes: int) -> tuple[Figure, list[Axes]]:
    columns = _columns(panels)
    rows = -(-max(panels, 1) // columns)
    height = rows * (max(schemes, 1) * _ROW_INCHES + 0.75) + 0.75
    figure = ReportFigure(figsize=(max(5.2, 1.1 + 2.6 * columns), height), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    axes = list(grid.flat)
    for unused in axes[max(panels, 1) :]:
        unused.set_visible(False)
    return figure, axes


def _draw(axis: Axes, panel: _Panel, schemes: Sequence[str], groups: Sequence[str]) -> None:
    axis.set_title(visible(panel.title), fontsize=9, loc="left")
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
                _mark(axis, line + offset, cells[group], look=_LOOKS[place], depth=0.62 / max(len(groups), 2))
    axis.set_yticks(range(len(schemes)), labels=[_short(scheme) for scheme in schemes])
    axis.set_ylim(len(schemes) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)


def _short(name: str) -> str:
    return name if len(name) <= 24 else f"{name[:10]}…{name[-13:]}"


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


def _finish(
    figure: Figure,
    axes: Sequence[Axes],
    title: str,
    groups: Sequence[str],
    *,
    small: bool,
    published: bool = False,
) -> None:
    axes[0].set_xlim(-2, 102)
    axes[0].set_xticks([0, 25, 50, 75, 100])
    for axis in axes:
        axis.grid(axis="x", color="#808080", alpha=0.3, linewidth=0.6)
        axis.set_axisbelow(True)
    figure.supxlabel(_footing(title, small=small), fontsize=9)
    handles: list[Any] = [
        Line2D([], [], color=colour, marker=shape, linewidth=1.6, markersize=5.5, label=visible(group))
        for group, (colour, shape) in zip(groups, _LOOKS, strict=False)
    ]
    tick = Line2D([], [], color="#767676", marker="|", linestyle="", markersize=9, markeredgewidth=1.8)
    tick.set_label("baseline (no text read)")
    handles.append(tick)
    if published:
        handles.append(Line2D([], [], color="#767676", label="published (GPT-4o)", **_PUBLISHED))
    figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 5), frameon=False)


def _footing(title: str, *, small: bool) -> str:
    text = f"{title}: % of answered documents, with 95% intervals"
    return f"{text}\n† embedded model that {SMALL_MODEL}" if small else text


def _bytes(figure: Figure, kind: str, *, ink: str = _INK, fonts: str = "path") -> bytes:
    """The drawing as a file's bytes, free of dates and versions so that the same scores give the same file.

    ``fonts`` is ``path`` for letters as shapes, which look the same everywhere, or ``none`` for text.
    """
    metadata: dict[str, Any] = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
    buffer = io.BytesIO()
    with _style(ink), mpl.rc_context({"svg.fonttype": fonts}):
        figure.savefig(buffer, format=kind, metadata=metadata, transparent=ink == _PAGE_INK)
    return buffer.getvalue()
