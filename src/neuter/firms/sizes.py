"""Size terciles: a market cap against the 33⅓ and 66⅔ percentiles of NYSE common stocks that month."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.errors import CorpusError
from neuter.firms.periods import day_of
from neuter.firms.universe import month_number
from neuter.shipped import shipped_path

if TYPE_CHECKING:
    import polars as pl

#: The names of the terciles, largest first.
SIZES = ("Large", "Mid", "Small")
_WRITTEN = {"large": "Large", "mid": "Mid", "medium": "Mid", "small": "Small"}


@dataclass(frozen=True, slots=True)
class SizeAssignment:
    """``frame`` has ``size`` filled (Large, Mid, Small or null); ``notes`` say what was assumed."""

    frame: pl.DataFrame
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Breakpoints:
    """Months (``year * 12 + month - 1``, rising) with their two tercile breakpoints in US dollars."""

    months: tuple[int, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def nearest(self, month: int) -> int:
        """The position of ``month``, or of the nearest one that there is (the earlier of two as near)."""
        at = bisect_right(self.months, month) - 1
        if at < 0:
            return 0
        if at + 1 < len(self.months) and self.months[at + 1] - month < month - self.months[at]:
            return at + 1
        return at


def assign_sizes(metadata: pl.DataFrame, *, breakpoints: Path | None = None) -> SizeAssignment:
    """Fills ``size`` from ``market_cap`` (US dollars) by NYSE breakpoints as of each document's month.

    Small is at or below the 33⅓ percentile, Large above the 66⅔ (Table 7 of The Memorization Problem:
    "terciles are formed using NYSE cutoffs"), interpolated linearly between the p30 and p35, and the p65 and
    p70, columns. A size that the corpus gives is kept. A document without a date is placed by its fiscal
    period's end + 30 days. A month without breakpoints takes the nearest one; the notes count these.

    Args:
        metadata: a frame with market_cap, and any of size, date, date_assumed, fiscal_year, fiscal_quarter,
            fiscal_year_end.
        breakpoints: another file of breakpoints (date, p30, p35, p65, p70 in millions of US dollars).

    Raises:
        CorpusError: the file of breakpoints is missing, or lacks a column or a number.
    """
    import polars as pl

    table = read_breakpoints(str(breakpoints or shipped_path("breakpoints", "nyse_size.csv")))
    counts: Counter[str] = Counter()
    names = ("market_cap", "size", "date", "date_assumed", "fiscal_year", "fiscal_quarter", "fiscal_year_end")
    rows = zip(*(_column(metadata, name) for name in names), strict=True)
    sizes = [_size(table, counts, row) for row in rows]
    frame = metadata.with_columns(pl.Series("size", sizes, dtype=pl.String))
    return SizeAssignment(frame, _notes(counts, table))


def _size(table: Breakpoints, counts: Counter[str], row: tuple[Any, ...]) -> str | None:
    cap, given, day, assumed, year, quarter, year_end = row
    if given is not None and str(given).strip():
        written = _WRITTEN.get(str(given).strip().lower())
        if written:
            return written
        counts["strange"] += 1
    on = day_of(day, year, quarter, year_end)
    lacks = _lack(cap, on)
    if lacks or on is None:
        counts[lacks] += 1
        return None
    counts["assumed"] += day is None or bool(assumed)
    return _tercile(table, counts, float(cap), on)


def _lack(cap: float | None, on: date | None) -> str:
    """Why no size can be told, or an empty string."""
    if cap is None:
        return "absent"
    if not math.isfinite(cap) or cap <= 0:
        return "impossible"
    return "undated" if on is None else ""


def _tercile(table: Breakpoints, counts: Counter[str], cap: float, on: date) -> str:
    month = month_number(on)
    at = table.nearest(month)
    if table.months[at] != month:
        counts[
            "before" if month < table.months[0] else "after" if month > table.months[-1] else "between"
        ] += 1
    if cap <= table.lower[at]:
        return "Small"
    return "Large" if cap > table.upper[at] else "Mid"


def _notes(counts: Counter[str], table: Breakpoints) -> list[str]:
    first, last = _written(table.months[0]), _written(table.months[-1])
    texts = {
        "absent": "{} without a market cap: no size",
        "impossible": "{} with a market cap that is zero, negative or not a number: no size",
        "undated": "{} with neither a date nor a fiscal year: no size",
        "strange": "{} with a size that is none of Large, Mid, Small: taken from the market cap instead",
        "assumed": "{} placed by an assumed date (end of the fiscal period + 30 days)",
        "before": f"{{}} before the first month of the NYSE breakpoints: {first} used",
        "after": f"{{}} after the last month of the NYSE breakpoints: {last} used",
        "between": "{} in a month without NYSE breakpoints: the nearest month used",
    }
    return [text.format(_documents(counts[key])) for key, text in texts.items() if counts[key]]


def _documents(n: int) -> str:
    return f"{n} document{'' if n == 1 else 's'}"


def _written(month: int) -> str:
    return f"{month // 12}-{month % 12 + 1:02d}"


@lru_cache(maxsize=8)
def read_breakpoints(path: str) -> Breakpoints:
    """Reads a file of market-cap percentiles (millions of US dollars) into tercile breakpoints (US dollars).

    Raises:
        CorpusError: no such file, no such column, or a value that is no positive number.
    """
    import polars as pl

    need = ["date", "p30", "p35", "p65", "p70"]
    try:
        frame = pl.read_csv(path, schema_overrides=dict.fromkeys(need, pl.String))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise CorpusError(f"breakpoints cannot be read ({error})", where=path) from error
    missing = [name for name in need if name not in frame.columns]
    if missing or not frame.height:
        what = f"no column {', '.join(missing)}" if missing else "no rows"
        raise CorpusError(what, where=path, todo=f"Breakpoints need the columns {', '.join(need)}")
    rows = sorted(_breakpoint(path, line, row) for line, row in enumerate(frame.select(need).rows(), 2))
    return Breakpoints(*(tuple(part) for part in zip(*rows, strict=True)))


def _breakpoint(path: str, line: int, row: tuple[str | None, ...]) -> tuple[int, float, float]:
    try:
        month = month_number(date.fromisoformat(str(row[0])))
        p30, p35, p65, p70 = (float(str(value)) for value in row[1:])
    except ValueError as error:
        raise CorpusError(str(error), where=f"{path}, line {line}", todo="Give dates and numbers") from error
    if not 0 < p30 <= p35 <= p65 <= p70 < math.inf:
        raise CorpusError("percentiles that do not rise from above zero", where=f"{path}, line {line}")
    # Five-point steps: 33⅓ lies two thirds of the way from 30 to 35, 66⅔ one third from 65 to 70.
    return month, (p30 + (p35 - p30) * 2 / 3) * 1e6, (p65 + (p70 - p65) / 3) * 1e6


def _column(frame: pl.DataFrame, name: str) -> list[Any]:
    return frame[name].to_list() if name in frame.columns else [None] * frame.height
