"""Table 7 for LaTeX (booktabs), in the paper's layout, with the published columns beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from neuter.reports.latex import below, escape, escape_number, stacked
from neuter.reports.table_7 import Table7, TableCell, TablePanel, TableRow
from neuter.reports.wording import SMALL_MODEL, is_small_model, number

_PLACES = {"days": 0}


def latex_of(tables: Iterable[Table7]) -> dict[str, str]:
    """Each table by file name without its ending: ``table-7--SCHEME--ATTACKER--MODEL``.

    Percentages and years have two decimals, as the paper's. Intervals stand below the figures. Needs ``booktabs`` and
    ``graphicx`` (a table is scaled to the width of the page).
    """
    found: dict[str, str] = {}
    for table in tables:
        name = f"table-7--{table.series.file_name}"
        name = f"{name}--readings" if name in found else name
        found[name] = _table(table, name)
    return found


def _table(table: Table7, name: str) -> str:
    each = 2 if table.published else 1
    lines = [
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{escape(_caption(table))}}}",
        rf"\label{{tab:{name}}}",
        r"\footnotesize",
        r"\resizebox{\linewidth}{!}{%",
        r"\begin{tabular}{l" + "r" * each * (len(table.columns) + 1) + "l}",
        r"\toprule",
    ]
    for place, panel in enumerate(table.panels):
        lines += [r"\addlinespace"] if place else []
        lines += list(_panel(table, panel, each))
    lines += [r"\bottomrule", r"\end{tabular}}", _notes(table), r"\end{table}", ""]
    return "\n".join(lines)


def _caption(table: Table7) -> str:
    series = table.series
    return f"Identification from masked text: {series.scheme}, attacked by {series.attacker_title}. {table.heading}"


def _panel(table: Table7, panel: TablePanel, each: int) -> Iterator[str]:
    wide = each * (len(table.columns) + 1) + 2
    title = f"Panel {panel.letter}: {panel.title}" + (f" (made on {panel.corpus})" if panel.corpus else "")
    yield rf"\multicolumn{{{wide}}}{{l}}{{\textit{{{escape(title)}}}}} \\"
    yield r"\midrule"
    heads = [
        rf"\multicolumn{{{each}}}{{c}}{{\shortstack{{{stacked(title)}}}}}"
        for title in (*(column.title for column in table.columns), "Num Obs")
    ]
    yield " & ".join([escape(panel.head), *heads, "Notes"]) + r" \\"
    if table.published:
        pair = ["Ours", escape(table.published)] * (len(table.columns) + 1)
        yield " & ".join(["", *pair, ""]) + r" \\"
    yield r"\midrule"
    for row in panel.rows:
        yield from _row(row, each)


def _row(row: TableRow, each: int) -> Iterator[str]:
    if row.kind == "all":
        yield r"\midrule"
    empty = "" if row.kind == "baseline" else "--"
    figures: list[str] = []
    for cell in row.cells:
        figures.append(_figure(cell.value, cell, empty))
        figures += [_figure(cell.published, cell, "")] if each == 2 else []
    counts = ["" if row.n is None else str(row.n), *([str(row.published_n or "")] if each == 2 else [])]
    title = escape(row.title) if row.kind != "baseline" else rf"\textit{{{escape(row.title)}}}"
    notes = ",".join(map(str, row.notes))
    yield " & ".join([title, *figures, *counts, f"$^{{{notes}}}$" if notes else ""]) + r" \\"
    intervals = [_interval(cell) for cell in row.cells]
    if any(intervals):
        # To the left of both columns it begins under our figure; to their right it would be the published one's.
        side = "l" if each == 2 else "r"
        spread = [rf"\multicolumn{{{each}}}{{{side}}}{{{text}}}" for text in intervals]
        yield " & ".join(["", *spread]) + r" \\"


def _figure(value: float | None, cell: TableCell, empty: str) -> str:
    text = empty if value is None else number(value, cell.unit, _PLACES.get(cell.unit, 2))
    return escape_number(text)


def _interval(cell: TableCell) -> str:
    if cell.low is None or cell.high is None:
        return ""
    places = _PLACES.get(cell.unit, 2)
    low, high = (escape_number(number(end, cell.unit, places)) for end in (cell.low, cell.high))
    return rf"\scriptsize{{}}[{low}, {high}]"


def _notes(table: Table7) -> str:
    told = [rf"$^{{{place}}}$ {escape(text)}" for place, text in enumerate(table.notes, 1)]
    told += [escape(remark) for remark in table.remarks]
    if is_small_model(table.series.model):
        told.append(rf"\textdagger{{}} An embedded model that {SMALL_MODEL}.")
    return below(told)
