"""Is there a month from which answers are worse, and which? A single change point, by Bayes, in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from neuter.scoring.recall.points import Bools, Floats, Ints
from neuter.scoring.recall.series_intervals import spread

#: Classes that errors above 0 are put into, by their quantiles.
_CLASSES = 3
#: Errors of 0 are a class of their own if so many of the errors are.
_ZEROS = 0.02
#: Jeffreys' prior of a multinomial, for each class.
_PRIOR = 0.5


@dataclass(frozen=True, slots=True)
class Evidence:
    """By candidate month, how much likelier the answers are with a break there than without one.

    ``months`` are months since 1970 that have a question, rising; a break at ``months[i]`` parts what is before it from
    it and all that follows, and the first is none. ``log_ratio`` is the logarithm of the ratio of marginal likelihoods,
    −inf where nothing gets worse.
    """

    months: Ints
    log_ratio: Floats


def evidence(month: Ints, errors: Floats, refused: Bools) -> Evidence:
    """The evidence of one series.

    Two things may get worse: how far off the answers are, and how many are refused. Errors are put into classes (none,
    and thirds of the others), and into two (the best class, or not); the evidence is the mean of both, since the first
    sees noise that grows and the second is surer of a few remembered values that are missing. Counts of classes have
    Dirichlet-multinomial marginal likelihoods, under Jeffreys' prior. A break counts only where it is for the worse: a
    higher mean class, a larger share refused. Where answers follow each other alike, all counts are scaled by what
    independent ones would be worth.

    Args:
        month: by question, months since 1970, rising.
        errors: absolute errors, or 1 for a wrong word; NaN where the question has no answer.
        refused: questions without an answer that is a statement of not knowing.
    """
    months, place = np.unique(month, return_inverse=True)
    answered = np.isfinite(errors)
    found = np.full(months.size, -np.inf)
    if months.size < 2:
        return Evidence(months, found)
    classes = error_classes(errors[answered])
    worse = _worse_answers(place[answered], classes, months.size)
    told = answered | refused
    more_refused = _worsening(place[told], refused[told].astype(np.int64), months.size)
    either = np.isfinite(worse) | np.isfinite(more_refused)
    total = np.where(np.isfinite(worse), worse, 0) + np.where(np.isfinite(more_refused), more_refused, 0)
    found[either] = total[either]
    found[0] = -np.inf
    return Evidence(months, found)


def error_classes(errors: Floats) -> Ints:
    """Errors as classes that rise with them: 0 for none, then thirds of the others.

    >>> error_classes(np.array([0.0, 0.0, 1.0, 2.0, 3.0]))
    array([0, 0, 1, 2, 3])
    """
    zero = errors <= 0
    some = np.sort(errors[~zero] if zero.mean() >= _ZEROS else errors) if errors.size else errors
    if not some.size:
        return np.zeros(errors.size, dtype=np.int64)
    edges = np.unique(some[(np.arange(1, _CLASSES) * some.size) // _CLASSES])
    classes = 1 + np.searchsorted(edges, errors, side="right")
    return np.where(zero & (zero.mean() >= _ZEROS), 0, classes).astype(np.int64)


def _worse_answers(place: Ints, classes: Ints, months: int) -> Floats:
    """The mean evidence of all classes, and of the best one against the others."""
    fine = _worsening(place, classes, months)
    if np.unique(classes).size < 3:
        return fine
    best_or_not = (classes > classes.min()).astype(np.int64)
    return np.asarray(np.logaddexp(fine, _worsening(place, best_or_not, months)) - np.log(2))


def _worsening(place: Ints, classes: Ints, months: int) -> Floats:
    """log p(classes | break at each month) − log p(classes | none); −inf where the mean class does not rise."""
    classes = np.unique(classes, return_inverse=True)[1].astype(np.int64)
    kinds = int(classes.max(initial=0)) + 1
    if kinds < 2:
        return np.full(months, -np.inf)
    counts = np.zeros((months, kinds))
    np.add.at(counts, (place, classes), 1.0)
    before = np.concatenate([np.zeros((1, kinds)), np.cumsum(counts, axis=0)[:-1]])
    after = counts.sum(axis=0) - before
    rising = np.arange(kinds)
    with np.errstate(all="ignore"):
        worse = after @ rising / after.sum(axis=1) > before @ rising / before.sum(axis=1)
    gain = _marginal(before) + _marginal(after) - _marginal(counts.sum(axis=0))
    # Answers that follow each other alike say less than as many independent ones; what a break explains is taken
    # out first, lest the break itself be taken for such likeness.
    best = int(np.argmax(np.where(worse, gain, -np.inf)))
    worth = _worth(classes.astype(np.float64), place >= best)
    if worth < 1:
        gain = _marginal(worth * before) + _marginal(worth * after) - _marginal(worth * counts.sum(axis=0))
    return np.where(worse, gain, -np.inf)


def _worth(classes: Floats, after: Bools) -> float:
    """How many independent answers one is worth: their variance over the long-run variance, at most 1."""
    left = classes.copy()
    for part in (after, ~after):
        if part.any():
            left[part] -= left[part].mean()
    square = float(left @ left)
    if left.size < 3 or square <= 0:
        return 1.0
    error, _ = spread(left, tails=False)
    return min(1.0, square / (left.size - 1) / (error**2 * left.size))


def _marginal(counts: Floats) -> Floats:
    """The logarithm of the Dirichlet-multinomial marginal likelihood of a sequence with these counts."""
    kinds, n = counts.shape[-1], counts.sum(axis=-1)
    return np.asarray(
        gammaln(kinds * _PRIOR)
        - gammaln(kinds * _PRIOR + n)
        + (gammaln(counts + _PRIOR) - gammaln(_PRIOR)).sum(axis=-1)
    )


@dataclass(frozen=True, slots=True)
class Break:
    """The first month of worse answers, the ends of its interval (months since 1970), and the odds for a break."""

    month: int
    low: int
    high: int


def bayes_factor(found: Evidence) -> float:
    """How much likelier the answers are with a break somewhere than without one, every month being as likely before."""
    if found.months.size < 2:
        return 0.0
    ratios, prior = found.log_ratio[1:], np.diff(found.months) / (found.months[-1] - found.months[0])
    top = ratios.max()
    if not np.isfinite(top):
        return 0.0
    return float(np.exp(min(top, 700.0)) * (prior @ np.exp(ratios - top)))


def posterior(found: Evidence, level: float) -> Break:
    """The posterior median of the break, and the shortest run of months that holds ``level`` of the probability.

    A break at a month with a question may be of any month since the question before, so the interval's lower end is
    the first of these.
    """
    ratios, gaps = found.log_ratio[1:], np.diff(found.months)
    weight = gaps * np.exp(ratios - ratios.max())
    total = np.cumsum(weight) / weight.sum()
    low, high = _shortest(total, level)
    median = int(np.searchsorted(total, 0.5))
    return Break(int(found.months[median + 1]), int(found.months[low] + 1), int(found.months[high + 1]))


def _shortest(total: Floats, level: float) -> tuple[int, int]:
    """First and last place of the shortest run that holds ``level`` of what rises to 1."""
    start = np.concatenate([[0.0], total[:-1]])
    last = np.searchsorted(total, np.minimum(start + level, total[-1]) - 1e-12)
    held = np.flatnonzero(total[-1] - start >= level - 1e-12)
    widths = last[held] - held
    first = int(held[np.argmin(widths)])
    return first, int(last[first])


def pooled(parts: list[Evidence]) -> Evidence:
    """The evidence of several series that break in the same month: sums over the months that any has."""
    months = np.unique(np.concatenate([part.months for part in parts]))
    total = np.zeros(months.size)
    any_worse = np.zeros(months.size, dtype=np.bool_)
    for part in parts:
        # A month between two questions parts them as the later one does; beyond the last nothing is parted.
        at = np.searchsorted(part.months, months)
        ratios = np.append(part.log_ratio, -np.inf)[at]
        worse = np.isfinite(ratios)
        total += np.where(worse, ratios, 0.0)
        any_worse |= worse
    total[~any_worse] = -np.inf
    total[0] = -np.inf
    return Evidence(months, total)
