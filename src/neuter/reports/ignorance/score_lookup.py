"""The scores of an ignorance run by place and metric (docs/ignorance-scores.md), for cells and marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from neuter.reports.score_blocks import check_columns
from neuter.reports.wording import one_line

if TYPE_CHECKING:
    import polars as pl

Row = Mapping[str, Any]
#: The columns that say where a figure is, in the order of the index.
PLACE = ("panel", "series", "condition", "split", "attacker", "model", "group_by", "group", "metric")
#: What a caveat that does not say has for its place.
_UNSAID = dict.fromkeys(PLACE, "") | {"split": "all", "attacker": "llm", "group_by": "all", "group": "all"}
_EVERYWHERE = {"panel": "fixed", "series": "", "condition": "", "split": "all", "attacker": "llm"}
_EVERYWHERE |= {"model": "", "group_by": "all", "group": "all"}


class ForecastScores:
    """Rows of the scores, found by their place.

    Args:
        scores: the tidy scores table of a run of the suite.
        caveats: of run.json: what to know about rows, each with the columns of its place and a ``text``.

    Raises:
        RunError: columns are missing.
    """

    def __init__(self, scores: pl.DataFrame, caveats: Iterable[Any] = ()) -> None:
        check_columns(scores, (*PLACE, "value", "n"))
        self._rows: dict[tuple[str, ...], Row] = {}
        for raw in scores.iter_rows(named=True):
            self._rows.setdefault(tuple(raw[name] or "" for name in PLACE), raw)

        self._caveats: dict[tuple[str, ...], dict[str, None]] = {}
        for raw in caveats:
            if isinstance(raw, Mapping) and raw.get("text"):
                place = {name: str(raw.get(name) or default) for name, default in _UNSAID.items()}
                self._caveats.setdefault(tuple(place.values()), {})[one_line(str(raw["text"]))] = None

    def caveats(self, row: Row) -> list[str]:
        """What there is to know about a row."""
        return list(self._caveats.get(tuple(row[name] or "" for name in PLACE), ()))

    def row(self, metric: str, **place: str) -> Row | None:
        """The row of a metric at a place; what is not given is what a row over all questions of the fixed panel has."""
        at = {**_EVERYWHERE, **place, "metric": metric}
        return self._rows.get(tuple(at[name] for name in PLACE))

    def value(self, metric: str, **place: str) -> float | None:
        found = self.row(metric, **place)
        return None if found is None else found["value"]

    def having(self, **place: str) -> list[Row]:
        """The rows with these values, in the order of the scores."""
        known = [(PLACE.index(name), value) for name, value in place.items()]
        return [row for key, row in self._rows.items() if all(key[k] == value for k, value in known)]

    def distinct(self, column: str, **place: str) -> list[str]:
        """The values of a column in the rows with these values, in the order of the scores."""
        return list(dict.fromkeys(row[column] or "" for row in self.having(**place)))
