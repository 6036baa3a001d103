"""Evidence of firms in the sources: a node for each CIK, each unbroken listing, each ticker of the index."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import polars as pl

from neuter.firms.names import full_form, lexicon, without_security
from neuter.firms.sectors import SECTORS

#: Securities which are not the firm's share: preferred, notes, warrants, units, rights.
OTHER_SECURITY = (
    r"(?i)preferred|\bpfd\b|\bnotes?\b|debenture|warrant|\bunits?$|\brights?$|%|\bdebt\b|trust preferred|"
    r"subordinated|\bdep\.? sh|depositary shares? (?:each )?rep|depositary interest"
)
#: The panel's first month with all three exchanges.
PANEL_START = "2021"
#: Preferred shares, warrants, units and rights as the SEC writes them.
OTHER_TICKER = r"-(P[A-Z]?|WT[A-Z]?|UN|RI|WS)$"
PREFERRED_SYMBOL = r"[\^~]|/(?:WS|U|R|CL|W)[A-Z]?$"


#: (month's place, shares outstanding, close, country, industry) at an end of a run in the panel.
Edge = tuple[int, float, float, str, str]


@dataclass
class Holding:
    """A ticker held, or a name borne, from month to month; None: before (or after) what the sources show."""

    value: str
    first: str | None
    last: str | None


@dataclass
class Node:
    """A piece of evidence that will be joined with others into a firm."""

    tickers: list[Holding] = field(default_factory=list)
    names: list[Holding] = field(default_factory=list)
    cik: int | None = None
    exchange: str = ""
    sector: str = ""
    rank: int = 10**9
    short: str = ""
    #: The number of an entry of delisted.toml, and whether that is a firm of its own, never joined with another.
    kept: int = 0
    own: bool = False
    start: Edge | None = None
    stop: Edge | None = None


def ticker(symbol: str) -> str:
    return symbol.strip().split(" ")[0].upper().replace("/", "-").replace(".", "-")


def sectors_now(panel: Path) -> dict[str, str]:
    """The sector of each symbol in the panel's last month with one, depositary shares and units among them.

    Those are left out of the panel's listings, because they are often not the firm's own share; for the SEC's
    holder of the same ticker, the sector holds all the same.
    """
    frame = pl.read_parquet(panel, columns=["date", "symbol", "sector"]).filter(pl.col("sector") != "")
    latest = frame.sort("date").group_by("symbol", maintain_order=True).last()
    return {ticker(symbol): sector for symbol, sector in latest.select("symbol", "sector").iter_rows()}


def sec_nodes(path: Path, sectors: dict[str, str]) -> list[Node]:
    frame = pl.read_parquet(path)
    nodes: dict[int, Node] = {}
    for rank, row in enumerate(frame.iter_rows(named=True)):
        cik = int(row["cik"])
        node = nodes.setdefault(cik, Node(cik=cik, exchange=row["exchange"] or "", rank=rank))
        if not re.search(OTHER_TICKER, row["ticker"]) or not node.tickers:
            node.tickers.append(Holding(ticker(row["ticker"]), None, None))
        if not node.names:
            node.names.append(Holding(row["name"], None, None))
        if row["exchange"] in ("NYSE", "Nasdaq"):
            node.sector = node.sector or sectors.get(ticker(row["ticker"]), "")
    return list(nodes.values())


def panel_nodes(path: Path, handed: dict[str, list[str]]) -> list[Node]:
    """A node for each unbroken run of a symbol in the panel."""
    panel = pl.read_parquet(path).filter(
        ~pl.col("symbol").str.contains(PREFERRED_SYMBOL), ~pl.col("name").str.contains(OTHER_SECURITY)
    )
    months = panel["date"].unique().sort().to_list()
    index = {m: i for i, m in enumerate(months)}
    opening = dict(panel.group_by("exchange").agg(pl.col("date").min()).iter_rows())
    nodes = []
    for (symbol,), rows in panel.sort("date").group_by(["symbol"], maintain_order=True):
        run: list[dict] = []
        for row in rows.iter_rows(named=True):
            if run and _breaks(run[-1], row, index, handed.get(ticker(str(symbol)), [])):
                nodes.append(_panel_node(str(symbol), run, opening, index))
                run = []
            run.append(row)
        nodes.append(_panel_node(str(symbol), run, opening, index))
    return nodes


def _breaks(before: dict, after: dict, index: dict[str, int], days: list[str]) -> bool:
    """A ticker held without a break is one firm's, however it is renamed; else an equal word must carry over."""
    if any(before["date"] < day <= after["date"] for day in days):
        return True
    gap = index[after["date"]] - index[before["date"]]
    alike = _telling(before["name"]) & _telling(after["name"])
    return gap > 2 and (not alike or gap > 24)


def _telling(name: str) -> set[str]:
    """Its words that do not only say what a firm does: Barrick Gold is not Gold.com."""
    words = set(full_form(name))
    return words - lexicon().descriptors or words


def _panel_node(symbol: str, run: list[dict], opening: dict[str, str], index: dict[str, int]) -> Node:
    def first(date: str, exchange: str) -> str | None:
        return None if date == opening[exchange] else date

    end = max(index)
    node = Node(
        exchange=run[-1]["exchange"], sector=next((r["sector"] for r in run[::-1] if r["sector"]), "")
    )
    start, stop = run[0], run[-1]
    node.start, node.stop = _edge(start, index), _edge(stop, index)
    node.tickers.append(
        Holding(
            ticker(symbol),
            first(start["date"], start["exchange"]),
            None if stop["date"] == end else stop["date"],
        )
    )
    spans: dict[tuple[str, ...], list[dict]] = defaultdict(list)
    for row in run:
        spans[full_form(row["name"])].append(row)
    for key, rows in spans.items():
        if key:
            name = without_register(rows[-1]["name"])
            last = None if rows[-1]["date"] == end else rows[-1]["date"]
            node.names.append(Holding(name, first(rows[0]["date"], rows[0]["exchange"]), last))
    return node


def without_register(name: str) -> str:
    """``name`` without the security and what the exchange's list adds: "Unifi Inc. New", "Hershey Company (The)".

    >>> without_register("Eastman Kodak Company Common New"), without_register("Ocwen Financial Corporation NEW")
    ('Eastman Kodak Company', 'Ocwen Financial Corporation')
    """
    name = re.sub(r"\s+Trading under the Legal Name .*$", "", without_security(name))
    name = re.sub(r"[\s,]+(?:New|NEW|\(New\)|\(NEW\)|'New')$", "", name)
    name = re.sub(r"\s+NY Registry Shares$", "", without_security(name))
    return re.sub(r"\s*\((?:The|DE|MD)\)$", "", name).strip()


def _edge(row: dict, index: dict[str, int]) -> Edge | None:
    if not row["market_cap"] or not row["close"]:
        return None
    shares = row["market_cap"] / row["close"]
    return index[row["date"]], shares, row["close"], row["country"] or "", row["industry"] or ""


def kept_nodes(path: Path) -> list[tuple[Node, str]]:
    """A node for each firm of delisted.toml, and the ticker of the listed firm that goes on as ``same``."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["firms"]
    return [_kept_node(number, entry) for number, entry in enumerate(entries, 1)]


def _kept_node(number: int, entry: dict) -> tuple[Node, str]:
    first, last, same = entry.get("first"), entry["last"], entry.get("same", "")
    tickers = [Holding(value, None, until) for value, until in entry.get("former", {}).items()]
    node = Node(
        tickers=[*tickers, Holding(entry["ticker"], first, last)],
        names=[_kept_name(name, first, last) for name in (entry["name"], *entry.get("aliases", ()))],
        cik=entry.get("cik"),
        sector=entry["sector"],
        kept=number,
        own=not same,
        rank=10**6 + number,
    )
    return node, same


def _kept_name(name: str | dict[str, str], first: str | None, last: str) -> Holding:
    """A name borne as long as the ticker was held, unless it has months of its own."""
    if isinstance(name, str):
        return Holding(name, first, last)
    return Holding(name["name"], name.get("first", first), name.get("last", last))


def kept_at(node: Node, kept: list[Node], opening: str) -> int | None:
    """The place of the kept firm that an ended listing is of: its ticker, in its time.

    ``opening``: the first month of the source that the listing comes from.
    """
    held = node.tickers[0]
    if not held.last:
        return None
    for place, firm in enumerate(kept):
        for holding in firm.tickers:
            within = (holding.first or "0") <= held.last[:7]
            if holding.value == held.value and within and (held.first or opening)[:7] <= (holding.last or ""):
                return place
    return None


def index_nodes(path: Path, handed: dict[str, list[str]]) -> list[Node]:
    """A node for each ticker of the S&P 500's history, and for each of its firms (hand-kept dates)."""
    frame = pl.read_parquet(path).sort("snapshot")
    end = frame["snapshot"].max()
    nodes = []
    snapshots = frame["snapshot"].unique().sort().to_list()
    frame = frame.with_columns(pl.col("symbol").map_elements(ticker, return_dtype=pl.String))
    for (symbol,), rows in frame.group_by(["symbol"], maintain_order=True):
        for part in _unbroken(rows.select("snapshot", "name", "sector").rows(), snapshots):
            days = handed.get(str(symbol), [])
            for low, high in zip(["0000", *days], [*days, "9999"], strict=True):
                held = [row for row in part if low <= row[0] < high]
                if held:
                    nodes.append(_index_node(str(symbol), held, (low, high), str(end)))
    return nodes


def _unbroken(rows: list[tuple[str, str, str]], snapshots: list[str]) -> list[list[tuple[str, str, str]]]:
    """Parts between which the ticker was out of the index for two years and came back with an unlike name."""
    parts = [[rows[0]]]
    for before, after in pairwise(rows):
        alike = set(full_form(before[1])) & set(full_form(after[1]))
        missed = snapshots.index(after[0]) - snapshots.index(before[0])
        if not alike and missed > 3 and months_of(after[0]) - months_of(before[0]) > 24:
            parts.append([])
        parts[-1].append(after)
    return parts


def _index_node(symbol: str, rows: list[tuple[str, str, str]], days: tuple[str, str], end: str) -> Node:
    low, high = days
    spans: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    for snapshot, name, _ in rows:
        clean = re.sub(
            r"\s*'[A-Z]'$|\s*\((?:Class|Series).*\)$|\s+Cl(?:ass)?\.?(?:\s[A-Z])?$|\s+[A-Z]$", "", name
        )
        spans[full_form(clean)].append((snapshot, clean.strip()))
    # A firm that enters the index had its ticker and its name before: only a later name begins there.
    opening = None if low == "0000" else low
    node = Node(sector=next((sector for *_, sector in rows[::-1] if sector in SECTORS), rows[-1][2] or ""))
    for seen in spans.values():
        first = opening if seen[0][0] == rows[0][0] else seen[0][0]
        node.names.append(Holding(seen[-1][1], first, None if seen[-1][0] == end else seen[-1][0]))
    node.short = node.names[-1].value
    last = None if rows[-1][0] == end else (rows[-1][0] if high == "9999" else month_before(high))
    node.tickers.append(Holding(symbol, opening, last))
    return node


def month_before(day: str) -> str:
    year, month = divmod(months_of(day) - 2, 12)
    return f"{year}-{month + 1:02d}"


def month_after(month: str) -> str:
    year, place = divmod(months_of(month), 12)
    return f"{year}-{place + 1:02d}"


def months_of(day: str | None) -> int:
    return 0 if day is None or day == "0" else int(day[:4]) * 12 + int(day[5:7] if len(day) > 4 else 12)
