"""Series from FRED (the latest values) and ALFRED (first prints too)."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import lru_cache

import polars as pl

from neuter.data.series import DataSeries
from neuter.data.sources.fred_client import fred_service, observations, without_key
from neuter.data.sources.known import Known
from neuter.data.sources.points import series_of
from neuter.data.sources.signs import is_impossible
from neuter.data.sources.texts import MISSING
from neuter.data.sources.vintages import VINTAGES_SCHEMA, first_prints, values_of
from neuter.errors import DataError


def fred_series(known: Known) -> DataSeries | None:
    """The latest values of a series, or None where FRED has none.

    A series with first prints has them empty here, unless its publisher does not revise it (inflation).

    Raises:
        DataError: FRED cannot be asked, or its answer cannot be read.
    """
    if not known.fred:
        return None
    told = _levels(known, vintages=False)
    source = f"FRED {known.fred}, asked {_today()}"
    if "latest" in known.readings:
        return series_of(known, values_of(known, told), source=source)
    digits = pl.lit(told["decimals"].max(), pl.Int8)
    rows = told.select(digits.alias("digits"), day="period", close="level")
    return series_of(known, rows, source=source)


def alfred_series(known: Known) -> DataSeries | None:
    """First prints and latest values of a series, or None where ALFRED has no first prints of it.

    Raises:
        DataError: as above.
    """
    if not known.fred or "first" not in known.readings or known.unrevised:
        return None
    told = _levels(known, vintages=True)
    service = fred_service()
    prints = first_prints(
        told,
        prompt_days=service.prompt_days[known.frequency],
        late_days=service.late_days[known.frequency],
    )
    return series_of(known, values_of(known, told, prints), source=f"ALFRED {known.fred}, asked {_today()}")


def _today() -> date:
    return datetime.now(UTC).date()


def _levels(known: Known, *, vintages: bool) -> pl.DataFrame:
    """The vintages of a series, each a level that it can have."""
    told = _asked(known.fred, vintages, _today())
    wrong = told.filter(is_impossible(pl.col("level"), known.sign_of_level))
    if wrong.height:
        what = f"sent {wrong['level'][0]:g} for {wrong['period'][0]}, which cannot be"
        raise DataError(what, where=f"FRED {known.fred}", todo="Name another source")
    return told


@lru_cache(maxsize=64)
def _asked(series: str, vintages: bool, day: date) -> pl.DataFrame:  # noqa: ARG001 (an answer is that of its day)
    """The vintages of a series, asked for once a day and process."""
    rows = [row for row in observations(series, vintages=vintages) if row["value"].strip() not in MISSING]
    told = pl.DataFrame(
        rows, schema=dict.fromkeys(("date", "realtime_start", "realtime_end", "value"), pl.String)
    )
    if told.is_empty():
        raise DataError("has no observations", where=f"FRED {series}", todo="Look the series up at FRED")
    level = told["value"].cast(pl.Float64, strict=False)
    wrong = told.filter(level.is_null() | ~level.is_finite())
    if wrong.height:
        what = f"{without_key(wrong['value'][0])[:30]!r} of {wrong['date'][0]} is no number"
        raise DataError(what, where=f"FRED {series}", todo="Try again later")
    _check_once(told, series)
    return told.select(
        period=pl.col("date").str.to_date(),
        since=pl.col("realtime_start").str.to_date(),
        until=pl.col("realtime_end").str.to_date(),
        level=level,
        decimals=pl.col("value").str.extract(r"\.(\d+)$").str.len_chars().fill_null(0),
    ).cast(VINTAGES_SCHEMA)  # type: ignore[arg-type]


def _check_once(told: pl.DataFrame, series: str) -> None:
    """See that no day has two values of one period."""
    twice = told.filter(pl.struct("date", "realtime_start").is_duplicated())
    if twice.height:
        what = f"sent two values for {twice['date'][0]} as of {twice['realtime_start'][0]}"
        raise DataError(what, where=f"FRED {series}", todo="Try again later")
