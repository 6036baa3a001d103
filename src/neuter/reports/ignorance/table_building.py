"""Rows and cells of the ignorance tables: ours from the scores, the paper's from its published figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from neuter.reports.ignorance.score_lookup import ForecastScores, Row
from neuter.reports.recall.layouts import Column
from neuter.reports.recall.table_values import (
    RecallBlock,
    RecallCell,
    RecallPanel,
    RecallRow,
    RecallTable,
    Value,
    without_empty_columns,
)
from neuter.suites.ignorance.published import PublishedFigure, published_ignorance

#: Decimals of a Brier score, as the paper prints it.
BRIER = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """A column and the figure that it shows in each row: ``place`` are columns of the scores."""

    column: Column
    metric: str
    place: Mapping[str, str] = field(default_factory=dict)


def figure(title: str, metric: str, places: int = BRIER, **place: str) -> Asked:
    """A column of figures."""
    return Asked(Column(title, title, kind="figure", places=places), metric, place)


def text_column(title: str, *, long: bool = False) -> Column:
    return Column(title, title, kind="passage" if long else "text")


def count_column(title: str) -> Column:
    return Column(title, title, kind="count")


def figure_column(title: str, places: int = BRIER) -> Column:
    return Column(title, title, kind="figure", places=places)


def cell_of(row: Row | None) -> RecallCell:
    """A row of the scores as a cell; a share is told in percent."""
    if row is None:
        return RecallCell(unit="brier")
    share = row["unit"] == "share" and not row["metric"].startswith("kappa")
    factor, unit = (100.0, "percent") if share else (1.0, row["unit"] or "brier")
    value, low, high = (_times(row.get(name), factor) for name in ("value", "ci_low", "ci_high"))
    return RecallCell(value=value, low=low, high=high, n=row.get("n"), unit=unit)


def said(value: Value, unit: str = "brier") -> RecallCell:
    """A cell without an interval."""
    return RecallCell(value=value, unit=unit)


def our_row(
    title: str, asked: Sequence[Asked], scores: ForecastScores, notes: Notes, **place: str
) -> RecallRow | None:
    """A row of our figures at a place, with their caveats as notes; None where the scores have none of them."""
    found = [scores.row(one.metric, **{**place, **one.place}) for one in asked]
    if all(row is None or row["value"] is None for row in found):
        return None
    told = dict.fromkeys(text for row in found if row for text in scores.caveats(row))
    return RecallRow(title, tuple(map(cell_of, found)), tuple(map(notes.add, told)))


def paper_row(
    asked: Sequence[Asked], notes: Notes, title: str = "", panel: str = "fixed", **place: str
) -> RecallRow | None:
    """The paper's figures at a place, with its flags as notes; None where it prints none of them."""
    paper = published_ignorance()
    found = [paper.figure(panel, one.metric, **{**place, **one.place}) for one in asked]
    if not any(found):
        return None
    flags = tuple(dict.fromkeys(notes.number(one) for one in found if one and one.flag))
    whose = title or paper.mean_of_groups.get(place.get("group", ""), paper.mean_of)
    return RecallRow(whose, tuple(map(_published, found)), flags, reference=True)


class Notes:
    """The notes of a table in the making, numbered as they come."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {}

    def number(self, one: PublishedFigure) -> int:
        """The note that says what does not fit in a published figure."""
        return self.add(f"{one.source}: {one.flag}.")

    def add(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts) + 1)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(self._texts)


def block(title: str, rows: Iterable[RecallRow | None], *, ours: bool = False) -> RecallBlock | None:
    """A block of the rows that there are; None where none of them is ours."""
    there = tuple(row for row in rows if row is not None)
    if all(row.reference for row in there):
        return None
    return RecallBlock(title, there, ours)


def panel(
    columns: Sequence[Column], blocks: Iterable[RecallBlock | None], title: str = "", *, whole: bool = False
) -> RecallPanel | None:
    """A panel of the blocks that there are, without empty columns unless ``whole``; None where there are none."""
    there = tuple(one for one in blocks if one is not None)
    if not there:
        return None
    made = RecallPanel(title, tuple(columns), there)
    return made if whole else without_empty_columns(made)


def table(
    name: str,
    title: str,
    panels: Iterable[RecallPanel | None],
    *,
    notes: Notes | None = None,
    remarks: Iterable[str] = (),
) -> RecallTable | None:
    """A table of the paper where ``name`` is ``table-N``, else one beyond it; None where it has no rows."""
    there = tuple(one for one in panels if one is not None)
    if not there:
        return None
    number = name.removeprefix("table-")
    paper = name.startswith("table-")
    heading = f"Table {number}" if paper else "Beyond the paper"
    texts = notes.texts if notes else ()
    return RecallTable(
        name,
        heading,
        title,
        "",
        there,
        texts,
        tuple(filter(None, remarks)),
        beyond=not paper,
        paper=published_ignorance().short,
    )


def _published(one: PublishedFigure | None) -> RecallCell:
    if one is None:
        return RecallCell(unit="brier")
    share = one.unit == "share" and one.metric != "kappa"
    return RecallCell(value=one.value * 100 if share else one.value, unit="percent" if share else one.unit)


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
