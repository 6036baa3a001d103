"""The firms that neuter knows: shipped rows, hand-kept aliases, and the user's own, read and indexed once."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from dataclasses import replace
from functools import cache
from typing import Protocol, TypeVar

from neuter.errors import CorpusError
from neuter.firms.index import EVER, Claim, Firm, Span, Universe, indexed, month_number, ticker_key
from neuter.firms.names import full_form
from neuter.shipped import shipped_path

__all__ = [
    "EVER",
    "Claim",
    "Firm",
    "Span",
    "Universe",
    "forget_universe",
    "keyed_on_universe",
    "month_number",
    "shipped_firms",
    "ticker_key",
    "universe",
]


class _Cached(Protocol):
    def cache_clear(self) -> None: ...


C = TypeVar("C", bound=_Cached)
_caches: list[_Cached] = []


def keyed_on_universe(cached: C) -> C:
    """Marks a function with a cache whose answers hold for the universe in use alone.

    >>> @keyed_on_universe
    ... @cache
    ... def firms_known() -> int:
    ...     return len(universe().firms)
    """
    _caches.append(cached)
    return cached


def forget_universe() -> None:
    """Empties the universe and every cache that is keyed on it, so that they are made again when asked for."""
    for cached in _caches:
        cached.cache_clear()


@keyed_on_universe
@cache
def universe() -> Universe:
    """The shipped universe with its aliases and the user's own firms (``use_firms``), read and indexed once.

    Raises:
        CorpusError: the shipped file is missing or an alias names a ticker that no firm holds.
    """
    from neuter.firms.own import with_own_firms

    return indexed(with_own_firms(shipped_firms()))


@cache
def shipped_firms() -> tuple[Firm, ...]:
    """The firms that ship with neuter, largest first as the SEC's list has them, with their aliases."""
    return _with_aliases(_read_firms())


def _read_firms() -> list[Firm]:
    import polars as pl

    path = shipped_path("firms", "firms.parquet")
    if not path.is_file():
        raise CorpusError(
            "the firm universe is missing", where=str(path), todo="Run python corpora/firms/build.py"
        )
    rows = pl.read_parquet(path).rows(named=True)
    used: dict[str, int] = defaultdict(int)
    for row in rows:
        for ticker in {span["value"] for span in row["tickers"]}:
            used[ticker] += 1
    return [_firm(row, used) for row in rows]


def _firm(row: dict[str, object], used: dict[str, int]) -> Firm:
    cik, ticker, name = row["cik"], str(row["ticker"]), str(row["name"])
    if isinstance(cik, int):
        label = f"cik:{cik:010d}"
    elif used[ticker] == 1:
        label = f"ticker:{ticker}"
    else:
        label = "name:" + " ".join(full_form(name))
    return Firm(
        label,
        cik if isinstance(cik, int) else None,
        ticker,
        name,
        str(row["exchange"]),
        str(row["sector"]),
        _spans(row["tickers"]),
        _spans(row["names"]),
    )


def _spans(raw: object) -> tuple[Span, ...]:
    assert isinstance(raw, list)
    return tuple(Span(r["value"], _month(r["first"], EVER[0]), _month(r["last"], EVER[1])) for r in raw)


def _month(text: str | None, otherwise: int) -> int:
    return otherwise if not text else int(text[:4]) * 12 + int(text[5:7]) - 1


def _with_aliases(firms: list[Firm]) -> tuple[Firm, ...]:
    path = shipped_path("firms", "aliases.toml")
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    holder = {span.value: n for n, f in enumerate(firms) for span in f.tickers if span.last == EVER[1]}
    ended = {span.value: n for n, f in enumerate(firms) for span in f.tickers if span.value not in holder}
    holder |= ended
    for ticker, names in raw["aliases"].items():
        number = _holder(holder, ticker, str(path))
        plain = tuple(name for name in names if isinstance(name, str))
        dated = tuple(_dated(entry) for entry in names if not isinstance(entry, str))
        firm = firms[number]
        firms[number] = replace(firm, aliases=(*firm.aliases, *plain), names=(*firm.names, *dated))
    for entry in raw.get("dated", []):
        number = _holder(holder, entry["ticker"], str(path))
        firms[number] = _closed(firms[number], _dated(entry))
    return tuple(firms)


def _dated(entry: dict[str, str]) -> Span:
    """A name of the hand-kept list that names nobody outside of its months: another firm bore it then."""
    first, last = _month(entry.get("first"), EVER[0]), _month(entry.get("last"), EVER[1])
    return Span(entry["name"], first, last, strict=True)


def _holder(holder: dict[str, int], ticker: str, path: str) -> int:
    if ticker not in holder:
        raise CorpusError(f"no firm holds the ticker {ticker}", where=path, todo="Correct the entry")
    return holder[ticker]


def _closed(firm: Firm, span: Span) -> Firm:
    """The firm with a name that names nobody outside of its months."""
    key = full_form(span.value)
    return replace(firm, names=(*(n for n in firm.names if full_form(n.value) != key), span))
