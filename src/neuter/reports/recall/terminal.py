"""Recall tables for the terminal: our figure, its interval and the published one below each other, at any width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from neuter.reports.recall.layouts import Column
from neuter.reports.recall.table_values import (
    RecallPanel,
    RecallRow,
    RecallTable,
    interval_text,
    published_text,
    value_text,
)
from neuter.reports.tables import NotRun, not_run_of
from neuter.reports.wording import is_small_model

#: Characters of a heading's line, of a row's title, and between columns; and at most of a column of words.
_HEAD, _TITLE, _GAP = 12, 24, 1
_WORDS = {"text": 26, "passage": 52}
_NOTES = "Notes"


@dataclass(frozen=True, slots=True)
class RecallView:
    """Tables that print themselves with rich, what was not run, and sentences to close with."""

    tables: Sequence[RecallTable]
    not_run: Sequence[Mapping[str, Any]] = ()
    closing: Sequence[str] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for table in self.tables:
            yield from _table(table, options.max_width)
        if not self.tables:
            yield Text("No scores: nothing was asked, or nothing computed.")
        for missing in map(not_run_of, self.not_run):
            yield _missing(missing)
        for sentence in self.closing:
            yield Text(f"• {sentence}")


def _missing(missing: NotRun) -> Text:
    whose = missing.series.model_title or missing.series.title
    return Text.assemble((whose, "bold"), f" not run: {missing.reason}")


def _table(table: RecallTable, width: int) -> Iterator[Any]:
    mark = " †" if is_small_model(table.model) else ""
    model = f"  {table.model}{mark}" if table.model else ""
    yield Text.assemble((table.heading, "bold"), model)
    yield Text("")
    for panel in table.panels:
        if panel.title:
            yield Text(panel.title, style="italic")
        for place, tier in enumerate(_tiers(panel, table.published, width)):
            if place:
                yield Text("")
            yield from _tier(panel, table.published, tier)
        yield Text("")
    for place, text in enumerate(table.notes, 1):
        yield Text(f"{place}  {text}")
    for remark in table.remarks:
        yield Text(remark, style="dim")
    yield Text("")


def _tiers(panel: RecallPanel, published: str, width: int) -> list[list[int]]:
    """The columns in as many tiers as the width needs; place −1 is that of the notes."""
    room = width - _title_width(panel, published)
    places = [*range(len(panel.columns)), *([-1] if any(row.notes for row in panel.rows) else [])]
    widths = {place: _width(panel, published, place) + _GAP for place in places}
    needed = len(_filled(places, widths, room))
    # The narrowest room that needs no more tiers: two halves read better than a full tier and one column.
    rooms = range(max(widths.values()), max(room, *widths.values()) + 1)
    return next(tiers for r in rooms if len(tiers := _filled(places, widths, r)) <= needed)


def _filled(places: Sequence[int], widths: Mapping[int, int], room: int) -> list[list[int]]:
    tiers: list[list[int]] = [[]]
    for place in places:
        if tiers[-1] and sum(widths[one] for one in tiers[-1]) + widths[place] > room:
            tiers.append([])
        tiers[-1].append(place)
    return tiers


def _title_width(panel: RecallPanel, published: str) -> int:
    titles = [len(row.title) for row in panel.rows]
    return min(_TITLE, max([*titles, len(published) + 3 if published else 0], default=0)) + 1


def _width(panel: RecallPanel, published: str, place: int) -> int:
    if place == -1:
        return max([len(_NOTES), *(len(_numbers(row)) for row in panel.rows)])
    column = panel.columns[place]
    lines = _stacked(column.title).splitlines()
    texts = (text for row in panel.rows for text in _texts(row, column, place, published))
    width = max(map(len, [*lines, *texts]))
    return min(width, _WORDS[column.kind]) if column.is_text else width


def _texts(row: RecallRow, column: Column, place: int, published: str) -> tuple[str, str, str]:
    """Our figure, its interval, and the published one."""
    cell = row.cells[place]
    empty = "–" if column.kind in ("figure", "month") and not row.reference else ""
    ours = value_text(cell.value, column, cell.unit) or empty
    theirs = published_text(cell, column) if published and row.has_published else ""
    return ours, interval_text(cell, column, gap=","), theirs


def _tier(panel: RecallPanel, published: str, tier: Sequence[int]) -> Iterator[Any]:
    """The blocks below each other, in columns of the same widths, the first one with the headings."""
    for place, block in enumerate(panel.blocks):
        if block.title and not place:
            yield _grid(panel, published, tier, (), headed=True)
        if block.title:
            yield Text(block.title, style="italic")
        yield _grid(panel, published, tier, block.rows, headed=not place and not block.title)


def _grid(
    panel: RecallPanel, published: str, tier: Sequence[int], rows: Sequence[RecallRow], *, headed: bool
) -> Table:
    grid = Table(box=None, padding=(0, 0, 0, _GAP), pad_edge=False, show_header=headed)
    grid.add_column("", width=_title_width(panel, published) - 1, overflow="fold")
    for place in tier:
        _add_column(grid, panel, published, place)
    for row in rows:
        for line in _lines(row, panel.columns, published, tier):
            grid.add_row(*line, style="dim" if row.reference else None)
    return grid


def _add_column(grid: Table, panel: RecallPanel, published: str, place: int) -> None:
    head = _NOTES if place == -1 else _stacked(panel.columns[place].title)
    width = _width(panel, published, place)
    if place >= 0 and panel.columns[place].is_text:
        grid.add_column(Text(head), overflow="fold", width=width)
    else:
        grid.add_column(Text(head, justify="right"), justify="right", no_wrap=True, width=width)


def _lines(
    row: RecallRow, columns: Sequence[Column], published: str, tier: Sequence[int]
) -> Iterator[list[Text]]:
    texts = [("", "", "") if k == -1 else _texts(row, columns[k], k, published) for k in tier]
    if row.reference and not any(map(any, texts)):
        return
    ours = [Text(_numbers(row)) if k == -1 else Text(text[0]) for k, text in zip(tier, texts, strict=True)]
    yield [Text(row.title), *ours]
    if any(text[1] for text in texts):
        yield [Text(""), *(Text(text[1], style="dim") for text in texts)]
    if any(text[2] for text in texts):
        whose = f" {published}" if row.comparable else f" ({published})"
        yield [Text(whose, style="dim"), *(Text(text[2], style="dim") for text in texts)]


def _numbers(row: RecallRow) -> str:
    return ",".join(map(str, row.notes))


def _stacked(title: str) -> str:
    """A heading in lines of a word or two, so that a column is no wider than its figures."""
    lines: list[str] = []
    for word in title.split():
        if lines and len(lines[-1]) + 1 + len(word) <= _HEAD:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)
