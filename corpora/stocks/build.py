"""Builds closes.csv (month-end closes of the seven stocks, as traded and split-adjusted) and the files that check it.

python corpora/stocks/build.py [--data ../shared/data]
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
from checking import checked_splits
from lattice import Recovered, recover
from reading import (
    HERE,
    TICKERS,
    Source,
    Split,
    factors,
    ibkr,
    panel,
    quandl,
    read_dividends,
    read_splits,
    stocknet,
    yahoo,
)

#: Two closes before January 1989, where Table 4 begins.
FIRST = date(1988, 11, 1)
#: Who is believed first. Quandl's closes are not always the official ones (26.615), so it comes after the lattice.
ORDER = ("panel", "yahoo", "stocknet", "quandl", "ibkr")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "shared/data")
    data, splits = parser.parse_args().data, read_splits()
    ends = month_ends(data)
    closes, against, eras, proofs = [], [], [], []
    for ticker in TICKERS:
        found = recovered(data, ticker, splits)
        eras += [{"ticker": ticker, **asdict(era), "accepted": era.accepted} for era in found.eras]
        every = sources(data, ticker, splits, found)
        proofs += checked_splits(ticker, splits, found, every["panel"], every["ibkr"])
        points, differences = assemble(ticker, list(every.values()), ends)
        points = points.with_columns(digits=digits_of(points, splits, ticker))
        closes.append(points.with_columns(split_adjusted=adjusted(points, splits, ticker)))
        against += differences
    table = pl.concat(closes)
    check(table, eras)
    write(table, against, eras, proofs)


def month_ends(data: Path) -> list[date]:
    """The last trading day of each month that has ended, by the S&P 500's own closes."""
    days = pl.read_csv(data / "market/index_closes_daily.csv", try_parse_dates=True)
    days = days.filter(pl.col("SP500").is_not_null() & (pl.col("date") >= FIRST))["date"]
    last = (
        days.to_frame().group_by(pl.col("date").dt.truncate("1mo").alias("month")).agg(pl.col("date").max())
    )
    return last["date"].sort()[:-1].to_list()


def recovered(data: Path, ticker: str, splits: list[Split]) -> Recovered:
    """Traded closes by day from Yahoo's adjusted ones, walked back from the panel's last month end."""
    dividends, until = read_dividends(ticker)
    rows = yahoo(data, ticker).filter(pl.col("date") < until)
    known = panel(data, ticker).frame.filter(pl.col("date") < until).select("date", "value")
    after = [day for day, _ in dividends][-1:] or [date.min]
    anchor = known.filter(pl.col("date") >= after[0]).row(-1)
    undo = factors(rows["date"], splits, ticker)
    return recover(rows["date"].to_list(), rows["close"].to_numpy(), undo, dividends, anchor)


def sources(data: Path, ticker: str, splits: list[Split], found: Recovered) -> dict[str, Source]:
    """All that print a month end, in the order in which they are believed; ``yahoo`` where the lattice holds it."""
    exact = pl.DataFrame({"date": found.days, "value": found.value, "within": np.full(len(found.days), 1e-9)})
    lattice = Source("yahoo", exact.filter(pl.col("value").is_not_nan()))
    every = [panel(data, ticker), lattice, stocknet(data, ticker, splits), quandl(data, ticker)]
    named = {source.name: source for source in [*every, ibkr(data, ticker, splits)]}
    return {name: named[name] for name in ORDER}


def assemble(
    ticker: str, every: list[Source], ends: list[date]
) -> tuple[pl.DataFrame, list[dict[str, object]]]:
    """A row a month end from the first that any source has, and every disagreement between sources."""
    held = {source.name: {row[0]: row[1:] for row in source.frame.iter_rows()} for source in every}
    begin = min(min(days) for days in held.values() if days)
    rows, differences = [], []
    for day in (end for end in ends if end >= begin):
        there = {name: days[day] for name, days in held.items() if day in days}
        row, differs = point(there)
        rows.append({"ticker": ticker, "date": day, **row})
        differences += [{"ticker": ticker, "date": day, **one} for one in differs]
    schema = {"ticker": pl.String, "date": pl.Date, "traded": pl.Float64, "digits": pl.Int8}
    return pl.DataFrame(rows, schema=schema | {"source": pl.String, "agree": pl.String}), differences


def point(there: dict[str, tuple[float, float]]) -> tuple[dict[str, object], list[dict[str, object]]]:
    """The first source that is exact to the cent, who agrees with it, and who does not.

    A split-adjusted close of two decimals is no close to the cent once it is multiplied by 4 or 40: where there is
    nothing better it is given without digits.
    """
    exact = [name for name, (_, within) in there.items() if within < 0.001 and name != "quandl"]
    exact += [name for name in there if name == "quandl" and _is_cents(there[name][0])]
    if not there:
        return dict.fromkeys(("traded", "digits", "source", "agree")), []
    best = exact[0] if exact else next(iter(there))
    value = round(there[best][0], 6 if best == "yahoo" else 2)
    others = {name: told for name, told in there.items() if name != best}
    agree = [name for name, (told, within) in others.items() if abs(told - value) <= within + 1e-6]
    differ = [
        {"source": best, "traded": value, "other": name, "says": round(others[name][0], 6)}
        for name in others
        if name not in agree
    ]
    row = {"traded": value, "digits": 2 if exact else None, "source": best, "agree": " ".join(agree)}
    return row, differ


def digits_of(points: pl.DataFrame, splits: list[Split], ticker: str) -> pl.Series:
    """2 where a source prints the close as it was traded; one that is only recovered from adjusted closes has none.

    ``panel`` and ``quandl`` print closes as traded; ``stocknet`` and ``ibkr`` only where no split came before their end.
    """
    ends = {"stocknet": date(2017, 9, 1), "ibkr": date.max}

    def printed(row: dict[str, object]) -> bool:
        day = row["date"]
        names = {row["source"], *str(row["agree"] or "").split()}
        whole = {
            name
            for name, end in ends.items()
            if not any(split.ticker == ticker and day < split.on <= end for split in splits)  # type: ignore[operator]
        }
        return bool(names & ({"panel", "quandl"} | whole))

    kept = [row["digits"] if printed(row) else None for row in points.iter_rows(named=True)]
    return pl.Series(kept, dtype=pl.Int8)


def _is_cents(value: float) -> bool:
    return abs(value * 100 - round(value * 100)) < 1e-6


def adjusted(points: pl.DataFrame, splits: list[Split], ticker: str) -> pl.Series:
    return (points["traded"] / pl.Series(factors(points["date"], splits, ticker))).round(8)


def check(table: pl.DataFrame, eras: list[dict[str, object]]) -> None:
    """Every month end is there once, and what two or more sources deny is not taken."""
    assert not table.select(pl.struct("ticker", "date").is_duplicated().any()).item()
    assert (table["traded"].drop_nulls() > 0).all()
    for ticker, first in (
        table.group_by("ticker", maintain_order=True).agg(pl.col("date").first()).iter_rows()
    ):
        print(ticker, "from", first, table.filter(ticker=ticker)["traded"].null_count(), "missing")
    print(sum(not era["accepted"] for era in eras), "of", len(eras), "eras off the lattice")


def write(table: pl.DataFrame, against: list, eras: list, proofs: list) -> None:
    """Whole files or none: each is written beside its place first."""
    gaps = table.filter(pl.col("digits").is_null()).select(
        "ticker",
        "date",
        what=pl.when(pl.col("traded").is_null())
        .then(pl.lit("no close"))
        .otherwise(pl.lit("no source prints it as traded; recovered from") + " " + pl.col("source")),
    )
    order = ["ticker", "date", "traded", "split_adjusted", "digits", "source", "agree"]
    shown = pl.DataFrame(eras).with_columns(
        pl.col("factor").round(7), pl.col("moved_ppm").round(2), pl.col("on_lattice", "chance").round(4)
    )
    schema = {"ticker": pl.String, "date": pl.Date, "source": pl.String, "traded": pl.Float64}
    against_table = pl.DataFrame(against, schema=schema | {"other": pl.String, "says": pl.Float64})
    files = {"closes": table.select(order), "gaps": gaps, "lattice": shown, "disagreements": against_table}
    for name, frame in (files | {"splits_checked": pl.DataFrame(proofs)}).items():
        part = HERE / f"{name}.csv.part"
        frame.write_csv(part)
        part.replace(HERE / f"{name}.csv")
        print(name, frame.height)


if __name__ == "__main__":
    main()
