"""Identification scores: who was found, and when the text is from, by size, firm and sector."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from neuter.firms.labels import firm_of
from neuter.firms.sizes import SIZES
from neuter.scoring.baselines import best_constant
from neuter.scoring.judging import Judged, Measure, judge
from neuter.scoring.statistics import (
    Floats,
    Interval,
    Weights,
    firm_sums,
    firm_weights,
    mean_interval,
    share_interval,
)
from neuter.scoring.table import SCORES_SCHEMA, empty_scores, validate
from neuter.types import Outcome

#: Kinds of measure whose value is a share of documents, with the unit and factor that it is shown in.
_SHOWN = {
    "share": ("percent", 100.0),
    "top5": ("percent", 100.0),
    "window": ("percent", 100.0),
    "mrr": ("share", 1.0),
    "skill": ("share", 1.0),
    "mean": ("years", 1.0),
    "absolute": ("years", 1.0),
}
_BOUNDED = {"share", "top5", "window", "mrr"}
#: The value that a failure is given in METRIC_all, METRIC_low and METRIC_high.
_FAILURES = {"_all": 0.0, "_low": 0.0, "_high": 1.0}
_NO_INTERVAL = Interval(None, None, "none", "one firm: no interval over firms")


@dataclass(frozen=True, slots=True)
class Group:
    """Positions of the documents of one row's group."""

    by: str
    name: str
    at: NDArray[np.int64]


def score_identification(
    truth: pl.DataFrame, guesses: pl.DataFrame, *, suite: str = "evaluate", seed: int = 0, draws: int = 2000
) -> pl.DataFrame:
    """Scores the guesses of ONE scheme, attacker and model; returns rows of the tidy scores table.

    Args:
        truth: the corpus' metadata, a row a document. A document without a guess is not scored: an attacker
            that was tried on a sample is judged on that sample. A document that could not be masked or
            attacked must have a guess row with its outcome.
        guesses: a row a document: id, scheme, attacker, model, outcome, firm, quarter, year, date,
            candidates.
        seed, draws: of the bootstrap over firms.

    Returns:
        METRIC: over answered documents that have the truth in question (``n`` of them; a field that was left
        empty in an answer counts as wrong, and is left out of years differences). METRIC_all: over all
        documents that have the truth, unanswered ones as not identified: what the attack achieved.
        METRIC_low and METRIC_high: the bounds, with every unanswered document wrong, and right. ``_all`` and
        ``_low`` are equal in value by this definition. ``baseline`` is the best constant guess on the same
        documents. Accuracies are in percent. Docs: docs/scores.md.

    Raises:
        UsageError: more than one scheme, attacker or model, or an id twice.
        RunError: a guess of a document that is not in ``truth``.
    """
    if not guesses.height:
        return empty_scores()
    judged = judge(truth, guesses)
    weights = firm_weights(judged.firm_labels, seed=seed, draws=draws)
    named = {
        "suite": suite,
        "split": "all",
        **{column: str(guesses[column][0] or "") for column in ("scheme", "attacker", "model")},
    }
    rows = [
        {**dict.fromkeys(SCORES_SCHEMA), **named, **row}
        for group in groups_of(judged)
        for measure in judged.measures
        for row in _rows(judged, group, measure, weights)
    ]
    return validate(pl.DataFrame(rows, schema=SCORES_SCHEMA))


def groups_of(judged: Judged) -> list[Group]:
    """All documents, then sizes from large to small, firms by name, and sectors by name."""
    frame = judged.frame
    groups = [Group("all", "all", np.arange(frame.height))]
    for by, column, names in (
        ("size", frame["size"], list(SIZES)),
        ("firm", _firm_names(judged), None),
        ("sector", frame["sector"], None),
    ):
        at = _positions(column)
        groups += [Group(by, name, at[name]) for name in (names or sorted(at)) if name in at]
    return groups


def _positions(column: pl.Series) -> dict[str, NDArray[np.int64]]:
    """Where each value of a column stands, in one pass; nulls and empty strings are no group."""
    found = pl.DataFrame({"name": column}).with_row_index("at").filter(pl.col("name").fill_null("") != "")
    grouped = found.group_by("name", maintain_order=True).agg(pl.col("at").cast(pl.Int64))
    return {name: at.to_numpy() for name, at in zip(grouped["name"], grouped["at"], strict=True)}


def _firm_names(judged: Judged) -> pl.Series:
    """What each document's firm is called in the table: its ticker, else its name; never one name for two."""
    seen: dict[str, list[str]] = {}
    for label, ticker, firm in judged.frame.select("label", "ticker", "firm").iter_rows():
        if label:
            seen.setdefault(label, []).append(ticker or firm or "")
    names = {label: _commonest(said) or label for label, said in seen.items()}
    taken: dict[str, int] = {}
    for name in names.values():
        taken[name] = taken.get(name, 0) + 1
    shown = {
        label: name if taken[name] == 1 else f"{name} ({_told_apart(label)})" for label, name in names.items()
    }
    return pl.Series("group", [shown.get(label) for label in judged.frame["label"]], dtype=pl.String)


def _commonest(said: list[str]) -> str:
    given = [name for name in said if name]
    return max(dict.fromkeys(given), key=given.count) if given else ""


def _told_apart(label: str) -> str:
    firm = firm_of(label)
    return firm.name if firm else label


def _rows(judged: Judged, group: Group, measure: Measure, weights: Weights) -> Iterator[dict[str, Any]]:
    known = group.at[measure.known[group.at]]
    if not known.size or (measure.kind == "skill" and group.by == "firm"):
        return
    common = {"group_by": group.by, "group": group.name, **_counts(judged, known), **_dates(judged, known)}
    answered = known[judged.answered[known]]
    measured = answered[np.isfinite(measure.values[answered])]
    yield common | _scored(judged, measure, measured, measure.values[measured], weights)
    if measure.kind in _BOUNDED:
        for ending, value in _FAILURES.items():
            values = np.where(judged.answered[known], measure.values[known], value)
            row = _scored(judged, measure, known, values, weights)
            yield common | row | {"metric": measure.metric + ending}


def _scored(
    judged: Judged, measure: Measure, at: NDArray[np.int64], values: Floats, weights: Weights
) -> dict[str, Any]:
    unit, factor = _SHOWN[measure.kind]
    row = {"metric": measure.metric, "unit": unit, "n": int(at.size)}
    if not at.size:
        return row
    value = float(values.mean())
    interval = _interval(judged, measure, at, values, weights)
    ends = (interval.low, interval.high)
    base = best_constant(measure.kind, measure.truth[at])
    if measure.kind == "skill":
        frequent = best_constant("share", measure.truth[at]) or 0.0
        if frequent >= 1:
            return row
        value, *ends = (None if v is None else (v - frequent) / (1 - frequent) for v in (value, *ends))  # type: ignore[assignment]
    scaled = [None if v is None else v * factor for v in (value, *ends, base)]
    return row | dict(zip(("value", "ci_low", "ci_high", "baseline"), scaled, strict=True))


def _interval(
    judged: Judged, measure: Measure, at: NDArray[np.int64], values: Floats, weights: Weights
) -> Interval:
    firms = judged.firms[at]
    if firms.min() == firms.max():
        return _NO_INTERVAL
    sums, counts = firm_sums(values, firms, len(judged.firm_labels))
    bounded = measure.kind in _BOUNDED or measure.kind == "skill"
    return (share_interval if bounded else mean_interval)(sums, counts, weights)


def _counts(judged: Judged, at: NDArray[np.int64]) -> dict[str, int]:
    counts = np.bincount(judged.outcomes[at], minlength=len(Outcome))
    return {outcome.value: int(n) for outcome, n in zip(Outcome, counts, strict=True)}


def _dates(judged: Judged, at: NDArray[np.int64]) -> dict[str, Any]:
    days = judged.days[at]
    dated = days[~np.isnat(days)]
    return {"first_date": dated.min().item(), "last_date": dated.max().item()} if dated.size else {}
