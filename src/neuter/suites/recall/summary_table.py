"""Table A1: the statistics of every series over the paper's dates, as rows of the scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

import numpy as np
import polars as pl

from neuter.data.portfolios import SIZES
from neuter.data.series import DataSeries, Frequency
from neuter.errors import DataError
from neuter.scoring.recall import summary_statistics as statistics
from neuter.scoring.recall.summary_statistics import Floats, Statistic
from neuter.scoring.table import SCORES_SCHEMA, validate
from neuter.suites.recall.returns import at_month_ends
from neuter.suites.recall.specs import spec_of

#: The dates of Table A1: January 1990 to February 2025; returns of stocks and portfolios to December 2023.
FIRST, LAST, LAST_OF_STOCKS = date(1990, 1, 1), date(2025, 2, 28), date(2023, 12, 31)
#: Series in the table's order.
INDICES = ("sp500", "djia", "nasdaq")
STOCKS = ("GOOGL", "AMZN", "AAPL", "MSFT", "META", "NVDA", "TSLA")
RATES = ("gdp_growth", "inflation", "unemployment_rate", "treasury_10y")
LEVELS = ("vix", "housing_starts", "nonfarm_payrolls")

#: From a series' name to its actual values.
Finder = Callable[[str], DataSeries]


@dataclass(frozen=True, slots=True)
class Sample:
    """Values of one row of the table: those in its dates, and the steps that end in them."""

    panel: str
    series: str
    values: pl.DataFrame
    steps: pl.DataFrame


def summary_scores(
    first: date = FIRST,
    last: date = LAST,
    *,
    series_of: Finder | None = None,
    portfolios: pl.DataFrame | None = None,
    last_of_stocks: date = LAST_OF_STOCKS,
    price: Literal["split_adjusted", "traded"] = "split_adjusted",
) -> pl.DataFrame:
    """Table A1 in the scores' columns: suite ``summary``, a row a panel, series and metric.

    The return of the first period is in where the data reaches back to the period before it: January 1990's is from
    the close of 1989-12-29. (The paper leaves it out: 64.13% of the S&P 500's months are 270 of 421.)

    Args:
        first, last: a period is in where it lies between them, ends included: 2025Q1 is not over on 2025-02-28.
        series_of: from a name to its series; what ships, by default.
        portfolios: ``series`` (Small, Mid, Large), ``date``, ``close`` and ``previous`` (the close one month end
            before), adjusted for splits, a row a firm and month: ``neuter.data.portfolios.portfolio_closes``.
            Without it the portfolios' rows are empty, because the paper's need CRSP from 1990.
        last_of_stocks: the last day of panel B.
        price: whose returns panel B has. The paper's are of traded closes, where a split of 2 for 1 is a loss of 50%
            (docs/table-a1.md).

    Raises:
        DataError: the dates are in the wrong order, a series cannot be had, or ``portfolios`` lacks a column.
    """
    if first > last:
        raise DataError(f"{first} is after {last}", where="summary")
    find = series_of or _shipped()
    samples = [*_indices(find, first, last), *_stocks(find, price, first, min(last, last_of_stocks))]
    rows = [row for sample in samples for row in _return_rows(sample)]
    for size in SIZES:
        rows += _return_rows(_portfolio(portfolios, size, first, min(last, last_of_stocks)))
    for panel, names in (("rates", RATES), ("levels", LEVELS)):
        for name in names:
            rows += _macro_rows(_sample(panel, find(name), first, last))
    return validate(pl.DataFrame(rows, schema=SCORES_SCHEMA))


def _indices(find: Finder, first: date, last: date) -> Iterator[Sample]:
    for panel in ("indices_daily", "indices_monthly"):
        for name in INDICES:
            found = find(name)
            values = found.values()
            frequency: Frequency = "daily"
            if panel == "indices_monthly":
                values, frequency = at_month_ends(values), "monthly"
            yield Sample(
                panel, name, values, _within(statistics.simple_returns(values, frequency), first, last)
            )


def _stocks(find: Finder, price: str, first: date, last: date) -> Iterator[Sample]:
    for ticker in STOCKS:
        found = find(ticker)
        # A user's own file may have one column of closes.
        closes = found.values(price if price in found.readings else None)
        returns = statistics.simple_returns(closes, "monthly")
        yield Sample("stocks_monthly", ticker, closes, _within(returns, first, last))


def _portfolio(closes: pl.DataFrame | None, size: str, first: date, last: date) -> Sample:
    """Equal-weighted: the return of a month is the mean of its firms' returns."""
    nothing = pl.DataFrame(schema={"date": pl.Date, "value": pl.Float64})
    if closes is None:
        return Sample("portfolios_monthly", size, nothing, nothing)
    wanted = ("series", "date", "close", "previous")
    if missing := [column for column in wanted if column not in closes.columns]:
        raise DataError(f"portfolios without {', '.join(missing)}", where="summary")
    held = closes.filter(pl.col("series") == size, pl.col("previous") > 0).drop_nulls("close")
    firm = 100 * (pl.col("close") / pl.col("previous") - 1)
    returns = held.group_by(pl.col("date")).agg(value=firm.mean()).sort("date")
    return Sample("portfolios_monthly", size, returns, _within(returns, first, last))


def _sample(panel: str, found: DataSeries, first: date, last: date) -> Sample:
    """Values of a macro series by its default reading; the step into the first period is not in (panels C and D)."""
    over = _period_end(found.frequency) <= last
    values = found.values().filter(pl.col("date") >= first, over)
    return Sample(panel, found.name, values, statistics.changes(values, found.frequency))


def _period_end(frequency: Frequency) -> pl.Expr:
    """The last day of each value's period: a month or quarter is dated by its first day, a month end by its own."""
    if frequency == "daily":
        return pl.col("date")
    months = "1mo" if frequency == "monthly" else "3mo"
    whole = pl.col("date").dt.offset_by(months).dt.offset_by("-1d")
    return pl.when(pl.col("date").dt.day() == 1).then(whole).otherwise(pl.col("date"))


def _within(values: pl.DataFrame, first: date, last: date) -> pl.DataFrame:
    return values.filter(pl.col("date").is_between(first, last))


def _return_rows(sample: Sample) -> Iterator[dict[str, Any]]:
    returns = _numbers(sample.steps)
    yield _row(sample, "mean_return", "percent", statistics.mean(returns), sample.steps)
    yield _row(sample, "sd_return", "percent", statistics.standard_deviation(returns), sample.steps)
    yield _row(sample, "directional_change", "percent", statistics.share_rising(returns), sample.steps)


def _macro_rows(sample: Sample) -> Iterator[dict[str, Any]]:
    values = _numbers(sample.values)
    of_rates = sample.panel == "rates"
    own = "percent" if of_rates else None

    def row(metric: str, unit: str | None, statistic: Statistic) -> dict[str, Any]:
        return _row(sample, metric, unit, statistic, sample.values)

    yield row("mean", own, statistics.mean(values))
    yield row("sd", own, statistics.standard_deviation(values))
    # "Direction" is the share above the threshold of Table 1 (note of Table A1); each of these series has one.
    above = statistics.share_above(values, spec_of(sample.series).threshold or 0.0)
    yield row("direction", "percent", above)
    yield row("directional_change", "percent", statistics.share_rising(_numbers(sample.steps)))
    if of_rates:
        yield row("mean_error", "percentage_points", statistics.mean_error(values))
        yield row("mean_absolute_error", "percentage_points", statistics.mean_absolute_error(values))
    else:
        yield row("mean_percent_error", "percent", statistics.mean_percent_error(values))
        yield row("mean_absolute_percent_error", "percent", statistics.mean_absolute_percent_error(values))


def _row(
    sample: Sample, metric: str, unit: str | None, statistic: Statistic, dated: pl.DataFrame
) -> dict[str, Any]:
    named = {
        "suite": "summary",
        "panel": sample.panel,
        "series": sample.series,
        "condition": "none",
        "split": "all",
    }
    figure = {"metric": metric, "unit": unit, "value": statistic.value, "n": statistic.n, "group_by": "all"}
    dates = {"first_date": dated["date"].min(), "last_date": dated["date"].max()}
    return dict.fromkeys(SCORES_SCHEMA) | named | figure | dates


def _numbers(values: pl.DataFrame) -> Floats:
    return np.asarray(values["value"].to_numpy(), dtype=np.float64)


def _shipped() -> Finder:
    from neuter.data.shipped_series import shipped_series

    return shipped_series
