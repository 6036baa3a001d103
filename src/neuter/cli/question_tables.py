"""Tables of ``neuter questions``: what ships, what a file holds, and its first questions. No text in them is markup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

import polars as pl
from rich.table import Table
from rich.text import Text

from neuter.questions import QuestionCheck
from neuter.reports.wording import one_line


def listed(sets: Mapping[str, QuestionCheck]) -> Table:
    """A row a set that ships."""
    table = Table("name", "questions", "resolved", "domains")
    for name, one in sets.items():
        table.add_row(name, f"{one.questions:,}", _range(one.resolved), counts(one.domains))
    return table


def shown(frame: pl.DataFrame) -> Table:
    """A row a question; of QUESTION_SCHEMA with its crowd (:func:`neuter.questions.with_crowd`)."""
    table = Table("id", "question", "open", "resolved", "outcome", "domain", "crowd")
    for row in frame.iter_rows(named=True):
        crowd = "–" if row["crowd"] is None else f"{row['crowd']:.3f}"
        days = (str(row["open"] or "–"), str(row["resolution_date"]))
        cells = (
            row["id"],
            row["question"],
            *days,
            "yes" if row["resolution"] else "no",
            row["domain"],
            crowd,
        )
        table.add_row(*(Text(one_line(cell)) for cell in cells))
    return table


def found(checked: QuestionCheck, most: int = 20) -> Table:
    """What there is, then the first problems; every text as it is, never as markup."""
    table = Table(title=Text(f"{checked.questions:,} questions"), show_header=False)
    table.add_column("what", style="bold", no_wrap=True)
    table.add_column("value")
    for name, value in _findings(checked):
        table.add_row(name, Text(one_line(value)))
    table.add_section()
    for problem in checked.problems[:most]:
        table.add_row("problem", Text(one_line(str(problem))))
    hidden = checked.invalid + checked.shared - len(checked.problems[:most])
    if hidden > 0:
        table.add_row("", f"and {hidden:,} more")
    return table


def _findings(checked: QuestionCheck) -> Iterator[tuple[str, str]]:
    yield "files", ", ".join(f"{file} ({format})" for file, format in checked.files.items())
    yield "opened", _range(checked.opened)
    yield "resolved", _range(checked.resolved)
    yield "came out yes", f"{checked.yes:,}"
    yield "domains", counts(checked.domains) or "–"
    sources = [f"{name or 'unknown'} {count:,}" for name, count in checked.sources.items()]
    yield "sources", "; ".join(sources[:10] + ["..."] * (len(sources) > 10)) or "–"
    yield "clusters", f"{checked.clusters:,}"
    yield "crowd", counts(checked.crowd) or "–"
    if checked.crowd_brier is not None:
        yield "crowd's Brier score", f"{checked.crowd_brier:.6f}"
    yield "with a base rate", f"{checked.base_rates:,}"
    for file, scale in checked.scales.items():
        if scale != "share":
            yield "read as percent", f"plain probabilities in {file}"
    yield "set aside", counts(checked.set_aside) or "none"
    yield "bad rows", f"{checked.invalid:,}"


def _range(days: Sequence[date | None]) -> str:
    return f"{days[0]} to {days[1]}" if days[0] else "–"


def counts(counted: Mapping[str, int]) -> str:
    """Counts in a line."""
    return ", ".join(f"{name or 'unknown'} {count:,}" for name, count in counted.items())
