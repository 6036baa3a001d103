"""The panel of firms at month ends from CRSP: what portfolios by size are drawn from."""

from __future__ import annotations

import polars as pl

from neuter.data.calendar import FIRST_DAY, LAST_DAY, month_ends
from neuter.data.sources.crsp import traded_of_price
from neuter.data.sources.crsp_file import ROW, Crsp, collected, crsp_file, days_of, names, priced, with_days
from neuter.errors import DataError

#: Columns of ``crsp_months``.
PANEL_SCHEMA: dict[str, type[pl.DataType]] = {
    "date": pl.Date,
    "symbol": pl.String,
    "permno": pl.Int64,
    **dict.fromkeys(("name", "exchange"), pl.String),
    **dict.fromkeys(("close", "market_cap"), pl.Float64),
    "digits": pl.Int8,
}


def crsp_months(path: str) -> pl.DataFrame:
    """US common stocks on NYSE, AMEX and NASDAQ at month ends, in the columns of ``PANEL_SCHEMA``.

    Common stocks are those of share codes 10 and 11 (CIZ: of the types that ``crsp.toml`` lists). ``market_cap`` is
    |price| * shares * 1,000 in dollars. A firm (permco) with two classes of common stock is one row: the class worth
    more, with the market cap of both. A midpoint of bid and ask has no ``digits``. A stock without a price or shares
    in a month is not there in that month. A daily file gives the month ends that it holds.

    Raises:
        DataError: the file cannot be read, lacks a column, has a day twice, or holds no month end of such a stock.
    """
    file = crsp_file(path)
    file.needs("ticker", "exchange")
    if not file.has("shares") and not file.has("cap"):
        file.needs("shares")
    rows = file.checked(collected(_asked(file), path))
    held = rows.with_columns(traded_of_price()).filter(pl.col("cap") > 0, pl.col("price").is_not_null())
    if held.is_empty():
        raise DataError("has no month end of a US common stock with a price and shares", where=path)
    symbol = pl.coalesce(pl.col("ticker"), pl.col("permno").cast(pl.String))
    return (
        _one_a_firm(held)
        .select(
            pl.col("end").alias("date"),
            symbol.alias("symbol"),
            "permno",
            pl.coalesce(pl.col("name"), symbol).alias("name"),
            "exchange",
            close="traded",
            market_cap="cap",
            digits=pl.when(~pl.col("midpoint")).then(pl.lit(2)),
        )
        .cast(PANEL_SCHEMA)  # type: ignore[arg-type]
        .sort("date", "symbol", "permno")
    )


def _asked(file: Crsp) -> pl.LazyFrame:
    """The rows of month ends of common stocks, with all that the panel needs of them."""
    empty = {word: pl.lit(None, pl.String).alias(word) for word in ("name", "permco")}
    exchange = file.code("exchange").replace_strict(
        names()["exchanges"], default=None, return_dtype=pl.String
    )
    rows = with_days(file, _month_ends(days_of(file.path))).filter(_common(file), exchange.is_not_null())
    return rows.select(
        ROW,
        "day",
        "end",
        file.code("permno").cast(pl.Int64, strict=False),
        file.text("ticker"),
        file.text("name") if file.has("name") else empty["name"],
        (file.code("permco") if file.has("permco") else empty["permco"]).cast(pl.Int64, strict=False),
        exchange,
        *priced(file),
        _cap(file).alias("cap"),
    )


def _month_ends(days: pl.DataFrame) -> pl.DataFrame:
    """Of ``days`` those that end a month, with ``end``, its last trading day.

    A monthly file may carry the month's last day where that is no trading day.
    """
    month = pl.col("day").dt.truncate("1mo").alias("month")
    ends = pl.DataFrame({"end": month_ends(FIRST_DAY, LAST_DAY)}, {"end": pl.Date})
    joined = days.with_columns(month).join(
        ends.with_columns(month=pl.col("end").dt.truncate("1mo")), on="month"
    )
    at_end = (pl.col("day") == pl.col("end")) | (pl.col("day") == pl.col("day").dt.month_end())
    return joined.filter(at_end).drop("month")


def _common(file: Crsp) -> pl.Expr:
    """Whether a row is of a common stock, by every column that tells.

    Raises:
        DataError: none of the columns is there: funds and preferred stocks would move the breakpoints.
    """
    told = names()["common"]
    if "shrcd" not in file.common and "securitytype" not in file.common:
        todo = "Download shrcd, or sharetype, securitytype, securitysubtype, usincflg and issuertype"
        raise DataError("does not tell common stocks from others", where=file.path, todo=todo)
    checks = [
        pl.col(column)
        .cast(pl.String)
        .str.strip_chars()
        .is_in([*told[name], *(f"{code}.0" for code in told[name])])
        for name, column in file.common.items()
    ]
    return pl.all_horizontal(checks).fill_null(False)


def _cap(file: Crsp) -> pl.Expr:
    """Dollars: price times shares (in thousands), or CRSP's own figure (in thousands) where there are no shares."""
    if file.has("shares"):
        return file.number("price").abs() * file.number("shares") * 1000
    return file.number("cap").abs() * 1000


def _one_a_firm(rows: pl.DataFrame) -> pl.DataFrame:
    """The class worth more of each firm (of two alike that with the lower permno), with the market cap of all."""
    # Without a permco a security is a firm; permnos are above zero.
    firm = pl.coalesce("permco", -pl.col("permno")).alias("firm")
    whole = rows.with_columns(firm).sort(
        "end", "firm", "cap", "permno", descending=[False, False, True, False]
    )
    summed = whole.with_columns(cap=pl.col("cap").sum().over("end", "firm"))
    return summed.unique(["end", "firm"], keep="first", maintain_order=True)
