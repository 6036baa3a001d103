"""The firms that neuter knows: shipped rows, hand-kept aliases, and indexes to look a guess up in."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from functools import cache

from neuter.errors import CorpusError
from neuter.firms.names import Words, full_form, short_forms, weak_form
from neuter.shipped import shipped_path

EVER = (0, 999_999)


@dataclass(frozen=True, slots=True)
class Span:
    """A ticker held or a name borne, by months counted as ``year * 12 + month - 1``, both ends included.

    ``strict``: outside of these months it names nobody, because another firm has taken it up since.
    """

    value: str
    first: int
    last: int
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Firm:
    """A firm of the universe. ``label`` is its stable id: "cik:0000320193", or "ticker:ACC" without a CIK."""

    label: str
    cik: int | None
    ticker: str
    name: str
    exchange: str
    sector: str
    tickers: tuple[Span, ...]
    names: tuple[Span, ...]
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A firm's right to a ticker or a name during a span of months; none outside of them if ``strict``."""

    firm: int
    first: int
    last: int
    strict: bool = False


@dataclass(slots=True)
class Universe:
    """Firms with their indexes: tickers, full names (run together too), and forms that fall short of them."""

    firms: tuple[Firm, ...]
    by_label: dict[str, int] = field(default_factory=dict)
    tickers: dict[str, list[Claim]] = field(default_factory=lambda: defaultdict(list))
    capitals: dict[str, list[Claim]] = field(default_factory=lambda: defaultdict(list))
    full: dict[Words, list[Claim]] = field(default_factory=lambda: defaultdict(list))
    together: dict[str, list[Claim]] = field(default_factory=lambda: defaultdict(list))
    weak: dict[Words, set[int]] = field(default_factory=lambda: defaultdict(set))
    short: dict[Words, set[int]] = field(default_factory=lambda: defaultdict(set))
    beginnings: dict[Words, set[int]] = field(default_factory=lambda: defaultdict(set))
    words: set[str] = field(default_factory=set)


def month_number(day: date) -> int:
    """Months since year 0, so that months compare and subtract."""
    return day.year * 12 + day.month - 1


@cache
def universe() -> Universe:
    """The shipped universe with its aliases, read and indexed once.

    Raises:
        CorpusError: the shipped file is missing or an alias names a ticker that no firm holds.
    """
    firms = _with_aliases(_read_firms())
    index = Universe(firms=firms)
    for number, firm in enumerate(firms):
        index.by_label[firm.label] = number
        _index_tickers(index, number, firm)
        _index_names(index, number, firm)
    return index


def ticker_key(symbol: str) -> str:
    """One spelling for BRK.B, BRK/B and BRK-B."""
    return symbol.strip().upper().replace("/", "-").replace(".", "-").replace(" ", "-")


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
        firms[number] = _extended(firms[number], aliases=tuple(names))
    for entry in raw.get("dated", []):
        number = _holder(holder, entry["ticker"], str(path))
        span = Span(
            entry["name"], _month(entry.get("first"), EVER[0]), _month(entry.get("last"), EVER[1]), True
        )
        firms[number] = _extended(firms[number], closed=span)
    return tuple(firms)


def _holder(holder: dict[str, int], ticker: str, path: str) -> int:
    if ticker not in holder:
        raise CorpusError(f"no firm holds the ticker {ticker}", where=path, todo="Correct the entry")
    return holder[ticker]


def _extended(firm: Firm, *, aliases: tuple[str, ...] = (), closed: Span | None = None) -> Firm:
    from dataclasses import replace

    names = firm.names
    if closed is not None:
        key = full_form(closed.value)
        names = (*(n for n in names if full_form(n.value) != key), closed)
    return replace(firm, aliases=(*firm.aliases, *aliases), names=names)


def _index_tickers(index: Universe, number: int, firm: Firm) -> None:
    for span in firm.tickers:
        claim = Claim(number, span.first, span.last)
        index.tickers[span.value].append(claim)
        if "-" in span.value:
            base, _, share_class = span.value.partition("-")
            if share_class in {"A", "B", "C"}:
                for other in (base, base + share_class):
                    index.tickers[other].append(claim)


def _index_names(index: Universe, number: int, firm: Firm) -> None:
    for span in (*firm.names, *(Span(alias, *EVER) for alias in firm.aliases)):
        words = full_form(span.value)
        if not words:
            continue
        claim = Claim(number, span.first, span.last, span.strict)
        if span.value in firm.aliases and span.value.isupper() and len(words) == 1:
            index.capitals[ticker_key(span.value)].append(claim)
        index.full[words].append(claim)
        index.together["".join(words)].append(claim)
        index.words.update(words)
        if span.strict:
            continue
        index.weak[weak_form(words)].add(number)
        for form in short_forms(words):
            index.short[form].add(number)
        for end in range(1, len(words)):
            index.beginnings[words[:end]].add(number)
