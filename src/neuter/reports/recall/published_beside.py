"""The paper's figures by place and metric, with what cannot be right in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from neuter.reports.recall.score_index import Place

#: Whose figures the paper prints in its tables of recall.
MODEL = "GPT-4o"


@dataclass(frozen=True, slots=True)
class Published:
    """``value`` is to be compared with, None where it cannot be; ``printed`` is what the paper prints.

    ``flag`` says what is wrong with the printed one, or how the value differs from it; empty where nothing is.
    ``unit`` is that of scores which it may stand beside; empty for any.
    """

    value: float | None
    printed: float | None
    flag: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """Over which dates a published row is."""

    first_date: date | None = None
    last_date: date | None = None


class PublishedBeside:
    """What the paper prints at a place.

    Args:
        figures: rows with panel, series, condition, split, metric, published, printed, flag and unit.
        rows: rows with panel, series, condition, split, first_date, last_date.
        model: whose figures they are.
        notes: what holds for the whole published table.
    """

    def __init__(
        self,
        figures: Iterable[Mapping[str, Any]],
        rows: Iterable[Mapping[str, Any]],
        model: str = MODEL,
        notes: Iterable[str] = (),
    ) -> None:
        self.model = model
        self.notes = tuple(notes)
        self._figures = {(_place(raw), raw["metric"]): _published(raw) for raw in figures}
        self._rows = {_place(raw): _row(raw) for raw in rows}

    def figure(self, place: Place, metric: str) -> Published | None:
        return self._figures.get((place, metric))

    def row(self, place: Place) -> PublishedRow | None:
        return self._rows.get(place)


def _place(raw: Mapping[str, Any]) -> Place:
    return Place(*(raw[name] or "" for name in ("panel", "series", "condition", "split")))


def _published(raw: Mapping[str, Any]) -> Published:
    return Published(raw["published"], raw["printed"], raw["flag"] or "", raw["unit"] or "")


def _row(raw: Mapping[str, Any]) -> PublishedRow:
    return PublishedRow(raw["first_date"], raw["last_date"])


def paper_of(suite: str) -> PublishedBeside:
    """The figures of The Memorization Problem for a suite; nothing for a suite that it has not."""
    from neuter.suites.recall.published import published_figures, published_notes, published_rows

    figures, rows = published_figures(suite), published_rows(suite)
    # Table A1 is about data: the figures are the paper's, no model's.
    whose = "the paper" if suite == "summary" else MODEL
    return PublishedBeside(
        figures.iter_rows(named=True), rows.iter_rows(named=True), whose, published_notes(suite)
    )
