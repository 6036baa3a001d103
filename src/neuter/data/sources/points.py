"""From what a source prints to a series: one point a period, month ends on trading days, gaps told."""

from __future__ import annotations

from datetime import date

import polars as pl

from neuter.data.calendar import FIRST_DAY, LAST_DAY, month_ends, trading_days
from neuter.data.series import DataSeries
from neuter.data.sources.dates import period_of
from neuter.data.sources.known import Known
from neuter.data.sources.signs import SIGN_WORDS, is_impossible
from neuter.errors import DataError

#: More decimals than these are the noise of binary numbers (192.52999877929688), and nobody's print.
MOST_DECIMALS = 6


def series_of(known: Known, rows: pl.DataFrame, *, source: str) -> DataSeries:
    """The series that a source gives.

    Args:
        rows: ``day`` (Date, any order), one or more of the series' readings (Float64, null where missing), and
            optionally ``digits`` (Int8) and ``missing`` (Boolean: a row that is no value on purpose).
        source: in words.

    Days that the trading calendar does not know are left out of a daily series: which of them lack a value, and
    which close is the one before, nobody could tell.

    Raises:
        DataError: no row has a value, a value is one that the series cannot have, or two rows are of one period; the
            message names it.
    """
    held = _whole(rows, known)
    _check_signs(held, known, source)
    valued = pl.any_horizontal(pl.col(name).is_not_null() for name in known.readings)
    dated = (
        _month_ends_of(held.filter(valued), known, source)
        if known.month_end
        else _periods_of(held, known, source)
    )
    points = dated.filter(valued).sort("date").with_columns(source=pl.lit(source))
    if points.is_empty():
        raise DataError(f"has no value of {known.name}", where=source, todo="Name another source")
    return DataSeries(
        name=known.name,
        frequency=known.frequency,
        readings=known.readings,
        points=points.select("date", *known.readings, pl.col("digits").cast(pl.Int8), "source"),
        gaps=gaps_of(known, points.drop_nulls(known.readings[0])["date"]),
        source=source,
    )


def _whole(rows: pl.DataFrame, known: Known) -> pl.DataFrame:
    """Rows with a day, every reading and ``digits``; -0.0, which a small fall is rounded to, is 0.0."""
    held = rows.drop_nulls("day")
    if known.frequency == "daily":
        held = held.filter(pl.col("day").is_between(FIRST_DAY, LAST_DAY))
    there = [pl.when(pl.col(name) == 0).then(0.0).otherwise(name).alias(name) for name in _there(known, rows)]
    return held.with_columns(
        *there,
        *(pl.lit(None, pl.Float64).alias(name) for name in known.readings if name not in rows.columns),
        *([] if "digits" in rows.columns else [pl.lit(None, pl.Int8).alias("digits")]),
    )


def _there(known: Known, rows: pl.DataFrame) -> list[str]:
    return [name for name in known.readings if name in rows.columns]


def _check_signs(rows: pl.DataFrame, known: Known, source: str) -> None:
    for reading in known.readings:
        wrong = rows.filter(is_impossible(pl.col(reading), known.sign))
        if wrong.height:
            what = (
                f"has {wrong[reading][0]:g} for {wrong['day'][0]}, and {known.name} {SIGN_WORDS[known.sign]}"
            )
            raise DataError(what, where=source, todo="Correct it, or name another source")


def gaps_of(known: Known, dates: pl.Series) -> tuple[date, ...]:
    """Days between the first and the last of ``dates`` at which a value is due and none is there."""
    first, last = dates.min(), dates.max()
    if not isinstance(first, date) or not isinstance(last, date):
        return ()
    if known.frequency == "quarterly" or (known.frequency == "monthly" and not known.month_end):
        every = "1q" if known.frequency == "quarterly" else "1mo"
        due = pl.date_range(first, last, every, eager=True).to_list()
        there = set(dates)
        return tuple(day for day in due if day not in there)
    listed = month_ends if known.month_end else trading_days
    due = (
        listed(max(first, FIRST_DAY), min(last, LAST_DAY)) if first <= LAST_DAY and last >= FIRST_DAY else []
    )
    return _without_month(due, dates) if known.month_end else tuple(sorted(set(due) - set(dates)))


def _without_month(due: list[date], dates: pl.Series) -> tuple[date, ...]:
    there = {(day.year, day.month) for day in dates}
    return tuple(day for day in due if (day.year, day.month) not in there)


def _periods_of(rows: pl.DataFrame, known: Known, source: str) -> pl.DataFrame:
    dated = rows.with_columns(date=period_of(pl.col("day"), known.frequency))
    _check_once(dated, "date", known, source)
    return dated


def _check_once(rows: pl.DataFrame, column: str, known: Known, source: str) -> None:
    twice = rows.filter(pl.col(column).is_duplicated()).sort(column)
    if twice.height:
        what = f"has two values of {known.name} for {twice[column][0]}"
        raise DataError(what, where=source, todo="Keep one of them, or name another source")


def _month_ends_of(rows: pl.DataFrame, known: Known, source: str) -> pl.DataFrame:
    """The last row of each month, if it is of the month's last trading day (or ``early_days`` before)."""
    _check_once(rows, "day", known, source)
    month = pl.col("day").dt.truncate("1mo")
    latest = rows.with_columns(month=month).sort("day").unique("month", keep="last", maintain_order=True)
    if latest.is_empty():
        return latest.with_columns(date=pl.col("day"))
    ends = pl.DataFrame({"end": month_ends(FIRST_DAY, LAST_DAY)}, {"end": pl.Date})
    joined = latest.join(ends.with_columns(month=pl.col("end").dt.truncate("1mo")), on="month", how="left")
    # A file of month ends may carry the month's last day where that is no trading day.
    calendar_end = pl.col("day") == pl.col("day").dt.month_end()
    near = (pl.col("end") - pl.col("day")).dt.total_days() <= known.early_days
    early = pl.when(pl.col("end") < pl.col("day")).then("end").otherwise("day")
    kept = joined.filter(pl.col("end").is_null() | near | calendar_end)
    return kept.with_columns(date=early)


def digits_of(text: pl.Series) -> pl.Series:
    """Decimals that a source prints (Int8), from its numbers as text.

    Software that writes 903.2 for 903.20 drops zeros, so a column's number with the most decimals tells for all.
    One with more than ``MOST_DECIMALS`` is no print, and has null.

    >>> digits_of(pl.Series(["903.25", "890.2", "192.52999877929688"])).to_list()
    [2, 2, None]
    """
    own = text.str.extract(r"\.(\d*)$").str.len_chars().fill_null(0)
    printed = own.filter((own <= MOST_DECIMALS) & text.is_not_null())
    most = int(printed.max() or 0)  # type: ignore[arg-type]
    kept = pl.select(
        pl.when((own <= MOST_DECIMALS) & text.is_not_null()).then(pl.lit(most, pl.Int8))
    ).to_series()
    return kept.alias("digits")
