"""The verdict of an ignorance run in words: whether simulated ignorance can stand for true ignorance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from neuter.reports.wording import one_line

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
    over_all = [one for one in told if not one[0]]
    told = over_all if whole and over_all else told
    several = len(run.get("models") or ()) > 1
    ordered = sorted(told, key=lambda one: bool(one[0]))
    lines = [
        f"{f'{model or _MEAN}, ' if several else ''}{condition}: {words}" if condition else words
        for model, condition, words in ordered
    ]
    return lines or [NO_VERDICT]


def verdicts_of(run: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Model ("" the mean over models), condition and words of each verdict in run.json."""
    for raw in run.get("verdicts") or ():
        if isinstance(raw, Mapping) and (words := _words(raw)):
            model, condition = (one_line(str(raw.get(name) or "")) for name in ("model", "condition"))
            yield model, condition, words


_MEAN = "Mean over models"


def _words(raw: Mapping[str, Any]) -> str:
    for name in ("sentences", "text", "words"):
        said = raw.get(name)
        if isinstance(said, str) and said:
            return one_line(said)
        if isinstance(said, list | tuple) and said:
            return one_line(" ".join(map(str, said)))
    return one_line(str(raw.get("verdict") or ""))
