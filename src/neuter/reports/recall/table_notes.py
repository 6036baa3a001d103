"""The notes below a recall table: flags of published figures, caveats of ours, and why a cell is empty, each once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from neuter.reports.recall.layouts import Column
from neuter.reports.recall.score_index import Place
from neuter.reports.recall.table_values import RecallCell
from neuter.reports.wording import listing, one_line

_EMPTY = "no answer to score"


class TableNotes:
    """Numbers the notes of one table as its rows ask for them.

    Args:
        run: run.json; its caveats are dicts with text and any of model, panel, series, condition, split and metric:
            what one leaves empty stands for all.
        model: whose table it is.
    """

    def __init__(self, run: Mapping[str, Any], model: str) -> None:
        raw = [one for one in run.get("caveats") or () if isinstance(one, Mapping)]
        self._caveats: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for one in raw:
            if str(one.get("model") or model) == model:
                key = (str(one.get("panel") or ""), str(one.get("series") or ""))
                self._caveats.setdefault(key, []).append(one)
        self._numbers: dict[str, int] = {}

    @property
    def texts(self) -> tuple[str, ...]:
        """The notes so far, the first one's number being 1."""
        return tuple(self._numbers)

    def of(
        self,
        place: Place,
        columns: Sequence[Column],
        cells: Sequence[RecallCell],
        told: Iterable[str] = (),
        *,
        empty: bool = True,
    ) -> tuple[int, ...]:
        """The numbers of a row's notes: ``told`` as they are, its caveats, and with ``empty`` why cells are empty."""
        by_text: dict[str, list[str]] = {}
        reasons = _empty(columns, cells) if empty else ()
        for text, title in [*self._about(place, columns, cells), *reasons]:
            by_text.setdefault(text, []).append(title)
        texts = [*told, *(_sentence(text, titles, columns) for text, titles in by_text.items())]
        return tuple(sorted(self._numbers.setdefault(text, len(self._numbers) + 1) for text in texts))

    def _about(
        self, place: Place, columns: Sequence[Column], cells: Sequence[RecallCell]
    ) -> Iterator[tuple[str, str]]:
        """Caveats of the row's figures, with the column's title."""
        keys = {(panel, series) for panel in ("", place.panel) for series in ("", place.series)}
        found = [one for key in sorted(keys) for one in self._caveats.get(key, ()) if _is_of(one, place)]
        for column, cell in zip(columns, cells, strict=True):
            if column.field != "value" or column.kind == "count":
                continue
            own = [one for one in found if one.get("metric") in (None, "", _name(column))]
            of_split = [one for one in own if one.get("split") == place.split]
            for caveat in of_split or own:
                if cell.value is not None or caveat.get("metric"):
                    yield one_line(str(caveat.get("text"))), column.title


def _is_of(caveat: Mapping[str, Any], place: Place) -> bool:
    """Whether a caveat is about this place; one over all dates is, where the split has none of its own."""
    if any(
        caveat.get(name) and caveat[name] != getattr(place, name) for name in ("panel", "series", "condition")
    ):
        return False
    return caveat.get("split") in (None, "", "all", place.split)


def _name(column: Column) -> str:
    """What caveats call a column's figure."""
    return column.metric if column.source == "llm" else f"{column.metric} of {column.source}"


def _empty(columns: Sequence[Column], cells: Sequence[RecallCell]) -> Iterator[tuple[str, str]]:
    """Figures that are empty because nothing was answered; of others the scoring has said why."""
    for column, cell in zip(columns, cells, strict=True):
        figure = column.kind == "figure" and column.source == "llm" and column.field == "value"
        if figure and cell.value is None and cell.n == 0:
            yield _EMPTY, column.title


def _sentence(text: str, titles: Sequence[str], columns: Sequence[Column]) -> str:
    """The text, with the columns that it is about unless it is about all figures."""
    named = list(dict.fromkeys(title.removesuffix(" (%)") for title in titles))
    figures = {column.title for column in columns if column.kind == "figure"}
    ended = text if text.endswith((".", "!", "?")) else f"{text}."
    if len(named) >= len(figures):
        return f"{ended[:1].upper()}{ended[1:]}"
    return f"{listing(named)}: {ended}"
