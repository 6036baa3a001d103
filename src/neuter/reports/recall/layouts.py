"""Which figures of the scores stand where in the tables and figures of a recall run; the layouts are layouts.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Column:
    """A column: ``metric`` of the rows of ``source``, in the scores' column ``field``.

    ``kind`` says how it is printed: ``figure`` (with ``places`` decimals), ``count``, ``date``, ``month``, ``text``, or
    ``passage`` for a text of more than a few words. Without a metric it is of any row of the place (dates and counts).
    """

    name: str
    title: str
    metric: str = ""
    source: str = "llm"
    field: str = "value"
    kind: str = "figure"
    places: int = 2

    @property
    def is_text(self) -> bool:
        """Whether the column holds words: they are set to the left, and may be broken."""
        return self.kind in ("text", "passage")

    @property
    def published(self) -> str:
        """The published metric that may stand beside this column; empty where none may."""
        if self.source != "llm" or self.field not in ("value", "n", "first_date", "last_date"):
            return ""
        return self.metric if self.field == "value" else "" if self.metric else self.field


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """Rows of one scores panel; what is left empty stands for all that the scores have."""

    panel: str
    title: str = ""
    condition: str = ""
    split: str = ""
    series: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    label: str = ""
    lacking: str = ""
    ours: bool = False


@dataclass(frozen=True, slots=True)
class PanelLayout:
    """``needs``: a row without a score of one of these metrics is left out; ``unanswered``: and one all answered."""

    columns: tuple[Column, ...]
    blocks: tuple[BlockLayout, ...]
    title: str = ""
    needs: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    ours: bool = False
    unanswered: bool = False


@dataclass(frozen=True, slots=True)
class TableLayout:
    """``about`` is model, or data where nobody is asked. ``same_start``: published figures need data that begins
    as early as the paper's."""

    name: str
    number: str
    title: str
    panels: tuple[PanelLayout, ...]
    kind: str = "paper"
    suite: str = ""
    about: str = "model"
    remarks: tuple[str, ...] = ()
    same_start: bool = False


@dataclass(frozen=True, slots=True)
class FigureLayout:
    """A figure: actual against estimated values of ``series``, and the errors. ``outliers``: as many are not drawn."""

    name: str
    suite: str
    title: str
    panels: tuple[str, ...]
    condition: str
    series: tuple[str, ...]
    outliers: Mapping[str, int] = field(default_factory=dict)
    average: bool = False
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Layouts:
    """Everything that layouts.toml holds."""

    tables: tuple[TableLayout, ...]
    figures: tuple[FigureLayout, ...]
    labels: Mapping[str, str]
    splits: Mapping[str, str]
    conditions: Mapping[str, str]
    panels: Mapping[str, str]
    choices: Mapping[str, Mapping[str, Mapping[str, str]]]

    def of(self, suite: str) -> list[TableLayout]:
        """The paper's tables of a suite, then those beyond the paper (of a suite that asks a model)."""
        paper = [one for one in self.tables if one.suite == suite]
        asks = any(one.about == "model" for one in paper)
        return [*paper, *(one for one in self.tables if asks and one.kind == "beyond")]

    def figures_of(self, suite: str) -> list[FigureLayout]:
        return [one for one in self.figures if one.suite == suite]


@cache
def layouts() -> Layouts:
    """The layouts that ship."""
    text = (files("neuter.reports.recall") / "layouts.toml").read_text(encoding="utf-8")
    raw = tomllib.loads(text)
    columns = {name: _column(name, one) for name, one in raw["columns"].items()}
    return Layouts(
        tables=tuple(_table(one, columns) for one in raw["tables"]),
        figures=tuple(FigureLayout(**_tuples(one)) for one in raw["figures"]),
        labels=raw["labels"],
        splits=raw["splits"],
        conditions=raw["conditions"],
        panels=raw["panels"],
        choices=raw["choices"],
    )


def _column(name: str, raw: Mapping[str, Any]) -> Column:
    """A column shows the metric of its own name; dates and counts that name none are of any metric."""
    of_place = raw.get("field", "value") != "value" and "metric" not in raw
    return Column(name=name, **{"metric": "" if of_place else name, **raw})


def _table(raw: Mapping[str, Any], columns: Mapping[str, Column]) -> TableLayout:
    panels = tuple(_panel(one, columns) for one in raw["panels"])
    return TableLayout(**{**_tuples(raw), "panels": panels})


def _panel(raw: Mapping[str, Any], columns: Mapping[str, Column]) -> PanelLayout:
    blocks = tuple(BlockLayout(**_tuples(one)) for one in raw["blocks"])
    shown = tuple(columns[name] for name in raw["columns"])
    return PanelLayout(**{**_tuples(raw), "columns": shown, "blocks": blocks})


def _tuples(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()}
