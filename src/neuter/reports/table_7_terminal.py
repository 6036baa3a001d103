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
            yield from _table(table, wide=options.max_width >= _WIDE)
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


def _table(table: Table7, *, wide: bool) -> Iterator[Any]:
    yield Text.assemble((table.series.title, "bold"), f"  {table.heading}")
    yield Text("")
    for panel in table.panels:
        yield Text(f"Panel {panel.letter}: {panel.title}", style="italic")
        if panel.corpus:
            yield Text(f"made on {panel.corpus}: the corpus given holds no document of these firms")
        yield _grid(table, panel, wide=wide and bool(table.published))
        yield Text("")
    for place, text in enumerate(table.notes, 1):
        yield Text(f"{place}  {text}")
    yield Text("")


def _grid(table: Table7, panel: TablePanel, *, wide: bool) -> Table:
    """A column a metric; with ``wide`` the published figure stands in it beside ours."""
    grid = Table(box=None, padding=(0, 0, 0, 2 if wide else 1), pad_edge=False)
    under = f"\n{'ours':>7} {table.published:>7}" if wide else ""
    grid.add_column(Text(panel.head), no_wrap=True)
    head = _HEAD if wide or len(table.columns) <= _FEW else _SHORT_HEAD
    for column in table.columns:
        grid.add_column(
            Text(_stacked(column.title, head) + under, justify="right"), justify="right", no_wrap=True
        )
    counts = f"\nours {table.published}" if wide else ""
    grid.add_column(Text(f"Num\nObs{counts}", justify="right"), justify="right", no_wrap=True)
    grid.add_column(Text("Notes"), no_wrap=True)
    for row in panel.rows:
        for line in _lines(row, table, wide=wide):
            grid.add_row(*line)
    return grid


def _lines(row: TableRow, table: Table7, *, wide: bool) -> Iterator[list[Text]]:
    """The row's figures; its intervals, if it has any; and with little room the published ones."""
    style = {"baseline": "dim", "all": "bold"}.get(row.kind, "")
    title = Text(row.title, style=style)
    notes = Text(",".join(map(str, row.notes)))
    yield [
        title,
        *(_figures(cell, row.kind, wide=wide) for cell in row.cells),
        _counts(row, wide=wide),
        notes,
    ]
    tight = not wide and len(row.cells) > _FEW
    intervals = [_interval(cell, narrow=not wide, tight=tight) for cell in row.cells]
    if any(intervals):
        yield [Text(""), *(Text(text, style="dim") for text in intervals)]
    if not wide and row.published_n:
        figures = (Text(_figure(cell.published, cell), style="dim") for cell in row.cells)
        yield [Text(f" {table.published}", style="dim"), *figures, Text(f"{row.published_n:,}", style="dim")]


def _figures(cell: TableCell, kind: str, *, wide: bool) -> Text:
    empty = "" if kind == "baseline" else "–"
    ours = empty if cell.value is None else _figure(cell.value, cell)
    if not wide:
        return Text(ours)
    return Text.assemble(f"{ours:>7} ", (f"{_figure(cell.published, cell):>7}", "dim"))


def _counts(row: TableRow, *, wide: bool) -> Text:
    count = "" if row.n is None else f"{row.n:,}"
    if not wide:
        return Text(count)
    return Text.assemble(f"{count:>4} ", (f"{row.published_n or '':>6}", "dim"))


def _figure(value: float | None, cell: TableCell) -> str:
    return "" if value is None else number(value, cell.unit, _PLACES.get(cell.unit, (2, 2))[0])


def _interval(cell: TableCell, *, narrow: bool, tight: bool) -> str:
    if cell.low is None or cell.high is None:
        return ""
    places = max(0, _PLACES.get(cell.unit, (2, 2))[1] - narrow)
    gap = "," if tight else ", "
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
