"""Two schemes (or models) on the same documents: is the one better, or could it be chance?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import bdtr, ndtri, stdtrit

from neuter.errors import UsageError
from neuter.scoring.judging import Judged, Measure, judge
from neuter.scoring.statistics import LEVEL, Floats, firm_sums, firm_weights, mean_interval, standard_error

#: Up to this many firms that differ, every pattern of signs is tried; beyond, ``draws`` random ones.
EXACT_FIRMS = 14
#: Power for which the smallest detectable effect is given.
POWER = 0.8


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two series on ``n`` documents of ``firms`` firms that both answered.

    Accuracies and ``difference`` (first - second) are in percent and percentage points, with a 95% interval
    over firms; ``adjusted`` is Holm's p-value over the comparisons made together; ``detectable`` is the
    smallest true difference that a test at 5% would have found in 80% of samples like this one.
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
    McNemar's exact one; else the signs of the firms' summed differences are flipped at random.

    Raises:
        UsageError: ``metric`` is not an accuracy that the guesses have.
    """
    judged = {name: judge(truth, guesses) for name, guesses in series.items()}
    pairs = list(combinations(judged, 2))
    made = [_pair((a, b), (judged[a], judged[b]), metric, seed=seed, draws=draws) for a, b in pairs]
    tested = [c.p_value for c in made if c.p_value is not None]
    adjusted = iter(holm(tested))
    return [c if c.p_value is None else replace(c, adjusted=next(adjusted)) for c in made]


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided exact p-value from the documents that only one of the two got right (binomial, one half).

    >>> round(mcnemar_exact(1, 9), 4)
    0.0215
    """
    n, k = only_first + only_second, min(only_first, only_second)
    return 1.0 if n == 0 else min(1.0, 2 * float(bdtr(k, n, 0.5)))


def sign_flip(differences: Floats, *, seed: int = 0, draws: int = 10_000) -> float:
    """Two-sided p-value that firms' summed differences come from signs tossed at random.

    Exact over all patterns of signs for few firms; else Monte Carlo with the observed one counted in, so
    that the p-value is never 0 (Phipson and Smyth 2010).
    """
    moved = np.asarray(differences, dtype=np.float64)
    moved = moved[moved != 0]
    if not moved.size:
        return 1.0
    observed = abs(moved.sum()) - 1e-9
    if moved.size <= EXACT_FIRMS:
        patterns = (np.arange(2**moved.size)[:, None] >> np.arange(moved.size)) & 1
        return float((np.abs((1 - 2 * patterns) @ moved) >= observed).mean())
    as_extreme = 0
    generator = np.random.Generator(np.random.Philox(seed))
    for start in range(0, draws, 1000):
        signs = generator.integers(0, 2, size=(min(1000, draws - start), moved.size), dtype=np.int8)
        as_extreme += int((np.abs((1.0 - 2.0 * signs) @ moved) >= observed).sum())
    return (1 + as_extreme) / (1 + draws)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for place, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[i]))
        adjusted[i] = highest
    return adjusted


def _pair(
    called: tuple[str, str], judged: tuple[Judged, Judged], metric: str, *, seed: int, draws: int
) -> Comparison:
    one, two, labels = _shared(*judged, metric)
    names = sorted(set(labels))
    number = {name: i for i, name in enumerate(names)}
    codes = np.array([number[label] for label in labels], dtype=np.int64)
    sums, counts = firm_sums(one - two, codes, len(names))
    test, p_value = _tested(one - two, sums, counts, seed=seed, draws=draws)
    weights = firm_weights(names, seed=seed, draws=min(draws, 2000))
    interval = mean_interval(sums, counts, weights)
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
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * float(share)


def _tested(
    differences: Floats, sums: Floats, counts: Floats, *, seed: int, draws: int
) -> tuple[str, float | None]:
    if counts.size < 2:
        return ("one firm: no test" if counts.size else "no document that both answered"), None
    if (counts == 1).all():
        return "exact McNemar", mcnemar_exact(int((differences > 0).sum()), int((differences < 0).sum()))
    return "sign flips over firms", sign_flip(sums, seed=seed, draws=draws)


def _detectable(sums: Floats, counts: Floats) -> float | None:
    """(t + z of the power) times the standard error over firms, in percentage points."""
    firms = counts.size
    if firms < 2:
        return None
    error = standard_error(sums, counts)
    reach = float(stdtrit(firms - 1, 0.5 + LEVEL / 2)) + float(ndtri(POWER))
    return None if error == 0 else 100 * reach * error


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
