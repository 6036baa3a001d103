"""Builds firms.parquet: every listed US firm seen in the SEC's list, the month-end panel or the S&P 500's history.

    python corpora/firms/build.py [--data ../shared/data] [--review]

One row a firm. Firms are joined by CIK, by a ticker held without a break, by an equal name, by an equal number of
shares from one month to the next, and by hand (joins.toml); never by likeness of names.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import polars as pl
from evidence import Holding, Node, index_nodes, kept_nodes, month_after, panel_nodes, sec_nodes, sectors_now
from joining import Sources, join_all

from neuter.firms.names import full_form
from neuter.firms.sectors import SECTORS

HERE = Path(__file__).parent


def handed_on(rows: list[dict], began: dict[str, str]) -> None:
    """A ticker is one firm's at a time: a holder of unknown beginning begins after the one before it.

    ``began``: first months kept by hand, of the last firm that held the ticker.
    """
    held: dict[str, list[tuple[Holding, int]]] = defaultdict(list)
    for number, row in enumerate(rows):
        for span in row["tickers"]:
            held[span.value].append((span, number))
    for holders in held.values():
        ordered = sorted(holders, key=lambda h: h[0].last or "9999")
        ordered[-1][0].first = ordered[-1][0].first or began.get(ordered[-1][0].value)
        for (before, one), (after, other) in pairwise(ordered):
            if one != other and after.first is None and before.last and before.last < (after.last or "9999"):
                after.first = month_after(before.last)


def firm_row(group: list[Node]) -> dict:
    cik = next((n.cik for n in group if n.cik), None)
    tickers = _merged([t for n in group for t in n.tickers], key=lambda v: v)
    names = _merged([h for n in group for h in n.names], key=full_form)
    hand = [n for n in group if n.kept]
    for holding in (h for n in hand for h in (*n.tickers, *n.names) if h.first):
        for merged in (*tickers, *names):
            if merged.value == holding.value:
                merged.first = holding.first
    indexed = [n for n in group if n.short]
    short = next((n.short for n in indexed[::-1] if n.tickers[0].last is None), "")
    short = short or (indexed[-1].short if indexed and len(indexed) == len(group) else "")
    short = re.sub(r"\s*\((?:Class|Series).*\)$|\s+Cl(?:ass)?\.?(?:\s[A-Z])?$", "", short)
    own = next((n.names[0].value for n in hand if n.own), "")
    listed = [n for n in group if n.cik is None and not n.short and not n.kept and n.names]
    live = max(listed, key=lambda n: n.tickers[0].last or "9999", default=None)
    sec = next((n for n in group if n.cik), None)
    name = own or short or (live.names[-1].value if live else (sec or group[0]).names[0].value)
    main = next((n.tickers[-1].value for n in hand if n.own), "") or _main_ticker(group, tickers)
    return {
        "cik": cik,
        "ticker": main,
        "name": name,
        "exchange": (live or sec or group[0]).exchange.lower(),
        # The index's sectors are GICS's own; the exchange's bear some of their names and mean other firms.
        "sector": next((n.sector for n in indexed[::-1] if n.sector in SECTORS), "")
        or next((n.sector for n in listed[::-1] if n.sector), "")
        or next((n.sector for n in group if n.sector), ""),
        "aliases": sorted({short} - {name, ""}),
        "tickers": tickers,
        "names": names,
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
    kept = tomllib.loads((HERE / "joins.toml").read_text(encoding="utf-8"))
    handed = kept["handed_on"]
    months = data / "stocks/us_month_end_panel.parquet"
    sec = sec_nodes(data / "universe/sec_company_tickers.parquet", sectors_now(months))
    panel = panel_nodes(months, handed)
    sp = index_nodes(data / "universe/sp500_constituents_history.parquet", handed)
    hand = kept_nodes(HERE / "delisted.toml")
    groups = join_all(Sources(sec, panel, sp, hand), kept["same"], review)
    span = pl.List(pl.Struct({"value": pl.String, "first": pl.String, "last": pl.String}))
    rows = [firm_row(g) for g in groups.values()]
    handed_on(rows, kept["began"])
    for row in rows:
        for spans in ("tickers", "names"):
            row[spans] = [vars(span) for span in row[spans]]
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
