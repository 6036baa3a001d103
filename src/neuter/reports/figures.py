"""Figures of a run: what each attacker finds under each scheme, by size, with intervals and baselines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from neuter.reports.figure_drawing import (
    INK,
    LOOKS,
    PAGE_INK,
    DrawnPanel,
    canvas,
    columns_for,
    draw,
    finish,
    image_bytes,
    style,
)
from neuter.reports.score_blocks import Block, Cell, Row, blocks_of
from neuter.reports.wording import MAIN_METRICS, is_small_model, measure, one_line
from neuter.whole_files import write_whole

if TYPE_CHECKING:
    import polars as pl

#: Metrics that are drawn: the main ones, and those of headlines.
_DRAWN = (*MAIN_METRICS, "month_year_accuracy", "exact_date_accuracy")
#: As many firms as can be told apart on a page.
_FIRMS = 30


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
    return _figure(scores, metric, by, INK, panel)


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
                write_whole(path, image_bytes(figure, kind))
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
    figure = _figure(scores, metric, by, PAGE_INK, panel)
    raw = image_bytes(figure, "svg", ink=PAGE_INK, fonts="none").decode()
    return for_page(raw, prefix, describe(scores, metric, panel))


def for_page(raw: str, prefix: str, description: str) -> str:
    """A whole SVG file as an element: no prologue, comments or style sheet that would reach the page around it."""
    svg = raw[raw.index("<svg") :]
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(\sid="|url\(#|xlink:href="#)', rf"\g<1>{prefix}-", svg)
    svg = svg.replace(PAGE_INK, "currentColor")
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
        firms = _most_documents(blocks, metric, _papers_order() if panel == "A" else ())
        panels, schemes, groups = [_turned(one, firms) for one in panels], firms, schemes[: len(LOOKS)]
    with style(ink):
        figure, axes = canvas(len(panels), len(schemes))
        for place, (axis, one) in enumerate(zip(axes, panels, strict=False)):
            draw(axis, one, schemes, groups)
            columns = columns_for(len(panels))
            axis.tick_params(labelleft=place % columns == 0, labelbottom=place + columns >= len(panels))
        finish(
            figure,
            axes,
            measure(metric).title,
            groups,
            panels,
            small=any(is_small_model(b.series.model) for b in blocks),
        )
    return figure


def _panels(blocks: Sequence[Block], metric: str) -> list[DrawnPanel]:
    panels: dict[str, dict[str, dict[str, Cell]]] = {}
    for block in blocks:
        title = block.series.attacker_title.replace(" (", "\n(", 1)
        cells = {row.title: row.cells[metric] for row in _shown(block.rows) if metric in row.cells}
        if any(cell.value is not None for cell in cells.values()):
            panels.setdefault(title, {})[one_line(block.series.scheme)] = cells
    return [DrawnPanel(title, rows) for title, rows in panels.items()]


def _turned(panel: DrawnPanel, firms: Sequence[str]) -> DrawnPanel:
    """Firms as lines and schemes as marks."""
    rows = {
        firm: {scheme: _of_a_firm(cells[firm]) for scheme, cells in panel.rows.items() if firm in cells}
        for firm in firms
    }
    return DrawnPanel(panel.title, {firm: row for firm, row in rows.items() if row})


def _of_a_firm(cell: Cell) -> Cell:
    """Within one firm the best constant guess at the firm is always right: that is no baseline."""
    return replace(cell, baseline=None) if cell.metric.startswith("firm_") else cell


def _papers_order() -> Sequence[str]:
    """The firms of Panel A as Table 7 has them."""
    from neuter.suites.published_figures import published_table

    return tuple(published_table("table_7").panels["A"].rows)


def _most_documents(blocks: Sequence[Block], metric: str, order: Sequence[str] = ()) -> list[str]:
    """The firms with most documents: those of ``order`` first and in it, the others in that of the scores."""
    counts: dict[str, int] = {}
    for block in blocks:
        for row in _shown(block.rows):
            if cell := row.cells.get(metric):
                counts[row.title] = max(counts.get(row.title, 0), cell.n)
    most = set(sorted(counts, key=lambda firm: -counts[firm])[:_FIRMS])
    known = {firm: place for place, firm in enumerate(order)}
    return sorted((firm for firm in counts if firm in most), key=lambda firm: known.get(firm, len(known)))


def _shown(rows: Sequence[Row]) -> Sequence[Row]:
    """The groups, or the row over all documents where there are no groups."""
    return [row for row in rows if row.group_by != "all"] or rows


def _groups(blocks: Sequence[Block], metric: str) -> list[str]:
    found = {row.title: None for block in blocks for row in _shown(block.rows) if metric in row.cells}
    return list(found)[: len(LOOKS)]
