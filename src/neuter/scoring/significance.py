"""Tests of a difference on the same documents: could it be chance?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import bdtr

from neuter.errors import UsageError
from neuter.scoring.bootstrap import Floats

#: Up to this many firms that differ, every pattern of signs is tried where the sums are no whole numbers.
EXACT_FIRMS = 14
#: Whole sums are counted out exactly up to so many additions (a second or so); beyond, at random.
_EXACT_WORK = 500_000_000


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided exact p-value from the documents that only one of the two got right (binomial, one half).

    >>> round(mcnemar_exact(1, 9), 4)
    0.0215
    """
    n, k = _discordant(only_first, only_second)
    return 1.0 if n == 0 else min(1.0, 2 * float(bdtr(k, n, 0.5)))


def _discordant(only_first: int, only_second: int) -> tuple[int, int]:
    """Their number, and the smaller part."""
    if only_first < 0 or only_second < 0:
        raise UsageError(
            f"{only_first} and {only_second} documents", todo="Numbers of documents are not negative"
        )
    return only_first + only_second, min(only_first, only_second)


def mcnemar_mid_p(only_first: int, only_second: int) -> float:
    """McNemar's mid-p-value: the exact one less half the probability of what was seen, on either side.

    The exact test rejects too seldom (at most 5%, often 2 to 3%); this one about as often as it says. Source:
    Fagerland, Lydersen and Laake (2013), "The McNemar test for binary matched-pairs data". Where both numbers are
    equal it is 1, as twice the mid-tail is; theirs is a little less there, and no test is decided by it.

    >>> round(mcnemar_mid_p(1, 9), 4)
    0.0117
    """
    n, k = _discordant(only_first, only_second)
    if n == 0:
        return 1.0
    below = float(bdtr(k - 1, n, 0.5)) if k else 0.0
    return min(1.0, below + float(bdtr(k, n, 0.5)))


def sign_flip(differences: Floats, *, seed: int = 0, draws: int = 10_000) -> float:
    """Two-sided p-value that firms' summed differences come from signs tossed at random.

    Exact where the sums are whole numbers, as those of documents are (the distribution over all patterns of
    signs is counted out), and where at most 14 firms differ; else Monte Carlo with the observed pattern
    counted in, so that the p-value is never 0 (Phipson and Smyth 2010). ``seed`` and ``draws`` are for that case.

    Raises:
        UsageError: a difference that is not finite.
    """
    moved = np.asarray(differences, dtype=np.float64)
    if not np.isfinite(moved).all():
        raise UsageError("a difference between firms' sums is not a finite number", where="sign flips")
    sizes, total = np.abs(moved[moved != 0]), float(moved.sum())
    if not sizes.size:
        return 1.0
    if (sizes == np.round(sizes)).all() and sizes.size * float(sizes.sum()) <= _EXACT_WORK:
        return _counted_out([int(size) for size in sizes], int(abs(total)))
    observed = abs(total) - 1e-12 * float(sizes.sum())
    return (
        _all_patterns(sizes, observed) if sizes.size <= EXACT_FIRMS else _random(sizes, observed, seed, draws)
    )


def _counted_out(sizes: list[int], observed: int) -> float:
    """The share of sign patterns whose sum is as far from 0: a sum is twice what is positive less the total."""
    unit = math.gcd(*sizes)
    steps = sorted(size // unit for size in sizes)
    total, reached = sum(steps), 0
    shares = np.zeros(total + 1)
    shares[0] = 1.0
    for step in steps:
        shares[: reached + 1] *= 0.5
        moved = shares[: reached + 1].copy()
        reached += step
        shares[step : reached + 1] += moved
    far = np.abs(2 * np.arange(total + 1) - total) >= observed // unit
    return min(1.0, max(float(shares[far].sum()), float(np.finfo(np.float64).tiny)))


def _all_patterns(sizes: Floats, observed: float) -> float:
    patterns = (np.arange(2**sizes.size)[:, None] >> np.arange(sizes.size)) & 1
    return float((np.abs((1 - 2 * patterns) @ sizes) >= observed).mean())


def _random(sizes: Floats, observed: float, seed: int, draws: int) -> float:
    as_extreme = 0
    generator = np.random.Generator(np.random.Philox(seed))
    for start in range(0, draws, 1000):
        signs = generator.integers(0, 2, size=(min(1000, draws - start), sizes.size), dtype=np.int8)
        as_extreme += int((np.abs((1.0 - 2.0 * signs) @ sizes) >= observed).sum())
    return (1 + as_extreme) / (1 + draws)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise UsageError(
            f"p-values that are none: {list(p_values)}", todo="Leave out comparisons without a p-value"
        )
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for place, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[i]))
        adjusted[i] = highest
    return adjusted
