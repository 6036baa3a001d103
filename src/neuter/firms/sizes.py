"""Size terciles: a market cap against the 33⅓ and 66⅔ percentiles of NYSE common stocks that month or year."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from neuter.errors import UsageError
from neuter.firms.breakpoints import Breakpoints, bounds_of, month_as_written, own_bounds, read_breakpoints
from neuter.firms.fiscal_years import known_days
from neuter.firms.labels import labels_of
from neuter.shipped import shipped_path

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SIZES", "AsOf", "SizeAssignment", "assign_sizes", "read_breakpoints"]

#: The names of the terciles, largest first.
SIZES = ("Large", "Mid", "Small")
#: What a size is as of: the document's month, or the start of its calendar year.
AsOf = Literal["month", "year"]
_WRITTEN = {"large": "Large", "mid": "Mid", "medium": "Mid", "small": "Small"}
#: A corpus whose largest market cap is below this share of the lowest breakpoint is asked about its unit.
SUSPECT = 0.1


@dataclass(frozen=True, slots=True)
class SizeAssignment:
    """``frame`` has ``size`` filled (Large, Mid, Small or null); ``notes`` say what was assumed."""

    frame: pl.DataFrame
    notes: list[str]


def assign_sizes(
    metadata: pl.DataFrame,
    *,
    breakpoints: Path | Literal["corpus"] | None = None,
    as_of: AsOf = "month",
) -> SizeAssignment:
    """Fills ``size`` from ``market_cap`` (US dollars) by NYSE breakpoints.

    Small is at or below the 33⅓ percentile, Large above the 66⅔ (Table 7 of The Memorization Problem:
    "terciles are formed using NYSE cutoffs"), interpolated linearly between the p30 and p35, and the p65 and
    p70, columns. A size that the corpus gives is kept. A document without a date is placed by its fiscal
    period's end + 30 days, as the scores do (``known_days``). A month without breakpoints takes the nearest
    one; the notes count these.

    Args:
        metadata: a frame with market_cap, and any of size, date, date_assumed, fiscal_year, fiscal_quarter,
            fiscal_year_end; for undated documents, "year" and "corpus" also what tells firms apart: label, or
            ticker, firm and cik.
        breakpoints: another file of breakpoints (date, p30, p35, p65, p70 in millions of US dollars), or "corpus"
            for the percentiles of the corpus's own firms, each counted once a month (or year); these are not NYSE
            terciles, and a note says so. Under three firms there are none.
        as_of: "month" compares a document's own market cap with its month's breakpoints. "year" gives a firm one
            size for a calendar year: the market cap of its first document of that year (the first that has one)
            against the breakpoints of the December before, as a portfolio formed at the year's start.

    Raises:
        CorpusError: the file of breakpoints is missing, or lacks a column or a number.
        UsageError: ``as_of`` is neither "month" nor "year".
    """
    import polars as pl

    if as_of not in get_args(AsOf):
        raise UsageError(f"no sizes as of {as_of!r}", todo="Choose month or year")
    own = breakpoints == "corpus"
    rows = _rows(metadata, as_of, with_firms=own or as_of == "year")
    table = (
        None if own else read_breakpoints(str(breakpoints or shipped_path("breakpoints", "nyse_size.csv")))
    )
    rows = _bounded(_valued(rows, as_of), table, as_of).with_columns(_tercile().alias("size"))
    sizes = rows.select(pl.coalesce("written", "size")).to_series().alias("size")
    return SizeAssignment(metadata.with_columns(sizes), _notes(rows, table, as_of))


def _rows(metadata: pl.DataFrame, as_of: AsOf, *, with_firms: bool) -> pl.DataFrame:
    """What is known of each document: cap (null if impossible), unit of time, firm, and what was odd."""
    import polars as pl

    on, assumed = known_days(metadata)
    cap = _column(metadata, "market_cap", pl.Float64)
    given = _column(metadata, "size", pl.String).str.strip_chars()
    frame = pl.DataFrame({"raw": cap, "given": given, "on": on, "assumed": assumed}).with_row_index("row")
    frame = frame.with_columns(
        pl.when(pl.col("raw").is_finite() & (pl.col("raw") > 0)).then("raw").alias("own_cap"),
        pl.col("given").str.to_lowercase().replace_strict(_WRITTEN, default=None).alias("written"),
        (pl.col("on").dt.year().cast(pl.Int64) * (12 if as_of == "month" else 1)).alias("unit"),
    )
    if as_of == "month":
        frame = frame.with_columns(pl.col("unit") + pl.col("on").dt.month().cast(pl.Int64) - 1)
    if not with_firms:
        return frame
    labels = metadata["label"] if "label" in metadata.columns else labels_of(metadata)
    ids = _column(metadata, "id", pl.String)
    own = pl.concat_str(pl.lit("row:"), "row")
    firm = pl.when(pl.col("label").fill_null("") == "").then(own).otherwise("label")
    return frame.with_columns(labels.alias("label"), ids.alias("id")).with_columns(firm.alias("firm"))


def _valued(rows: pl.DataFrame, as_of: AsOf) -> pl.DataFrame:
    """``cap``: the document's own market cap, or that of its firm's first document of the year that has one."""
    import polars as pl

    if as_of == "month":
        return rows.with_columns(pl.col("own_cap").alias("cap"))
    first = _first_caps(rows)
    return rows.join(first, on=["firm", "unit"], how="left", maintain_order="left")


def _first_caps(rows: pl.DataFrame) -> pl.DataFrame:
    """A row a firm and unit of time: the market cap of its first document there; by day, then by id."""
    import polars as pl

    usable = rows.filter(pl.col("own_cap").is_not_null() & pl.col("unit").is_not_null())
    ordered = usable.sort("firm", "unit", "on", "id", "row")
    return ordered.unique(["firm", "unit"], keep="first", maintain_order=True).select(
        "firm", "unit", pl.col("own_cap").alias("cap")
    )


def _bounded(rows: pl.DataFrame, table: Breakpoints | None, as_of: AsOf) -> pl.DataFrame:
    """``lower`` and ``upper`` for each row's unit of time, and ``where`` they come from."""
    import polars as pl

    if table is None:
        bounds = own_bounds(_first_caps(rows)).with_columns(
            pl.when(pl.col("lower").is_null()).then(pl.lit("thin")).otherwise(pl.lit("")).alias("where")
        )
        return rows.join(bounds, on="unit", how="left", maintain_order="left")
    # A portfolio formed at the start of 2015 is sorted by the breakpoints of December 2014.
    month = pl.col("unit") if as_of == "month" else pl.col("unit") * 12 - 1
    rows = rows.with_columns(month.alias("month"))
    return rows.join(bounds_of(table, rows["month"]), on="month", how="left", maintain_order="left")


def _tercile() -> pl.Expr:
    import polars as pl

    cap, lower, upper = pl.col("cap"), pl.col("lower"), pl.col("upper")
    return (
        pl.when(cap.is_null() | lower.is_null())
        .then(None)
        .when(cap <= lower)
        .then(pl.lit("Small"))
        .when(cap > upper)
        .then(pl.lit("Large"))
        .otherwise(pl.lit("Mid"))
    )


def _notes(rows: pl.DataFrame, table: Breakpoints | None, as_of: AsOf) -> list[str]:
    first = last = ""
    if table is not None:
        first, last = month_as_written(table.months[0]), month_as_written(table.months[-1])
    texts = {
        "absent": "{} without a market cap: no size",
        "impossible": "{} with a market cap that is zero, negative or not a number: no size",
        "undated": "{} with neither a date nor a fiscal year: no size",
        "strange": "{} with a size that is none of Large, Mid, Small: taken from the market cap instead",
        "assumed": "{} placed by an assumed date (end of the fiscal period + 30 days)",
        "before": f"{{}} before the first month of the NYSE breakpoints: {first} used",
        "after": f"{{}} after the last month of the NYSE breakpoints: {last} used",
        "between": "{} in a month without NYSE breakpoints: the nearest month used",
        "thin": f"{{}} in a {as_of} with fewer than 3 firms that have a market cap: no size",
    }
    counts = rows.select(**_counted()).row(0, named=True)
    notes = [text.format(_documents(counts[key])) for key, text in texts.items() if counts[key]]
    largest = rows["cap"].max()
    if isinstance(largest, float) and table is not None and largest < SUSPECT * min(table.lower):
        notes.append(
            f"every market cap is far below the lowest breakpoint (the largest is {largest:,.0f}): "
            "are they in thousands or millions? market_cap is in US dollars"
        )
    if table is None:
        notes.append(
            f"sizes are terciles of this corpus's own firms by {as_of}, not of NYSE common stocks: "
            "they are not comparable with Table 7"
        )
    return notes


def _counted() -> dict[str, pl.Expr]:
    """How many documents each note is about; documents whose size is given count in none."""
    import polars as pl

    asked = pl.col("written").is_null()
    no_cap = asked & pl.col("cap").is_null() & ~(pl.col("unit").is_null() & pl.col("own_cap").is_not_null())
    placed = asked & pl.col("cap").is_not_null() & pl.col("unit").is_not_null()
    where = {name: (placed & (pl.col("where") == name)) for name in ("before", "after", "between", "thin")}
    counts = {
        "absent": no_cap & pl.col("raw").is_null(),
        "impossible": no_cap & pl.col("raw").is_not_null(),
        "undated": asked & pl.col("own_cap").is_not_null() & pl.col("unit").is_null(),
        "strange": asked & (pl.col("given").fill_null("") != ""),
        "assumed": placed & pl.col("assumed"),
        **where,
    }
    return {name: which.sum() for name, which in counts.items()}


def _documents(n: int) -> str:
    return f"{n} document{'' if n == 1 else 's'}"


def _column(frame: pl.DataFrame, name: str, kind: type[pl.DataType]) -> pl.Series:
    import polars as pl

    if name not in frame.columns:
        return pl.Series(name, [None] * frame.height, dtype=kind)
    return frame[name].cast(kind, strict=False)
