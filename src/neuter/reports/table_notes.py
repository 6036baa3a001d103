"""The notes below a table: every caveat of its rows, and the reason of every empty cell, each said once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from neuter.reports.score_blocks import Block, Cell, Row, Series, series_of
from neuter.reports.wording import listing, measure, one_line, plural


class Titled(Protocol):
    """A column, as far as notes are concerned."""

    @property
    def metric(self) -> str: ...

    @property
    def title(self) -> str: ...


#: As many rows are named; of more, only the number.
_FEW = 4


@dataclass(frozen=True, slots=True)
class Place:
    """Which row of the scores a row of the table shows."""

    panel: str
    group_by: str
    group: str


def caveats_by_series(caveats: Iterable[Mapping[str, Any]]) -> dict[Series, list[Mapping[str, Any]]]:
    """The caveats of run.json by whose they are: dicts with scheme, attacker, model, text and ``of`` (which rows)."""
    found: dict[Series, list[Mapping[str, Any]]] = {}
    for caveat in caveats:
        found.setdefault(series_of(caveat), []).append(caveat)
    return found


class Notes:
    """Numbers the notes of one table as its rows ask for them.

    Args:
        caveats: those of run.json, as :func:`caveats_by_series` has them.
    """

    def __init__(self, caveats: Mapping[Series, Sequence[Mapping[str, Any]]]) -> None:
        self._caveats = caveats
        self._numbers: dict[str, int] = {}

    @property
    def texts(self) -> tuple[str, ...]:
        """The notes asked for so far, the first one's number being 1."""
        return tuple(self._numbers)

    def of(
        self, series: Series, place: Place, columns: Sequence[Titled], row: Row | None, *, empty: bool = True
    ) -> tuple[int, ...]:
        """The numbers of the notes on one row, in order; with ``empty`` also why its empty cells are so."""
        told: dict[str, list[str]] = {}
        for text, column in [
            *self._told(series, place, _filled(columns, row)),
            *(_lacking(place.group_by, columns, row) if empty else ()),
            *_fewer(columns, row),
        ]:
            told.setdefault(text, []).append(column)
        whole = [_not_answered(row)] if row and row.lost else []
        texts = [_note(text, named, columns) for text, named in told.items()]
        return tuple(sorted(self._numbers.setdefault(text, len(self._numbers) + 1) for text in whole + texts))

    def _told(self, series: Series, place: Place, columns: Sequence[Titled]) -> Iterator[tuple[str, str]]:
        for caveat in self._caveats.get(series, ()):
            for of in caveat.get("of") or ():
                if (of.get("panel") or "", of.get("group_by")) != (place.panel, place.group_by):
                    continue
                if not {"", place.group} & set(of.get("groups") or ()):
                    continue
                metrics = set(of.get("metrics") or ())
                for column in columns:
                    if metrics & {"", column.metric}:
                        yield one_line(str(caveat.get("text"))), column.title


def _filled(columns: Sequence[Titled], row: Row | None) -> list[Titled]:
    """The columns that have a figure; of the others the reason is all there is to say."""
    cells = row.cells if row else {}
    return [c for c in columns if c.metric in cells and cells[c.metric].value is not None]


def caveat_lines(
    caveats: Sequence[Mapping[str, Any]], blocks: Sequence[Block], metrics: Sequence[str], *, most: int = 12
) -> list[str]:
    """The caveats of what a score table shows, one sentence each; whose it is only where it is not everybody's.

    Args:
        caveats: of run.json.
        blocks: those of the table, each with its rows.
        metrics: the table's columns.
        most: sentences; the last one says how many more there are.
    """
    whose: dict[str, list[str]] = {}
    known = caveats_by_series(caveats)
    for block in blocks:
        for line in _lines_of(known.get(block.series, ()), block, metrics):
            whose.setdefault(line, []).append(block.series.title)
    lines = [
        f"{line}." if len(titles) == len(blocks) else f"{line} ({listing(titles)})."
        for line, titles in whose.items()
    ]
    return (
        lines if len(lines) <= most else [*lines[:most], f"{len(lines) - most} more caveats are in run.json."]
    )


def _lines_of(caveats: Iterable[Mapping[str, Any]], block: Block, metrics: Sequence[str]) -> list[str]:
    """The caveats of one block: rows that share a text and its columns in one line."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for caveat in caveats:
        for of in caveat.get("of") or ():
            rows, columns = _shown(of, block, metrics)
            if rows and columns:
                found.setdefault((one_line(str(caveat.get("text"))), columns), []).extend(rows)
    lines = []
    for (text, columns), rows in found.items():
        named = list(dict.fromkeys(rows))
        where = listing(named) if len(named) <= _FEW else f"{len(named)} rows"
        what = "" if len(columns) == len(metrics) else f", {listing([measure(c).title for c in columns])}"
        lines.append(f"{where}{what}: {text}")
    return lines


def _shown(of: Mapping[str, Any], block: Block, metrics: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Which rows and columns of the table a caveat is about."""
    groups, asked = set(of.get("groups") or ()), set(of.get("metrics") or ())
    rows = [
        row.title
        for row in block.rows
        if row.group_by == of.get("group_by") and groups & {"", row.group, row.group.lower()}
    ]
    return rows, tuple(metric for metric in metrics if asked & {"", metric})


def _note(text: str, named: Sequence[str], columns: Sequence[Titled]) -> str:
    """The text, with the columns that it is about unless it is about all."""
    titles = list(dict.fromkeys(named))
    if len(titles) == len(columns):
        return f"{text[:1].upper()}{text[1:]}."
    return f"{listing([title.removesuffix(' (%)') for title in titles])}: {text}."


def _lacking(group_by: str, columns: Sequence[Titled], row: Row | None) -> Iterator[tuple[str, str]]:
    """Why each empty cell is empty."""
    for column in columns:
        cell = row.cells.get(column.metric) if row else None
        if cell is None or cell.value is None:
            yield _reason(group_by, row, cell), column.title


def _reason(group_by: str, row: Row | None, cell: Cell | None) -> str:
    if row is None:
        what = {"firm": "document of this firm", "size": "document of this size"}.get(group_by, "document")
        return f"no {what} was asked about"
    if cell is None:
        return "nothing to score: no document has the truth in question, or no answer names it"
    return "no answer names it" if row.n else "no document was answered"


def _fewer(columns: Sequence[Titled], row: Row | None) -> Iterator[tuple[str, str]]:
    """A figure over fewer documents than its row says, and what the others lack."""
    for column in columns:
        cell = row.cells.get(column.metric) if row else None
        if row and cell and cell.value is not None and cell.n < row.n:
            over = f"over {cell.n:,} of {row.n:,} answered documents"
            yield f"{over}: {_others(column.metric, row.n - cell.n)}", column.title


def _others(metric: str, count: int) -> str:
    """What documents lack that were answered and are not in a figure: an accuracy needs a truth to be held against.

    Differences need an answer in years or days as well; an answer that names none is wrong in an accuracy.
    """
    documents = plural(count, "document")
    if metric.startswith("firm_"):
        return f"{documents} {'names' if count == 1 else 'name'} no firm"
    if metric.endswith("_difference"):
        what = "date" if "days" in metric else "year"
        return f"for {documents} the truth or the answer names no {what}"
    return f"{documents} {'has' if count == 1 else 'have'} no such truth to hold an answer against"


def _not_answered(row: Row) -> str:
    counts = ", ".join(f"{count:,} {name}" for name, count in row.lost.items())
    text = f"Not answered and left out: {counts}"
    if span := row.span("firm_accuracy"):
        text += f" (counted wrong or right, Firm Accuracy is {span[0]:.2f} to {span[1]:.2f})"
    return f"{text}."
