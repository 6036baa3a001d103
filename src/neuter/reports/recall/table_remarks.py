"""What holds for a whole recall table: how to read it, what its options mean, what was not asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from neuter.reports.recall.layouts import Layouts, TableLayout
from neuter.reports.recall.published_beside import PublishedBeside
from neuter.reports.recall.table_values import RecallTable
from neuter.reports.wording import SMALL_MODEL, is_small_model, one_line

#: The suites whose answers may be refused by a 0.
_ANY = "any"


def remarks_of(
    layout: TableLayout,
    table: RecallTable,
    run: Mapping[str, Any],
    known: Layouts,
    *,
    absent: Sequence[str],
    beside: PublishedBeside,
) -> Iterator[str]:
    """The remarks below a table, in order.

    Args:
        absent: the paper's rows about which nothing was asked.
        beside: the published figures.
    """
    if _has_intervals(table):
        yield f"In brackets: 95% interval. Figures are over answered questions{_counted(table)}."
    yield from layout.remarks
    if layout.kind != "beyond":
        yield from _choices(run, known)
        if table.has_published:
            yield _whose(layout, beside)
            yield from map(one_line, beside.notes)
        if any(cell.flagged for panel in table.panels for row in panel.rows for cell in row.cells):
            yield "‡ A published figure that cannot be right as printed, or is put into other terms; see the note."
        if absent:
            yield f"Not asked in this run: {'; '.join(dict.fromkeys(absent))}."
    if is_small_model(table.model):
        yield f"† An embedded model that {SMALL_MODEL}: its figures say little about larger ones."


def _whose(layout: TableLayout, beside: PublishedBeside) -> str:
    told = f"published in {layout.number} of “The Memorization Problem”"
    if layout.about == "data":
        return f"In the rows “{beside.model}”: {told}."
    return f"{beside.model}: {told}, for that model, its cutoff and the dates printed there."


def _has_intervals(table: RecallTable) -> bool:
    return any(cell.low is not None for panel in table.panels for row in panel.rows for cell in row.cells)


def _counted(table: RecallTable) -> str:
    counted = any(column.title == "Num Obs" for panel in table.panels for column in panel.columns)
    return ", which Num Obs counts" if counted else ""


def _choices(run: Mapping[str, Any], known: Layouts) -> Iterator[str]:
    """What the run's options mean for its figures."""
    suite = str(run.get("suite") or "")
    if suite == "summary":
        return
    config = run.get("config") or {}
    for option, sentences in {**known.choices.get(suite, {}), **known.choices[_ANY]}.items():
        if option == "change" and suite == "headlines":
            continue
        chosen = config.get(option)
        told = sentences.get(str(chosen).lower() if isinstance(chosen, bool) else str(chosen))
        yield one_line(told or sentences["default"])
