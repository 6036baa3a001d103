"""A series from any CSV or Parquet file of the user's: a date and a value in each row."""

from __future__ import annotations

import polars as pl

from neuter.data.calendar import FIRST_DAY, LAST_DAY
from neuter.data.series import DataSeries
from neuter.data.sources.dates import WAYS, day_of, grain_of, period_of
from neuter.data.sources.known import Known
from neuter.data.sources.points import MOST_DECIMALS, digits_of, series_of
from neuter.data.sources.prices import with_both_prices
from neuter.data.sources.signs import SIGN_WORDS, is_impossible
from neuter.data.sources.texts import LINE, numbers_of, place, read_texts
from neuter.errors import DataError

_DATES = ("date", "day", "month", "quarter", "period", "observation_date", "obs")
_VALUES = ("value", "close")
_COARSENESS = {"daily": ("day",), "monthly": ("day", "month"), "quarterly": ("day", "month", "quarter")}


def own_series(known: Known, path: str) -> DataSeries:
    """The series in a file with ``date`` and ``value``, or a column for each of its readings.

    A single other column of numbers, whatever its name, is the value too. ``value`` is the series' default reading;
    for a stock the column must say which price it is (``traded`` or ``split_adjusted``). Rows may come in any order.
    An empty value is a gap.

    Raises:
        DataError: a column is missing, a text is no date or number, a value is one that the series cannot have (a
            price of 0), the trading calendar does not know a day, or a date is there twice; it names file, line and
            column.
    """
    rows = read_texts(path)
    dates = _date_column(rows, path)
    readings = _reading_columns(rows, known, dates, path)
    label = pl.col(dates)
    held = rows.select(LINE, label=label, day=day_of(label), grain=grain_of(label))
    _check_dates(held, known, dates, path)
    values = {reading: numbers_of(rows, column, path) for reading, column in readings.items()}
    for reading, column in readings.items():
        _check_signs(rows, values[reading], known, column, path)
    held = held.with_columns(
        *(value.alias(reading) for reading, value in values.items()),
        _digits(rows, known, readings).alias("digits"),
    )
    if known.month_end:
        held = held.with_columns(day=_month_end_of("day", "grain"))
    _check_once(held, known, path)
    return series_of(known, _with_traded(held.drop(LINE, "grain", "label"), rows, known, path), source=path)


def _with_traded(held: pl.DataFrame, rows: pl.DataFrame, known: Known, path: str) -> pl.DataFrame:
    """A stock's other price by its splits; what is asked about is the traded one."""
    if not known.is_stock:
        return held
    adjusted = rows["split_adjusted"].str.strip_chars() if "split_adjusted" in rows.columns else None
    decimals = digits_of(adjusted).max() if adjusted is not None else None
    both = with_both_prices(known, held, decimals=decimals if isinstance(decimals, int) else MOST_DECIMALS)
    if "traded" not in both.columns:
        told = f"The splits of {known.name} are not known here: give a column traded, as it closed on the day"
        raise DataError("has no traded closes", where=path, todo=told)
    return both


def _date_column(rows: pl.DataFrame, path: str) -> str:
    for name in _DATES:
        if name in rows.columns:
            return name
    raise DataError("has no column date", where=path, todo=f"It has {_shown(rows)}; rename one to date")


def _reading_columns(rows: pl.DataFrame, known: Known, dates: str, path: str) -> dict[str, str]:
    """The file's column of each reading that it holds."""
    named = {reading: reading for reading in known.readings if reading in rows.columns}
    if named:
        return named
    if known.is_stock:
        told = "Name the column traded (as it closed that day) or split_adjusted (in today's shares)"
        raise DataError(f"does not say which price of {known.name} it has", where=path, todo=told)
    others = [name for name in rows.columns if name not in {dates, LINE}]
    for name in (*_VALUES, known.name):
        if name in others:
            return {known.readings[0]: name}
    numeric = [name for name in others if rows[name].str.strip_chars().str.contains(r"^[+-]?\.?\d").any()]
    if len(numeric) != 1:
        wanted = " or ".join(("value", *known.readings))
        raise DataError(
            "has no column value", where=path, todo=f"It has {_shown(rows)}; rename one to {wanted}"
        )
    if known.made != "level" and numeric[0].upper() == known.fred:
        what = f"holds the level {known.fred}, and {known.name} is made of it by arithmetic"
        raise DataError(what, where=path, todo="Use --fred or --alfred, which compute it, or do so yourself")
    return {known.readings[0]: numeric[0]}


def _shown(rows: pl.DataFrame) -> str:
    return ", ".join(name[:30] for name in rows.columns[:10] if name != LINE)


def _check_dates(held: pl.DataFrame, known: Known, dates: str, path: str) -> None:
    wrong = held.filter(pl.col("day").is_null())
    if wrong.height:
        shown, line = str(wrong["label"][0])[:40], wrong[LINE][0]
        raise DataError(f"{shown!r} is no date", where=place(path, line, dates), todo=f"Write {WAYS}")
    coarse = held.filter(~pl.col("grain").is_in(_COARSENESS[known.frequency]))
    if coarse.height:
        what = f"{coarse['label'][0]!r} is a {coarse['grain'][0]}, and {known.name} is {known.frequency}"
        raise DataError(what, where=place(path, coarse[LINE][0], dates), todo="Give finer dates")
    beyond = held.filter(_is_beyond(known))
    if beyond.height:
        what = f"{beyond['label'][0]!r} is outside the trading calendar, which reaches from {FIRST_DAY} to {LAST_DAY}"
        raise DataError(what, where=place(path, beyond[LINE][0], dates), todo="Leave such rows out")


def _is_beyond(known: Known) -> pl.Expr:
    """Days of which nobody could tell whether they were trading days, and which close came before.

    Of month ends those before 1985 are taken as they are: the month before a month needs no calendar.
    """
    late = pl.col("day") > LAST_DAY
    if known.frequency == "daily":
        return late | (pl.col("day") < FIRST_DAY)
    return late & known.month_end


def _check_signs(rows: pl.DataFrame, values: pl.Series, known: Known, column: str, path: str) -> None:
    wrong = rows.filter(is_impossible(pl.lit(values), known.sign))
    if wrong.height:
        what = f"{wrong[column][0].strip()!r} cannot be, for {known.name} {SIGN_WORDS[known.sign]}"
        todo = "Correct it, or leave the field empty where there is no value"
        raise DataError(what, where=place(path, wrong[LINE][0], column), todo=todo)


def _check_once(held: pl.DataFrame, known: Known, path: str) -> None:
    """A date twice, or two values of one month or quarter; of the days of a month, a month end takes the last."""
    same = pl.col("day") if known.month_end else period_of(pl.col("day"), known.frequency)
    twice = held.with_columns(same=same).filter(pl.col("same").is_duplicated())
    if twice.height:
        told = twice.filter(pl.col("same") == twice["same"][0])
        what = f"a second value for {told['same'][0]} (the first is in {told[LINE][0]})"
        raise DataError(what, where=place(path, told[LINE][1]), todo="Keep one of them")


def _month_end_of(day: str, grain: str) -> pl.Expr:
    """A month without a day means its end."""
    return pl.when(pl.col(grain) == "month").then(pl.col(day).dt.month_end()).otherwise(pl.col(day))


def _digits(rows: pl.DataFrame, known: Known, readings: dict[str, str]) -> pl.Series:
    column = readings.get(known.readings[0])
    if column is None:
        return pl.Series("digits", [None] * rows.height, dtype=pl.Int8)
    return digits_of(rows[column].str.strip_chars())
