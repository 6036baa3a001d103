"""Builds the macro series: a CSV a series with its first print and its latest value, each point with its source.

python corpora/macro/build.py [--data ../shared/data]
"""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

import polars as pl
from first_prints import FRED_MD, housing_first, payroll_first, unemployment_first
from gdp import gdp_growth
from inflation_rates import annualized, core, rounded

from neuter.data.calendar import month_ends

HERE = Path(__file__).parent
FIRST = date(1988, 12, 1)
#: The reading that is asked for, where that is not the first print (paper, section 3).
DEFAULT = {
    "unemployment_rate": "latest",
    "treasury_10y": "close",
    "inflation_core": "latest",
    "inflation_annualized": "latest",
}
COLUMNS = ["date", "first", "latest", "digits", "source"]
#: The consumer prices of these months were corrected once, in September 2000; the file holds the corrected ones.
CORRECTED_PRICES = (date(2000, 1, 1), date(2000, 8, 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "shared/data")
    data = parser.parse_args().data / "macro"
    latest = fred_md(data)
    series = {
        "gdp_growth": gdp_growth(data / "philadelphia_fed"),
        "inflation": inflation(data),
        "inflation_core": core(data / "philadelphia_fed"),
        "inflation_annualized": annualized(latest),
        "unemployment_rate": joined(unemployment_first(data), latest.select("date", latest="UNRATE"), 1),
        "housing_starts": joined(housing_first(data), latest.select("date", latest="HOUST"), 0),
        "nonfarm_payrolls": joined(payroll_first(data), payroll_changes(latest), 0),
        "treasury_10y": treasury(data),
    }
    for name, frame in series.items():
        write(name, frame)


def write(name: str, frame: pl.DataFrame) -> None:
    """The series' CSV, whole or not at all; and a line that says what it holds."""
    truth = DEFAULT.get(name, "first")
    digits = pl.when(pl.col(truth).is_not_null()).then(pl.col("digits")).alias("digits")
    kept = frame.filter(pl.col("date") >= FIRST).sort("date").with_columns(digits)
    assert kept["date"].is_unique().all(), name
    part = HERE / f"{name}.csv.part"
    kept.write_csv(part)
    part.replace(HERE / f"{name}.csv")
    missing = {
        column: kept.filter(pl.col(column).is_null())["date"].to_list() for column in kept.columns[1:-1]
    }
    told = {column: [str(day) for day in days] for column, days in missing.items() if 0 < len(days) < 60}
    print(name, kept.height, kept["date"][0], kept["date"][-1], "empty:", told)
    kinds = pl.col("source").str.replace(r" \d{4}-\d{2}$", "").alias("kind")
    print("  ", kept.group_by(kinds).len().sort("len", descending=True).rows())


def fred_md(data: Path) -> pl.DataFrame:
    """The latest vintage (2026-02): ``date`` and its columns. The row of transformation codes has no date."""
    raw = pl.read_csv(data / "fred_md_2026-02.csv", infer_schema_length=None)
    return raw.with_columns(pl.col("date").str.to_date(strict=False)).drop_nulls("date")


def joined(first: pl.DataFrame, latest: pl.DataFrame, digits: int) -> pl.DataFrame:
    """First prints (``date, first, source``) beside the latest values; each date that one of them has."""
    both = first.join(latest.drop_nulls().cast({"latest": pl.Float64}), on="date", how="full", coalesce=True)
    known = (
        both["digits"]
        if "digits" in both.columns
        else pl.repeat(digits, both.height, dtype=pl.Int64, eager=True)
    )
    source = pl.col("source").fill_null("latest " + FRED_MD)
    return both.with_columns(source, known.alias("digits")).select(COLUMNS)


def payroll_changes(latest: pl.DataFrame) -> pl.DataFrame:
    """``date`` and the change on the month before, in thousands, of the latest vintage."""
    levels = latest.select("date", "PAYEMS").sort("date")
    assert (levels["date"].dt.offset_by("1mo")[:-1] == levels["date"][1:]).all()
    return levels.select("date", latest=pl.col("PAYEMS").cast(pl.Float64).diff())


def inflation(data: Path) -> pl.DataFrame:
    """Change over 12 months of the CPI-U (not seasonally adjusted), percent, one decimal as the BLS prints it."""
    index = pl.read_csv(data / "cpi-us.csv", try_parse_dates=True).select(date="Date", index="Index")
    assert index.filter(pl.col("date") == date(2008, 12, 1))["index"][0] == 210.228
    # By date, not by place: October 2025 is missing.
    before = index.select(pl.col("date").dt.offset_by("1y"), before="index")
    both = index.join(before, on="date")
    value = rounded((pl.col("index") / pl.col("before") - 1) * 100)
    sure = ~pl.col("date").is_between(*CORRECTED_PRICES)
    digits = pl.when(sure).then(pl.lit(1, pl.Int64))
    return both.select(
        "date", first=value, latest=value, digits=digits, source=pl.lit("BLS CPI-U, not adjusted")
    )


def treasury(data: Path) -> pl.DataFrame:
    """The 10-year constant-maturity yield on the last trading day of each month, percent."""
    daily = pl.read_csv(data / "fred_rates_daily.csv", try_parse_dates=True, infer_schema_length=None)
    known = daily.select("date", close="DGS10").drop_nulls().filter(pl.col("date") >= FIRST)
    last_of_month = known.group_by(pl.col("date").dt.truncate("1mo")).agg(pl.col("date").last().alias("day"))
    ends = month_ends(FIRST, known["date"].max())
    # The bond market's last day with a yield is the stock market's last day in every month: otherwise say so.
    assert set(ends) == {day for day in last_of_month["day"] if day <= ends[-1]}
    return known.filter(pl.col("date").is_in(ends)).with_columns(
        pl.col("close").round(2), digits=pl.lit(2, pl.Int64), source=pl.lit("FRED DGS10")
    )


if __name__ == "__main__":
    main()
