"""What each series is: its words in prompts, its kind, unit and threshold, and how its answers are read."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from neuter.data.series import Frequency
from neuter.errors import UnknownName, UsageError

_TICKER = re.compile(r"[A-Z][A-Z0-9]{0,9}(?:[.\-/][A-Z0-9]{1,4})?")
_OF_SUITE = {"headlines": ("sp500",)}


@dataclass(frozen=True, slots=True)
class SeriesSpec:
    """A series as questions and answers need it; ``series.toml`` holds them.

    Attributes:
        name: ``gdp_growth``, ``sp500``, a ticker, or a size (Small, Mid, Large: a portfolio, which no prompt names).
        title: the label in the paper's tables.
        data_name: the words in the prompt; a ticker is its own.
        kind: a ``rate`` has errors in points, a ``level`` in percent.
        frequency: of the data; month ends are monthly.
        said: how prompts word a period: by its day, its month or its quarter.
        suite: ``macro``, ``indices``, ``stocks`` or ``portfolios``.
        threshold: what directional accuracy divides at (note of Table 1); None where the paper has none.
        unit: of truth and answers: ``percent``, ``ones`` or ``thousands``.
        ones_from, low, high: see :class:`neuter.models.answers.Question`.
        digits: decimals with which a context tells a value.
        readings: columns of the data that hold a truth, the default one first.
        instrument: the prompt that asks for its value.
        first: the first date that the paper's tables print.
        aliases: other names that an answer may give it.
    """

    name: str
    title: str
    data_name: str
    kind: Literal["rate", "level"]
    frequency: Frequency
    said: Literal["day", "month", "quarter"]
    suite: str
    threshold: float | None
    unit: Literal["percent", "ones", "thousands"]
    ones_from: float | None
    low: float | None
    high: float | None
    digits: int
    readings: tuple[str, ...]
    instrument: str
    first: date
    aliases: tuple[str, ...] = ()

    @property
    def is_stock(self) -> bool:
        """Whether prompts name it by its ticker (appendix B.4)."""
        return self.suite == "stocks"


@cache
def spec_of(name: str) -> SeriesSpec:
    """The series of that name. A ticker that the paper does not print is asked about from January 1990 on.

    Raises:
        UnknownName: it is neither a series, nor a size, nor a ticker in capitals; the nearest names are listed.
    """
    if found := _specs().get(name) or _specs().get(name.lower()):
        return found
    if _TICKER.fullmatch(name):
        return _stock(name, name, name, _table()["stock"]["first"])
    near = difflib.get_close_matches(name, _specs(), n=3, cutoff=0.5) or list(_specs())
    raise UnknownName(
        f"no series {name!r}", where="series", todo=f"Did you mean {', '.join(near)}? Tickers are in capitals"
    )


@cache
def specs_of(suite: str) -> tuple[SeriesSpec, ...]:
    """The series of a suite in the order of the paper's tables; for ``headlines`` the index that is asked about.

    Raises:
        UsageError: no such suite has series.
    """
    if suite in _OF_SUITE:
        return tuple(spec_of(name) for name in _OF_SUITE[suite])
    found = tuple(spec for spec in _specs().values() if spec.suite == suite)
    if not found:
        known = sorted({spec.suite for spec in _specs().values()} | set(_OF_SUITE))
        raise UsageError(f"no series of a suite {suite!r}", todo=f"Suites with series: {', '.join(known)}")
    return found


@cache
def _specs() -> dict[str, SeriesSpec]:
    table = dict(_table())
    stock = table.pop("stock")
    named = {name: _made(name, raw) for name, raw in table.items()}
    stocks = {name: _stock(name, name, name, first) for name, first in stock["firsts"].items()}
    sizes = {
        name: _stock(name, title, "", stock["first"], suite="portfolios")
        for name, title in stock["sizes"].items()
    }
    return {**named, **stocks, **sizes}


def _stock(name: str, title: str, data_name: str, first: date, **changed: str) -> SeriesSpec:
    raw = {key: value for key, value in _table()["stock"].items() if key not in {"firsts", "sizes"}}
    return _made(name, {**raw, "title": title, "data_name": data_name, "first": first, **changed})


def _made(name: str, raw: Mapping[str, Any]) -> SeriesSpec:
    absent = dict.fromkeys(("threshold", "ones_from", "low", "high"))
    lists = {key: tuple(raw.get(key, ())) for key in ("readings", "aliases")}
    return SeriesSpec(**{**absent, **raw, **lists, "name": name})


@cache
def _table() -> dict[str, Any]:
    path = files("neuter.suites.recall") / "series.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))
