"""How a guess stands to the truth: the firm itself, less precise (its sector, parent or subsidiary), or another."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.errors import CorpusError
from neuter.firms.distinct import by_distinct
from neuter.firms.labels import firm_label, firm_label_of, known_names
from neuter.firms.matching import matches, resolve, same_firm
from neuter.firms.names import Words, full_form
from neuter.firms.periods import day_of
from neuter.firms.sectors import classified_sectors, names_only_a_sector, overlap, sector_of_label, sectors_of
from neuter.firms.universe import EVER, keyed_on_universe, month_number, universe
from neuter.shipped import shipped_path
from neuter.types import Document

if TYPE_CHECKING:
    import polars as pl

_ENTRY = re.compile(r"^(?P<name>.+?)(?:\s+@\s*(?P<first>\d{4}-\d\d)?\.\.(?P<last>\d{4}-\d\d)?)?$")


class Relation(StrEnum):
    """What a guess says of a document's firm. Only ``SAME`` is a right guess."""

    SAME = "same"
    LESS_PRECISE = "less_precise"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Owned:
    """A parent's label, and the months (from year 0, both ends included) in which the thing was its own."""

    parent: str
    first: int
    last: int

    def at(self, month: int | None) -> bool:
        """True where it was owned in ``month``; at any time at all where the month is not known."""
        return month is None or self.first <= month <= self.last


@dataclass(frozen=True, slots=True)
class Ownership:
    """``corpora/firms/relations.toml``: owners of names (as words) and of listed firms (by label).

    ``same_name``: labels of firms that bear one of the names by chance.
    """

    names: dict[Words, tuple[Owned, ...]]
    listed: dict[str, tuple[Owned, ...]]
    same_name: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Truth:
    """What is known of a document's firm: its label, and what the document says of it."""

    label: str
    ticker: str | None
    firm: str | None
    sector: str | None


def relation(
    guess: str | None,
    truth: Document | str,
    on: date | None = None,
    *,
    ticker: str | None = None,
    firm: str | None = None,
    sector: str | None = None,
) -> Relation:
    """Whether a guess names the firm of ``truth``, something less precise, or another firm or nothing.

    ``SAME`` where ``same_firm`` says so. ``LESS_PRECISE`` where the guess names only the firm's sector or industry
    ("a semiconductor company"), its parent (GE for NBCUniversal in 2010), or a subsidiary or brand of it (Instagram
    for Meta), as of ``on``. ``DIFFERENT`` else: also for an empty or generic guess ("the company"), for a firm that
    was sold since, and for a firm that merely is in the same sector. Without a day, ownership at any time counts.

    Args:
        guess: a ticker, name, label or industry, as an attacker gave it.
        truth: a document, or a label, ticker or name.
        on: the day as of which ownership counts; by default the document's own (assumed if need be).
        ticker, firm, sector: what the document says of itself, where ``truth`` is a label. A sector that is not
            given, or says nothing ("Miscellaneous"), is the universe's own.
    """
    if isinstance(truth, Document):
        d = truth
        day = on or day_of(d.date, d.fiscal_year, d.fiscal_quarter, d.fiscal_year_end)
        known = _Truth(firm_label(d), ticker or d.ticker, firm or d.firm, sector or d.sector)
        return _related(guess, known, day)
    if guess and same_firm(guess, truth, on):
        return Relation.SAME
    wanted = resolve(truth, on)
    label = wanted[0] if wanted else ""
    return _related(guess, _Truth(label, ticker, firm or (None if wanted else truth), sector), on)


def relations_of(frame: pl.DataFrame) -> pl.Series:
    """``relation`` of each row, worked out once for each distinct one.

    Args:
        frame: said_firm (the guess) and label, and any of ticker, firm, sector, and on (a date) or month (a date too:
            ownership and names count by the month).

    Returns:
        A Series of strings, the values of ``Relation``, in the order of the rows.
    """
    import polars as pl

    kinds: dict[str, Any] = {
        "said_firm": pl.String,
        "label": pl.String,
        "ticker": pl.String,
        "firm": pl.String,
        "month": pl.Date,
        "sector": pl.String,
    }
    if "month" not in frame.columns and "on" in frame.columns:
        frame = frame.with_columns(pl.col("on").cast(pl.Date).dt.truncate("1mo").alias("month"))
    absent = [pl.lit(None, kind).alias(name) for name, kind in kinds.items() if name not in frame.columns]
    asked = frame.with_columns(absent).select(pl.col(name).cast(kind) for name, kind in kinds.items())
    return by_distinct(asked, list(kinds), _relations_of_rows).alias("relation")


def _relations_of_rows(rows: Sequence[tuple[Any, ...]]) -> pl.Series:
    import polars as pl

    found = [
        _related(said, _Truth(label or "", ticker, firm, sector), month).value
        for said, label, ticker, firm, month, sector in rows
    ]
    return pl.Series(found, dtype=pl.String)


def owners_of(label: str | None, firm: str | None = None) -> tuple[str, ...]:
    """Labels of the firms that owned a firm at some time, by its label or by the name that a document gives it."""
    owned = [
        *(_owners_of_label(label) if label else ()),
        *(_owners_of_words(full_form(firm)) if firm else ()),
    ]
    return tuple(dict.fromkeys(one.parent for one in owned))


def _related(guess: str | None, truth: _Truth, on: date | None) -> Relation:
    if not guess or not guess.strip():
        return Relation.DIFFERENT
    if matches(guess, truth.label, truth.ticker, truth.firm, on):
        return Relation.SAME
    named = frozenset(resolve(guess, on))
    month = None if on is None else month_number(on)
    if _is_parent(named, truth, month) or _is_owned(named, full_form(guess), truth.label, month):
        return Relation.LESS_PRECISE
    # "American Airlines" is made of words of a sector, but it names a firm.
    if not named and names_only_a_sector(guess):
        own = classified_sectors(truth.sector) or sector_of_label(truth.label)
        if overlap(sectors_of(guess), own):
            return Relation.LESS_PRECISE
    return Relation.DIFFERENT


def _is_parent(named: frozenset[str], truth: _Truth, month: int | None) -> bool:
    """The guess names a firm that owned the truth, listed or not."""
    if not named:
        return False
    owners = [*_owners_of_label(truth.label), *_owners_of_words(full_form(truth.firm or ""))]
    return any(owned.parent in named and owned.parent != truth.label and owned.at(month) for owned in owners)


def _is_owned(named: frozenset[str], words: Words, label: str, month: int | None) -> bool:
    """The guess names a subsidiary, division or brand of the truth."""
    if not label:
        return False
    owners = [*_owners_of_words(words), *(owned for one in named for owned in _owners_of_label(one))]
    return any(owned.parent == label and owned.at(month) for owned in owners)


@keyed_on_universe
@lru_cache(maxsize=50_000)
def _owners_of_label(label: str) -> tuple[Owned, ...]:
    """The owners of a firm of the universe: as a listed subsidiary, and by any of its names."""
    ownership = _ownership()
    found = list(ownership.listed.get(label, ()))
    if label not in ownership.same_name:
        for words in {full_form(name) for name in known_names(label)}:
            found += _owners_of_words(words)
    return tuple(found)


def _owners_of_words(words: Words) -> tuple[Owned, ...]:
    return _ownership().names.get(words, ())


@keyed_on_universe
@cache
def _ownership() -> Ownership:
    """The shipped list, and the parents that the user's own firms name (a ticker, name or label)."""
    shipped = read_relations(shipped_path("firms", "relations.toml"))
    listed = dict(shipped.listed)
    for firm in universe().firms:
        owners = tuple(Owned(parent, *EVER) for parent in resolve(firm.parent) if parent != firm.label)
        if owners:
            listed[firm.label] = (*listed.get(firm.label, ()), *owners)
    return replace(shipped, listed=listed)


def read_relations(path: Path) -> Ownership:
    """Reads parents and subsidiaries (the form of ``corpora/firms/relations.toml``).

    Raises:
        CorpusError: no such file, no TOML, an entry without a name, or a month that is none.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise CorpusError(f"relations cannot be read ({error})", where=str(path)) from error
    names: dict[Words, tuple[Owned, ...]] = {}
    for ticker, text in raw.get("owns", {}).items():
        for words, owned in _entries(ticker, text, str(path)):
            names[words] = (*names.get(words, ()), owned)
    listed: dict[str, tuple[Owned, ...]] = {}
    for entry in raw.get("listed", []):
        owned = _owned(entry["parent"], entry.get("first"), entry.get("last"), str(path))
        # As of the months of control: a ticker may have had another holder since.
        month = entry.get("last") or entry.get("first")
        label = firm_label_of(entry["subsidiary"], on=date.fromisoformat(f"{month}-01") if month else None)
        if label == owned.parent:
            raise CorpusError(f"{entry['subsidiary']} is its own parent", where=str(path), todo="Correct it")
        listed[label] = (*listed.get(label, ()), owned)
    by_chance = raw.get("same_name", {}).get("tickers", "").split()
    return Ownership(names, listed, frozenset(firm_label_of(ticker=ticker) for ticker in by_chance))


def _entries(ticker: str, text: str, path: str) -> Iterator[tuple[Words, Owned]]:
    for part in text.split("|"):
        match = _ENTRY.match(part.strip())
        words = full_form(match["name"]) if match else ()
        if match is None or not words or "@" in match["name"]:
            todo = "Write NAME, or NAME @2012-09..2015-07"
            raise CorpusError(f"{ticker}: {part.strip()!r} is no entry", where=path, todo=todo)
        yield words, _owned(ticker, match["first"], match["last"], path)


def _owned(parent: str, first: str | None, last: str | None, path: str) -> Owned:
    try:
        start = month_number(date.fromisoformat(f"{first}-01")) if first else EVER[0]
        end = month_number(date.fromisoformat(f"{last}-01")) if last else EVER[1]
    except ValueError as error:
        raise CorpusError(f"{parent}: {error}", where=path, todo="Give months as 2012-09") from error
    if start > end:
        raise CorpusError(f"{parent}: {first} comes after {last}", where=path, todo="Correct the months")
    return Owned(firm_label_of(ticker=parent), start, end)
