"""The series that sources are asked for: what each source calls them, and how their values are made."""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from neuter.data.series import Frequency
from neuter.errors import UsageError

Made = Literal["level", "change", "annualized", "over_year"]
Sign = Literal["any", "not negative", "positive"]

STOCK_READINGS = ("traded", "split_adjusted")
_TICKER = re.compile(r"[A-Z][A-Z0-9]{0,5}([.-][A-Z]{1,2})?")


@dataclass(frozen=True, slots=True)
class Known:
    """One series as ``series.toml`` tells of it; a ticker has no row there.

    Attributes:
        month_end: the value of a month is that of its last trading day, and its date that day.
        sign: what a value can be: a price or an index is above 0, a rate of unemployment not below.
        early_days: by how many days a month's last value may come before its last trading day.
        made: how a value comes from the source's level.
        decimals: to which a made value is rounded; None keeps what is printed.
        digits: decimals of a made value that its publisher prints.
        fred, philadelphia_fed, yahoo: what the source calls it; empty where it has none.
    """

    name: str
    frequency: Frequency
    readings: tuple[str, ...]
    made: Made = "level"
    decimals: int | None = None
    digits: int | None = None
    month_end: bool = False
    sign: Sign = "any"
    early_days: int = 0
    unrevised: bool = False
    fred: str = ""
    philadelphia_fed: tuple[str, ...] = ()
    yahoo: str = ""

    @property
    def is_stock(self) -> bool:
        return self.readings == STOCK_READINGS

    @property
    def steps(self) -> int:
        """Periods back to the level that a value is made from, 0 where none is."""
        return {"level": 0, "change": 1, "annualized": 1, "over_year": 12}[self.made]

    @property
    def sign_of_level(self) -> Sign:
        """What a source's level can be: output, prices and jobs, which growth is made of, are above 0."""
        return self.sign if self.made == "level" else "positive"


@cache
def known_series() -> dict[str, Known]:
    """Every series of ``series.toml`` by its name."""
    told = tomllib.loads(Path(__file__).with_name("series.toml").read_text(encoding="utf-8"))
    return {name: _known(name, row) for name, row in told.items()}


def _known(name: str, row: dict[str, object]) -> Known:
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Known(name=name, **values)  # type: ignore[arg-type]


def known_name(name: str) -> str:
    """``name``, if a series or a ticker can have it.

    Raises:
        UsageError: it is neither.
    """
    if name in known_series() or _TICKER.fullmatch(name):
        return name
    near = difflib.get_close_matches(name, known_series(), n=1, cutoff=0.5)
    meant = f"Did you mean {near[0]}?" if near else f"One of {', '.join(known_series())}, or a ticker as AAPL"
    raise UsageError(f"no series {name!r}", where="data", todo=meant)


def known(name: str) -> Known:
    """What is known of a series, or of a stock by its ticker.

    Raises:
        UsageError: there is no such series.
    """
    row = known_series().get(known_name(name))
    return row or Known(
        name, "monthly", STOCK_READINGS, month_end=True, sign="positive", yahoo=name.replace(".", "-")
    )
