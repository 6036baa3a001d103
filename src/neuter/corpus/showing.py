"""A corpus on a terminal and in a notebook, every text escaped."""

from __future__ import annotations

import html
from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from rich.table import Table
from rich.text import Text

from neuter.types import Document

_WIDTH = 80


class Shown(Protocol):
    """What there is to show of a corpus."""

    @property
    def name(self) -> str: ...

    @property
    def columns(self) -> list[str]: ...

    @property
    def extra_columns(self) -> list[str]: ...

    def documents(self) -> Iterator[Document]: ...


def corpus_table(corpus: Shown, rows: int) -> Table:
    """The first ``rows`` documents; texts are cut to their beginning."""
    table = Table(title=Text(corpus.name), caption=Text(_caption(corpus)), expand=True)
    names = _columns(corpus)
    for name in names:
        table.add_column(name, no_wrap=True, ratio=4 if name == "text" else 1)
    for cells in _cells(corpus, names, rows):
        # Text, not str: rich would read [brackets] in a document as markup.
        table.add_row(*map(Text, cells))
    return table


def corpus_html(corpus: Shown, rows: int = 5) -> str:
    """The same for a notebook."""
    names = _columns(corpus)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
        for cells in _cells(corpus, names, rows)
    )
    title = f"<p><strong>{html.escape(corpus.name)}</strong> {html.escape(_caption(corpus))}</p>"
    return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _columns(corpus: Shown) -> list[str]:
    """The few columns by which a reader knows a document."""
    shown = ("id", "ticker", "date", "fiscal_year", "fiscal_quarter", "size", "text")
    return [name for name in shown if name in corpus.columns]


def _cells(corpus: Shown, names: list[str], rows: int) -> list[list[str]]:
    documents = islice(corpus.documents(), rows)
    return [[_cell(getattr(document, name)) for name in names] for document in documents]


def _cell(value: object) -> str:
    shown = "" if value is None else str(value)
    return shown if len(shown) <= _WIDTH else " ".join(shown[: _WIDTH - 3].split()) + "..."


def _caption(corpus: Shown) -> str:
    carried = corpus.extra_columns
    also = [name for name in corpus.columns if name not in _columns(corpus)]
    told = [f"also known: {', '.join(also)}"] if also else []
    return "; ".join([*told, f"carried along: {', '.join(carried)}"] if carried else told)
