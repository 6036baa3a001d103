"""The papers' tables as they print them: data files, read once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel of a published table: ``rows`` maps a group to its figures by metric, ``n`` its number of documents."""

    letter: str
    title: str
    head: str
    rows: Mapping[str, Mapping[str, float]]

    def figure(self, group: str, metric: str) -> float | None:
        return self.rows.get(group, {}).get(metric)


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A published table with where it is from. ``firms`` maps a firm's name in it to its numbers at the SEC (CIK)."""

    paper: str
    section: str
    table: str
    title: str
    model: str
    masker: str
    corpus: str
    notes: tuple[str, ...]
    panels: Mapping[str, Panel]
    firms: Mapping[str, tuple[int, ...]]


@cache
def published_table(name: str) -> PublishedTable:
    """The table kept as ``suites/published/NAME.toml``.

    Raises:
        FileNotFoundError: no such table ships.
    """
    path = files("neuter.suites") / "published" / f"{name}.toml"
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    panels = {one["panel"]: _panel(one) for one in raw.pop("panels")}
    firms = {firm: tuple(numbers) for firm, numbers in raw.pop("firms", {}).items()}
    return PublishedTable(**{**raw, "notes": tuple(raw["notes"])}, panels=panels, firms=firms)


def _panel(raw: Mapping[str, Any]) -> Panel:
    metrics = raw["columns"][1:]
    rows = {row[0]: dict(zip(metrics, row[1:], strict=True)) for row in raw["rows"]}
    return Panel(raw["panel"], raw["title"], raw["head"], rows)
