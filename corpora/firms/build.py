"""Builds firms.parquet: every listed US firm seen in the SEC's list, the month-end panel or the S&P 500's history.

    python corpora/firms/build.py [--data ../shared/data] [--review]

One row a firm. Firms are joined by CIK, by a ticker held without a break, and by an equal name; never by likeness.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import polars as pl

from neuter.firms.names import full_form, weak_form, without_security

HERE = Path(__file__).parent
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


class Joined:
    """Union-find over nodes that never joins two CIKs."""

    def __init__(self, nodes: list[Node]) -> None:
        self.parent = list(range(len(nodes)))
        self.cik = [n.cik for n in nodes]

    def root(self, i: int) -> int:
        while self.parent[i] != i:
            self.parent[i] = self.parent[self.parent[i]]
            i = self.parent[i]
        return i

    def join(self, a: int, b: int) -> bool:
        a, b = self.root(a), self.root(b)
        if a == b:
            return True
        if self.cik[a] and self.cik[b] and self.cik[a] != self.cik[b]:
            return False
        self.parent[b] = a
        self.cik[a] = self.cik[a] or self.cik[b]
        return True


def ticker(symbol: str) -> str:
    return symbol.strip().split(" ")[0].upper().replace("/", "-").replace(".", "-")


def sec_nodes(path: Path) -> list[Node]:
    frame = pl.read_parquet(path)
    nodes: dict[int, Node] = {}
    for rank, row in enumerate(frame.iter_rows(named=True)):
        cik = int(row["cik"])
        node = nodes.setdefault(cik, Node(cik=cik, exchange=row["exchange"] or "", rank=rank))
        if not re.search(OTHER_TICKER, row["ticker"]) or not node.tickers:
            node.tickers.append(Holding(ticker(row["ticker"]), None, None))
        if not node.names:
            node.names.append(Holding(row["name"], None, None))
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
                nodes.append(_panel_node(str(symbol), run, opening, months[-1]))
                run = []
            run.append(row)
        nodes.append(_panel_node(str(symbol), run, opening, months[-1]))
    return nodes


def _breaks(before: dict, after: dict, index: dict[str, int], days: list[str]) -> bool:
    """A ticker held without a break is one firm's, however it is renamed; else an equal word must carry over."""
    if any(before["date"] < day <= after["date"] for day in days):
        return True
    gap = index[after["date"]] - index[before["date"]]
    alike = set(full_form(before["name"])) & set(full_form(after["name"]))
    return gap > 2 and (not alike or gap > 24)


def _panel_node(symbol: str, run: list[dict], opening: dict[str, str], end: str) -> Node:
    def first(date: str, exchange: str) -> str | None:
        return None if date == opening[exchange] else date

    node = Node(
        exchange=run[-1]["exchange"], sector=next((r["sector"] for r in run[::-1] if r["sector"]), "")
    )
    start, stop = run[0], run[-1]
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
            name = re.sub(r"\s*\((?:The|DE|MD)\)$", "", without_security(rows[-1]["name"])).strip()
            last = None if rows[-1]["date"] == end else rows[-1]["date"]
            node.names.append(Holding(name, first(rows[0]["date"], rows[0]["exchange"]), last))
    return node


def index_nodes(path: Path) -> list[Node]:
    """A node for each ticker of the S&P 500's history."""
    frame = pl.read_parquet(path).sort("snapshot")
    start, end = frame["snapshot"].min(), frame["snapshot"].max()
    nodes = []
    frame = frame.with_columns(pl.col("symbol").map_elements(ticker, return_dtype=pl.String))
    for (symbol,), rows in frame.group_by(["symbol"], maintain_order=True):
        for part in _unbroken(rows.select("snapshot", "name", "sector").rows()):
            nodes.append(_index_node(str(symbol), part, str(start), str(end)))
    return nodes


def _unbroken(rows: list[tuple[str, str, str]]) -> list[list[tuple[str, str, str]]]:
    """Parts between which the ticker was out of the index for two years and came back with an unlike name."""
    parts = [[rows[0]]]
    for before, after in pairwise(rows):
        alike = set(full_form(before[1])) & set(full_form(after[1]))
        if not alike and _months(after[0]) - _months(before[0]) > 24:
            parts.append([])
        parts[-1].append(after)
    return parts


def _index_node(symbol: str, rows: list[tuple[str, str, str]], start: str, end: str) -> Node:
    spans: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    for snapshot, name, _ in rows:
        clean = re.sub(
            r"\s*'[A-Z]'$|\s*\((?:Class|Series).*\)$|\s+Cl(?:ass)?\.?(?:\s[A-Z])?$|\s+[A-Z]$", "", name
        )
        spans[full_form(clean)].append((snapshot, clean.strip()))
    node = Node(sector=rows[-1][2] or "", short=rows[-1][1])
    for seen in spans.values():
        first = None if seen[0][0] == start else seen[0][0]
        node.names.append(Holding(seen[-1][1], first, None if seen[-1][0] == end else seen[-1][0]))
    first, last = rows[0][0], rows[-1][0]
    node.tickers.append(Holding(symbol, None if first == start else first, None if last == end else last))
    return node


def split_index_nodes(nodes: list[Node], handed: dict[str, list[str]]) -> list[Node]:
    """Where a ticker went to another firm (hand-kept dates), one node before and one after."""
    out = []
    for node in nodes:
        days = handed.get(node.tickers[0].value, [])
        for low, high in zip(["0000", *days], [*days, "9999"], strict=True):
            names = [n for n in node.names if low <= (n.first or "2013") < high]
            if names:
                span = node.tickers[0]
                first = span.first if low == "0000" else low
                last = span.last if high == "9999" else high
                out.append(
                    Node([Holding(span.value, first, last)], names, sector=node.sector, short=names[-1].value)
                )
    return out


def join_all(sec: list[Node], panel: list[Node], sp: list[Node], review: bool) -> dict[int, list[Node]]:
    nodes = [*sec, *panel, *sp]
    joined = Joined(nodes)
    current = {t.value: i for i, n in enumerate(sec) for t in n.tickers}
    offset, sp_offset = len(sec), len(sec) + len(panel)
    for i, node in enumerate(panel, offset):
        at = current.get(node.tickers[0].value)
        if node.tickers[0].last is None and at is not None:
            joined.join(at, i)
            if review and not _alike(nodes[at], node):
                print(
                    "by ticker alone:",
                    node.tickers[0].value,
                    node.names[-1].value,
                    "|",
                    nodes[at].names[0].value,
                )
    _join_by_name(nodes, joined, sp_offset)
    runs: dict[str, list[int]] = defaultdict(list)
    for i, node in enumerate(panel, offset):
        runs[node.tickers[0].value].append(i)
    for i, node in enumerate(sp, sp_offset):
        target = _held_at(node, runs, nodes, current)
        if target is not None:
            joined.join(target, i)
    _join_by_name(nodes, joined, len(nodes))
    groups: dict[int, list[Node]] = defaultdict(list)
    for i, node in enumerate(nodes):
        groups[joined.root(i)].append(node)
    if review:
        for node in sp:
            keys = [full_form(n.value) for n in node.names]
            if any(not set(a) & set(b) for a, b in pairwise(keys)):
                print("index rename:", node.tickers[0].value, [(n.value, n.first) for n in node.names])
    return groups


def _held_at(
    node: Node, runs: dict[str, list[int]], nodes: list[Node], current: dict[str, int]
) -> int | None:
    """The panel's holder of the ticker at the end of the index node's time."""
    holding = node.tickers[0]
    end = holding.last or "9999"
    for i in runs.get(holding.value, []):
        held = nodes[i].tickers[0]
        covers = (held.first or "0") <= end <= (held.last or "9999")
        if (covers and end >= PANEL_START) or ((held.first or "0") <= end and _alike(nodes[i], node)):
            return i
    at = current.get(holding.value)
    return at if at is not None and _alike(nodes[at], node) else None


def _alike(a: Node, b: Node) -> bool:
    keys = {weak_form(full_form(n.value)) for n in a.names}
    return any(weak_form(full_form(n.value)) in keys for n in b.names)


def _join_by_name(nodes: list[Node], joined: Joined, upto: int) -> None:
    """Joins nodes of one name, borne without a gap of over a year, where it belongs to one CIK or to none."""
    owners: dict[tuple[str, ...], list[tuple[Holding, int]]] = defaultdict(list)
    for i, node in enumerate(nodes[:upto]):
        for name in node.names:
            key = full_form(name.value)
            if key:
                owners[key].append((name, i))
    for holders in owners.values():
        ciks = {joined.cik[joined.root(i)] for _, i in holders} - {None}
        if len(ciks) > 1:
            continue
        dated = sorted(holders, key=lambda h: (h[0].first or "0", h[0].last or "9999"))
        spans = [h for h in dated if nodes[h[1]].cik is None]
        reach = spans[0][0].last or "9999" if spans else "9999"
        for (_, one), (span, other) in pairwise(spans):
            if _months(span.first) - _months(reach) <= 12:
                joined.join(one, other)
            reach = max(reach, span.last or "9999")
        sec = [i for _, i in holders if nodes[i].cik is not None]
        if sec and spans:
            joined.join(sec[0], spans[-1][1])


def _months(day: str | None) -> int:
    return 0 if day is None or day == "0" else int(day[:4]) * 12 + int(day[5:7] if len(day) > 4 else 12)


def firm_row(group: list[Node]) -> dict:
    cik = next((n.cik for n in group if n.cik), None)
    tickers = _merged([t for n in group for t in n.tickers], key=lambda v: v)
    names = _merged([h for n in group for h in n.names], key=full_form)
    short = next((n.short for n in group[::-1] if n.short), "")
    short = re.sub(r"\s*\((?:Class|Series).*\)$|\s+Cl(?:ass)?\.?(?:\s[A-Z])?$", "", short)
    main = _main_ticker(group, tickers)
    listed = [n for n in group if n.cik is None and not n.short and n.names]
    live = max(listed, key=lambda n: n.tickers[0].last or "9999", default=None)
    sec = next((n for n in group if n.cik), None)
    name = short or (live.names[-1].value if live else (sec.names[0].value if sec else names[-1].value))
    return {
        "cik": cik,
        "ticker": main,
        "name": name,
        "exchange": (live or sec or group[0]).exchange,
        "sector": next((n.sector for n in listed[::-1] if n.sector), "")
        or next((n.sector for n in group if n.sector), ""),
        "aliases": sorted({short} - {name, ""}),
        "tickers": [vars(t) for t in tickers],
        "names": [vars(n) for n in names],
        "rank": min(n.rank for n in group),
    }


def _main_ticker(group: list[Node], tickers: list[Holding]) -> str:
    sec = [t.value for n in group if n.cik for t in n.tickers]
    listed = Counter(t.value for n in group if n.cik is None for t in n.tickers if t.last is None)
    for value in sec:
        if value in listed or not listed:
            return value
    return max(tickers, key=lambda t: t.last or "9999").value


def _merged(holdings: list[Holding], key) -> list[Holding]:
    """One entry a ticker or name, over all the time that any source shows it."""
    spans: dict[object, list[Holding]] = defaultdict(list)
    for h in holdings:
        spans[key(h.value)].append(h)
    merged = []
    for same in spans.values():
        dated = [h for h in same if h.first or h.last] or same
        first = None if any(h.first is None for h in dated) else min(h.first for h in dated if h.first)
        undated = any(h.first is None and h.last is None for h in same)
        open_end = undated or any(h.last is None for h in dated)
        last = None if open_end else max(h.last for h in dated if h.last)
        merged.append(Holding(dated[-1].value, first and first[:7], last and last[:7]))
    return sorted(merged, key=lambda h: (h.first or "", h.last or "9999", h.value))


def build(data: Path, review: bool) -> pl.DataFrame:
    handed = tomllib.loads((HERE / "handed_on.toml").read_text(encoding="utf-8"))["tickers"]
    sec = sec_nodes(data / "universe/sec_company_tickers.parquet")
    panel = panel_nodes(data / "stocks/us_month_end_panel.parquet", handed)
    sp = index_nodes(data / "universe/sp500_constituents_history.parquet")
    groups = join_all(sec, panel, split_index_nodes(sp, handed), review)
    span = pl.List(pl.Struct({"value": pl.String, "first": pl.String, "last": pl.String}))
    rows = [firm_row(g) for g in groups.values()]
    frame = pl.DataFrame(rows, schema_overrides={"cik": pl.Int64, "tickers": span, "names": span})
    return frame.sort("rank", "ticker", "name").drop("rank")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "shared/data")
    parser.add_argument(
        "--review", action="store_true", help="print what the join decided, for a person to read"
    )
    args = parser.parse_args()
    frame = build(args.data, args.review)
    part = HERE / "firms.parquet.part"
    frame.write_parquet(part, compression="zstd", compression_level=19)
    part.replace(HERE / "firms.parquet")
    print(
        frame.height,
        "firms,",
        frame["cik"].is_not_null().sum(),
        "with a CIK,",
        (HERE / "firms.parquet").stat().st_size,
        "bytes",
    )


if __name__ == "__main__":
    main()
