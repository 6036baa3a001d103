"""Means over questions, their differences and ratios, each with an interval over clusters of questions.

An estimate is a smooth function of means. By cluster, each mean is a sum and a count; the standard error is that of the
linearised function over clusters, whichever side a cluster is on, so that a cluster on both counts as such. The
quantiles of (drawn - estimate) / its error are bootstrapped over clusters (the bootstrap-t: Brier scores are skewed,
and Student's t alone misses on one side); with many clusters they are those of t, moved by the skewness, which is what
the bootstrap comes to (Hall 1992). How often each interval holds the truth is in docs/ignorance-scores.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from scipy.special import stdtrit

from neuter.scoring.bootstrap import BEYOND, Weights, firm_weights
from neuter.scoring.forecasts.averaged import Averaged, Bools, Floats, Ints
from neuter.scoring.forecasts.how import ForecastScoring
from neuter.scoring.forecasts.sides import NOTHING, Estimate, Side, averaged_sides

__all__ = ["Clusters", "Estimate", "Side", "averaged_sides", "difference_of", "mean_of"]

#: With so many effective clusters on each side the bootstrap's quantiles are taken from its expansion.
MANY_CLUSTERS = 300
#: Under this many on a side an interval carries a caveat: of 12 whose questions were all alike, that of a rare change
#: held the truth in 89% of simulated studies.
ROUGH_CLUSTERS = 20
#: Under this many there is no interval of a ratio, and no verdict.
FEW_CLUSTERS = 10
#: A bootstrapped quantile is held between Student's t and so many times it: of few clusters it may be infinite.
_TIMES_T = 3.0
#: So many clusters' weights are also held in double precision: 2,000 draws of them are 32 MB.
_HELD = 2_000


class Clusters:
    """The clusters of a set of questions: what sums over them, and bootstrap weights that all figures share."""

    def __init__(self, cluster: Ints, labels: Sequence[str], how: ForecastScoring) -> None:
        self._cluster, self._labels, self.how = cluster, labels, how
        self.count = len(labels)

    @classmethod
    def of(cls, a: Averaged, how: ForecastScoring) -> Clusters:
        """Those of a run: a cluster is told by the first of its questions, so that its draws depend on nothing else."""
        _, first = np.unique(a.cluster, return_index=True)
        return cls(a.cluster, [str(a.ids[at]) for at in first], how)

    @cached_property
    def weights(self) -> Weights:
        """Draws x clusters, independent Poisson(1) counts."""
        return firm_weights(self._labels, seed=self.how.seed, draws=self.how.draws)

    def side(self, values: Floats, inside: Bools) -> Side:
        """The mean of ``values`` (Q) over the questions ``inside`` that have one."""
        here = inside & np.isfinite(values)
        at = self._cluster[here]
        return Side(
            np.bincount(at, values[here], self.count).astype(np.float64),
            np.bincount(at, minlength=self.count).astype(np.float64),
        )

    def mean(self, side: Side) -> Estimate:
        """A mean with its interval."""
        return self._estimated([side], side.mean, [1.0])

    def share(self, side: Side) -> Estimate:
        """The mean of values from 0 to 1 (Brier scores, probabilities, what came), with an interval within these."""
        return self.mean(side).within(0.0, 1.0)

    def difference(self, first: Side, second: Side) -> Estimate:
        """The first mean less the second."""
        return self._estimated([first, second], first.mean - second.mean, [1.0, -1.0])

    def ratio(self, top: tuple[Side, Side], bottom: tuple[Side, Side]) -> Estimate:
        """(mean − mean) / (mean − mean), with Fieller's interval.

        Source: Fieller (1954). Empty where the denominator is not above 0, or its own interval holds 0.
        """
        over, under = top[0].mean - top[1].mean, bottom[0].mean - bottom[1].mean
        if not (math.isfinite(over) and math.isfinite(under)) or under <= 0:
            return Estimate(None, caveat="there is no gap that could be closed")
        value = over / under
        shifts = [part.residuals for part in (*top, *bottom)]
        a, b = shifts[0] - shifts[1], shifts[2] - shifts[3]
        t, caveat = self._t((*top, *bottom))
        fewest = min(side.clusters for side in (*top, *bottom))
        if t is None or fewest < FEW_CLUSTERS:
            # Of so few clusters the quadratic below holds the truth too seldom (86% of 6 in simulations).
            return Estimate(value, caveat=caveat.replace("the interval is a rough one", "no interval"))
        scale = self._small_sample((*top, *bottom))
        aa, ab, bb = (scale * float(np.dot(x, y)) for x, y in ((a, a), (a, b), (b, b)))
        # r with (over − r under)² ≤ t² Var(over − r under): a quadratic in r.
        lead, half, rest = under**2 - t**2 * bb, over * under - t**2 * ab, over**2 - t**2 * aa
        inner = half**2 - lead * rest
        if lead <= 0 or inner < 0:
            return Estimate(
                value, caveat="the gap without instruction is too uncertain for an interval of this share"
            )
        root = math.sqrt(inner)
        error = math.sqrt(max(0.0, aa - 2 * value * ab + value**2 * bb)) / under
        return Estimate(value, (half - root) / lead, (half + root) / lead, error, caveat)

    def _estimated(self, sides: Sequence[Side], value: float, slopes: Sequence[float]) -> Estimate:
        if not math.isfinite(value):
            return NOTHING
        t, caveat = self._t(sides)
        if t is None:
            return Estimate(value, caveat=caveat)
        moved = sum(slope * side.residuals for slope, side in zip(slopes, sides, strict=True))
        error = math.sqrt(self._small_sample(sides) * float(np.dot(moved, moved)))
        if error == 0:
            return Estimate(value, caveat="all values are alike: nothing says how uncertain the figure is")
        many = min(side.clusters for side in sides) >= MANY_CLUSTERS
        low, high = _expanded(np.asarray(moved), t) if many else self._quantiles(sides, slopes)
        below, above = (min(max(reach, t), _TIMES_T * t) for reach in (high, -low))
        return Estimate(value, value - below * error, value + above * error, error, caveat)

    def _t(self, sides: Sequence[Side]) -> tuple[float | None, str]:
        """Student's t for the degrees of freedom of the sides (Welch and Satterthwaite), and a caveat on few."""
        fewest = min(side.clusters for side in sides)
        if min(int((side.counts > 0).sum()) for side in sides) < 2:
            return None, "of one cluster of questions: no interval"
        variances = [side.variance for side in sides]
        parts = sum(v**2 / side.freedom for v, side in zip(variances, sides, strict=True))
        freedom = sum(variances) ** 2 / parts if parts > 0 else fewest - 1
        t = float(stdtrit(max(freedom, 1.0), 0.5 + self.how.level / 2))
        few = f"of {fewest:.0f} effective clusters of questions: the interval is a rough one"
        return t, few if fewest < ROUGH_CLUSTERS else ""

    @staticmethod
    def _small_sample(sides: Sequence[Side]) -> float:
        """G / (G − 1) of the side with the fewest clusters."""
        fewest = max(min(side.clusters for side in sides), 1.0 + 1e-9)
        return max(1.0, min(fewest / (fewest - 1), 2.0))

    def _quantiles(self, sides: Sequence[Side], slopes: Sequence[float]) -> tuple[float, float]:
        """Quantiles of (drawn − estimate) / its own error over draws of clusters."""
        apart = len(sides) == 1 or not ((sides[0].counts > 0) & (sides[1].counts > 0)).any()
        moved, variance, there = self._apart(sides, slopes) if apart else self._together(sides, slopes)
        scale = self._small_sample(sides)
        with np.errstate(divide="ignore", invalid="ignore"):
            told = moved / np.sqrt(scale * np.maximum(variance, 0.0))
        told = np.where(np.isfinite(told), told, BEYOND * np.sign(moved))[there]
        tail = (1 - self.how.level) / 2
        low, high = np.quantile(told, [tail, 1 - tail])
        return float(low), float(high)

    def _apart(self, sides: Sequence[Side], slopes: Sequence[float]) -> tuple[Floats, Floats, Bools]:
        """By draw, how far the figure moved, its error's square, and whether it exists; no cluster is on two sides.

        A side's share of that square is Σ w (sum − shift · count)² / n², multiplied out.
        """
        moved, variance, there = 0.0, 0.0, True
        for side, slope in zip(sides, slopes, strict=True):
            here = np.flatnonzero(side.counts > 0)
            counts = side.counts[here]
            sums = side.sums[here] - counts * side.mean
            single = bool((counts == 1).all())
            columns = [sums, counts, sums**2, *([] if single else [sums * counts, counts**2])]
            drawn = (self._drawn(here) @ np.column_stack(columns)).T
            total, n, squares = drawn[:3]
            crossed, counted = (total, n) if single else drawn[3:]
            held = np.where(n > 0, n, 1.0)
            shift = total / held
            moved = moved + slope * shift
            variance = variance + slope**2 * (squares - 2 * shift * crossed + shift**2 * counted) / held**2
            there = there & (n > 0)
        return np.asarray(moved), np.asarray(variance), np.asarray(there)

    def _together(self, sides: Sequence[Side], slopes: Sequence[float]) -> tuple[Floats, Floats, Bools]:
        """The same where a cluster may be on several sides: all products of sums and counts."""
        here = np.flatnonzero(sum(side.counts for side in sides) > 0)
        k, told = len(sides), np.asarray(slopes)
        plain = [side.sums[here] - side.counts[here] * side.mean for side in sides]
        plain += [side.counts[here] for side in sides]
        pairs = [(i, j) for i in range(2 * k) for j in range(i, 2 * k)]
        drawn = self._drawn(here) @ np.column_stack([*plain, *(plain[i] * plain[j] for i, j in pairs)])
        n = drawn[:, k : 2 * k]
        held = np.where(n > 0, n, 1.0)
        shift = drawn[:, :k] / held
        # The coefficient of each column: sums first, then counts.
        factor = np.concatenate([told / held, -told * shift / held], axis=1)
        variance = np.zeros(drawn.shape[0])
        for place, (i, j) in enumerate(pairs, 2 * k):
            variance += (1 if i == j else 2) * factor[:, i] * factor[:, j] * drawn[:, place]
        return np.asarray(shift @ told), variance, np.asarray((n > 0).all(axis=1))

    def _drawn(self, here: Ints) -> Floats:
        """The weights of some clusters; of nearly all of them in one piece, which is not copied."""
        if here.size == self.count and self.count <= _HELD:
            return self._double
        return self.weights[:, here].astype(np.float64)

    @cached_property
    def _double(self) -> Floats:
        return self.weights.astype(np.float64)


def _expanded(moved: Floats, t: float) -> tuple[float, float]:
    """Student's quantiles, moved by the skewness of what each cluster adds.

    Source: Johnson (1978), "Modified t tests and confidence intervals for asymmetrical populations"; Hall (1992), "On
    the removal of skewness by transformation".
    """
    squares = moved * moved
    skewness = float(np.dot(squares, moved)) / float(squares.sum()) ** 1.5
    shift = skewness * (2 * t**2 + 1) / 6
    return -t - shift, t - shift


def mean_of(values: Floats, clusters: Ints, how: ForecastScoring) -> Estimate:
    """The mean of values, NaN left out, with its interval over their clusters (any whole numbers)."""
    found, side = _alone(clusters, how)
    return found.mean(side(values, np.ones(values.size, dtype=np.bool_)))


def difference_of(
    first: Floats, clusters_first: Ints, second: Floats, clusters_second: Ints, how: ForecastScoring
) -> Estimate:
    """The mean of the first values less that of the second; a cluster may be in both."""
    values, clusters = np.concatenate([first, second]), np.concatenate([clusters_first, clusters_second])
    found, side = _alone(clusters, how)
    of_first = np.arange(values.size) < first.size
    return found.difference(side(values, of_first), side(values, ~of_first))


def _alone(clusters: Ints, how: ForecastScoring) -> tuple[Clusters, Callable[[Floats, Bools], Side]]:
    names, numbered = np.unique(clusters, return_inverse=True)
    found = Clusters(numbered.astype(np.int64), [str(name) for name in names], how)
    return found, found.side
