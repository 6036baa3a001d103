"""How often the intervals of forecasts' scores hold the truth, over simulated studies.

    python benchmarks/forecast_coverage.py [--sets 1000] [--draws 2000] [--alike 0.5] [--design 200/275/5]

Brier scores are as skewed as they are in life: near 0 where a model knows the outcome, a beta distribution with a mean
of 0.32 where it does not. Without instruction a model knows 80% of the questions before its cutoff, under it 40%, with
a chain of thought 55%. Questions of a cluster are correlated (``--alike``, by default one half; 1 makes them all the
same). The truth follows from the design. "mean of 3" is the gap of three models on the same questions, of which 5% are
not answered. A design with under 20 clusters on a side is marked as rough, as its intervals are.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np

from neuter.scoring.forecasts.averaged import Bools, Floats, Ints
from neuter.scoring.forecasts.how import ForecastScoring
from neuter.scoring.forecasts.intervals import Clusters, Estimate, Side, averaged_sides

#: Questions before and after the cutoff (the paper has 201 and 276), and how many make a cluster.
DESIGNS = [(before, after, size) for before, after in ((30, 30), (60, 40), (200, 275)) for size in (1, 5)]
HELD = 0.93
_SHAPE, _KNOWN = (1.2, 2.5), 0.01
_IGNORANT, _KNOWING = _SHAPE[0] / sum(_SHAPE), _KNOWN / 2
#: The share that is known before the cutoff, by condition.
_SHARES = {"plain": 0.8, "told": 0.4, "reasoned": 0.55}
#: So many studies are resampled with the same weights.
_TOGETHER = 50


def expected(share: float) -> float:
    """The mean Brier score where such a share is known."""
    return share * _KNOWING + (1 - share) * _IGNORANT


PLAIN, TOLD, REASONED = (expected(share) for share in _SHARES.values())
TRUTHS = {
    "gap": _IGNORANT - TOLD,
    "mean of 3": _IGNORANT - TOLD,
    "closed": (TOLD - PLAIN) / (_IGNORANT - PLAIN),
    "cot_effect": REASONED - TOLD,
    "penalty": TOLD - PLAIN,
}


@dataclass(frozen=True, slots=True)
class Latent:
    """What a question is: how likely it is to be known (0 to 1), and its scores where it is and where it is not."""

    knowable: Floats
    knowing: Floats
    ignorant: Floats

    def brier(self, share: float) -> Floats:
        return np.where(self.knowable < share, self.knowing, self.ignorant)


def latent(cluster: Ints, alike: float, rng: np.random.Generator) -> Latent:
    """Each question as its cluster, or on its own: two of a cluster are the same with the chance ``alike``."""
    groups, shared = int(cluster.max()) + 1, rng.random(cluster.size) < alike**0.5

    def drawn(of_cluster: Floats, own: Floats) -> Floats:
        return np.where(shared, of_cluster[cluster], own)

    sizes = (groups, cluster.size)
    return Latent(
        drawn(*(rng.random(size) for size in sizes)),
        drawn(*(_KNOWN * rng.random(size) for size in sizes)),
        drawn(*(rng.beta(*_SHAPE, size) for size in sizes)),
    )


def study(
    clusters: Clusters, cluster: Ints, before: Bools, alike: float, rng: np.random.Generator
) -> dict[str, Estimate]:
    """The estimates of one simulated study."""
    what, other = latent(cluster, alike, rng), latent(cluster, alike, rng)
    scores = {name: np.where(before, what.brier(share), what.ignorant) for name, share in _SHARES.items()}
    # A chain of thought comes to another forecast of some of what it does not know.
    anew = (rng.random(cluster.size) < 0.3) & (scores["reasoned"] == what.ignorant)
    scores["reasoned"] = np.where(anew, other.ignorant, scores["reasoned"])
    pre, plain = (clusters.side(scores[name], before) for name in ("told", "plain"))
    post = clusters.side(scores["told"], ~before)
    return {
        "gap": clusters.difference(post, pre),
        "mean of 3": clusters.difference(*three_models(clusters, what, before, rng)),
        "closed": clusters.ratio((pre, plain), (post, plain)),
        "cot_effect": clusters.mean(clusters.side(scores["reasoned"] - scores["told"], before)),
        "penalty": clusters.mean(clusters.side(scores["told"] - scores["plain"], before)),
    }


def three_models(
    clusters: Clusters, what: Latent, before: Bools, rng: np.random.Generator
) -> tuple[Side, Side]:
    """The sides after and before of three models that know other questions, each with its failures."""
    sides: dict[bool, list[Side]] = {False: [], True: []}
    for _ in range(3):
        knows = before & (rng.random(before.size) < _SHARES["told"])
        values = np.where(knows, what.knowing, what.ignorant)
        values = np.where(rng.random(before.size) < 0.05, np.nan, values)
        for early in (False, True):
            sides[early].append(clusters.side(values, before == early))
    return averaged_sides(sides[False]), averaged_sides(sides[True])


def studies(before: int, after: int, size: int, asked: argparse.Namespace) -> Iterator[dict[str, Estimate]]:
    """The estimates of many studies of one design."""
    cluster = np.arange(before + after) // size
    early = np.arange(before + after) < before
    rng = np.random.default_rng([before, after, size])
    for seed in range(0, asked.sets, _TOGETHER):
        how = ForecastScoring({"m": date(2024, 1, 1)}, date(2023, 1, 1), seed=seed, draws=asked.draws)
        clusters = Clusters(cluster, [str(one) for one in np.unique(cluster)], how)
        for _ in range(min(_TOGETHER, asked.sets - seed)):
            yield study(clusters, cluster, early, asked.alike, rng)


def table(design: tuple[int, ...], asked: argparse.Namespace) -> bool:
    """Prints the coverage of each figure; whether all are good."""
    found, began = defaultdict(list), time.perf_counter()
    for estimates in studies(*design, asked=asked):
        for name, estimate in estimates.items():
            found[name].append(estimate)
    good = True
    for name, estimates in found.items():
        given = [one for one in estimates if one.low is not None and one.high is not None]
        if not given:
            print(f"{design!s:15} {name:11} no interval: {estimates[0].caveat}")
            continue
        below = np.mean([one.high < TRUTHS[name] for one in given])
        above = np.mean([one.low > TRUTHS[name] for one in given])
        width = np.median([one.high - one.low for one in given])
        rough = "rough" if given[0].caveat else ""
        fine = 1 - below - above >= HELD
        good &= bool(fine)
        print(
            f"{design!s:15} {name:11} {100 * (1 - below - above):5.1f}%  "
            f"(ends below {100 * below:4.1f}, above {100 * above:4.1f})  median width {width:.3f}  "
            f"empty {100 * (1 - len(given) / len(estimates)):4.1f}%  "
            f"{rough:5}  {'PASS' if fine else 'FAILS'}"
        )
    print(f"  {time.perf_counter() - began:.0f} s", flush=True)
    return good


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=1000, help="studies a design (default 1000)")
    parser.add_argument("--draws", type=int, default=2000, help="bootstrap draws (default 2000)")
    parser.add_argument("--design", help="one design: before/after/cluster size")
    parser.add_argument("--alike", type=float, default=0.5, help="correlation within clusters (default 0.5)")
    asked = parser.parse_args(arguments)
    designs = [tuple(map(int, asked.design.split("/")))] if asked.design else DESIGNS
    results = [table(design, asked) for design in designs]
    print(f"at least {HELD:.0%} hold the truth: {'PASS' if all(results) else 'FAILS'}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
