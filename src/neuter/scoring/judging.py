"""Guesses set beside the truth: for each document and metric, how right the guess was."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from neuter.errors import RunError
from neuter.scoring.confidence_measures import confidence_measures
from neuter.scoring.firm_measures import firm_measures
from neuter.scoring.industry_measures import industry_measures
from neuter.scoring.joining import joined
from neuter.scoring.measures import Bools, Ints, Measure
from neuter.scoring.period_measures import period_measures
from neuter.types import Outcome

__all__ = ["Judged", "Measure", "judge"]


@dataclass(frozen=True, slots=True)
class Judged:
    """Documents of one scheme, attacker and model, in the guesses' order, with every measure of them.

    ``firms`` are places in ``firm_labels``; a document whose firm is unknown is a firm of its own there.
    """

    frame: pl.DataFrame
    firms: Ints
    firm_labels: list[str]
    answered: Bools
    outcomes: Ints
    days: NDArray[np.datetime64]
    measures: list[Measure]


def judge(truth: pl.DataFrame, guesses: pl.DataFrame) -> Judged:
    """Joins guesses with their documents' truth and measures each.

    Raises:
        UsageError: guesses of more than one scheme, attacker or model, or two guesses of one document.
        RunError: a guess of a document that the corpus does not hold.
    """
    frame = joined(truth, guesses)
    labels = frame["label"]
    clusters = pl.select(pl.when(labels != "").then(labels).otherwise("document:" + frame["id"])).to_series()
    firm_labels = clusters.unique(maintain_order=True)
    firms = _places(clusters, firm_labels)
    answered = (frame["outcome"] == Outcome.ANSWERED.value).to_numpy()
    names = firm_labels.to_list()
    found = firm_measures(frame, firms, names, answered)
    return Judged(
        frame=frame,
        firms=firms,
        firm_labels=names,
        answered=answered,
        outcomes=_outcomes(frame["outcome"]),
        days=frame["on"].to_numpy().astype("datetime64[D]"),
        measures=[
            *found,
            *confidence_measures(frame, found[0], answered),
            *industry_measures(frame, answered),
            *period_measures(frame, answered),
        ],
    )


def _places(values: pl.Series, known: pl.Series) -> Ints:
    """Where each value stands among the ``known`` ones."""
    table = pl.DataFrame({"value": known, "place": np.arange(len(known))})
    found = pl.DataFrame({"value": values}).join(table, on="value", how="left", maintain_order="left")
    return found["place"].cast(pl.Int64).to_numpy().astype(np.int64)


def _outcomes(column: pl.Series) -> Ints:
    """Outcomes by their place in ``Outcome``."""
    places = {outcome.value: place for place, outcome in enumerate(Outcome)}
    strange = set(column.unique()) - set(places)
    if strange:
        raise RunError(f"unknown outcome {sorted(map(str, strange))[0]!r}", where="guesses")
    return column.replace_strict(places, return_dtype=pl.Int64).to_numpy()
