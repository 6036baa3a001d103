"""GDP growth, quarterly at an annual rate: the first print and the latest vintage, from the Philadelphia Fed."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import polars as pl

#: The BEA prints growth to one decimal; the Philadelphia Fed computes it from levels printed to 0.1 billion. So growth
#: is known to within 4 * 100 * 2 * 0.05 / level; where that reaches the middle between two decimals, which of them was
#: printed is not sure.
SLACK = 40.0


def gdp_growth(folder: Path) -> pl.DataFrame:
    """``date`` (first day of the quarter), ``first``, ``latest`` (percent), ``digits`` and ``source``."""
    first = first_prints(folder / "routput_first_second_third.xlsx")
    sheet = pl.read_excel(folder / "ROUTPUTQvQd.2026.xlsx", infer_schema_length=0)
    name, latest = sheet.columns[-1], latest_vintage(sheet)
    both = first.join(latest, on="date", how="full", coalesce=True).join(
        first_levels(sheet), on="date", how="left"
    )
    to_the_middle = ((pl.col("first").abs() * 10).mod(1.0) - 0.5).abs() / 10
    sure = to_the_middle > SLACK / pl.col("level")
    first_of_all = pl.lit(
        "first Philadelphia Fed routput_first_second_third (2025-10-30), latest vintage " + name
    )
    source = pl.when(pl.col("first").is_null()).then(pl.lit("latest vintage " + name)).otherwise(first_of_all)
    digits = pl.when(sure).then(pl.lit(1, pl.Int64))
    return both.select("date", "first", "latest", digits.alias("digits"), source.alias("source"))


def first_prints(path: Path) -> pl.DataFrame:
    """The sheet DATA: its header is in the fifth row, and ``#N/A`` is no value."""
    sheet = pl.read_excel(path, sheet_name="DATA", has_header=False, infer_schema_length=0)
    rows = [row for row in sheet.iter_rows() if re.fullmatch(r"\d{4}:Q[1-4]", row[0] or "")]
    told = {"date": [quarter(row[0]) for row in rows], "first": [number(row[1]) for row in rows]}
    return pl.DataFrame(told, schema={"date": pl.Date, "first": pl.Float64}).drop_nulls()


def latest_vintage(sheet: pl.DataFrame) -> pl.DataFrame:
    """The last column's growth by quarter, (level / level before) ** 4 - 1, in percent, 4 decimals."""
    levels = sheet.select(
        date=pl.col("DATE").map_elements(quarter, return_dtype=pl.Date),
        level=pl.col(sheet.columns[-1]).map_elements(number, return_dtype=pl.Float64),
    ).drop_nulls()
    assert (levels["date"].dt.offset_by("3mo")[:-1] == levels["date"][1:]).all()
    growth = (((pl.col("level") / pl.col("level").shift(1)) ** 4 - 1) * 100).round(4)
    return levels.select("date", latest=growth).drop_nulls()


def first_levels(sheet: pl.DataFrame) -> pl.DataFrame:
    """``date`` and the level (billions) in the first vintage that has the quarter."""
    rows = [(quarter(row[0]), next(filter(None, map(number, row[1:])), None)) for row in sheet.iter_rows()]
    return pl.DataFrame(rows, schema={"date": pl.Date, "level": pl.Float64}, orient="row").drop_nulls()


def quarter(text: str) -> date:
    """1995:Q4 as 1995-10-01."""
    return date(int(text[:4]), int(text[-1]) * 3 - 2, 1)


def number(text: str | None) -> float | None:
    """A number, or nothing for ``#N/A`` and an empty cell."""
    return None if text in {None, "", "#N/A"} else float(text)
