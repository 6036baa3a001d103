"""Builds and checks the shipped sample: merges the hand-written parts, fills market caps and sizes, validates.

    python corpora/sample/build.py           merge the parts (or refill the merged files where there are none)
    python corpora/sample/build.py --check   write nothing; say what is wrong with the merged files

Market caps come from the month-end panel in ../shared/data (or NEUTER_SHARED_DATA), which only the builder
needs. Problems are listed on standard error and end in exit status 1; a file with problems is not written.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
STATEMENTS, HEADLINES = "statements.jsonl", "headlines.jsonl"
STATEMENT_PARTS = {"part_large.jsonl": "Large", "part_mid.jsonl": "Mid", "part_small.jsonl": "Small"}
HEADLINE_PARTS = ("part_headlines_a.jsonl", "part_headlines_b.jsonl")

FIRM_FIELDS = ("id", "kind", "ticker", "firm", "cik", "date")
FIELDS = (
    *FIRM_FIELDS,
    "fiscal_year",
    "fiscal_quarter",
    "fiscal_year_end",
    "market_cap",
    "size",
    "sector",
    "text",
)
MIN_STATEMENTS, HEADLINE_COUNT, FIRMS_BY_SIZE, MIN_QUARTERS = 96, 80, 8, 4
STATEMENT_WORDS, HEADLINE_WORDS = (150, 300), (6, 20)
RUN_WORDS = 12
MONTHS_AWAY = 62  # days: how far from the date a month end may lie when the one before it has no value

#: Symbols that a firm traded under before today's ticker; the panel has each only while it was in use.
FORMER_SYMBOLS = {"META": ("FB",), "ETD": ("ETH",), "TBCH": ("HEAR",)}

#: The ticker of a row is today's symbol of the firm, as in the universe, whatever it was at the date.
TODAYS_SYMBOL = {old: ticker for ticker, symbols in FORMER_SYMBOLS.items() for old in symbols}

Row = dict[str, Any]


@dataclass(frozen=True)
class SharedData:
    """What the builder takes from ../shared/data; caps in US dollars, breakpoints in millions of them."""

    caps: Mapping[str, tuple[tuple[date, float], ...]]
    breakpoints: tuple[tuple[date, float, float], ...]
    ciks: Mapping[str, int]

    def market_cap(self, ticker: str, day: date) -> int | None:
        """The last month end with a value in the two months up to ``day``, else the first in the two after it."""
        symbols = (ticker, *FORMER_SYMBOLS.get(ticker, ()))
        near = [
            (end > day, abs((end - day).days), cap)
            for symbol in symbols
            for end, cap in self.caps.get(symbol, ())
            if abs((end - day).days) <= MONTHS_AWAY
        ]
        return round(min(near)[2]) if near else None

    def size(self, cap: float, day: date) -> str:
        """Large, Mid or Small by the NYSE 33⅓ and 66⅔ percentiles of the month of ``day``, or the nearest."""
        month = 12 * day.year + day.month
        _, low, high = min(self.breakpoints, key=lambda row: abs(12 * row[0].year + row[0].month - month))
        return "Small" if cap / 1e6 <= low else "Mid" if cap / 1e6 <= high else "Large"


def shared_folder() -> Path:
    given = os.environ.get("NEUTER_SHARED_DATA")
    return Path(given) if given else HERE.parents[2] / "shared" / "data"


def load_shared(folder: Path, tickers: set[str]) -> SharedData:
    import polars as pl

    symbols = sorted(tickers | {old for ticker in tickers for old in FORMER_SYMBOLS.get(ticker, ())})
    panel = (
        pl.scan_parquet(folder / "stocks" / "us_month_end_panel.parquet")
        .filter(pl.col("symbol").is_in(symbols), pl.col("market_cap") > 0)
        .select("symbol", "date", "market_cap")
        .collect()
    )
    caps: dict[str, list[tuple[date, float]]] = defaultdict(list)
    for symbol, day, cap in panel.sort("date").iter_rows():
        caps[symbol].append((date.fromisoformat(day), cap))
    points = pl.read_csv(folder / "stocks" / "nyse_size_breakpoints_usd_mn.csv").sort("date")
    universe = pl.read_parquet(folder / "universe" / "sec_company_tickers.parquet")
    return SharedData(
        {symbol: tuple(values) for symbol, values in caps.items()},
        tuple(_terciles(row) for row in points.iter_rows(named=True)),
        {ticker: int(cik) for ticker, cik in universe.select("ticker", "cik").iter_rows()},
    )


def _terciles(row: Mapping[str, Any]) -> tuple[date, float, float]:
    low = row["p30"] + (100 / 3 - 30) / 5 * (row["p35"] - row["p30"])
    high = row["p65"] + (200 / 3 - 65) / 5 * (row["p70"] - row["p65"])
    return date.fromisoformat(row["date"]), low, high


def read_rows(path: Path) -> list[Row]:
    """The rows of a JSON Lines file.

    Raises:
        ValueError: a line is no JSON object; the message names file and line.
    """
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            rows.append(dict(json.loads(line)))
        except ValueError as error:
            raise ValueError(f"{path.name}: line {number} is no JSON object ({error})") from error
    return rows


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Writes all of it or nothing: a temporary file in the same folder takes the old one's place."""
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, encoding="utf-8", newline="\n", delete=False
    ) as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)


def completed(row: Row, shared: SharedData | None) -> Row:
    """``row`` with market cap and size of its firm at its date, its fields in the shipped order."""
    new = dict(row)
    if row.get("ticker"):
        new["ticker"] = TODAYS_SYMBOL.get(row["ticker"], row["ticker"])
    if shared and new.get("ticker") and (day := _day(row)):
        cap = shared.market_cap(new["ticker"], day)
        if cap is not None:
            new |= {"market_cap": cap, "size": shared.size(cap, day)}
    return {name: new[name] for name in FIELDS if name in new} | {
        k: v for k, v in new.items() if k not in FIELDS
    }


def ordered(rows: Iterable[Row]) -> list[Row]:
    return sorted(
        rows, key=lambda row: (str(row.get("ticker") or ""), str(row.get("date") or ""), str(row.get("id")))
    )


def statement_problems(
    rows: list[Row], intended: Mapping[str, str], shared: SharedData | None
) -> Iterator[str]:
    """All that is wrong with the statements. ``intended`` is the size by id that the parts were written for."""
    for row in rows:
        missing = [name for name in FIELDS if row.get(name) in (None, "")]
        if missing:
            yield f"{row.get('id')}: no {', '.join(missing)}"
            continue
        expected = f"{row['ticker']}-{row['fiscal_year']}Q{row['fiscal_quarter']}"
        if row["id"] != expected:
            yield f"{row['id']}: the id should be {expected}"
        if row["fiscal_quarter"] not in {1, 2, 3, 4}:
            yield f"{row['id']}: fiscal quarter {row['fiscal_quarter']}"
        if row["kind"] != "transcript":
            yield f"{row['id']}: kind {row['kind']!r} instead of 'transcript'"
        if intended.get(row["id"], row["size"]) != row["size"]:
            yield f"{row['id']}: {row['size']} by market cap, written as {intended[row['id']]}"
        yield from row_problems(row, STATEMENT_WORDS, shared)
    yield from firm_problems(rows)
    yield from set_problems(rows)


def headline_problems(rows: list[Row], shared: SharedData | None) -> Iterator[str]:
    for row in rows:
        missing = [name for name in ("id", "kind", "date", "text") if row.get(name) in (None, "")]
        if missing:
            yield f"{row.get('id')}: no {', '.join(missing)}"
            continue
        if row["kind"] != "headline":
            yield f"{row['id']}: kind {row['kind']!r} instead of 'headline'"
        yield from row_problems(row, HEADLINE_WORDS, shared)
    if len(rows) != HEADLINE_COUNT:
        yield f"{len(rows)} headlines instead of {HEADLINE_COUNT}"
    events: dict[tuple[Any, Any], str] = {}
    for row in rows:
        first = events.setdefault((row.get("ticker"), row.get("date")), str(row.get("id")))
        if first != row.get("id"):
            yield f"{row.get('id')}: the same firm and day as {first}"
    yield from set_problems(rows)


def row_problems(row: Row, words: tuple[int, int], shared: SharedData | None) -> Iterator[str]:
    """What holds for one row of either file: words, plain text, a weekday, the firm's own CIK."""
    count = len(row["text"].split())
    if not words[0] <= count <= words[1]:
        yield f"{row['id']}: {count} words instead of {words[0]} to {words[1]}"
    if row["text"] != row["text"].strip() or re.search(r"[\x00-\x09\x0b-\x1f\x7f\ufffd]", row["text"]):
        yield f"{row['id']}: blanks at an end, or control characters, in the text"
    day = _day(row)
    if day is None:
        yield f"{row['id']}: {row['date']!r} is no date"
    elif day.weekday() > 4 and row["kind"] == "transcript":
        yield f"{row['id']}: {day} is a {day:%A}"
    if shared and row.get("ticker"):
        cik = shared.ciks.get(row["ticker"])
        if row.get("cik") not in {cik, None} or cik is None:
            yield f"{row['id']}: CIK {row.get('cik')}, but the universe has {cik} for {row['ticker']}"


def firm_problems(rows: list[Row]) -> Iterator[str]:
    quarters, sizes, names = defaultdict(set), defaultdict(set), defaultdict(set)
    for row in rows:
        firm = str(row.get("ticker"))
        quarters[firm].add((row.get("fiscal_year"), row.get("fiscal_quarter")))
        sizes[firm].add(str(row.get("size")))
        names[firm].add((row.get("firm"), row.get("cik"), row.get("sector")))
    for firm, held in quarters.items():
        if len(held) < MIN_QUARTERS:
            yield f"{firm}: {len(held)} quarters instead of at least {MIN_QUARTERS}"
        if len(sizes[firm]) > 1:
            yield f"{firm}: more than one size ({', '.join(sorted(sizes[firm]))})"
        if len(names[firm]) > 1:
            yield f"{firm}: name, CIK or sector differ between its texts: {sorted(map(str, names[firm]))}"
    for size in ("Large", "Mid", "Small"):
        firms = [firm for firm, held in sizes.items() if held == {size}]
        if len(firms) != FIRMS_BY_SIZE:
            yield f"{len(firms)} {size} firms instead of {FIRMS_BY_SIZE} ({', '.join(sorted(firms))})"
    if len(rows) < MIN_STATEMENTS:
        yield f"{len(rows)} statements instead of at least {MIN_STATEMENTS}"


def set_problems(rows: list[Row]) -> Iterator[str]:
    """Ids that come twice, and texts that share a run of RUN_WORDS words (each pair once)."""
    for id_, times in Counter(str(row.get("id")) for row in rows).items():
        if times > 1:
            yield f"{id_}: the id comes {times} times"
    seen: dict[tuple[str, ...], str] = {}
    told: set[tuple[str, str]] = set()
    for row in rows:
        words = re.findall(r"\w+", str(row.get("text", "")).lower())
        length = min(RUN_WORDS, len(words))
        for start in range(len(words) - length + 1):
            run = tuple(words[start : start + length])
            first = seen.setdefault(run, str(row.get("id")))
            if first != row.get("id") and (first, str(row.get("id"))) not in told:
                told.add((first, str(row.get("id"))))
                yield f"{row.get('id')}: shares {length} words with {first}: {' '.join(run)!r}"


def _day(row: Row) -> date | None:
    try:
        return date.fromisoformat(str(row.get("date")))
    except ValueError:
        return None


def gather(merged: str, parts: Iterable[str], *, check: bool) -> tuple[list[Row], dict[str, str], list[str]]:
    """The rows to look at, the intended size by id (from the part's name), and the problems of the files."""
    present = [name for name in parts if (HERE / name).is_file()]
    if check or not present:
        if not (HERE / merged).is_file():
            return [], {}, [f"{merged} is missing, and none of its parts is there"]
        return read_rows(HERE / merged), {}, []
    rows: list[Row] = []
    intended: dict[str, str] = {}
    for name in present:
        part = read_rows(HERE / name)
        rows += part
        intended |= {str(row.get("id")): STATEMENT_PARTS[name] for row in part if name in STATEMENT_PARTS}
    return rows, intended, [f"{name} is missing" for name in parts if name not in present]


def run(*, check: bool) -> list[str]:
    """Builds (or only checks) both files; returns the problems, all of them, in the order of the files."""
    statements, intended, statement_trouble = gather(STATEMENTS, STATEMENT_PARTS, check=check)
    headlines, _, headline_trouble = gather(HEADLINES, HEADLINE_PARTS, check=check)
    folder = shared_folder()
    shared = None
    if folder.is_dir():
        shared = load_shared(
            folder, {str(row["ticker"]) for row in statements + headlines if row.get("ticker")}
        )
    else:
        print(f"{folder} is not there: market caps, sizes and CIKs are taken as they stand", file=sys.stderr)
    full = {
        STATEMENTS: ordered(completed(row, shared) for row in statements),
        HEADLINES: ordered(completed(row, shared) for row in headlines),
    }
    trouble = {
        STATEMENTS: statement_trouble + list(statement_problems(full[STATEMENTS], intended, shared)),
        HEADLINES: headline_trouble + list(headline_problems(full[HEADLINES], shared)),
    }
    for name, rows in full.items():
        if check and rows != (statements if name == STATEMENTS else headlines):
            trouble[name].append("order, market caps or sizes are not what a build would write: run build.py")
        elif not check and not trouble[name]:
            write_rows(HERE / name, rows)
        print(f"{name}: {len(rows)} documents, {len(trouble[name])} problems")
    return [f"{name}: {problem}" for name, problems in trouble.items() for problem in problems]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, only say what is wrong")
    try:
        problems = run(check=parser.parse_args().check)
    except ValueError as error:
        problems = [str(error)]
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
