"""Two schemes (or models) on the same documents: is the one better, or could it be chance?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtri

from neuter.errors import UsageError
from neuter.scoring.bootstrap import effective_firms, t_quantile
from neuter.scoring.judging import Judged, Measure, judge
from neuter.scoring.significance import holm, mcnemar_exact, mcnemar_mid_p, sign_flip
from neuter.scoring.statistics import (
    Floats,
    Interval,
    Weights,
    firm_sums,
    firm_weights,
    mean_interval,
    standard_error,
    wilson,
)

__all__ = ["Comparison", "compare", "holm", "mcnemar_exact", "mcnemar_mid_p", "sign_flip"]

#: Power for which the smallest detectable effect is given.
POWER = 0.8


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two series on ``n`` documents of ``firms`` firms that both answered.

    Accuracies and ``difference`` (first - second) are in percent and percentage points, with a 95% interval
    over firms; ``adjusted`` is Holm's p-value over the comparisons made together; ``detectable`` is the
    smallest true difference that a test at 5% would have found in 80% of samples like this one; ``mid_p`` is
    McNemar's mid-p-value, where each firm has one document; ``caveat`` says what to know about the interval,
    or why a figure is missing.
    """

    first: str
    second: str
    metric: str
    n: int
    firms: int
    first_accuracy: float | None
    second_accuracy: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    adjusted: float | None
    test: str
    detectable: float | None
    mid_p: float | None = None
    caveat: str = ""


def compare(
    truth: pl.DataFrame,
    series: Mapping[str, pl.DataFrame],
    *,
    metric: str = "firm_accuracy",
    seed: int = 0,
    draws: int = 10_000,
) -> list[Comparison]:
    """Compares all pairs of ``series`` (name -> guesses of one scheme, attacker and model) on shared documents.

    Each pair is compared on the documents that both answered. Where each firm has one document the test is
    McNemar's exact one, with its mid-p-value beside; else the signs of the firms' summed differences are flipped.

    Raises:
        UsageError: ``metric`` is not an accuracy that the guesses have.
    """
    judged = {name: judge(truth, guesses) for name, guesses in series.items()}
    pairs = list(combinations(judged, 2))
    made = [_pair((a, b), (judged[a], judged[b]), metric, seed=seed, draws=draws) for a, b in pairs]
    tested = [c.p_value for c in made if c.p_value is not None]
    adjusted = iter(holm(tested))
    return [c if c.p_value is None else replace(c, adjusted=next(adjusted)) for c in made]


def _pair(
    called: tuple[str, str], judged: tuple[Judged, Judged], metric: str, *, seed: int, draws: int
) -> Comparison:
    one, two, labels = _shared(*judged, metric)
    names = sorted(set(labels))
    number = {name: i for i, name in enumerate(names)}
    codes = np.array([number[label] for label in labels], dtype=np.int64)
    sums, counts = firm_sums(one - two, codes, len(names))
    test, p_value, mid_p = _tested(one - two, sums, counts, seed=seed, draws=draws)
    weights = firm_weights(names, seed=seed, draws=min(draws, 2000))
    interval = _interval(one - two, sums, counts, weights)
    return Comparison(
        first=called[0],
        second=called[1],
        metric=metric,
        n=one.size,
        firms=len(names),
        first_accuracy=_percent(one.mean() if one.size else None),
        second_accuracy=_percent(two.mean() if two.size else None),
        difference=_percent((one - two).mean() if one.size else None),
        low=_percent(interval.low),
        high=_percent(interval.high),
        p_value=p_value,
        adjusted=None,
        test=test,
        detectable=_detectable(sums, counts),
        mid_p=mid_p,
        caveat=interval.caveat,
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * float(share)


def _tested(
    differences: Floats, sums: Floats, counts: Floats, *, seed: int, draws: int
) -> tuple[str, float | None, float | None]:
    """What was tested, its p-value, and the mid-p-value where there is one."""
    if counts.size < 2:
        return ("one firm: no test" if counts.size else "no document that both answered"), None, None
    if (counts == 1).all():
        only = int((differences > 0).sum()), int((differences < 0).sum())
        return "exact McNemar", mcnemar_exact(*only), mcnemar_mid_p(*only)
    return "sign flips over firms", sign_flip(sums, seed=seed, draws=draws), None


def _interval(differences: Floats, sums: Floats, counts: Floats, weights: Weights) -> Interval:
    """The interval of the mean difference; where no document tells the two apart, or each does, from Wilson over firms.

    With no disagreement in G firms, the share that disagree is at most Wilson's upper end for 0 of G, and the
    difference lies within that of 0; with nothing else, within twice that of 1 or -1.
    """
    if counts.size < 2 or np.ptp(differences) > 0:
        found = mean_interval(sums, counts, weights)
        return replace(found, low=_within(found.low), high=_within(found.high))
    reach, sign = wilson(0, effective_firms(counts)).high or 1.0, differences[0]
    if sign == 0:
        return Interval(-reach, reach, "wilson over firms", "the two agree on every document")
    low, high = (1 - 2 * reach, 1.0) if sign > 0 else (-1.0, 2 * reach - 1)
    return Interval(low, high, "wilson over firms", "the two differ on every document")


def _within(end: float | None) -> float | None:
    return None if end is None else min(1.0, max(-1.0, end))


def _detectable(sums: Floats, counts: Floats) -> float | None:
    """(t + z of the power) times the standard error over firms, in percentage points; None above 100, which is none."""
    if counts.size < 2:
        return None
    error = standard_error(sums, counts)
    effect = 100 * (t_quantile(effective_firms(counts)) + float(ndtri(POWER))) * error
    return None if not 0 < effect <= 100 else effect


def _shared(first: Judged, second: Judged, metric: str) -> tuple[Floats, Floats, list[str]]:
    """Right or wrong of both on the documents that both answered, in the first's order, with their firms."""
    one, two = _measure(first, metric), _measure(second, metric)
    place = {id_: i for i, id_ in enumerate(second.frame["id"])}
    at: list[tuple[int, int]] = [
        (i, place[id_])
        for i, id_ in enumerate(first.frame["id"])
        if id_ in place and _usable(first, one, i) and _usable(second, two, place[id_])
    ]
    left: NDArray[np.int64] = np.array([i for i, _ in at], dtype=np.int64)
    right: NDArray[np.int64] = np.array([j for _, j in at], dtype=np.int64)
    labels = [first.firm_labels[first.firms[i]] for i, _ in at]
    return one.values[left], two.values[right], labels


def _usable(judged: Judged, measure: Measure, at: int) -> bool:
    return bool(judged.answered[at] and measure.known[at])


def _measure(judged: Judged, metric: str) -> Measure:
    for measure in judged.measures:
        if measure.metric == metric and measure.kind in {"share", "top5", "window"}:
            return measure
    accuracies = [m.metric for m in judged.measures if m.kind in {"share", "top5", "window"}]
    raise UsageError(f"no accuracy named {metric!r} to compare", todo=f"There are: {', '.join(accuracies)}")
