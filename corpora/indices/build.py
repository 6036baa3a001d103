"""Builds closes.csv: daily closes of the S&P 500, the Dow, the Nasdaq Composite and the VIX, as many decimals as known.

python corpora/indices/build.py [--data ../shared/data]
"""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

import polars as pl

from neuter.data.calendar import trading_days

HERE = Path(__file__).parent
#: A month end before December 1989, whose return the paper's Table 2 begins with.
FIRST = date(1989, 11, 30)
NAMES = {"SP500": "sp500", "DJIA": "djia", "NASDAQ": "nasdaq", "VIX": "vix"}
#: Levels that are known from elsewhere (MANIFEST of the raw data; issue 5).
KNOWN = [
    ("sp500", date(2008, 12, 31), "903.25"),
    ("nasdaq", date(2000, 3, 10), "5048.62"),
    ("djia", date(2008, 12, 31), "8776.39"),
    ("vix", date(2008, 11, 20), "80.86"),
]
#: A close without a second decimal was rounded by the source if this share of its 21 neighbours has none either, or if
#: it is one of so many in a row. By chance a tenth has none: 13 of 21 happen once in ten million windows, and 5 in a row
#: once in a hundred thousand days.
ROUNDED_SHARE, ROUNDED_RUN = 0.6, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "shared/data")
    path = parser.parse_args().data / "market/index_closes_daily.csv"
    raw = pl.read_csv(path, try_parse_dates=True, infer_schema_length=None).filter(pl.col("date") >= FIRST)
    days = pl.DataFrame({"date": trading_days(FIRST, raw["date"].max())})
    report_odd_days(raw, days)
    closes = days
    for column, name in NAMES.items():
        told = closes_of(raw.select("date", pl.col(column).alias("value")).drop_nulls(), name)
        closes = closes.join(told, on="date", how="left", maintain_order="left")
    check(closes)
    compare_with_monthly_averages(closes, path.parents[1] / "macro/fred_md_2026-02.csv")
    part = HERE / "closes.csv.part"
    closes.write_csv(part)
    part.replace(HERE / "closes.csv")
    print(closes.height, "days,", closes["date"][0], "to", closes["date"][-1])


def closes_of(raw: pl.DataFrame, name: str) -> pl.DataFrame:
    """``date`` and the close as text, with the decimals that the source knows; what is no price is left out."""
    apart = (pl.col("value") - pl.col("value").round(2)).abs()
    # The raw file holds single-precision floats, printed with four decimals: 4128.7998 is 4128.80. A close lies
    # within half a step of such a float from its two decimals; what does not is no close.
    step = 2.0 ** (pl.col("value").log(2).floor() - 23)
    odd = raw.filter(apart > step / 2 + 0.00006)
    print(name, "left out, no price of two decimals:", odd.rows())
    kept = raw.join(odd, on="date", how="anti").with_columns(pl.col("value").round(2))
    cents = (pl.col("value") * 100).round().cast(pl.Int64)
    whole = (cents % 10 == 0).alias("whole")
    kept = kept.with_columns(whole)
    share = pl.col("whole").cast(pl.Float64).rolling_mean(21, center=True, min_samples=11)
    run = pl.len().over(pl.col("whole").rle_id())
    often = (share >= ROUNDED_SHARE) | (run >= ROUNDED_RUN)
    kept = kept.with_columns((pl.col("whole") & often).alias("rounded"))
    spans = kept.filter("rounded")
    if spans.height:
        print(name, "known to one decimal:", spans.height, "days,", spans["date"][0], "to", spans["date"][-1])
        print("   by year:", spans.group_by(pl.col("date").dt.year()).len().sort("date").rows())
    texts = [
        f"{value:.{1 if rounded else 2}f}" for value, rounded in kept.select("value", "rounded").iter_rows()
    ]
    return kept.select("date", pl.Series(name, texts))


def report_odd_days(raw: pl.DataFrame, days: pl.DataFrame) -> None:
    """Says which values lie on days without trading, and which trading days have no value."""
    print("values on days without trading:", raw.join(days, on="date", how="anti")["date"].to_list())
    for column in NAMES:
        have = raw.select("date", column).drop_nulls()
        due = days.filter(pl.col("date").is_between(have["date"].min(), have["date"].max()))
        print(
            column, "trading days without a value:", due.join(have, on="date", how="anti")["date"].to_list()
        )


def check(closes: pl.DataFrame) -> None:
    """Known levels are there, and no day moves more than any day of these indices ever did."""
    for name, day, value in KNOWN:
        assert closes.filter(pl.col("date") == day)[name][0] == value, (name, day)
    for name, most in (("sp500", 0.13), ("djia", 0.13), ("nasdaq", 0.15), ("vix", 1.2)):
        moves = closes[name].drop_nulls().cast(pl.Float64).pct_change().abs()
        assert moves.max() < most, (name, moves.max())


def compare_with_monthly_averages(closes: pl.DataFrame, path: Path) -> None:
    """Says in which months FRED-MD's average of the S&P 500 is not the average of these closes."""
    months = pl.read_csv(path, infer_schema_length=None).select(
        pl.col("date").str.to_date(strict=False).alias("month"), pl.col("S&P 500").alias("told")
    )
    ours = closes.group_by(pl.col("date").dt.truncate("1mo").alias("month")).agg(
        pl.col("sp500").cast(pl.Float64).mean()
    )
    joined = ours.join(months.drop_nulls(), on="month").sort("month")
    apart = joined.with_columns(percent=((pl.col("sp500") / pl.col("told") - 1) * 100).round(3))
    far = apart.filter(pl.col("percent").abs() > 0.1)
    print("S&P 500 against FRED-MD:", joined.height, "months; more than 0.1% apart:", far.rows())


if __name__ == "__main__":
    main()
