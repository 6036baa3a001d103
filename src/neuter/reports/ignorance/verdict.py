"""The verdict of an ignorance run in words: whether simulated ignorance can stand for true ignorance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from neuter.reports.wording import number, one_line

NO_VERDICT = (
    "There is no verdict: it needs a condition that names a cutoff (G1′ or G2′), and forecasts before and after the "
    "model's own cutoff."
)


def verdict_lines(run: Mapping[str, Any], *, whole: bool = False) -> list[str]:
    """One paragraph a verdict, those over all models first; :data:`NO_VERDICT` where run.json has none.

    Args:
        whole: only those over all models, where there are some.
    """
    told = list(verdicts_of(run))
    over_all = [one for one in told if not one.model]
    shown = over_all if whole and over_all else told
    return [f"{_whose(one, run)}: {one.words}" for one in shown] or [NO_VERDICT]


def heads(run: Mapping[str, Any]) -> list[str]:
    """For each model beside the mean over models its verdicts in a line; nothing where there is no such mean."""
    told = list(verdicts_of(run))
    if all(one.model for one in told):
        return []
    return [f"{_whose(one, run)}: {one.head}{_interval(one)}" for one in told if one.model]


def _whose(one: SaidVerdict, run: Mapping[str, Any]) -> str:
    several = len(run.get("models") or ()) > 1
    return f"{one.model or _MEAN}, {one.condition}" if several else one.condition


def _interval(one: SaidVerdict) -> str:
    gap, low, high = (one.figures.get(name) for name in ("gap", "low", "high"))
    if gap is None or low is None or high is None:
        return ""
    return f" Gap {number(gap, places=3)} [{number(low, places=3)}, {number(high, places=3)}]."


@dataclass(frozen=True, slots=True)
class SaidVerdict:
    """A verdict as run.json has it: model ("" the mean over models), condition, sentences, ``figures`` by name."""

    model: str
    condition: str
    sentences: tuple[str, ...]
    figures: Mapping[str, float]

    @property
    def words(self) -> str:
        return " ".join(self.sentences)

    @property
    def head(self) -> str:
        """The first sentence: what the verdict is."""
        return self.sentences[0]


def verdicts_of(run: Mapping[str, Any]) -> Iterator[SaidVerdict]:
    """The verdicts in run.json that have words: those over all models, then by model in the run's order."""
    order = {str(model): place for place, model in enumerate(run.get("models") or ())}
    known = [one for one in run.get("verdicts") or () if isinstance(one, Mapping) and one.get("sentences")]
    for raw in sorted(known, key=lambda one: order.get(str(one.get("model")), -1)):
        told = tuple(one_line(str(sentence)) for sentence in raw["sentences"])
        model, condition = (one_line(str(raw.get(name) or "")) for name in ("model", "condition"))
        figures = {str(k): v for k, v in raw.items() if isinstance(v, int | float)}
        yield SaidVerdict(model, condition, told, figures)


_MEAN = "Mean over models"
