"""Recall tables for LaTeX (booktabs), in the paper's layout, with the published figures in the row below ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from neuter.reports.latex import below, escape, escape_number, stacked
from neuter.reports.recall.layouts import Column
from neuter.reports.recall.table_values import (
    RecallBlock,
    RecallCell,
    RecallPanel,
    RecallRow,
    RecallTable,
    published_text,
    value_text,
)
from neuter.reports.wording import number, slug
from neuter.whole_files import write_whole

#: How a column of longer texts is set.
_PASSAGE = "p{6cm}"


def latex_of(tables: Iterable[RecallTable]) -> dict[str, str]:
    """Each table by file name without its ending: ``table-1``, and with more than one model ``table-1--MODEL``.

    Intervals stand below our figures, the published ones below these. Needs ``booktabs`` and ``graphicx`` (a table is
    scaled to the width of the page).
    """
    listed = list(tables)
    several = len({table.model for table in listed}) > 1
    names = {
        place: f"{one.name}--{slug(one.model)}" if several else one.name for place, one in enumerate(listed)
    }
    return {names[place]: _table(table, names[place]) for place, table in enumerate(listed)}


def write_latex(tables: Iterable[RecallTable], folder: Path) -> list[Path]:
    """Write the tables of :func:`latex_of` into ``folder``. Raises RunError where a file cannot be written."""
    paths = []
    for name, text in latex_of(tables).items():
        path = folder / f"{name}.tex"
        write_whole(path, text)
        paths.append(path)
    return paths


def _table(table: RecallTable, name: str) -> str:
    wide = max(len(panel.columns) for panel in table.panels) + 2
    whose = "" if table.beyond else f" ({table.number} of {table.paper})"
    model = f", {table.model}" if table.model else ""
    lines = [
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{escape(table.title + whose + model)}}}",
        rf"\label{{tab:{name}}}",
        r"\footnotesize",
        r"\resizebox{\linewidth}{!}{%",
        rf"\begin{{tabular}}{{l{_alignment(table, wide - 2)}l}}",
        r"\toprule",
    ]
    for place, panel in enumerate(table.panels):
        lines += [r"\addlinespace"] if place else []
        lines += list(_panel(panel, table.published, wide))
    lines += [r"\bottomrule", r"\end{tabular}}", _notes(table), r"\end{table}", ""]
    return "\n".join(lines)


def _alignment(table: RecallTable, columns: int) -> str:
    """Figures to the right, words to the left, and passages in paragraphs; where panels differ, words decide."""
    kinds = [
        [panel.columns[k].kind for panel in table.panels if k < len(panel.columns)] for k in range(columns)
    ]
    return "".join(_PASSAGE if "passage" in of else "l" if "text" in of else "r" for of in kinds)


def _panel(panel: RecallPanel, published: str, wide: int) -> Iterator[str]:
    if panel.title:
        yield rf"\multicolumn{{{wide}}}{{l}}{{\textit{{{escape(panel.title)}}}}} \\"
        yield r"\midrule"
    noted = any(row.notes for row in panel.rows)
    heads = [rf"\shortstack{{{stacked(column.title)}}}" for column in panel.columns]
    yield _line(["", *heads], wide, "Notes" if noted else "")
    yield r"\midrule"
    for place, block in enumerate(panel.blocks):
        if place:
            yield r"\addlinespace[3pt]"
        yield from _block(block, panel.columns, published, wide)


def _block(block: RecallBlock, columns: Sequence[Column], published: str, wide: int) -> Iterator[str]:
    if block.title:
        yield rf"\multicolumn{{{wide}}}{{l}}{{\textit{{{escape(block.title)}}}}} \\"
    for row in block.rows:
        yield from _row(row, columns, published, wide)


def _row(row: RecallRow, columns: Sequence[Column], published: str, wide: int) -> Iterator[str]:
    pairs = list(zip(row.cells, columns, strict=True))
    notes = ",".join(map(str, row.notes))
    ours = (_number(value_text(c.value, k, c.unit), k, reference=row.reference) for c, k in pairs)
    title = rf"\quad\textit{{{escape(row.title)}}}" if row.reference else escape(row.title)
    yield _line([title, *ours], wide, f"$^{{{notes}}}$" if notes else "")
    intervals = [_interval(cell, column) for cell, column in pairs]
    if any(intervals):
        yield _line(["", *intervals], wide)
    if published and row.has_published:
        whose = published if row.comparable else f"{published} (not comparable)"
        theirs = (_published(cell, column) for cell, column in pairs)
        yield _line([rf"\quad\textit{{{escape(whose)}}}", *theirs], wide)


def _line(cells: Sequence[str], wide: int, last: str = "") -> str:
    """A row of the table: empty cells up to its width, and the notes in the last one."""
    # After a line's end, a bracket or a star would be taken for that command's own.
    first = f"{{}}{cells[0]}" if cells[0].startswith(("[", "*")) else cells[0]
    return " & ".join([first, *cells[1:], *[""] * (wide - 1 - len(cells)), last]) + r" \\"


def _number(text: str, column: Column, *, reference: bool) -> str:
    if column.is_text or (reference and not text):
        return escape(text)
    return escape_number(text) if text else "--" if column.kind in ("figure", "month") else ""


def _published(cell: RecallCell, column: Column) -> str:
    text = published_text(cell, column)
    flagged = text.endswith("‡")
    return escape_number(text.removesuffix("‡")) + (r"$^{\ddagger}$" if flagged else "")


def _interval(cell: RecallCell, column: Column) -> str:
    if cell.low is None or cell.high is None:
        return ""
    if column.kind == "month":
        low, high = (value_text(end, column) for end in (cell.low, cell.high))
    else:
        low, high = (escape_number(number(end, cell.unit, column.places)) for end in (cell.low, cell.high))
    return rf"{{\scriptsize [{low}, {high}]}}"


def _notes(table: RecallTable) -> str:
    told = [rf"$^{{{place}}}$ {_marked(text)}" for place, text in enumerate(table.notes, 1)]
    told += [_marked(remark) for remark in table.remarks]
    return below(told)


def _marked(text: str) -> str:
    return escape(text).replace("‡", r"$^{\ddagger}$")
