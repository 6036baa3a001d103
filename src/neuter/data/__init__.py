"""Actual values that models are asked for: series that ship, and the sources that users bring. Loaded when used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.data.calendar import next_trading_day as next_trading_day
    from neuter.data.calendar import trading_days as trading_days
    from neuter.data.panel import firm_panel as firm_panel
    from neuter.data.series import DataSeries as DataSeries
    from neuter.data.shipped_series import SERIES as SERIES
    from neuter.data.splits import splits_of as splits_of
    from neuter.data.stocks import stock_series as stock_series

# Not here: shipped_series, whose module has its name, so that either could stand for the other. It is to be had from
# neuter.data.shipped_series.
_HOME = {
    "next_trading_day": "calendar",
    "trading_days": "calendar",
    "firm_panel": "panel",
    "DataSeries": "series",
    "SERIES": "shipped_series",
    "splits_of": "splits",
    "stock_series": "stocks",
}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
