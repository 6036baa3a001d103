"""What a corpus holds, and everything that is wrong with it: ``neuter corpus check``."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from neuter.corpus.columns import METADATA
from neuter.corpus.corpus import Corpus, NoValidRow
from neuter.corpus.fields import Problem, Row
from neuter.corpus.jsonl import JsonLines
from neuter.corpus.reading import read_corpus
from neuter.corpus.schema import metadata_frame
from neuter.corpus.sources import open_source
from neuter.corpus.unpaired import without_unpaired
from neuter.errors import CorpusError
from neuter.types import Document

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of :func:`check_corpus`.

    ``mapped`` is field → the file's column, ``coverage`` field → how many documents have it, ``lengths`` are
    those of texts in characters, ``duplicates`` groups of ids with exactly the same text. ``market_caps`` has the
    smallest, median and largest in US dollars of those above zero; ``size_notes`` is what ``assign_sizes`` says by
    month of the shipped NYSE breakpoints. Both are empty for a corpus without market caps.
    """

    name: str
    documents: int
    invalid: int
    columns: tuple[str, ...]
    mapped: Mapping[str, str]
    carried: tuple[str, ...]
    coverage: Mapping[str, int]
    kinds: Mapping[str, int]
    sizes: Mapping[str, int]
    market_caps: Mapping[str, float]
    size_notes: tuple[str, ...]
    lengths: Mapping[str, int]
    firms: int
    firms_with_several: int
    first_date: str | None
    last_date: str | None
    duplicates: tuple[tuple[str, ...], ...]
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether every row is valid."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        from dataclasses import asdict

        return {**asdict(self), "ok": self.ok, "problems": [_told(problem) for problem in self.problems]}

    def table(self) -> Table:
        """A table for the terminal."""
        return _table(self)

    def __rich__(self) -> Table:
        return self.table()


@dataclass(slots=True)
class _Tally:
    documents: int = 0
    coverage: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    sizes: Counter[str] = field(default_factory=Counter)
    firms: Counter[str] = field(default_factory=Counter)
    lengths: list[int] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    texts: dict[bytes, list[str]] = field(default_factory=dict)
    market_caps: Mapping[str, float] = field(default_factory=dict)
    size_notes: tuple[str, ...] = ()

    def each(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents as they come, counted on their way."""
        for document in documents:
            self.add(document)
            yield document

    def add(self, document: Document) -> None:
        self.documents += 1
        self.coverage.update(name for name in METADATA if getattr(document, name) not in (None, False))
        self.kinds[document.kind] += 1
        self.sizes[document.size or ""] += 1
        self.firms[str(document.cik or document.ticker or document.firm or "")] += 1
        self.lengths.append(len(document.text))
        if document.date:
            self.dates = _ends([*self.dates, document.date.isoformat()])
        same = self.texts.setdefault(hashlib.sha256(document.text.encode()).digest(), [])
        same.append(document.id)


def check_corpus(source: Any, **options: Any) -> CheckReport:
    """Read a corpus to its end and tell what it holds; bad rows are collected, not raised.

    Args:
        source: as for :func:`neuter.read_corpus`, with the same ``options``.

    Raises:
        CorpusError: it cannot be read at all: no such file, no column for the text, no rows.
    """
    try:
        corpus = read_corpus(source, **{**options, "skip_invalid": True})
    except CorpusError:
        if report := _nothing_parsed(source):
            return report
        raise
    tally = _Tally()
    # A corpus without any valid row is still told about: what is wrong with each of them.
    with suppress(NoValidRow):
        metadata = metadata_frame(tally.each(corpus.documents()))
        tally.market_caps, tally.size_notes = dict(_market_caps(metadata)), _size_notes(metadata)
    return _report(corpus, tally)


def _nothing_parsed(source: Any) -> CheckReport | None:
    """The report on JSON Lines of which no line is JSON, so that no columns are known; None of anything else."""
    if not isinstance(source, str | Path):
        return None
    opened = open_source(str(source))
    problems: list[Problem] = []
    for table in opened.tables:
        for row in table.rows() if isinstance(table, JsonLines) else ():
            if isinstance(row, Row):
                return None
            problems.append(row)
    if not problems:
        return None
    return CheckReport(
        name=without_unpaired(opened.name),
        documents=0,
        invalid=len(problems),
        columns=(),
        mapped={},
        carried=(),
        coverage=dict.fromkeys(METADATA, 0),
        kinds={},
        sizes={},
        market_caps={},
        size_notes=(),
        lengths={},
        firms=0,
        firms_with_several=0,
        first_date=None,
        last_date=None,
        duplicates=(),
        problems=tuple(problems),
    )


def _report(corpus: Corpus, tally: _Tally) -> CheckReport:
    firms = {name: count for name, count in tally.firms.items() if name}
    return CheckReport(
        name=corpus.name,
        documents=tally.documents,
        invalid=len(corpus.problems),
        columns=tuple(
            dict.fromkeys(
                without_unpaired(name) for mapped in corpus.tables for name in mapped.table.columns()
            )
        ),
        mapped=dict(pair for mapped in corpus.tables for pair in mapped.columns.fields.items()),
        carried=tuple(corpus.extra_columns),
        coverage={name: tally.coverage[name] for name in METADATA},
        kinds=dict(tally.kinds),
        sizes={name: count for name, count in tally.sizes.items() if name},
        market_caps=tally.market_caps,
        size_notes=tally.size_notes,
        lengths=dict(_lengths(tally.lengths)) if tally.lengths else {},
        firms=len(firms),
        firms_with_several=sum(count > 1 for count in firms.values()),
        first_date=tally.dates[0] if tally.dates else None,
        last_date=tally.dates[-1] if tally.dates else None,
        duplicates=tuple(tuple(ids) for ids in tally.texts.values() if len(ids) > 1),
        problems=tuple(corpus.problems),
    )


def _ends(dates: list[str]) -> list[str]:
    return [min(dates), max(dates)]


def _lengths(lengths: list[int]) -> Iterator[tuple[str, int]]:
    yield "shortest", min(lengths)
    yield "median", round(median(lengths))
    yield "longest", max(lengths)
    yield "total", sum(lengths)


def _market_caps(metadata: pl.DataFrame) -> Iterator[tuple[str, float]]:
    """Those above zero; the others are no market caps, and the sizes' notes count them."""
    caps: list[float] = [cap for cap in metadata["market_cap"].to_list() if cap is not None and cap > 0]
    if caps:
        yield "smallest", min(caps)
        yield "median", median(caps)
        yield "largest", max(caps)


def _size_notes(metadata: pl.DataFrame) -> tuple[str, ...]:
    from neuter.firms.sizes import assign_sizes

    if metadata["market_cap"].null_count() == metadata.height:
        return ()
    return tuple(assign_sizes(metadata).notes)


def _told(problem: Problem) -> dict[str, Any]:
    return {
        "where": problem.where,
        "file": without_unpaired(problem.file),
        "line": problem.line,
        "field": without_unpaired(problem.field),
        "id": problem.id,
        "what": problem.what,
    }


def _table(report: CheckReport, most: int = 20) -> Table:
    """What there is, then the first ``most`` problems; every text as it is, never as markup."""
    from rich.table import Table
    from rich.text import Text

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
    if report.market_caps:
        caps = ", ".join(f"{name} {_dollars(cap)}" for name, cap in report.market_caps.items())
        yield "market caps", f"{caps} (read as US dollars)"
    for note in report.size_notes:
        yield "for sizes", note
    if report.lengths:
        yield "characters", ", ".join(f"{name} {length:,}" for name, length in report.lengths.items())
    yield "firms", f"{report.firms:,}, {report.firms_with_several:,} with two documents or more"
    if report.first_date:
        yield "dates", f"{report.first_date} to {report.last_date}"
    yield "same text", "; ".join(" = ".join(ids) for ids in report.duplicates[:5]) or "none"
    yield "bad rows", f"{report.invalid:,}"


def _share(report: CheckReport, name: str) -> str:
    share = report.coverage[name] / report.documents
    return name if share == 1 else f"{name} ({100 * share:.1f}%)"


def _dollars(amount: float) -> str:
    """Whole dollars; figures so small that the unit must be wrong keep their digits."""
    return f"{amount:,.0f}" if amount >= 1000 else f"{amount:g}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
