"""Daily closes of indices and stocks from Yahoo Finance, by ``yfinance``: the client that the field uses."""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from neuter.data.series import DataSeries
from neuter.data.sources.known import Known
from neuter.data.sources.points import series_of
from neuter.data.splits import Split, split_factors
from neuter.errors import DataError, MissingExtra

_NEW_YORK = ZoneInfo("America/New_York")


@dataclass(frozen=True, slots=True)
class Yahoo:
    """What ``services.toml`` tells of Yahoo."""

    name: str
    timeout: float
    cents_from: date
    rounding: float
    relative: float
    since: date


@cache
def yahoo_service() -> Yahoo:
    """Yahoo's row of ``services.toml``."""
    told = tomllib.loads(Path(__file__).with_name("services.toml").read_text(encoding="utf-8"))
    return Yahoo(**told["yahoo"])


def yahoo_series(known: Known) -> DataSeries | None:
    """Closes of an index or a stock, or None where Yahoo has no such series.

    Yahoo's Close is in shares of today and without dividends taken off: the split-adjusted price. The traded one is
    that times the ratios of all later splits, to the cent from 2001-04-09 on. Where it is no whole number of cents
    within what Yahoo's numbers can hold, and before, it has no ``digits``. The row of the present day may be a price
    and no close yet, and is left out.

    Raises:
        MissingExtra: yfinance is not installed.
        DataError: Yahoo does not answer, limits calls, or has nothing under this symbol.
    """
    if not known.yahoo:
        return None
    rows = _asked(known.yahoo, _today(), known.is_stock)
    source = f"Yahoo {known.yahoo}, asked {_today()}"
    made = _stock(rows) if known.is_stock else _index(rows)
    return series_of(known, made, source=source)


def _today() -> date:
    return datetime.now(UTC).date()


@lru_cache(maxsize=64)
def _asked(symbol: str, day: date, stock: bool) -> pl.DataFrame:  # noqa: ARG001 (an answer is that of its day)
    """``day``, ``close`` and ``factor`` (shares of today for one then), asked for once a day and process."""
    yfinance, told = loaded_yfinance(), yahoo_service()
    with _raising(yfinance, symbol):
        ticker = yfinance.Ticker(symbol)
        frame = ticker.history(
            start=told.since.isoformat(), interval="1d", auto_adjust=False, actions=True, timeout=told.timeout
        )
        # Not the frame's own column: it has a split of a day without a price on the day before.
        splits = ticker.get_splits() if stock else {}
        held = [Split(symbol, stamp.date(), float(ratio)) for stamp, ratio in splits.items()]
    return _rows(symbol, frame, held)


def loaded_yfinance() -> Any:
    """The package ``yfinance``.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return import_module("yfinance")
    except ImportError as error:
        todo = "Install it: pip install 'neuter[yahoo]'"
        raise MissingExtra("yfinance is not installed", where="Yahoo", todo=todo) from error


@contextmanager
def _raising(yfinance: Any, symbol: str) -> Iterator[None]:
    """yfinance's errors are raised within, rather than logged beside an empty answer, and leave as ours.

    The setting that does it is the user's own again afterwards.
    """
    debug = yfinance.config.debug
    before, debug.hide_exceptions = debug.hide_exceptions, False
    # It lets through what its HTTP client, its parser and pandas raise on an answer of another form.
    faults = (yfinance.exceptions.YFException, OSError, ValueError, LookupError, TypeError, AttributeError)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pandas' words to yfinance's authors
            yield
    except faults as error:
        raise _explained(yfinance, symbol, error) from error
    finally:
        debug.hide_exceptions = before


def _explained(yfinance: Any, symbol: str, error: Exception) -> DataError:
    where = f"Yahoo {symbol}"
    if isinstance(error, yfinance.exceptions.YFRateLimitError):
        return DataError("limits how often it may be asked", where=where, todo="Try again in an hour")
    if isinstance(error, yfinance.exceptions.YFTickerMissingError):
        return DataError("has no prices", where=where, todo="Check the symbol; a delisted one is gone there")
    what = f"could not be read ({type(error).__name__})"
    return DataError(what, where=where, todo="Check the connection, try again later, or update yfinance")


def _rows(symbol: str, frame: Any, splits: list[Split]) -> pl.DataFrame:
    where = f"Yahoo {symbol}"
    wrong = [split for split in splits if not 0 < split.ratio < float("inf")]
    if wrong:
        raise DataError(f"has a split of {wrong[0].ratio}", where=where, todo="Use another source")
    if "Close" not in frame.columns:
        raise DataError("has no prices", where=where, todo="Check the symbol")
    told = {"day": [stamp.date() for stamp in frame.index], "close": frame["Close"].tolist()}
    rows = pl.DataFrame(told, schema={"day": pl.Date, "close": pl.Float64}).sort("day")
    today = datetime.now(_NEW_YORK).date()
    kept = rows.with_columns(pl.col("close").fill_nan(None)).filter(pl.col("day") < today)
    strange = kept.filter(~pl.col("close").is_finite() | (pl.col("close") <= 0))
    if strange.height:
        what = f"has a close of {strange['close'][0]:g} on {strange['day'][0]}"
        raise DataError(what, where=where, todo="Prices are above 0: use another source")
    if not kept["close"].count():
        raise DataError("has no prices", where=where, todo="Check the symbol")
    return kept.with_columns(split_factors(symbol, kept["day"], splits))


def _index(rows: pl.DataFrame) -> pl.DataFrame:
    """Closes to two decimals, as indices are printed."""
    rounded, exact = _to_cents(pl.col("close"), pl.lit(1.0))
    return rows.select("day", close=rounded, digits=pl.when(exact).then(pl.lit(2, pl.Int8)))


def _stock(rows: pl.DataFrame) -> pl.DataFrame:
    told = yahoo_service()
    held = rows.with_columns(traded=pl.col("close") * pl.col("factor"))
    rounded, exact = _to_cents(pl.col("traded"), pl.col("factor"))
    cents = exact & (pl.col("day") >= told.cents_from)
    return held.select(
        "day",
        traded=pl.when(cents).then(rounded).otherwise("traded"),
        split_adjusted="close",
        digits=pl.when(cents).then(pl.lit(2, pl.Int8)),
    )


def _to_cents(price: pl.Expr, factor: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """A price to the cent, and whether it is one within what Yahoo's numbers can hold."""
    told = yahoo_service()
    slack = factor * told.rounding + price.abs() * told.relative
    rounded = price.round(2)
    return rounded, ((price - rounded).abs() <= slack) & (slack < 0.004)
