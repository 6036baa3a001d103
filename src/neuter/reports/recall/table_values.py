"""Tables of recall runs as values: panels, blocks, rows and cells, and each cell as text. Shown by others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from neuter.reports.recall.layouts import Column
from neuter.reports.wording import number

#: A figure, a count, a day, a month as a decimal year, or words; None where there is none.
Value = float | date | str | None
#: From here on the ends of an interval are told with one decimal.
_LARGE = 10.0


@dataclass(frozen=True, slots=True)
class RecallCell:
    """A figure with its interval and the published one beside.

    ``printed`` is what the paper prints where that is flagged; ``published`` is then what it should be, if that is
    known. ``n`` is over how many points the figure is; ``baseline`` what Table A1's baseline gives.
    """

    value: Value = None
    low: float | None = None
    high: float | None = None
    published: Value = None
    printed: float | None = None
    flagged: bool = False
    baseline: float | None = None
    n: int | None = None
    unit: str = "percent"


@dataclass(frozen=True, slots=True)
class RecallRow:
    """``notes`` are numbers of the table's notes; not ``comparable`` are published figures of other data.

    A ``reference`` is a row of the paper's own figures, for which there is no row of ours.
    """

    title: str
    cells: tuple[RecallCell, ...]
    notes: tuple[int, ...] = ()
    has_published: bool = False
    comparable: bool = True
    reference: bool = False


@dataclass(frozen=True, slots=True)
class RecallBlock:
    """Rows under one heading. ``ours``: the paper's table has no such rows."""

    title: str
    rows: tuple[RecallRow, ...]
    ours: bool = False


@dataclass(frozen=True, slots=True)
class RecallPanel:
    """Blocks with the same columns."""

    title: str
    columns: tuple[Column, ...]
    blocks: tuple[RecallBlock, ...]
    ours: bool = False

    @property
    def rows(self) -> Iterator[RecallRow]:
        for block in self.blocks:
            yield from block.rows


@dataclass(frozen=True, slots=True)
class RecallTable:
    """What one model remembers. ``notes`` are numbered from 1; ``published`` names whose figures stand beside.

    ``paper`` is the one whose table it is.
    """

    name: str
    number: str
    title: str
    model: str
    panels: tuple[RecallPanel, ...]
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    published: str = ""
    beyond: bool = False
    paper: str = "The Memorization Problem"

    @property
    def heading(self) -> str:
        return f"{self.number}: {self.title}"

    @property
    def has_published(self) -> bool:
        """Whether any row has published figures beside."""
        return any(row.has_published for panel in self.panels for row in panel.rows)


def without_empty_columns(panel: RecallPanel) -> RecallPanel:
    """What a panel has nothing of is no column of dashes."""
    rows = list(panel.rows)
    every = range(len(panel.columns))
    kept = [k for k in every if any(row.cells[k].value is not None for row in rows)] or list(every)
    blocks = tuple(
        replace(
            block, rows=tuple(replace(row, cells=tuple(row.cells[k] for k in kept)) for row in block.rows)
        )
        for block in panel.blocks
    )
    return replace(panel, columns=tuple(panel.columns[k] for k in kept), blocks=blocks)


def value_text(value: Value, column: Column, unit: str = "percent") -> str:
    """A value as its column prints it; empty where there is none. Words are left for their reader to escape.

    >>> value_text(2023.75, Column("cutoff", "Cutoff", kind="month")), value_text(-0.5, Column("mpe", "MPE"))
    ('2023-10', '−0.50')
    """
    if value is None:
        return ""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        return value
    if column.kind == "month":
        return month_of(value)
    return f"{value:,.0f}" if column.kind == "count" else number(value, unit, column.places)


def interval_text(cell: RecallCell, column: Column, *, gap: str = ", ") -> str:
    """The interval in brackets; empty where there is none."""
    if cell.low is None or cell.high is None:
        return ""
    if column.kind == "month":
        return f"[{month_of(cell.low)}{gap}{month_of(cell.high)}]"
    places = 1 if min(abs(cell.low), abs(cell.high)) >= _LARGE else column.places
    return f"[{number(cell.low, cell.unit, places)}{gap}{number(cell.high, cell.unit, places)}]"


def published_text(cell: RecallCell, column: Column) -> str:
    """The published figure, with ‡ where it is flagged; then what the paper prints if no other is known."""
    shown = cell.printed if cell.published is None and cell.flagged else cell.published
    text = value_text(shown, column, cell.unit)
    return f"{text}‡" if cell.flagged and text else text


def month_of(decimal_year: float) -> str:
    """A decimal year at the start of a month as that month.

    >>> month_of(2023.75), month_of(2024.0), month_of(2023.916667)
    ('2023-10', '2024-01', '2023-12')
    """
    months = round(decimal_year * 12)
    return f"{months // 12:04d}-{months % 12 + 1:02d}" if math.isfinite(decimal_year) else ""
