"""First prints of unemployment, housing starts and the change in payrolls, and which of them are none."""

from __future__ import annotations

from pathlib import Path

import polars as pl

FRED_MD = "FRED-MD 2026-02"
PHILADELPHIA = "first Philadelphia Fed"


def true_first_prints(prints: pl.DataFrame) -> pl.DataFrame:
    """The prints (``date, vintage, lag``) that are first ones.

    A vintage is a month's state. An observation that appears a month after its month is a first print. One that
    appears later was either published late or revised before the vintage was taken: it is a first print only if no
    newer observation appears in the same vintage, and if the vintage is not the first that there is.
    """
    newest = pl.col("date").max().over("vintage")
    late = (pl.col("date") == newest) & (pl.col("vintage") != pl.col("vintage").min())
    return prints.filter((pl.col("lag") == 1) | late)


def unemployment_first(data: Path) -> pl.DataFrame:
    """``date, first, source`` from the FRED-MD vintages, which begin in August 1999."""
    return of_fred_md(data, "UNRATE")


def housing_first(data: Path) -> pl.DataFrame:
    """``date, first, source``: the Philadelphia Fed's, and FRED-MD's after them."""
    told = philadelphia(data / "hstarts_first_print_philfed.csv", "value")
    return followed(told, of_fred_md(data, "HOUST"), "housing_starts")


def payroll_first(data: Path) -> pl.DataFrame:
    """``date, first, digits, source``: change in thousands, level less the level before in the same vintage.

    Where both sources have a month and differ, the Philadelphia Fed's stands, without digits.
    """
    told = philadelphia(data / "payroll_first_print_philfed.csv", "change")
    raw = pl.read_csv(data / "payems_first_print_from_fredmd.csv")
    other = true_first_prints(months(raw, "obs")).select(
        "date", first="change_k", source=pl.lit("first FRED-MD") + " " + pl.col("vintage")
    )
    both = followed(told, other, "nonfarm_payrolls")
    differ = both.join(other.select("date", other="first"), on="date").filter(
        pl.col("first") != pl.col("other")
    )
    unsure = pl.col("date").is_in(differ["date"].implode())
    return both.with_columns(digits=pl.when(~unsure).then(pl.lit(0, pl.Int64)))


def followed(first: pl.DataFrame, then: pl.DataFrame, name: str) -> pl.DataFrame:
    """The first source's points, and the second one's after the first one's end; overlaps are compared and told."""
    overlap = first.join(then, on="date", suffix="_then")
    differ = overlap.filter(pl.col("first") != pl.col("first_then"))
    print(
        name,
        "both sources:",
        overlap.height,
        "months; differ:",
        differ.select("date", "first", "first_then").rows(),
    )
    return pl.concat([first, then.filter(pl.col("date") > first["date"].max())])


def philadelphia(path: Path, column: str) -> pl.DataFrame:
    """``date, first, source`` of one of the Philadelphia Fed's lists of first prints."""
    prints = true_first_prints(months(pl.read_csv(path), "obs"))
    return prints.select("date", first=column, source=pl.lit(PHILADELPHIA + " ") + pl.col("vintage"))


def of_fred_md(data: Path, series: str) -> pl.DataFrame:
    """``date, first, source`` of a series in the FRED-MD vintages."""
    raw = pl.read_csv(data / "fredmd_first_prints.csv").filter(pl.col("series") == series)
    prints = true_first_prints(raw.with_columns(pl.col("date").str.to_date()))
    left = raw.height - prints.height
    print(series, "prints that are no first ones, left out:", left)
    return prints.select("date", first="value", source=pl.lit("first FRED-MD ") + pl.col("vintage"))


def months(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """2008-12 as 2008-12-01, in ``date``."""
    return frame.with_columns(date=(pl.col(column) + "-01").str.to_date())
