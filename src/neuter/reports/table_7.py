"""Table 7 of The Memorization Problem from a run's scores: panels, rows, cells, notes. Shown by others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from neuter.reports.score_blocks import Block, Cell, Row, Series, blocks_of
from neuter.reports.table_notes import Notes, Place, caveats_by_series
from neuter.reports.wording import READINGS
from neuter.suites.published_figures import Panel, PublishedTable, published_table

if TYPE_CHECKING:
    import polars as pl

#: The paper's columns in its order, by what the metric is called after the reading's prefix.
_YEARS = {
    "mean_years_difference": "Mean Years Difference",
    "mean_absolute_years_difference": "Mean Absolute Years Difference",
    "year_accuracy": "Year Accuracy (%)",
    "quarter_year_accuracy": "Quarter and Year Accuracy (%)",
}
_FIRM = {"firm_accuracy": "Firm Accuracy (%)"}
#: The same for headlines, which have a date in place of a quarter.
_DATES = {
    "mean_days_difference": "Mean Days Difference",
    "mean_absolute_days_difference": "Mean Absolute Days Difference",
    "year_accuracy": "Year Accuracy (%)",
    "month_year_accuracy": "Month and Year Accuracy (%)",
    "exact_date_accuracy": "Exact Date Accuracy (%)",
}
_BASELINES = {"uniform": "at random", "permutation": "other text"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: our metric, and the published one that stands beside it (empty where there is none)."""

    metric: str
    title: str
    beside: str = ""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A figure with its interval and the published one; None where there is none."""

    unit: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    published: float | None = None


@dataclass(frozen=True, slots=True)
class TableRow:
    """``kind`` is group, all or baseline; ``notes`` are numbers of the table's notes."""

    title: str
    kind: str
    cells: tuple[TableCell, ...]
    n: int | None = None
    published_n: int | None = None
    notes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TablePanel:
    """``corpus`` says on what it was made where that is not the corpus given."""

    letter: str
    title: str
    head: str
    rows: tuple[TableRow, ...]
    corpus: str = ""


@dataclass(frozen=True, slots=True)
class Table7:
    """One table: what one model found under one scheme. ``notes`` are numbered from 1."""

    series: Series
    heading: str
    columns: tuple[Column, ...]
    panels: tuple[TablePanel, ...]
    notes: tuple[str, ...]
    remarks: tuple[str, ...]
    published: str = ""


@dataclass(frozen=True)
class _Run:
    """A run taken apart once, whatever the number of its schemes and models: blocks by panel, caveats by series."""

    record: Mapping[str, Any]
    blocks: Mapping[str, Mapping[Series, Block]]
    caveats: Mapping[Series, Sequence[Mapping[str, Any]]]
    paper: PublishedTable = field(default_factory=lambda: published_table("table_7"))

    @classmethod
    def of(cls, scores: pl.DataFrame, record: Mapping[str, Any], letters: Sequence[str]) -> _Run:
        blocks = {
            letter: {
                block.series: block
                for block in blocks_of(scores, "firm" if letter == "A" else "size", letter)
            }
            for letter in letters
        }
        return cls(record, blocks, caveats_by_series(record.get("caveats") or ()))

    @property
    def headlines(self) -> bool:
        return self.record.get("documents_are") == "headline"


@dataclass(frozen=True)
class _Source:
    """The run that tables are made of, and their columns."""

    run: _Run
    columns: tuple[Column, ...]

    @property
    def paper(self) -> PublishedTable:
        return self.run.paper

    @property
    def headlines(self) -> bool:
        return self.run.headlines


def tables_of(
    scores: pl.DataFrame, run: Mapping[str, Any], *, reading: str = "fiscal", panel: str | None = None
) -> list[Table7]:
    """A table for each scheme and model; with the reading ``all``, each followed by one of the other readings.

    Args:
        scores: of the suite ``masking``.
        run: its run.json.
        reading: fiscal, calendar, call or all. Headlines have dates, and no reading.
        panel: "A" or "B" alone.
    """
    headlines = run.get("documents_are") == "headline"
    sets = [_columns("fiscal" if reading == "all" else reading, headlines=headlines)]
    if reading == "all" and not headlines:
        sets.append(_other_readings())
    letters = _letters(run, panel)
    taken = _Run.of(scores, run, letters)
    sources = [_Source(taken, columns) for columns in sets]
    series = dict.fromkeys(one for letter in letters for one in taken.blocks[letter] if one.attacker == "llm")
    headings = [_heading(reading, headlines=headlines), "Other readings of year and quarter"]
    return [
        _table(source, one, letters, heading)
        for one in series
        for source, heading in zip(sources, headings, strict=False)
    ]


def _letters(run: Mapping[str, Any], panel: str | None) -> list[str]:
    present = [letter for letter in ("A", "B") if letter in (run.get("panels") or {})]
    return [letter for letter in present if panel in (None, letter)]


def _columns(reading: str, *, headlines: bool) -> tuple[Column, ...]:
    if headlines:
        return tuple(Column(metric, title) for metric, title in {**_DATES, **_FIRM}.items())
    prefix = READINGS[reading][0]
    return (
        *(Column(prefix + metric, title, metric) for metric, title in _YEARS.items()),
        *(Column(metric, title, metric) for metric, title in _FIRM.items()),
    )


def _other_readings() -> tuple[Column, ...]:
    return (
        Column("calendar_year_accuracy", "Calendar: Year (%)"),
        Column("calendar_quarter_year_accuracy", "Calendar: Quarter and Year (%)"),
        Column("call_year_accuracy", "Call's Date: Year (%)"),
        Column("call_quarter_year_accuracy", "Call's Date: Quarter and Year (%)"),
        Column("quarter_within_one", "Fiscal: Within One Quarter (%)"),
    )


def _heading(reading: str, *, headlines: bool) -> str:
    if headlines:
        return "Date of the headline"
    return f"Year and quarter: {READINGS['fiscal' if reading == 'all' else reading][1]}"


def _table(source: _Source, series: Series, letters: Sequence[str], heading: str) -> Table7:
    notes = Notes(source.run.caveats)
    panels = tuple(_panel(source, series, letter, notes) for letter in letters)
    beside = any(column.beside for column in source.columns)
    return Table7(
        series=series,
        heading=heading,
        columns=source.columns,
        panels=panels,
        notes=notes.texts,
        remarks=tuple(_remarks(source, beside=beside)),
        published=source.paper.model if beside else "",
    )


def _remarks(source: _Source, *, beside: bool) -> Iterator[str]:
    """What holds for the whole table."""
    paper = source.paper
    yield (
        "In brackets: 95% interval over firms. Differences are guessed − true. Accuracies are over answered documents, "
        "and Num Obs counts these."
    )
    yield (
        "Baselines, on all documents of the panel. Constant: the best single answer to all of them; at random: a guess "
        "from the firms or periods that occur; other text: each guess held against a document of another firm; prior: "
        "the model asked without a text. Blank where there is no such thing."
    )
    if beside:
        yield (
            f"{paper.model}: published in {paper.table} of “{paper.paper}”, on {paper.corpus}, masked by "
            f"{paper.masker}. Other documents than these: not a comparison on equal terms."
        )
        yield from paper.notes
    elif source.headlines:
        yield "The paper publishes no figures for masked headlines; prompt and columns are ours, adapted from its own."


def _panel(source: _Source, series: Series, letter: str, notes: Notes) -> TablePanel:
    published = source.paper.panels[letter]
    blocks = source.run.blocks[letter]
    own = blocks.get(series)
    known = {row.group: row for row in own.rows if row.group_by != "all"} if own else {}
    rows = [
        _group_row(source, series, published, group, known.get(group), notes=notes)
        for group in published.rows
    ]
    whole = own.whole if own else None
    rows.append(_whole_row(source, series, letter, whole, notes))
    rows += _baselines(source, whole)
    without_text = replace(series, attacker="prior")
    if without_text in blocks:
        rows.append(_prior_row(source, without_text, letter, blocks[without_text].whole, notes))
    about = (source.run.record.get("panels") or {}).get(letter) or {}
    made_on = str(about.get("corpus") or "") if about.get("borrowed") else ""
    return TablePanel(letter, published.title, published.head, tuple(rows), made_on)


def _group_row(
    source: _Source, series: Series, published: Panel, group: str, row: Row | None, *, notes: Notes
) -> TableRow:
    beside = not source.headlines
    by = "firm" if published.letter == "A" else "size"
    figures = [
        published.figure(group, column.beside) if beside and column.beside else None
        for column in source.columns
    ]
    counted = published.figure(group, "n") if any(figure is not None for figure in figures) else None
    return TableRow(
        title=group,
        kind="group",
        cells=tuple(_cells(source.columns, row, figures)),
        n=row.n if row else 0,
        published_n=None if counted is None else int(counted),
        notes=notes.of(series, Place(published.letter, by, group), source.columns, row),
    )


def _whole_row(source: _Source, series: Series, letter: str, row: Row | None, notes: Notes) -> TableRow:
    return TableRow(
        title="All seven" if letter == "A" else "All",
        kind="all",
        cells=tuple(_cells(source.columns, row, [None] * len(source.columns))),
        n=row.n if row else 0,
        notes=notes.of(series, Place(letter, "all", "all"), source.columns, row),
    )


def _prior_row(source: _Source, series: Series, letter: str, row: Row | None, notes: Notes) -> TableRow:
    """What the model says without a text: a baseline, so an empty cell needs no reason."""
    cells = tuple(_cells(source.columns, row, [None] * len(source.columns)))
    numbers = notes.of(series, Place(letter, "all", "all"), source.columns, row, empty=False)
    return TableRow("prior", "baseline", cells, row.n if row else 0, notes=numbers)


def _cells(
    columns: Sequence[Column], row: Row | None, published: Sequence[float | None]
) -> Iterator[TableCell]:
    for column, figure in zip(columns, published, strict=True):
        cell = row.cells.get(column.metric) if row else None
        if cell is None:
            yield TableCell(_unit(column.metric), published=figure)
        else:
            yield TableCell(cell.unit, cell.value, cell.low, cell.high, figure)


def _baselines(source: _Source, whole: Row | None) -> Iterator[TableRow]:
    """What could be had without reading the texts or asking, over the documents of the row before."""
    cells = whole.cells if whole else {}
    constant = [_plain(column, cells.get(column.metric), "baseline") for column in source.columns]
    yield TableRow("constant", "baseline", tuple(constant))
    for ending, title in _BASELINES.items():
        made = [_plain(column, cells.get(f"{column.metric}_{ending}"), "value") for column in source.columns]
        yield TableRow(title, "baseline", tuple(made))


def _plain(column: Column, cell: Cell | None, name: str) -> TableCell:
    value = None if cell is None else getattr(cell, name)
    return TableCell(_unit(column.metric), value)


def _unit(metric: str) -> str:
    if metric.endswith("_difference"):
        return "days" if "days" in metric else "years"
    return "percent"
