"""The tables of a recall run from its scores, with the published figures beside: rows and cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from neuter.reports.recall.layouts import Column, Layouts, PanelLayout, TableLayout, layouts
from neuter.reports.recall.published_beside import Published, PublishedBeside, PublishedRow, paper_of
from neuter.reports.recall.score_index import Place, ScoreIndex
from neuter.reports.recall.table_blocks import PlannedBlock, PlannedRow, blocks_of, panels_of
from neuter.reports.recall.table_notes import TableNotes
from neuter.reports.recall.table_remarks import remarks_of
from neuter.reports.recall.table_values import (
    RecallBlock,
    RecallCell,
    RecallPanel,
    RecallRow,
    RecallTable,
    Value,
    without_empty_columns,
)
from neuter.reports.wording import LOST, listing, one_line

if TYPE_CHECKING:
    import polars as pl


def recall_tables(
    scores: pl.DataFrame, run: Mapping[str, Any], *, paper: PublishedBeside | None = None
) -> list[RecallTable]:
    """For each model the paper's tables of the run's suite, then those beyond the paper.

    Args:
        scores: of a recall suite.
        run: its run.json.
        paper: the published figures; by default those that ship.

    A table without a row is left out.

    Raises:
        RunError: columns of the scores are missing.
    """
    suite = str(run.get("suite") or "")
    index, known = ScoreIndex(scores), layouts()
    beside = paper or paper_of(suite)
    made = [
        _Table(layout, model, index, beside, run, known).made()
        for model in index.models or [""]
        for layout in known.of(suite)
    ]
    return [table for table in made if table.panels]


@dataclass(frozen=True)
class _Table:
    """One table in the making: its layout, whose it is, and what its cells are looked up in."""

    layout: TableLayout
    model: str
    index: ScoreIndex
    paper: PublishedBeside
    run: Mapping[str, Any]
    known: Layouts
    notes: TableNotes = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", TableNotes(self.run, self.model))

    @property
    def beyond(self) -> bool:
        return self.layout.kind == "beyond"

    def made(self) -> RecallTable:
        planned = [
            (panel, list(blocks_of(panel, self.index, self.model, self.known)))
            for panel in panels_of(self.layout, self.index, self.known)
        ]
        panels = [made for panel, blocks in planned if (made := self._panel(panel, blocks))]
        table = RecallTable(
            self.layout.name,
            self.layout.number,
            self.layout.title,
            one_line(self.model),
            tuple(panels),
            self.notes.texts,
            beyond=self.beyond,
        )
        lacking = (told for panel, blocks in planned for told in _absent(panel, blocks))
        absent = [] if self.beyond else list(dict.fromkeys(lacking))
        whose = self.paper.model if table.has_published else ""
        remarks = remarks_of(self.layout, table, self.run, self.known, absent=absent, beside=self.paper)
        return replace(table, published=whose, remarks=tuple(remarks))

    def _panel(self, panel: PanelLayout, planned: Iterable[PlannedBlock]) -> RecallPanel | None:
        """The panel with its rows; None where it has none."""
        blocks = []
        for block in planned:
            rows = tuple(self._row(panel, row) for row in block.rows if self._shown(panel, row.place))
            if rows:
                blocks.append(RecallBlock(_recent(block.title, self.run), rows, block.ours))
        if not blocks:
            return None
        made = RecallPanel(panel.title, panel.columns, tuple(blocks), panel.ours)
        return without_empty_columns(made) if self.beyond else made

    def _shown(self, panel: PanelLayout, place: Place) -> bool:
        """The paper's rows always; of what is ours those that have what it is about."""
        if not self.beyond and not panel.needs:
            return True
        rows = self.index.at(place, self.model)
        if panel.unanswered and not any(row.get(name) for row in rows.values() for name in LOST):
            return False
        own = [column.metric for column in panel.columns if column.source == "llm"]
        return any(metric in rows for metric in panel.needs or own)

    def _row(self, panel: PanelLayout, planned: PlannedRow) -> RecallRow:
        place = planned.place
        beside = None if self.beyond else self.paper.row(place)
        own = {column.metric for column in panel.columns if column.kind in ("figure", "month")}
        cells = tuple(self._cell(column, place, beside, own) for column in panel.columns)
        apart = self._apart(panel, place, beside)
        told = [*self._flags(panel.columns, place, beside)]
        lacking = bool(planned.lacking) and all(cell.value is None for cell in cells)
        told += [f"{planned.lacking[:1].upper()}{planned.lacking[1:]}."] if lacking else []
        told += [f"Not comparable: {self.paper.model}’s figures are {apart}."] if apart else []
        numbers = self.notes.of(place, panel.columns, cells, told, empty=not lacking)
        title = f"{planned.title} ({planned.lacking.partition(':')[0]})" if lacking else planned.title
        return RecallRow(title, cells, numbers, beside is not None, not apart)

    def _cell(self, column: Column, place: Place, beside: PublishedRow | None, own: Set[str]) -> RecallCell:
        rows = self.index.at(place, self.model, column.source)
        raw = (rows.get(column.metric) if column.metric else _fullest(rows, own)) or {}
        known = self._published(column, place, beside, raw)
        interval = raw if column.field == "value" else {}
        return RecallCell(
            value=_value(raw, column) if raw else None,
            low=interval.get("ci_low"),
            high=interval.get("ci_high"),
            published=known.value if known else _day(column, beside),
            printed=known.printed if known else None,
            flagged=bool(known and known.flag),
            baseline=raw.get("baseline"),
            n=raw.get("n"),
            unit=raw.get("unit") or "percent",
        )

    def _published(
        self, column: Column, place: Place, beside: PublishedRow | None, raw: Mapping[str, Any]
    ) -> Published | None:
        """The paper's figure, unless it is in another unit than ours."""
        known = self.paper.figure(place, column.published) if beside and column.published else None
        return None if known and known.unit and raw.get("unit") not in (None, known.unit) else known

    def _flags(self, columns: Iterable[Column], place: Place, beside: PublishedRow | None) -> Iterator[str]:
        """What is wrong with published figures of a row, with the columns that it is about."""
        whose: dict[str, list[str]] = {}
        for column in columns:
            known = self._published(column, place, beside, {})
            if known and known.flag:
                whose.setdefault(one_line(known.flag), []).append(column.title.removesuffix(" (%)"))
        for flag, titles in whose.items():
            yield f"‡ {self.paper.model}, {listing(titles)}: {flag.removesuffix('.')}."

    def _apart(self, panel: PanelLayout, place: Place, beside: PublishedRow | None) -> str:
        """Why published figures cannot be compared with ours; nothing where they can.

        The scores decide: they have published figures beside them only where these are of the same data.
        """
        if beside is None:
            return ""
        if place.series in ((self.run.get("scoring") or {}).get("other_truths") or ()):
            other_dates = self.run.get("papers_dates") is False
            return "of other dates told than ours" if other_dates else "held against another truth than ours"
        if not self.layout.same_start:
            return ""
        rows = self.index.at(place, self.model)
        known = [column.metric for column in panel.columns if self._published(column, place, beside, {})]
        beside_ours = any(rows.get(metric, {}).get("published") is not None for metric in known)
        return "" if beside_ours else "over data that begin earlier than ours"


def _absent(panel: PanelLayout, planned: Iterable[PlannedBlock]) -> Iterator[str]:
    """The paper's blocks and rows about which nothing was asked, in words."""
    for block in planned:
        if block.absent and not block.ours:
            name = ", ".join(filter(None, [panel.title, block.title]))
            yield f"{name} ({', '.join(block.absent)})" if block.rows or not name else name


def _recent(title: str, run: Mapping[str, Any]) -> str:
    """The title of a recent part that the user has given another length."""
    years = (run.get("config") or {}).get("recent_years")
    return title.replace("Past 10 years", f"Past {years} years") if years else title


def _day(column: Column, beside: PublishedRow | None) -> date | None:
    """The published row's first or last date."""
    found: date | None = getattr(beside, column.field) if beside and column.kind == "date" else None
    return found


def _value(raw: Mapping[str, Any], column: Column) -> Value:
    if column.field == "asked":
        return int((raw.get("answered") or 0) + sum(raw.get(name) or 0 for name in LOST))
    found: Value = raw.get(column.field)
    return found


def _fullest(rows: Mapping[str, Mapping[str, Any]], own: Set[str]) -> Mapping[str, Any] | None:
    """The row of a panel's figures that is over most points: a change has one fewer, a correlation may have none."""
    shown = [row for metric, row in rows.items() if metric in own] or list(rows.values())
    return max(shown, key=lambda row: row.get("n") or 0, default=None)
