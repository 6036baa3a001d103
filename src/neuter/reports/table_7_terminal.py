"""Table 7 for the terminal: the published figures beside ours where the width allows, else below them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from neuter.reports.table_7 import Table7, TableCell, TablePanel, TableRow
from neuter.reports.tables import NotRun, not_run_of
from neuter.reports.wording import SMALL_MODEL_NOTE, is_small_model, number

#: From here on a published figure fits beside each of ours.
_WIDE = 108
#: Characters of a heading's line: of five columns, and of more where there is little room.
_HEAD, _SHORT_HEAD = 11, 8
#: As many columns have room for blanks in intervals and long headings.
_FEW = 5
#: Decimals of a figure (as the paper prints it) and of an interval's ends, by unit.
_PLACES = {"percent": (2, 1), "years": (2, 2), "days": (0, 0)}


@dataclass(frozen=True, slots=True)
class Table7View:
    """Tables that print themselves with rich, and what was not run."""

    tables: Sequence[Table7]
    not_run: Sequence[Mapping[str, Any]] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in self.tables:
            yield from _table(table, options.max_width)
        for remark in dict.fromkeys(remark for table in self.tables for remark in table.remarks):
            yield Text(remark, style="dim")
        if any(is_small_model(table.series.model) for table in self.tables):
            yield Text(SMALL_MODEL_NOTE, style="dim")
        if not self.tables:
            yield Text("No scores: no model was asked about masked texts.")
        for missing in map(not_run_of, self.not_run):
            yield _missing(missing)


def _missing(missing: NotRun) -> Text:
    return Text.assemble((missing.series.title, "bold"), f" not run: {missing.reason}")


@dataclass(frozen=True, slots=True)
class _Layout:
    """``wide``: decimals in intervals; ``beside``: published figures beside ours, else below; ``tight``: no blanks."""

    wide: bool
    beside: bool
    tight: bool

    @classmethod
    def of(cls, table: Table7, width: int) -> _Layout:
        wide = width >= _WIDE
        return cls(wide, wide and bool(table.published), not wide and len(table.columns) > _FEW)


def _table(table: Table7, width: int) -> Iterator[Any]:
    layout = _Layout.of(table, width)
    yield Text.assemble((table.series.title, "bold"), f"  {table.heading}")
    yield Text("")
    for panel in table.panels:
        yield Text(f"Panel {panel.letter}: {panel.title}", style="italic")
        if panel.corpus:
            yield Text(f"made on {panel.corpus}: the corpus given holds no document of these firms")
        yield _grid(table, panel, layout)
        yield Text("")
    for place, text in enumerate(table.notes, 1):
        yield Text(f"{place}  {text}")
    yield Text("")


def _grid(table: Table7, panel: TablePanel, layout: _Layout) -> Table:
    grid = Table(box=None, padding=(0, 0, 0, 2 if layout.wide else 1), pad_edge=False)
    grid.add_column(Text(panel.head), no_wrap=True)
    for title in (_stacked(column.title, _SHORT_HEAD if layout.tight else _HEAD) for column in table.columns):
        under = f"\n{'ours':>7} {table.published:>7}" if layout.beside else ""
        grid.add_column(Text(title + under, justify="right"), justify="right", no_wrap=True)
    under = f"\nours {table.published}" if layout.beside else ""
    grid.add_column(Text(f"Num\nObs{under}", justify="right"), justify="right", no_wrap=True)
    grid.add_column(Text("#" if layout.tight else "Notes"), min_width=2 if layout.tight else 5)
    for row in panel.rows:
        for line in _lines(row, table.published, layout):
            grid.add_row(*line)
    return grid


def _lines(row: TableRow, published: str, layout: _Layout) -> Iterator[list[Text]]:
    """The row's figures; its intervals, if it has any; and without room beside them the published ones."""
    style = {"baseline": "dim", "all": "bold"}.get(row.kind, "")
    notes = Text(", ".join(map(str, row.notes)))
    figures = (_figures(cell, row.kind, layout) for cell in row.cells)
    yield [Text(row.title, style=style), *figures, _counts(row, layout), notes]
    intervals = [_interval(cell, layout) for cell in row.cells]
    if any(intervals):
        yield [Text(""), *(Text(text, style="dim") for text in intervals)]
    if not layout.beside and row.published_n:
        below = (Text(_figure(cell.published, cell), style="dim") for cell in row.cells)
        yield [Text(f" {published}", style="dim"), *below, Text(f"{row.published_n:,}", style="dim")]


def _figures(cell: TableCell, kind: str, layout: _Layout) -> Text:
    empty = "" if kind == "baseline" else "–"
    ours = empty if cell.value is None else _figure(cell.value, cell)
    if not layout.beside:
        return Text(ours)
    return Text.assemble(f"{ours:>7} ", (f"{_figure(cell.published, cell):>7}", "dim"))


def _counts(row: TableRow, layout: _Layout) -> Text:
    count = "" if row.n is None else str(row.n) if layout.tight else f"{row.n:,}"
    if not layout.beside:
        return Text(count)
    return Text.assemble(f"{count:>4} ", (f"{row.published_n or '':>6}", "dim"))


def _figure(value: float | None, cell: TableCell) -> str:
    return "" if value is None else number(value, cell.unit, _PLACES.get(cell.unit, (2, 2))[0])


def _interval(cell: TableCell, layout: _Layout) -> str:
    if cell.low is None or cell.high is None:
        return ""
    places = max(0, _PLACES.get(cell.unit, (2, 2))[1] - (not layout.wide))
    gap = "," if layout.tight else ", "
    return f"[{number(cell.low, cell.unit, places)}{gap}{number(cell.high, cell.unit, places)}]"


def _stacked(title: str, most: int) -> str:
    """A heading in lines of a word or two, so that a column is no wider than its figures."""
    lines: list[str] = []
    for word in title.split():
        if lines and len(lines[-1]) + 1 + len(word) <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)
