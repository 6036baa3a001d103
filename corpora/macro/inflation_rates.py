"""Two other inflation rates than the CPI-U's over twelve months: its core's, and one month's at an annual rate."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl

CORE = "Philadelphia Fed PCPIX"
_COLUMNS = ["date", "first", "latest", "digits", "source"]


def core(folder: Path) -> pl.DataFrame:
    """Change over 12 months of the CPI without food and energy, seasonally adjusted, percent, one decimal.

    ``first`` is of the vintage of the month after, both months of that vintage; before November 1998 there is none.
    ``latest`` is of the vintage 2024-03.
    """
    sheet = pl.read_excel(folder / "pcpixMvMd.2024.xlsx", infer_schema_length=0)
    levels = sheet.select(
        pl.col("DATE").str.to_date("%Y:%m", strict=False).alias("date"),
        *(pl.col(name).cast(pl.Float64, strict=False) for name in sheet.columns[1:]),
    ).unpivot(index="date", variable_name="vintage", value_name="level")
    levels = levels.drop_nulls().with_columns(pl.col("vintage").map_elements(month_of, return_dtype=pl.Date))
    before = levels.select(pl.col("date").dt.offset_by("1y"), "vintage", before="level")
    rates = levels.join(before, on=["date", "vintage"]).select(
        "date", "vintage", rate=rounded((pl.col("level") / pl.col("before") - 1) * 100)
    )
    newest = rates["vintage"].max()
    latest = rates.filter(pl.col("vintage") == newest).select("date", latest="rate")
    first = rates.filter(pl.col("vintage") == pl.col("date").dt.offset_by("1mo")).select("date", first="rate")
    return latest.join(first, on="date", how="left").select(
        "date", "first", "latest", digits=pl.lit(1, pl.Int64), source=pl.lit(f"{CORE}, latest {newest:%Y-%m}")
    )


def annualized(latest: pl.DataFrame) -> pl.DataFrame:
    """The CPI's change on the month before, seasonally adjusted, at an annual rate, percent, one decimal.

    (level / level before) ** 12 - 1 of one vintage (FRED-MD CPIAUCSL); there are no first prints of it.
    """
    levels = latest.select("date", level=pl.col("CPIAUCSL").cast(pl.Float64)).drop_nulls()
    before = levels.select(pl.col("date").dt.offset_by("1mo"), before="level")
    rate = rounded(((pl.col("level") / pl.col("before")) ** 12 - 1) * 100)
    return (
        levels.join(before, on="date")
        .select(
            "date",
            first=pl.lit(None, pl.Float64),
            latest=rate,
            digits=pl.lit(1, pl.Int64),
            source=pl.lit("FRED-MD 2026-02 CPIAUCSL"),
        )
        .select(_COLUMNS)
    )


def rounded(rate: pl.Expr) -> pl.Expr:
    """A rate to one decimal, as the BLS prints it; a small fall is 0.0. (polars drops ``+ 0.0``, and prints -0.0.)"""
    printed = rate.round(1)
    return pl.when(printed == 0).then(0.0).otherwise(printed)


def month_of(vintage: str) -> date:
    """PCPIX98M11 as 1998-11-01: of two digits, 40 and over are 19xx."""
    year, month = vintage.removeprefix("PCPIX").split("M")
    return date(int(year) + (1900 if int(year) >= 40 else 2000), int(month), 1)
