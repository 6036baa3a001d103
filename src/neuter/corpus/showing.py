"""A corpus and its check on a terminal and in a notebook, every text escaped."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from neuter.corpus.checking import CheckReport
    from neuter.corpus.corpus import Corpus

_WIDTH = 80


def corpus_table(corpus: Corpus, rows: int) -> Table:
    """The first ``rows`` documents; texts are cut to their beginning."""
    table = Table(title=Text(corpus.name), caption=Text(_caption(corpus)), expand=True)
    names = _columns(corpus)
    for name in names:
        table.add_column(name, no_wrap=True, ratio=4 if name == "text" else 1)
    for cells in _cells(corpus, names, rows):
        # Text, not str: rich would read [brackets] in a document as markup.
        table.add_row(*map(Text, cells))
    return table


def corpus_html(corpus: Corpus, rows: int = 5) -> str:
    """The same for a notebook."""
    names = _columns(corpus)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
        for cells in _cells(corpus, names, rows)
    )
    title = f"<p><strong>{html.escape(corpus.name)}</strong> {html.escape(_caption(corpus))}</p>"
    return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _columns(corpus: Corpus) -> list[str]:
    """The few columns by which a reader knows a document."""
    shown = ("id", "ticker", "date", "fiscal_year", "fiscal_quarter", "size", "text")
    return [name for name in shown if name in corpus.columns]


def _cells(corpus: Corpus, names: list[str], rows: int) -> list[list[str]]:
    documents = islice(corpus.documents(), rows)
    return [[_cell(getattr(document, name)) for name in names] for document in documents]


def _cell(value: object) -> str:
    shown = "" if value is None else str(value)
    return shown if len(shown) <= _WIDTH else " ".join(shown[: _WIDTH - 3].split()) + "..."


def _caption(corpus: Corpus) -> str:
    carried = corpus.extra_columns
    also = [name for name in corpus.columns if name not in _columns(corpus)]
    told = [f"also known: {', '.join(also)}"] if also else []
    return "; ".join([*told, f"carried along: {', '.join(carried)}"] if carried else told)


def check_table(report: CheckReport, most: int = 20) -> Table:
    """A report of ``neuter corpus check``: what there is, then the first ``most`` problems."""
    table = Table(title=Text(f"{report.name}: {report.documents:,} documents"), show_header=False)
    table.add_column("what", style="bold")
    table.add_column("value")
    for name, value in _findings(report):
        table.add_row(name, Text(value))
    table.add_section()
    for problem in report.problems[:most]:
        table.add_row("problem", Text(f"{problem.where}: {problem.what}"))
    if len(report.problems) > most:
        table.add_row("", Text(f"and {len(report.problems) - most:,} more; --json lists all"))
    return table


def _findings(report: CheckReport) -> Iterator[tuple[str, str]]:
    yield "columns", ", ".join(report.columns)
    if renamed := [f"{name} = {source!r}" for name, source in report.mapped.items() if name != source]:
        yield "mapped", ", ".join(renamed)
    yield "carried along", ", ".join(report.carried) or "none"
    yield "known of them", ", ".join(_share(report, name) for name, had in report.coverage.items() if had)
    yield "kinds", _counts(report.kinds)
    if report.sizes:
        yield "sizes", _counts(report.sizes)
    yield "characters", ", ".join(f"{name} {length:,}" for name, length in report.lengths.items())
    yield "firms", f"{report.firms:,}, {report.firms_with_several:,} with two documents or more"
    if report.first_date:
        yield "dates", f"{report.first_date} to {report.last_date}"
    yield "same text", "; ".join(" = ".join(ids) for ids in report.duplicates[:5]) or "none"
    yield "bad rows", f"{report.invalid:,}"


def _share(report: CheckReport, name: str) -> str:
    share = report.coverage[name] / report.documents
    return name if share == 1 else f"{name} ({100 * share:.1f}%)"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
