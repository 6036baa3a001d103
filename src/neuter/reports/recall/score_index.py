"""The scores of a recall run by place and metric: what a table's cell is looked up in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neuter.reports.score_blocks import check_columns

if TYPE_CHECKING:
    import polars as pl

#: Whose rows in the scores are the model's own.
LLM = "llm"
_NEEDED = ("panel", "series", "condition", "split", "attacker", "model", "metric", "value", "n")


_NOTHING = dict.fromkeys(("value", "ci_low", "ci_high", "baseline"))


@dataclass(frozen=True, slots=True)
class Place:
    """Which questions a figure is over."""

    panel: str
    series: str
    condition: str
    split: str


class ScoreIndex:
    """Rows of the scores, found by place, source (``llm``, or a baseline's name), model and metric.

    Args:
        scores: the tidy scores table of a recall run.

    Raises:
        RunError: columns are missing.
    """

    def __init__(self, scores: pl.DataFrame) -> None:
        check_columns(scores, _NEEDED)
        self._rows: dict[tuple[Place, str, str], dict[str, Mapping[str, Any]]] = {}
        self._order: dict[Place, None] = {}
        for raw in scores.iter_rows(named=True):
            if (raw.get("group_by") or "all") != "all":
                continue
            place = Place(*((raw[name] or "") for name in ("panel", "series", "condition", "split")))
            whose = (place, raw["attacker"] or "", raw["model"] or "")
            rows = self._rows.setdefault(whose, {})
            before = rows.get(raw["metric"])
            # Unlike rows of one place are of different models and do not say whose they are: better none.
            rows[raw["metric"]] = raw if before is None or before == raw else {**raw, **_NOTHING}
            self._order.setdefault(place)

    @property
    def models(self) -> list[str]:
        """The models that were asked, in the order of the scores."""
        asked = (model for (_, source, model) in self._rows if source == LLM and model)
        return list(dict.fromkeys(asked))

    def places(self, panel: str) -> list[Place]:
        """The places of a panel, in the order of the scores."""
        return [place for place in self._order if place.panel == panel]

    def at(self, place: Place, model: str, source: str = LLM) -> Mapping[str, Mapping[str, Any]]:
        """The rows of a place by metric; those of a baseline may name no model.

        Where nobody is asked (Table A1) the rows name neither source nor model: they are everybody's.
        """
        candidates = [(place, source, model), (place, source, "")]
        if not model:
            candidates += [whose for whose in self._rows if whose[0] == place]
        return next((self._rows[whose] for whose in candidates if whose in self._rows), {})

    def asked(self, place: Place, model: str, metrics: Iterable[str]) -> bool:
        """Whether the place has a row of one of these metrics."""
        rows = self.at(place, model)
        return any(metric in rows for metric in metrics)
