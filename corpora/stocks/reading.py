"""Reads the sources of the seven stocks: what each prints, undone to the close as traded, with how exact that is."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
from lattice import Dividend, Floats

HERE = Path(__file__).parent
#: In the order of Table 4.
TICKERS = ("META", "GOOGL", "AMZN", "TSLA", "NVDA", "MSFT", "AAPL")
#: stocknet's closes count splits up to this day.
STOCKNET_AS_OF = date(2017, 9, 1)
#: Symbols that meant the same share at the time: Facebook until 2022-06, Google's one class until 2014-04-03.
FORMER = {"META": "FB", "GOOGL": "GOOG"}
#: Class C was split off on this day: a source's GOOG is another share from then on, and adjusted otherwise before.
CLASS_C = date(2014, 4, 3)


@dataclass(frozen=True)
class Source:
    """``frame``: date, value (the close as traded) and within (how far from it the source's rounding may be)."""

    name: str
    frame: pl.DataFrame


@dataclass(frozen=True)
class Split:
    ticker: str
    on: date
    ratio: float


def read_splits() -> list[Split]:
    rows = tomllib.loads((HERE / "splits.toml").read_text())["splits"]
    return [Split(row["ticker"], row["on"], row["new"] / row["old"]) for row in rows]


def read_dividends(ticker: str) -> tuple[list[Dividend], date]:
    """The dividends as the vendor used them, and the day before which its column is read."""
    told = tomllib.loads((HERE / "dividends.toml").read_text())[ticker]
    return [(row[0], row[-1]) for row in told["dividends"]], told["until"]


def factors(days: pl.Series, splits: list[Split], ticker: str, as_of: date = date.max) -> Floats:
    """Shares on ``as_of`` for one share on each day."""
    found = np.ones(len(days))
    for split in splits:
        if split.ticker == ticker and split.on <= as_of:
            found = np.where((days < split.on).to_numpy(), found * split.ratio, found)
    return found


def yahoo(data: Path, ticker: str) -> pl.DataFrame:
    """date, close: split- and dividend-adjusted."""
    path = data / f"stocks/magnificent7/{ticker}.yahoo_dividend_adjusted.csv"
    return pl.read_csv(path, try_parse_dates=True).select("date", "close")


def panel(data: Path, ticker: str) -> Source:
    """Month-end closes as traded."""
    rows = pl.read_parquet(data / "stocks/us_month_end_panel.parquet")
    names = [ticker] + ([FORMER[ticker]] if ticker == "META" else [])
    rows = rows.filter(pl.col("symbol").is_in(names)).select(pl.col("date").str.to_date(), value="close")
    return Source("panel", rows.with_columns(within=pl.lit(1e-9)).sort("date"))


def quandl(data: Path, ticker: str) -> Source:
    """Closes as traded, to 2013-03-01: rounded to the cent while prices were fractions; later some are no closes to the
    cent at all (26.615), and those are within half a cent too.
    """
    rows = pl.read_csv(data / "stocks/magnificent7/quandl_wiki_nominal_to_2013.csv", try_parse_dates=True)
    rows = rows.filter(pl.col("Ticker") == FORMER.get(ticker, ticker))
    rows = rows.select(date="Date", value="Close", within=pl.lit(0.00501))
    return Source("quandl", rows.sort("date"))


def stocknet(data: Path, ticker: str, splits: list[Split]) -> Source:
    """Split-adjusted closes as of 2017-09, a 32-bit float with six decimals; Google's are of class C and cannot be undone."""
    path = data / f"stocks/magnificent7/{FORMER.get(ticker, ticker)}.stocknet_2012_2017.csv"
    if ticker == "GOOGL" or not path.exists():
        return Source("stocknet", NONE)
    rows = pl.read_csv(path, try_parse_dates=True).select(date="Date", value="Close")
    undo = factors(rows["date"], splits, ticker, STOCKNET_AS_OF)
    return Source("stocknet", rows.with_columns(value=rows["value"] * undo, within=pl.lit(5e-5) * undo))


def ibkr(data: Path, ticker: str, splits: list[Split]) -> Source:
    """Split-adjusted closes, two decimals; Google's are of class C."""
    path = data / f"stocks/magnificent7/{ticker}.ibkr_split_adjusted.csv"
    if not path.exists():
        return Source("ibkr", NONE)
    rows = pl.read_csv(path, try_parse_dates=True, infer_schema_length=None).select("date", value="close")
    undo = pl.Series(factors(rows["date"], splits, ticker))
    within = pl.when(undo == 1).then(1e-6).otherwise(0.00501 * undo)
    return Source("ibkr", rows.with_columns(value=rows["value"] * undo, within=within))


NONE = pl.DataFrame(schema={"date": pl.Date, "value": pl.Float64, "within": pl.Float64})
