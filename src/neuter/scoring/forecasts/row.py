"""One figure of the forecasts' scores, on its way into the tidy table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import polars as pl

from neuter.scoring.forecasts.sides import Estimate
from neuter.scoring.table import SCORES_SCHEMA, validate

#: What tells rows apart, for a caveat about one of them.
NAMES = ("panel", "series", "condition", "split", "attacker", "model", "group_by", "group", "metric")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the scores; names and units as in docs/ignorance-scores.md. ``model`` "" is the mean over models.

    ``n`` counts questions, ``answered`` to ``failed`` calls. ``caveat`` goes into ``run.json``, not into the table.
    """

    panel: str
    metric: str
    unit: str
    value: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    series: str = ""
    condition: str = ""
    split: str = "all"
    attacker: str = "llm"
    model: str = ""
    group_by: str = "all"
    group: str = "all"
    baseline: float | None = None
    n: int | None = None
    answered: int | None = None
    refused: int | None = None
    filtered: int | None = None
    truncated: int | None = None
    unparsed: int | None = None
    failed: int | None = None
    first_date: date | None = None
    last_date: date | None = None
    caveat: str = field(default="", compare=False)

    @classmethod
    def of(cls, found: Estimate, **names: Any) -> Row:
        """The row of an estimate; ``names`` are the other fields: ``panel``, ``metric``, ``unit`` and more."""
        return cls(value=found.value, ci_low=found.low, ci_high=found.high, caveat=found.caveat, **names)


def score_frame(rows: Iterable[Row], suite: str) -> pl.DataFrame:
    """The rows as a frame of the scores' columns."""
    every, shared = list(rows), {"suite": suite, "scheme": "", "published": None}
    # Column by column: 20,000 rows as dictionaries take seconds.
    columns = {
        name: [shared[name]] * len(every) if name in shared else [getattr(row, name) for row in every]
        for name in SCORES_SCHEMA
    }
    return validate(pl.DataFrame(columns, schema=SCORES_SCHEMA))


def caveats_of(rows: Iterable[Row]) -> list[dict[str, str]]:
    """The caveats of the rows that have one: what tells the row apart, and ``text``."""
    return [
        {**{name: getattr(row, name) for name in NAMES}, "text": row.caveat} for row in rows if row.caveat
    ]
