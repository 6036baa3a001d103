"""What a metric is: for each document how right the guess was, and which class was true and which was said."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]

#: The class of a truth that is not known, or of a guess that names none.
NO_CLASS = -1


class Kind(NamedTuple):
    """How a metric is shown: its unit, the factor to it, whether values lie within 0 and 1, and the least there is."""

    unit: str
    factor: float
    bounded: bool
    least: float = -math.inf


KINDS = {
    "share": Kind("percent", 100.0, True),
    "top5": Kind("percent", 100.0, True),
    "window": Kind("percent", 100.0, True),
    "near": Kind("percent", 100.0, True),
    "membership": Kind("percent", 100.0, True),
    "mrr": Kind("share", 1.0, True),
    "places": Kind("count", 1.0, False, 1.0),
    "mean_years": Kind("years", 1.0, False),
    "absolute_years": Kind("years", 1.0, False, 0.0),
    "mean_days": Kind("days", 1.0, False),
    "absolute_days": Kind("days", 1.0, False, 0.0),
    "brier": Kind("brier", 1.0, False, 0.0),
}
#: Kinds that say of each document whether it is right.
ACCURACIES = frozenset({"share", "top5", "window", "membership"})


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric over all documents, each array with an entry a document.

    Args:
        kind: a key of ``KINDS``.
        values: 1 or 0 for right or wrong (or a rank's reciprocal, or years), NaN where the guess says nothing
            that can be measured.
        known: which documents have the truth in question.
        truth: its class as a number; ``said`` is the guess's class, where a guess has one. For "membership" a class is
            a set, with a bit for each member, and a guess is right where the two sets meet.
        assumed: documents whose truth rests on an assumption, which ``assumption`` names.
        unparsed: answered documents whose answer to this question could not be read.
        swapped: by document, the chance that the guess made of another firm's text is right of it.
        prior: what the same model's guess without the text scores here, NaN where there is none.
        confidence: for "brier", the confidence stated, within 0 and 1.
        most: the largest value there can be.
        skill: the name under which skill is given from this metric, or nothing.
    """

    metric: str
    kind: str
    values: Floats
    known: Bools
    truth: Ints
    said: Ints | None = None
    assumed: Bools | None = None
    assumption: str = ""
    unparsed: Bools | None = None
    swapped: Floats | None = None
    prior: Floats | None = None
    confidence: Floats | None = None
    most: float = math.inf
    skill: str = ""

    def usable(self, answered: Bools) -> Bools:
        """Documents whose answer can be scored: known truth, an answer, and that answer read."""
        usable = self.known & answered
        return usable if self.unparsed is None else usable & ~self.unparsed


def numbers(series: pl.Series) -> Floats:
    """A column as floats, NaN where it is null."""
    return np.array(series.cast(pl.Float64).fill_null(float("nan")).to_numpy(), dtype=np.float64)


def classes(values: Floats) -> Ints:
    """Whole numbers as classes; ``NO_CLASS`` where there is none. Four bytes each: a table has dozens of measures."""
    return np.where(np.isfinite(values), np.nan_to_num(values), NO_CLASS).astype(np.int32)
