"""Market-cap breakpoints: the 33⅓ and 66⅔ percentiles by month, read from a file, and those of a corpus itself."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from neuter.errors import CorpusError
from neuter.firms.universe import month_number

if TYPE_CHECKING:
    import polars as pl

#: Under so many firms a corpus's own percentiles say nothing of size.
FEWEST_FIRMS = 3


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


def bounds_of(table: Breakpoints, months: pl.Series) -> pl.DataFrame:
    """The breakpoints as of each distinct month of ``months``.

    Returns:
        Columns month, lower, upper (US dollars) and where: "" for a month of the table, else "before", "after" or
        "between", whose nearest month is taken.
    """
    import polars as pl

    rows = [_bound(table, month) for month in months.drop_nulls().unique().sort().to_list()]
    schema = {"month": pl.Int64, "lower": pl.Float64, "upper": pl.Float64, "where": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _bound(table: Breakpoints, month: int) -> tuple[int, float, float, str]:
    at = table.nearest(month)
    where = ""
    if table.months[at] != month:
        where = "before" if month < table.months[0] else "after" if month > table.months[-1] else "between"
    return month, table.lower[at], table.upper[at], where


def own_bounds(caps: pl.DataFrame) -> pl.DataFrame:
    """The 33⅓ and 66⅔ percentiles of a corpus's own market caps, interpolated linearly.

    Args:
        caps: a row a firm and unit of time: unit, cap.

    Returns:
        Columns unit, lower, upper; a unit of fewer than three firms has none (nulls).
    """
    import polars as pl

    cap, enough = pl.col("cap"), pl.len() >= FEWEST_FIRMS
    return caps.group_by("unit").agg(
        pl.when(enough).then(cap.quantile(1 / 3, "linear")).alias("lower"),
        pl.when(enough).then(cap.quantile(2 / 3, "linear")).alias("upper"),
    )


def month_as_written(month: int) -> str:
    """ "2021-02" for a month counted from year 0."""
    return f"{month // 12}-{month % 12 + 1:02d}"
