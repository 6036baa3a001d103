"""Recall tables in Markdown: our figure with its interval, and the published one in the row below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from neuter.reports.recall.layouts import Column
from neuter.reports.recall.table_values import (
    RecallCell,
    RecallPanel,
    RecallRow,
    RecallTable,
    interval_text,
    published_text,
    value_text,
)
from neuter.reports.wording import one_line

#: What has a meaning in Markdown, or in the HTML that it may hold.
_SPECIAL = "\\`*_{}[]<>#|~$"


def markdown_of(tables: Iterable[RecallTable]) -> str:
    """All tables, each with its notes and remarks below it."""
    return "\n".join(line for table in tables for line in _table(table))


def escape_markdown(text: str) -> str:
    r"""``text`` as Markdown shows it: one line, every special character escaped.

    >>> print(escape_markdown("a_b | <i>"))
    a\_b \| \<i\>
    """
    plain = one_line(text).replace("&", "&amp;")
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in plain)


def _table(table: RecallTable) -> Iterator[str]:
    model = f" ({escape_markdown(table.model)})" if table.model else ""
    yield f"### {escape_markdown(table.heading)}{model}"
    yield ""
    for panel in table.panels:
        yield from _panel(panel, table.published)
        yield ""
    for place, note in enumerate(table.notes, 1):
        yield f"{place}. {escape_markdown(note)}"
    if table.notes:
        yield ""
    for remark in table.remarks:
        yield f"{escape_markdown(remark)}\n"


def _panel(panel: RecallPanel, published: str) -> Iterator[str]:
    heads = [escape_markdown(panel.title), *(escape_markdown(column.title) for column in panel.columns)]
    noted = any(row.notes for row in panel.rows)
    yield _line([*heads, "Notes"] if noted else heads)
    kinds = "".join("---|" if column.is_text else "--:|" for column in panel.columns)
    yield f"|---|{kinds}" + ("---|" if noted else "")
    for block in panel.blocks:
        if block.title:
            empty = [""] * (len(panel.columns) + noted)
            yield _line([f"*{escape_markdown(block.title)}*", *empty])
        for row in block.rows:
            yield from _row(row, panel.columns, published, noted=noted)


def _row(row: RecallRow, columns: Sequence[Column], published: str, *, noted: bool) -> Iterator[str]:
    pairs = list(zip(row.cells, columns, strict=True))
    ours = [" ".join(filter(None, [_value(c, k), _escaped(interval_text(c, k))])) for c, k in pairs]
    shown = [
        text or ("–" if column.kind == "figure" and not row.reference else "")
        for text, column in zip(ours, columns, strict=True)
    ]
    title = f"*{escape_markdown(row.title)}*" if row.reference else escape_markdown(row.title)
    yield _line([title, *shown, *([", ".join(map(str, row.notes))] if noted else [])])
    if published and row.has_published:
        theirs = [published_text(cell, column) for cell, column in pairs]
        whose = published if row.comparable else f"{published}, not comparable"
        yield _line([f"*{escape_markdown(whose)}*", *theirs, *([""] if noted else [])])


def _value(cell: RecallCell, column: Column) -> str:
    text = value_text(cell.value, column, cell.unit)
    return escape_markdown(text) if column.is_text else text


def _escaped(interval: str) -> str:
    return interval.replace("[", "\\[").replace("]", "\\]")


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
