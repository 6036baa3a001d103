"""Works out the outcomes of the composed questions about series (series/*.toml) from the raw data."""

from __future__ import annotations

import tomllib
from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Any

import polars as pl

HERE = Path(__file__).parent
CLOSES, RATES = "market/index_closes_daily.csv", "macro/fred_rates_daily.csv"
PANEL, MEMBERS = "stocks/us_month_end_panel.parquet", "universe/sp500_constituents_history.parquet"
PRINTS, PAYROLLS = "macro/fredmd_first_prints.csv", "macro/payems_first_print_from_fredmd.csv"
CPI, GDP = "macro/cpi-us.csv", HERE.parent / "macro/gdp_growth.csv"
#: Market capitalisations are nearer to what they are compared with in no question.
CLEARANCE = 0.015
KEYS = {"id", "question", "criteria", "background", "cluster", "open", "check"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the data says: the outcome, the day on which it was known, the last day that is asked about, and where."""

    outcome: bool
    known: date
    last: date
    where: str


def series_rows(data: Path) -> list[dict[str, Any]]:
    """A row a question of series/*.toml, in QUESTION_SCHEMA but for the types."""
    rows = []
    for path in sorted((HERE / "series").glob("*.toml")):
        for one in tomllib.loads(path.read_text(encoding="utf-8"))["question"]:
            assert set(one) <= KEYS, (path.name, one["id"], set(one) - KEYS)
            says_its_level(one)
            rows.append(row_of(one, path.stem, answered(data, **one["check"])))
    return rows


def row_of(one: dict[str, Any], domain: str, answer: Answer) -> dict[str, Any]:
    return {
        "id": one["id"],
        "question": one["question"],
        "background": one.get("background", ""),
        "resolution_criteria": one["criteria"],
        "open": one["open"],
        "close": answer.last,
        "resolution_date": answer.known,
        "resolution": int(answer.outcome),
        "domain": domain,
        "source": answer.where,
        "url": "",
        "cluster": one.get("cluster", ""),
        "base_rate": None,
        "community": [],
    }


def says_its_level(one: dict[str, Any]) -> None:
    """The level that is checked is the one that the question names: 5,000 points, 4.2, $1.5 trillion, $90 billion."""
    level = one["check"].get("level")
    if level is None:
        return
    # A level between two printed values: 4.05 is asked about as "4.1 or more".
    said = {f"{level:,g}", f"{level:,.1f}", f"{level:,.2f}", f"{level:,.0f}"} if level < 1e6 else set()
    if one["check"]["kind"] == "cap":
        said = {f"{level:g} billion", f"{level / 1000:g} trillion"}
    assert any(text in one["question"] for text in said), (one["id"], said)


def answered(data: Path, kind: str, **told: Any) -> Answer:
    """The answer to one check: ``close``, ``ever``, ``outruns``, ``print``, ``cap``, ``larger`` or ``member``."""
    return {
        "close": on_day,
        "ever": ever,
        "outruns": outruns,
        "print": printed,
        "cap": cap,
        "larger": larger,
        "member": member,
    }[kind](data, **told)


def on_day(data: Path, series: str, day: date, side: str, level: float) -> Answer:
    """The close of one day against a level."""
    name, values = daily(data, series)
    value = values.filter(pl.col("date") == day)["value"].item()
    return Answer(beyond(value, side, level), day, day, f"{name}, {series}: {value:g} on {day}")


def ever(data: Path, series: str, first: date, last: date, *, side: str, level: float) -> Answer:
    """Any close from ``first`` to ``last`` beyond a level; known on the first such day, or on the last day."""
    name, values = daily(data, series)
    spell = values.filter(pl.col("date").is_between(first, last))
    assert spell["date"].max() == last, (series, last, spell["date"].max())
    hits = spell.filter(pl.col("value") > level if side == "above" else pl.col("value") < level)
    if hits.height:
        day, value = hits.row(0)
        return Answer(
            True, day, last, f"{name}, {series}: {value:g} on {day}, the first close {side} {level:g}"
        )
    extreme = spell["value"].max() if side == "above" else spell["value"].min()
    which = "highest" if side == "above" else "lowest"
    return Answer(False, last, last, f"{name}, {series}: {which} close {extreme:g}, {first} to {last}")


def outruns(data: Path, series: str, other: str, first: date, last: date) -> Answer:
    """Whether one series gained more percent than another from one close to a later one."""
    changes = []
    for each in (series, other):
        name, values = daily(data, each)
        start, end = (values.filter(pl.col("date") == day)["value"].item() for day in (first, last))
        changes.append(100 * (end / start - 1))
    told = f"{name}, change from {first} to {last}: {series} {changes[0]:.2f}%, {other} {changes[1]:.2f}%"
    return Answer(changes[0] > changes[1], last, last, told)


def printed(data: Path, series: str, period: str, side: str, level: float) -> Answer:
    """The first print of a period (``2024-03``; a quarter by its first month) against a level, printed or exact."""
    name, value = {
        "unemployment": partial(rate_print, "UNRATE"),
        "housing_starts": partial(rate_print, "HOUST"),
        "payrolls": payroll_print,
        "cpi": cpi_print,
        "gdp": gdp_print,
    }[series](data, period)
    known = month_end(period, 3 if series == "gdp" else 1)
    return Answer(
        beyond(value, side, level), known, known, f"{name}, {series} {period}, first print: {value:g}"
    )


def rate_print(code: str, data: Path, period: str) -> tuple[str, float]:
    told = pl.read_csv(data / PRINTS).filter((pl.col("series") == code) & (pl.col("date") == f"{period}-01"))
    return PRINTS, float(told["value"].item())


def payroll_print(data: Path, period: str) -> tuple[str, float]:
    told = pl.read_csv(data / PAYROLLS).filter(pl.col("obs") == period)
    return PAYROLLS, float(told["change_k"].item())


def cpi_print(data: Path, period: str) -> tuple[str, float]:
    """The change over 12 months of the index that is not revised, to one decimal as it is published."""
    index = dict(pl.read_csv(data / CPI).select("Date", "Index").iter_rows())
    year, month = period.split("-")
    return CPI, round(100 * (index[f"{period}-01"] / index[f"{int(year) - 1}-{month}-01"] - 1), 1)


def gdp_print(_: Path, period: str) -> tuple[str, float]:
    """From the series that ships (corpora/macro/build.py reads the spreadsheet), to one decimal as it is published."""
    told = pl.read_csv(GDP).filter(pl.col("date") == f"{period}-01")
    return "corpora/macro/gdp_growth.csv", round(float(told["first"].item()), 1)


def cap(data: Path, symbol: str, day: date, side: str, level: float) -> Answer:
    """A market capitalisation at a month's end, in billions of dollars."""
    value = capitalisation(data, symbol, day)
    assert apart(value, level), (symbol, day, value, level)
    return Answer(beyond(value, side, level), day, day, f"{PANEL}, {symbol}: {value:.1f} billion on {day}")


def larger(data: Path, symbol: str, other: str, day: date) -> Answer:
    """Which of two firms had the larger market capitalisation."""
    one, two = (capitalisation(data, each, day) for each in (symbol, other))
    assert apart(one, two), (symbol, other, day, one, two)
    told = f"{PANEL}, {day}: {symbol} {one:.1f}, {other} {two:.1f} billion"
    return Answer(one > two, day, day, told)


def member(data: Path, symbol: str, day: date) -> Answer:
    """Whether a firm is in the S&P 500, by a list of that day."""
    told = pl.read_parquet(data / MEMBERS).filter(pl.col("snapshot") == str(day))
    assert 495 < told.height < 510, (day, told.height)
    there = symbol in told["symbol"].to_list()
    return Answer(there, day, day, f"{MEMBERS}, list of {day}: {symbol} {'is' if there else 'is not'} in it")


def apart(one: float, two: float) -> bool:
    """Far enough apart that another count of the shares gives the same outcome."""
    return abs(one / two - 1) >= CLEARANCE


def capitalisation(data: Path, symbol: str, day: date) -> float:
    told = panel(data).filter((pl.col("symbol") == symbol) & (pl.col("date") == str(day)))
    return float(told["market_cap"].item()) / 1e9


def daily(data: Path, series: str) -> tuple[str, pl.DataFrame]:
    """Where a series stands, and its ``date`` and ``value``."""
    name = CLOSES if series in ("SP500", "DJIA", "NASDAQ", "VIX") else RATES
    return name, values_of(data, name, series)


@cache
def panel(data: Path) -> pl.DataFrame:
    return pl.read_parquet(data / PANEL, columns=["date", "symbol", "market_cap"])


@cache
def values_of(data: Path, name: str, series: str) -> pl.DataFrame:
    raw = pl.read_csv(data / name, columns=["date", series], infer_schema_length=0)
    # Single-precision floats of closes that have two decimals.
    return raw.select(
        pl.col("date").str.to_date(), pl.col(series).cast(pl.Float64).round(2).alias("value")
    ).drop_nulls()


def beyond(value: float, side: str, level: float) -> bool:
    assert side in ("above", "below"), side
    return value > level if side == "above" else value < level


def month_end(period: str, after: int) -> date:
    """The last day of the month that is ``after`` months later; the generator's rule for when a print is known."""
    place = int(period[:4]) * 12 + int(period[5:7]) - 1 + after
    year, month = place // 12, place % 12 + 1
    return date(year, month, monthrange(year, month)[1])
