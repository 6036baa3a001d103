"""Builds firms.parquet: common stocks of operating firms at month ends, with market caps and size terciles.

python corpora/panel/build.py [--data ../shared/data]
"""

from __future__ import annotations

import argparse
import math
import tomllib
from pathlib import Path
from typing import Any

import polars as pl

from neuter.firms.breakpoints import bounds_of, read_breakpoints
from neuter.firms.names import without_security

HERE = Path(__file__).parent
RULES = tomllib.loads((HERE / "rules.toml").read_text("utf-8"))
NO_CAP = "no close, or no market cap in any month"
OTHER_LINE = "another line of the same firm"
#: A number of shares this many times that of the months on both sides is an error of the source.
LONELY = 1.9
COLUMNS = ["date", "symbol", "name", "exchange", "close", "market_cap", "size", "digits", "firm"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "shared/data")
    rows = read_panel(parser.parse_args().data / "stocks/us_month_end_panel.parquet")
    rows = one_line(with_firms(with_rules(rows)))
    dropped = rows.filter(pl.col("dropped").is_not_null())
    counts = dropped.group_by("dropped").agg(
        pl.len().alias("rows"), pl.col("symbol").n_unique().alias("symbols")
    )
    kept = with_sizes(without_lonely_caps(rows.filter(pl.col("dropped").is_null())))
    kept = kept.select(COLUMNS).sort("symbol", "date")
    check(kept)
    write(kept, counts.sort("rows", descending=True))


def read_panel(path: Path) -> pl.DataFrame:
    """The listings: class letters after a dot (BRK.A), names on one line; of a listing its last industry, and its range."""
    rows = pl.read_parquet(path).with_columns(
        pl.col("date").str.to_date(),
        pl.col("symbol").str.replace("/", ".", literal=True),
        pl.col("symbol").alias("written"),
        pl.col("name").str.replace_all(r"\s+", " ").str.strip_chars(),
        pl.col("exchange").str.to_uppercase(),
    )
    names = rows["name"].unique().sort()
    short = pl.DataFrame({"name": names, "short": [without_security(name) for name in names]})
    rows = rows.join(short, on="name", how="left", maintain_order="left")
    known = pl.when(pl.col("industry") != "").then("industry")
    listing = ["symbol", "short"]
    return rows.sort("date").with_columns(
        known.drop_nulls().last().fill_null("").over(listing).alias("industry"),
        pl.col("close").min().over(listing).alias("lowest"),
        pl.col("close").max().over(listing).alias("highest"),
        pl.len().over(listing).alias("months"),
    )


def with_rules(rows: pl.DataFrame) -> pl.DataFrame:
    """``dropped``: the first rule that a row falls under, null if none."""
    which = pl.lit(None, pl.String)
    for rule in reversed(RULES["rules"]):
        which = pl.when(_falls_under(rule)).then(pl.lit(rule["what"])).otherwise(which)
    priced, capped = pl.col("close") > 0, pl.col("market_cap") > 0
    ever = capped.fill_null(False).any().over("symbol", "short")
    none = pl.when(~priced.fill_null(False) | ~ever).then(pl.lit(NO_CAP))
    rows = rows.with_columns(pl.when(capped).then("market_cap").alias("market_cap"))
    return rows.with_columns(pl.coalesce(which, none).alias("dropped"))


def _falls_under(rule: dict[str, Any]) -> pl.Expr:
    columns = {"symbol": "written", "name": "name", "industry": "industry"}
    fits = [_matches(columns[field], rule[field]) for field in columns if field in rule]
    if "closes" in rule:
        low, high = rule["closes"]
        narrow = (
            (pl.col("lowest") >= low) & (pl.col("highest") <= high) & (pl.col("months") >= rule["months"])
        )
        fits.append(narrow)
    found = pl.any_horizontal(fits)
    return found & ~_matches("industry", rule["unless_industry"]) if "unless_industry" in rule else found


def _matches(column: str, pattern: str) -> pl.Expr:
    return pl.col(column).str.contains(f"(?im){pattern.replace(chr(92) + chr(10), '')}")


def with_firms(rows: pl.DataFrame) -> pl.DataFrame:
    """``firm``: the number of the firm in corpora/firms that held the symbol then (its CIK, or its row below zero);
    a listing that it does not know is a firm of its own, by symbol and name.
    """
    firms = pl.read_parquet(HERE.parent / "firms/firms.parquet").with_row_index("row")
    number = pl.coalesce("cik", -1 - pl.col("row").cast(pl.Int64)).alias("known")
    spans = (
        firms.select(number, pl.col("ticker").alias("main"), "tickers").explode("tickers").unnest("tickers")
    )
    spans = spans.with_columns(
        pl.col("value").str.replace_all("-", ".", literal=True),
        pl.col("first").fill_null("0000"),
        pl.col("last").fill_null("9999"),
        pl.col("main").str.replace_all("-", ".", literal=True),
    )
    months = rows.select("symbol", "date").with_columns(pl.col("date").dt.strftime("%Y-%m").alias("month"))
    held = months.join(spans, left_on="symbol", right_on="value", how="inner")
    held = held.filter(pl.col("month").is_between("first", "last"))
    # Where the spans of two firms overlap, the one that began later has the symbol.
    held = held.sort("first", "known", descending=[True, False]).unique(["symbol", "date"], keep="first")
    rows = rows.join(held.select("symbol", "date", "known", "main"), on=["symbol", "date"], how="left")
    unknown = -(10**9) - pl.struct("symbol", "short").rank("dense").cast(pl.Int64)
    return rows.with_columns(pl.coalesce("known", unknown).alias("firm"))


def one_line(rows: pl.DataFrame) -> pl.DataFrame:
    """Of the lines of one firm in one month, the one kept by hand, its main ticker, or the one listed longest."""
    held = pl.col("dropped").is_null()
    listed = held.sum().over("firm", "symbol")
    ranked = rows.with_columns(
        held.alias("held"),
        (~pl.col("symbol").is_in(RULES["keep"]["lines"])).alias("by_hand"),
        (pl.col("symbol") != pl.col("main")).fill_null(True).alias("not_main"),
        listed.alias("listed"),
    )
    order = ["by_hand", "not_main", "listed", "symbol"]
    ranked = ranked.sort(*order, descending=[False, False, True, False])
    rows = ranked.with_columns(pl.int_range(pl.len()).over("firm", "date", "held").alias("place"))
    other = held & (pl.col("place") > 0)
    return rows.with_columns(pl.when(other).then(pl.lit(OTHER_LINE)).otherwise("dropped").alias("dropped"))


def without_lonely_caps(rows: pl.DataFrame) -> pl.DataFrame:
    """No market cap where the number of shares it implies is far from the firm's both the month before and after.

    The source at times counts a split several times over for a month (DXCM 2022-05: sixteen times its shares).
    """
    shares = (pl.col("market_cap") / pl.col("close")).log()
    rows = rows.sort("firm", "date").with_columns(
        (shares - shares.shift(1).over("firm")).alias("up"),
        (shares - shares.shift(-1).over("firm")).alias("down"),
    )
    lonely = (pl.min_horizontal(pl.col("up").abs(), pl.col("down").abs()) >= math.log(LONELY)) & (
        pl.col("up").sign() == pl.col("down").sign()
    )
    lonely = lonely & pl.col("up").is_not_null() & pl.col("down").is_not_null()
    print(rows.filter(lonely).height, "market caps left out: the number of shares stands alone")
    return rows.with_columns(pl.when(~lonely.fill_null(False)).then("market_cap").alias("market_cap"))


def with_sizes(rows: pl.DataFrame) -> pl.DataFrame:
    """Terciles by the NYSE's own breakpoints of that month; none in a month without breakpoints. And digits, and names."""
    month = pl.col("date").dt.year().cast(pl.Int64) * 12 + pl.col("date").dt.month() - 1
    rows = rows.with_columns(month.alias("month"))
    table = read_breakpoints(str(HERE.parent / "breakpoints/nyse_size.csv"))
    bounds = bounds_of(table, rows["month"]).filter(pl.col("where") == "")
    rows = rows.join(bounds, on="month", how="left", maintain_order="left")
    cap = pl.col("market_cap")
    size = (
        pl.when(cap <= pl.col("lower"))
        .then(pl.lit("Small"))
        .when(cap > pl.col("upper"))
        .then(pl.lit("Large"))
    )
    size = pl.when(cap.is_not_null() & pl.col("lower").is_not_null()).then(size.otherwise(pl.lit("Mid")))
    digits = pl.when(_whole(100)).then(2).when(_whole(1000)).then(3).otherwise(4).cast(pl.Int8)
    return rows.with_columns(size.alias("size"), digits.alias("digits"), pl.col("short").alias("name"))


def _whole(parts: int) -> pl.Expr:
    times = pl.col("close") * parts
    return (times - times.round()).abs() < 1e-5 * parts


def check(kept: pl.DataFrame) -> None:
    """A firm and a symbol once a month; who has a market cap has a size, but in the first month."""
    assert not kept.select(pl.struct("date", "firm").is_duplicated().any()).item()
    assert not kept.select(pl.struct("date", "symbol").is_duplicated().any()).item()
    unsized = (
        kept.filter(pl.col("size").is_null() & pl.col("market_cap").is_not_null())["date"].unique().to_list()
    )
    assert unsized == [kept["date"].min()], unsized
    print(kept.height, "rows,", kept["firm"].n_unique(), "firms,", kept["date"].n_unique(), "months")


def write(kept: pl.DataFrame, counts: pl.DataFrame) -> None:
    """Market caps are held to seven digits: the source prints five to nine, and only their order of size is used."""
    small = kept.with_columns(
        pl.col("market_cap").cast(pl.Float32),
        pl.col("firm").cast(pl.Int32),
        pl.col("symbol", "name", "exchange", "size").cast(pl.Categorical),
    )
    counts = counts.rename({"dropped": "what"})
    for name, save in (("firms.parquet", small.write_parquet), ("dropped.csv", counts.write_csv)):
        part = HERE / f"{name}.part"
        save(part, compression="zstd", compression_level=19) if name.endswith("parquet") else save(part)
        part.replace(HERE / name)
    print(counts, (HERE / "firms.parquet").stat().st_size)


if __name__ == "__main__":
    main()
