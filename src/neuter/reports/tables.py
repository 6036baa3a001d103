"""The scores as a table for the terminal, readable at any width and without colour, and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from neuter.reports.score_blocks import Block, Cell, Row, Series, blocks_of, once, series_of
from neuter.reports.table_notes import caveat_lines
from neuter.reports.wording import (
    BASELINE_NOTE,
    MAIN_METRICS,
    SMALL_MODEL,
    SMALL_MODEL_NOTE,
    UNITS,
    is_small_model,
    measure,
    number,
    one_line,
    visible,
)

if TYPE_CHECKING:
    import polars as pl

_GAP = 2
_INDENT = 2


@dataclass(frozen=True, slots=True)
class NotRun:
    """A scheme and attacker that the run left out, and why."""

    series: Series
    reason: str


def score_table(
    scores: pl.DataFrame,
    *,
    by: str = "size",
    metrics: Sequence[str] = MAIN_METRICS,
    not_run: Iterable[Mapping[str, Any]] = (),
    caveats: Iterable[Mapping[str, Any]] = (),
    title: str | None = None,
) -> Table:
    """The table of ``scores`` for the terminal: each scheme and attacker with a row for All and each group.

    Args:
        scores: the tidy scores table.
        by: the grouping whose rows follow All: ``all``, ``size``, ``firm``, ``sector`` or ``year``.
        metrics: the columns; those that do not fit beside the others stand below them.
        not_run: rows of ``run.json`` (scheme, attacker, model, reason) that say what is missing.
        caveats: of ``run.json``; those of the figures shown stand below the table.
        title: a heading; nothing where None.

    A cell holds the value over answered documents, its 95% interval in brackets, and its baseline.

    Raises:
        UsageError: ``by`` is no grouping.
        RunError: columns of the tidy scores table are missing.
    """
    found = blocks_of(scores, by)
    blocks = once(found)
    told = caveat_lines(list(caveats), found, metrics)
    table = Table(
        box=None,
        show_header=False,
        padding=0,
        pad_edge=False,
        title=Text(visible(title)) if title else None,
        title_justify="left",
        caption=Text("\n".join([caption(blocks), *told])),
        caption_justify="left",
    )
    table.add_column(ratio=1)
    table.add_row(_Body(tuple(blocks), tuple(metrics), tuple(map(not_run_of, not_run))))
    return table


def not_run_of(raw: Mapping[str, Any]) -> NotRun:
    """A ``not_run`` row of run.json as a value."""
    return NotRun(series_of(raw), one_line(str(raw.get("reason") or "no reason was recorded")))


def caption(blocks: Sequence[Block]) -> str:
    """What the numbers are, and a warning where a model that knows little finance made some of them."""
    text = (
        "Percent of answered documents, [95% interval], and the baseline: " + BASELINE_NOTE + ". "
        "n: documents answered."
    )
    if any(is_small_model(block.series.model) for block in blocks):
        text += "\n" + SMALL_MODEL_NOTE
    return text


@dataclass(frozen=True, slots=True)
class _Layout:
    """Widths in characters. A wide cell has decimals in its interval, a narrow one has none."""

    wide: bool
    group: int
    count: int
    columns: tuple[tuple[str, ...], ...]

    @property
    def cell(self) -> int:
        return 26 if self.wide else 19


@dataclass(frozen=True, slots=True)
class _Body:
    """All blocks, laid out when the width is known."""

    blocks: tuple[Block, ...]
    metrics: tuple[str, ...]
    not_run: tuple[NotRun, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        layout = _choose_layout(self.blocks, self.metrics, options.max_width)
        repeat = len(layout.columns) > 1
        for place, block in enumerate(self.blocks):
            if not repeat and place == 0:
                yield _header(layout, layout.columns[0], _units(self.blocks))
            yield from _block(block, layout, with_header=repeat)
        for missing in self.not_run:
            yield Group(
                Text(missing.series.title, style="bold"), _aside(f"not run: {missing.reason}"), Text("")
            )
        if not self.blocks and not self.not_run:
            yield Text("No scores.")


def _choose_layout(blocks: Sequence[Block], metrics: Sequence[str], width: int) -> _Layout:
    """Decimals in the intervals if all columns fit with them; else without; else in several tiers."""
    rows = [row for block in blocks for row in block.rows]
    longest = max((len(row.title) for row in rows), default=5)
    count = max(3, *(len(f"{row.n:,}") for row in rows)) if rows else 3
    for wide in (True, False):
        layout = _Layout(wide, min(longest, 28), count, (tuple(metrics),))
        if _width(layout, len(metrics)) <= width:
            return layout
    narrow = _Layout(False, min(longest, 18), count, ())
    fitting = max(1, next((k for k in range(len(metrics), 0, -1) if _width(narrow, k) <= width), 1))
    columns = tuple(tuple(metrics[i : i + fitting]) for i in range(0, len(metrics), fitting))
    return _Layout(False, narrow.group, count, columns)


def _width(layout: _Layout, columns: int) -> int:
    return _INDENT + layout.group + _GAP + layout.count + columns * (_GAP + layout.cell)


def _grid(layout: _Layout, columns: Sequence[str]) -> Table:
    grid = Table.grid(padding=(0, _GAP, 0, 0), pad_edge=False)
    grid.add_column(width=_INDENT + layout.group, no_wrap=True, overflow="ellipsis")
    grid.add_column(width=layout.count, justify="right", no_wrap=True)
    for _ in columns:
        grid.add_column(width=layout.cell, no_wrap=True, overflow="ellipsis")
    return grid


def _header(layout: _Layout, columns: Sequence[str], units: Mapping[str, str]) -> Table:
    grid = _grid(layout, columns)
    interval = "[95% interval]" if layout.wide else "[95% CI]"
    legends = (_join(units.get(metric, "%"), interval, "base", layout) for metric in columns)
    grid.add_row("", "", *(Text(measure(metric).title, style="bold") for metric in columns))
    grid.add_row("", Text("n", style="dim"), *(Text(legend, style="dim") for legend in legends))
    return grid


def _block(block: Block, layout: _Layout, *, with_header: bool) -> Iterable[Any]:
    note = f"  ({SMALL_MODEL})" if is_small_model(block.series.model) else ""
    yield Text.assemble((block.series.title, "bold"), (note, "dim"))
    for columns in layout.columns:
        if with_header:
            yield _header(layout, columns, _units([block]))
        grid = _grid(layout, columns)
        for row in block.rows:
            cells = (_cell(row.cells.get(metric), layout) for metric in columns)
            grid.add_row(Text(" " * _INDENT + row.title), f"{row.n:,}", *cells)
        yield grid
    if lost := _lost(block.whole):
        yield _aside(lost)
    yield Text("")


def _cell(cell: Cell | None, layout: _Layout) -> Text:
    if cell is None:
        return Text(_join("–", "", "", layout), style="dim")
    places = None if layout.wide else 0
    interval = ""
    if cell.low is not None and cell.high is not None:
        interval = f"[{number(cell.low, cell.unit, places)}, {number(cell.high, cell.unit, places)}]"
    base = "" if cell.baseline is None else number(cell.baseline, cell.unit, _base_places(cell, layout))
    return Text(_join(number(cell.value, cell.unit), interval, base, layout))


def _base_places(cell: Cell, layout: _Layout) -> int | None:
    """A narrow baseline keeps its decimal below ten, where the decimal is most of the number."""
    return None if layout.wide or abs(cell.baseline or 0) < 9.95 else 0


def _join(value: str, interval: str, base: str, layout: _Layout) -> str:
    if layout.wide:
        return f"{value:>5} {interval:<14} {base:>5}".rstrip()
    return f"{value:>4} {interval:<9} {base:>4}".rstrip()


def _lost(row: Row | None) -> str:
    """How many documents have no answer, and what the first metric is with those counted wrong and right."""
    if row is None or not row.lost:
        return ""
    parts = ", ".join(f"{count:,} {name}" for name, count in row.lost.items())
    text = f"not answered: {parts}"
    if span := row.span("firm_accuracy"):
        text += f"; with those counted wrong or right, firm found is {number(span[0])} to {number(span[1])}%"
    return text


def _aside(text: str) -> Padding:
    return Padding(Text(text, style="italic"), (0, 0, 0, _INDENT))


def to_markdown(scores: pl.DataFrame, *, by: str = "size", metrics: Sequence[str] = MAIN_METRICS) -> str:
    """The same table in Markdown, one row for each scheme, attacker and group.

    Raises:
        UsageError: ``by`` is no grouping.
        RunError: columns of the tidy scores table are missing.
    """
    blocks = blocks_of(scores, by)
    units = _units(blocks)
    heads = ["Scheme", "Attacker", "Group", "n", *(_heading(metric, units) for metric in metrics)]
    lines = ["| " + " | ".join(heads) + " |", "|---|---|---|--:|" + "--:|" * len(metrics)]
    for block in blocks:
        for row in block.rows:
            names = (block.series.scheme, block.series.attacker_title, row.title)
            cells = (_markdown_cell(row.cells.get(metric)) for metric in metrics)
            lines.append("| " + " | ".join([*map(_escape_markdown, names), f"{row.n:,}", *cells]) + " |")
    return "\n".join([*lines, "", _escape_markdown(caption(blocks).replace("\n", " ")), ""])


def _heading(metric: str, units: Mapping[str, str]) -> str:
    title = measure(metric).title
    return f"{title} ({units[metric]})" if metric in units else title


def _units(blocks: Sequence[Block]) -> dict[str, str]:
    """The unit of each metric as it is written after a number."""
    cells = (cell for block in blocks for row in block.rows for cell in row.cells.values())
    return {cell.metric: UNITS.get(cell.unit, cell.unit) for cell in cells}


def _markdown_cell(cell: Cell | None) -> str:
    if cell is None:
        return "–"
    text = number(cell.value, cell.unit)
    if cell.low is not None and cell.high is not None:
        text += f" [{number(cell.low, cell.unit)}, {number(cell.high, cell.unit)}]"
    return text if cell.baseline is None else f"{text} vs {number(cell.baseline, cell.unit)}"


def _escape_markdown(text: str) -> str:
    """Only what would break out of a cell or become HTML; a name stays readable."""
    for char, safe in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(char, safe)
    return "".join(f"\\{char}" if char in "\\`*_|[]{}!#~" else char for char in one_line(text))
