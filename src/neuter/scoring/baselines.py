"""What a guess scores that never reads the text: the best constant, a guess at random, another firm's text.

Each works on all groups of a row family at once: ``group`` is the place of each document's group, ``n`` the number of
groups, and the result has an entry a group (NaN where there is nothing to say).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuter.scoring.measures import Floats, Ints

#: Up to this many cells are counted in one array; beyond, by sorting.
DENSE = 4_000_000
#: Kinds for which chance is that of hitting the one true class.
HITS = frozenset({"share", "window", "membership"})


def best_constant(kind: str, group: Ints, truth: Ints, n: int) -> Floats:
    """The score of the best constant answer to each group's documents, whose classes are ``truth``.

    ``kind`` is one of ``measures.KINDS``: "share" the most frequent class; "top5" the five most frequent; "mrr" and
    "places" all classes ranked by frequency; "window" the quarter with the most documents within one of it;
    "membership" the member of most sets; "brier" always saying the share right; "absolute_..." the mean distance
    from the median; none for "near", nor for mean differences, since a constant can make any mean 0. Shares are
    between 0 and 1. It knows the group's truths, so it is an upper bound on guessing blind.
    """
    if not truth.size or kind in {"mean_years", "mean_days", "near"}:
        return np.full(n, np.nan)
    if kind == "brier":
        share = group_means(truth.astype(np.float64), group, n)
        return share * (1 - share)
    if kind == "membership":
        return np.asarray(np.max([group_means(member, group, n) for member in _members(truth)], axis=0))
    table = _counted(group, truth, n)
    if kind.startswith("absolute"):
        return _from_median(table)
    if kind == "window":
        return _best_window(table)
    return _ranked(kind, table)


def uniform(kind: str, group: Ints, truth: Ints, n: int, universe: Ints) -> Floats:
    """The chance of a guess drawn evenly from the firms of all documents, or from the years (quarters, days) they span.

    Args:
        universe: the classes to draw from, rising: firms as they are, periods from the first to the last; for
            "membership", the members.
    """
    size = universe.size
    if kind not in HITS or not truth.size or not size:
        return np.full(n, np.nan)
    if kind == "membership":
        return group_means(np.mean([(truth >> bit) & 1 for bit in universe], axis=0), group, n)
    if kind == "share":
        return group_means(np.full(truth.size, 1.0 / size), group, n)
    near = np.sum([np.isin(truth + step, universe) for step in (-1, 0, 1)], axis=0)
    return group_means(near / size, group, n)


def another_firms_text(kind: str, firms: Ints, truth: Ints, said: Ints) -> Floats:
    """By document, the chance that the guess made of another firm's document is right of this one.

    The exact mean over all documents of other firms, which is what permuting the texts between firms comes to on
    average. NaN where all documents are of one firm.
    """
    if kind not in HITS or not truth.size:
        return np.full(truth.size, np.nan)
    others = truth.size - np.bincount(firms)[firms]
    if kind == "membership":
        return _divide(_meeting_others(firms, truth, said), others)
    # Classes from 0 up, with room for a neighbour on each side; a class that no truth is near says nothing.
    low, span = int(truth.min()) - 1, int(truth.max()) - int(truth.min()) + 3
    place = np.where((said >= low) & (said < low + span), said - low, span)
    own = firms * (span + 1)
    hits = np.zeros(truth.size)
    for step in (-1, 0, 1) if kind == "window" else (0,):
        wanted = truth - low + step
        hits += _lookup(place, wanted) - _lookup(own + place, own + wanted)
    return np.asarray(np.divide(hits, others, out=np.full(truth.size, np.nan), where=others > 0))


def _members(sets: Ints) -> list[Floats]:
    """For each member up to the last that occurs, 1 for the sets that hold it."""
    return [((sets >> bit) & 1).astype(np.float64) for bit in range(int(sets.max()).bit_length() + 1)]


def _meeting_others(firms: Ints, truth: Ints, said: Ints) -> Floats:
    """By document, how many sets said of other firms' documents meet its own."""
    sets, place = np.unique(said, return_inverse=True)
    true_sets, true_place = np.unique(truth, return_inverse=True)
    meets = ((true_sets[:, None] & sets[None, :]) > 0).astype(np.float64)
    by_firm = np.zeros((int(firms.max()) + 1, sets.size))
    np.add.at(by_firm, (firms, place), 1.0)
    everyone = meets @ by_firm.sum(axis=0)
    own = (by_firm @ meets.T)[firms, true_place]
    return np.asarray(everyone[true_place] - own)


@dataclass(frozen=True, slots=True)
class _Counts:
    """How many documents of each group are of each class: one entry a pair that occurs, sorted by group."""

    n: int
    group: Ints
    value: Ints
    count: Ints
    totals: Floats


def _counted(group: Ints, truth: Ints, n: int) -> _Counts:
    low = int(truth.min())
    span = int(truth.max()) - low + 1
    codes, counts = _occurring(group * span + (truth - low), n * span)
    totals = np.bincount(group, minlength=n).astype(np.float64)
    return _Counts(n, codes // span, codes % span + low, counts, totals)


def _occurring(codes: Ints, size: int) -> tuple[Ints, Ints]:
    """The codes that occur (they lie in 0 to ``size``), rising, and how often."""
    if size > DENSE:
        values, counts = np.unique(codes, return_counts=True)
        return values, counts.astype(np.int64)
    counts = np.bincount(codes, minlength=size)
    values = np.flatnonzero(counts)
    return values, counts[values].astype(np.int64)


def _ranked(kind: str, table: _Counts) -> Floats:
    order = np.lexsort((-table.count, table.group))
    group, count = table.group[order], table.count[order]
    starts = np.searchsorted(group, np.arange(table.n))
    places = np.arange(group.size) - starts[group] + 1
    worth = {"top5": places <= 5, "mrr": 1 / places, "places": 2 * places - 1}.get(kind, places == 1)
    return _divide(np.bincount(group, weights=count * worth, minlength=table.n), table.totals)


def _best_window(table: _Counts) -> Floats:
    """Of each group, the largest number of documents within one class of any centre, as a share."""
    span = int(table.value.max() - table.value.min()) + 5
    if table.n * span <= DENSE:
        counts = np.zeros((table.n, span))
        counts[table.group, table.value - table.value.min() + 2] = table.count
        near = counts[:, :-2] + counts[:, 1:-1] + counts[:, 2:]
        return _divide(near.max(axis=1), table.totals)
    key = table.group * span + (table.value - table.value.min() + 2)
    centres = np.unique(np.concatenate([key - 1, key, key + 1]))
    near = np.zeros(centres.size)
    for step in (-1, 0, 1):
        at = np.searchsorted(key, centres + step)
        hit = (at < key.size) & (key[np.minimum(at, key.size - 1)] == centres + step)
        near[hit] += table.count[at[hit]]
    best = np.zeros(table.n)
    np.maximum.at(best, centres // span, near)
    return _divide(best, table.totals)


def _from_median(table: _Counts) -> Floats:
    """Of each group, the mean distance of its classes from their median (the mean of the middle two)."""
    upto = np.cumsum(table.count)
    before = np.concatenate([[0], np.cumsum(table.totals)]).astype(np.int64)
    has, totals = table.totals > 0, table.totals.astype(np.int64)
    middle = [before[:-1][has] + (totals[has] - 1) // 2, before[:-1][has] + totals[has] // 2]
    median = np.full(table.n, np.nan)
    median[has] = np.mean([table.value[np.searchsorted(upto, at, side="right")] for at in middle], axis=0)
    off = np.abs(table.value - median[table.group]) * table.count
    return _divide(np.bincount(table.group, weights=off, minlength=table.n), table.totals)


def group_means(values: Floats, group: Ints, n: int) -> Floats:
    """The mean of the values of each of ``n`` groups; NaN for one without any."""
    return _divide(np.bincount(group, weights=values, minlength=n), np.bincount(group, minlength=n))


def _divide(sums: NDArray[Any], counts: NDArray[Any]) -> Floats:
    return np.asarray(np.divide(sums, counts, out=np.full(sums.size, np.nan), where=counts > 0))


def _lookup(among: Ints, wanted: Ints) -> Floats:
    """How often each wanted class occurs ``among`` the classes."""
    low = min(int(among.min()), int(wanted.min()))
    size = max(int(among.max()), int(wanted.max())) - low + 1
    if size <= DENSE:
        return np.bincount(among - low, minlength=size)[wanted - low].astype(np.float64)
    values, counts = np.unique(among, return_counts=True)
    at = np.minimum(np.searchsorted(values, wanted), values.size - 1)
    return np.where(values[at] == wanted, counts[at], 0).astype(np.float64)
