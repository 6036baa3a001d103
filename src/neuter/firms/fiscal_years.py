"""In which month a firm's fiscal year ends: given with the document, listed for known firms, or assumed."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.errors import CorpusError
from neuter.firms.labels import firm_label_of, labels_of
from neuter.firms.periods import days_of, period_end
from neuter.firms.universe import keyed_on_universe, month_number, universe
from neuter.shipped import shipped_path

if TYPE_CHECKING:
    import polars as pl

#: Where a month comes from: the corpus, a list (the user's own firms, else the shipped one), or an assumption.
GIVEN, LISTED, ASSUMED = "given", "listed", "assumed"


@dataclass(frozen=True, slots=True)
class YearEnds:
    """For each row the month in which the fiscal year ends, and where that comes from.

    ``month`` is 1 to 12, ``source`` one of "given", "listed" and "assumed" (then the month is 12),
    ``by_start`` True where the firm names a fiscal year by the calendar year in which it begins.
    """

    month: pl.Series
    source: pl.Series
    by_start: pl.Series


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the year end: the month (counted from year 0) of the last year that ends in ``before``."""

    until: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Listed:
    """The shipped list by label: months, changes of them, and the firms that name a year by its beginning."""

    months: dict[str, int] = field(default_factory=dict)
    changes: dict[str, Change] = field(default_factory=dict)
    by_start: frozenset[str] = frozenset()


def known_year_end(label: str, on: date | None = None) -> int | None:
    """The month (1 to 12) in which a firm's fiscal year ends, from the lists; None where it is not there.

    Args:
        label: the firm's label, as ``firm_label`` gives it.
        on: a day of the fiscal year in question, which decides where the firm changed its year end; today's
            month without it.

    >>> known_year_end("cik:0000320193")
    9
    """
    listed = _listed()
    change = listed.changes.get(label)
    if change is None:
        return listed.months.get(label)
    return change.before if on is not None and month_number(on) <= change.until else change.after


def names_by_start(label: str) -> bool:
    """True for a listed firm that names a fiscal year by the calendar year in which it begins (Target).

    >>> names_by_start("cik:0000027419")
    True
    """
    return label in _listed().by_start


def year_ends(frame: pl.DataFrame) -> YearEnds:
    """The month in which each row's fiscal year ends.

    Args:
        frame: ``fiscal_year_end`` where the corpus gives it, and ``label``, or what ``labels_of`` reads (ticker,
            firm, cik, date ...); fiscal_year, fiscal_quarter and date decide where a firm changed its year end.

    Returns:
        A ``YearEnds`` with a value for every row; a month that is none (0, 13) counts as absent.
    """
    import polars as pl

    labels = frame["label"] if "label" in frame.columns else labels_of(frame)
    rows = _needed(frame).with_columns(labels.alias("label"))
    listed = _listed()
    table = pl.DataFrame(
        {"label": list(listed.months), "listed": list(listed.months.values())},
        schema={"label": pl.String, "listed": pl.Int64},
    )
    rows = rows.join(table, on="label", how="left", maintain_order="left").with_columns(
        _changed(rows, listed)
    )
    given = pl.col("fiscal_year_end").is_between(1, 12).fill_null(False)
    found = pl.coalesce("changed", "listed")
    month = pl.when(given).then("fiscal_year_end").otherwise(found).fill_null(12)
    source = pl.when(given).then(pl.lit(GIVEN)).when(found.is_not_null()).then(pl.lit(LISTED))
    picked = rows.select(
        month.alias("month"),
        source.otherwise(pl.lit(ASSUMED)).alias("source"),
        (pl.col("label").is_in(list(listed.by_start)).fill_null(False) & (month < 12)).alias("by_start"),
    )
    return YearEnds(picked["month"], picked["source"], picked["by_start"])


def known_days(frame: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    """``days_of`` by the firms' own year ends: each document's day as the scores take it, and whether it is assumed.

    Sizes, draws and scores must place a document in the same month, so all of them ask here or with ``year_ends``.

    Args:
        frame: as for ``year_ends``; any of date, date_assumed, fiscal_year, fiscal_quarter, fiscal_year_end.

    Returns:
        Dates ("on", null where there is neither a date nor a fiscal year) and booleans ("assumed").
    """
    # Year ends place undated documents only, and to look up a million labels takes its time.
    if "date" in frame.columns and not frame["date"].null_count():
        return days_of(frame)
    return days_of(frame, year_ends(frame))


def _needed(frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    kinds = {
        "fiscal_year_end": pl.Int64,
        "fiscal_year": pl.Int64,
        "fiscal_quarter": pl.Int64,
        "date": pl.Date,
    }
    absent = [pl.lit(None, kind).alias(name) for name, kind in kinds.items() if name not in frame.columns]
    wanted = (pl.col(name).cast(kind, strict=False) for name, kind in kinds.items())
    return frame.with_columns(absent).select(*wanted)


def _changed(rows: pl.DataFrame, listed: Listed) -> pl.Series:
    """The month for rows of firms that changed their year end, by distinct rows; null for all others."""
    import polars as pl

    keys = ["label", "fiscal_year", "fiscal_quarter", "date"]
    few = rows.select(keys).filter(pl.col("label").is_in(list(listed.changes))).unique()
    found = [_regime(listed.changes[label], *period) for label, *period in few.iter_rows()]
    table = few.with_columns(pl.Series("changed", found, dtype=pl.Int64))
    joined = rows.select(keys).join(table, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return joined["changed"]


def _regime(change: Change, year: int | None, quarter: int | None, day: date | None) -> int:
    """The month before or after the change: by the fiscal period's own end, else by the document's date."""
    if year is not None and 1 < year < 9999 and quarter in (None, 1, 2, 3, 4):
        return (
            change.before
            if month_number(period_end(year, 4, change.before)) <= change.until
            else change.after
        )
    if day is None:
        return change.after
    return change.before if month_number(day) <= change.until else change.after


@keyed_on_universe
@cache
def _listed() -> Listed:
    """The shipped list, with what the user's own firms say in its place."""
    shipped = read_fiscal_year_ends(shipped_path("firms", "fiscal_year_ends.toml"))
    own = {f.label: f.fiscal_year_end for f in universe().firms if f.fiscal_year_end is not None}
    kept = {label: change for label, change in shipped.changes.items() if label not in own}
    return replace(shipped, months=shipped.months | own, changes=kept)


def read_fiscal_year_ends(path: Path) -> Listed:
    """Reads a list of fiscal year ends by ticker (the form of ``corpora/firms/fiscal_year_ends.toml``).

    Raises:
        CorpusError: no such file, no TOML, a month that is none, or a ticker listed twice.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise CorpusError(f"fiscal year ends cannot be read ({error})", where=str(path)) from error
    months = _months(raw.get("months", {}), str(path))
    changes = {_label(t, str(path)): _change(entry, str(path)) for t, entry in raw.get("changed", {}).items()}
    names = raw.get("naming", {}).get("by_start", "").split()
    return Listed(
        months | {label: change.after for label, change in changes.items()},
        changes,
        frozenset(_label(ticker, str(path)) for ticker in names),
    )


def _months(raw: dict[str, str], path: str) -> dict[str, int]:
    """Months by label; a firm that two of its tickers give different months is left out, for one is wrong."""
    by_ticker: dict[str, int] = {}
    for month, tickers in raw.items():
        for ticker in tickers.split():
            if ticker in by_ticker:
                raise CorpusError(f"{ticker} is listed twice", where=path, todo="Keep one of the two")
            by_ticker[ticker] = _month(month, path)
    found: dict[str, set[int]] = {}
    for ticker, number in by_ticker.items():
        found.setdefault(_label(ticker, path), set()).add(number)
    return {label: min(numbers) for label, numbers in found.items() if len(numbers) == 1}


def _label(entry: str, path: str) -> str:
    """The label of a ticker's holder: now, or in the month that is named (``FOXA@2015-01``)."""
    ticker, _, month = entry.partition("@")
    return firm_label_of(ticker, on=_day(month, path) if month else None)


def _day(month: str, path: str) -> date:
    try:
        return date.fromisoformat(f"{month}-01")
    except ValueError as error:
        raise CorpusError(f"no such month: {month!r}", where=path, todo="Write it as 2015-01") from error


def _change(entry: dict[str, Any], path: str) -> Change:
    until = month_number(_day(entry["until"], path))
    return Change(until, _month(entry["before"], path), _month(entry["after"], path))


def _month(value: object, path: str) -> int:
    text = str(value)
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 12):
        raise CorpusError(f"no such month: {value!r}", where=path, todo="Give 1 to 12")
    return int(text)
