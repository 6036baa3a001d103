"""How often the intervals of the suite ``cutoff`` hold the truth: differences between the stretches of Table 6.

    python benchmarks/cutoff_coverage.py [--samples 1000] [--blocks]
    python benchmarks/cutoff_coverage.py --planted 20

Answers about 83 quarters that may be known, 51 that may not and 7 that cannot be, in one series whose errors follow an
AR(1) through all three stretches, although the intervals take these for independent. What is called are neuter's own
functions. ``--blocks`` takes the block bootstrap (``--intervals blocks``). ``--planted`` asks simulated models that
refuse a planted share of what they are told not to know, by whole runs: so many seeds of each share.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

import neuter
from neuter.reports.recall.instruction import sides_of, verdict_of
from neuter.reports.recall.score_index import ScoreIndex
from neuter.scoring.recall.differences import difference_rows
from neuter.scoring.recall.intervals import by_blocks, over_time
from neuter.scoring.recall.sample import Sample
from neuter.scoring.statistics import Interval

Floats = NDArray[np.float64]

#: Quarters of Table 6 before and after its fake cutoff, and a model's after its own.
SIZES = {"pre_fake": 83, "post_fake": 51, "post": 7}
CORRELATIONS = (0.0, 0.3, 0.6)
_COUNTS = ("answered", "refused", "filtered", "truncated", "unparsed", "failed")


def autoregressive(n: int, rho: float, samples: int, rng: np.random.Generator) -> Floats:
    """Stationary AR(1) series of variance 1, a row a sample."""
    found = np.empty((samples, n))
    found[:, 0] = rng.standard_normal(samples)
    for at in range(1, n):
        found[:, at] = rho * found[:, at - 1] + np.sqrt(1 - rho * rho) * rng.standard_normal(samples)
    return found


#: From two latent series (standard normal) of a stretch to its values, and what these are correlated with.
Making = Callable[[Floats, Floats], tuple[Floats, Floats | None]]


def _figures() -> Iterator[tuple[str, str, str, bool, dict[str, tuple[Making, float]]]]:
    mean = float(np.sqrt(2 / np.pi))

    def errors(scale: float, bias: float = 0.0) -> tuple[Making, float]:
        return lambda a, _: (bias + scale * a, None), bias

    def absolute(scale: float, known: float) -> tuple[Making, float]:
        return lambda a, b: (np.where(ndtr(b) < known, 0.0, scale * np.abs(a)), None), (
            1 - known
        ) * scale * mean

    def share(p: float) -> tuple[Making, float]:
        return lambda a, _: ((ndtr(a) < p).astype(float), None), p

    def correlation(r: float) -> tuple[Making, float]:
        return lambda a, b: (a, r * a + np.sqrt(1 - r * r) * b), r

    def told(*three: tuple[Making, float]) -> dict[str, tuple[Making, float]]:
        return dict(zip(SIZES, three, strict=True))

    yield "mean error", "mean_error", "mean", False, told(errors(0.3), errors(1.0, 0.5), errors(1.5))
    yield (
        "mean absolute error, 80%, 30%, 0% known",
        "mean_absolute_error",
        "mean",
        True,
        told(absolute(0.3, 0.8), absolute(1.0, 0.3), absolute(1.5, 0.0)),
    )
    yield (
        "share, 97%, 70%, 50%",
        "directional_accuracy",
        "share",
        True,
        told(share(0.97), share(0.7), share(0.5)),
    )
    yield (
        "share, 80%, 30%, 5%",
        "exact_share_with_refusals",
        "share",
        True,
        told(share(0.8), share(0.3), share(0.05)),
    )
    yield "share, 1%, 75%, 75%", "refusal_share", "share", True, told(share(0.01), share(0.75), share(0.75))
    yield (
        "correlation, 0, 0.5, 0.5",
        "confidence_calibration",
        "correlation",
        False,
        told(correlation(0.0), correlation(0.5), correlation(0.5)),
    )


def row(metric: str, split: str, sample: Sample, found: Interval) -> dict[str, Any]:
    """A row of the scores, as far as differences need it."""
    value = (
        np.corrcoef(sample.values, sample.beside)[0, 1] if sample.beside is not None else sample.values.mean()
    )
    named = dict.fromkeys(("panel", "series", "condition", "model"), "")
    return {
        **named,
        **dict.fromkeys(_COUNTS, 0),
        "attacker": "llm",
        "metric": metric,
        "split": split,
        "unit": "",
        "value": value,
        "ci_low": found.low,
        "ci_high": found.high,
        "n": sample.values.size,
        "first_date": None,
        "last_date": None,
    }


def coverage(samples: int, interval: Callable[[Sample], Interval]) -> None:
    """Print, by figure and correlation, how often each difference's interval holds the truth."""
    ends = np.cumsum([0, *SIZES.values()])
    print("| figure | ρ | after less before | median width | after less own | median width |")
    print("|---|---|---|---|---|---|")
    for rho in CORRELATIONS:
        rng = np.random.default_rng(6)
        first, second = (autoregressive(int(ends[-1]), rho, samples, rng) for _ in range(2))
        for name, metric, kind, positive, making in _figures():
            held: dict[str, list[tuple[bool, float]]] = {}
            truths = {split: truth for split, (_, truth) in making.items()}
            for a, b in zip(first, second, strict=True):
                rows = []
                for at, (split, (make, _)) in enumerate(making.items()):
                    values, beside = make(a[ends[at] : ends[at + 1]], b[ends[at] : ends[at + 1]])
                    none = np.zeros(values.size, dtype=np.int64)
                    sample = Sample(kind, values, beside, none, positive)  # type: ignore[arg-type]
                    rows.append(row(metric, split, sample, interval(sample)))
                for made in difference_rows(rows):
                    other = "post" if made["metric"].endswith("from_post") else "pre_fake"
                    truth = truths["post_fake"] - truths[other]
                    if made["ci_low"] is not None:
                        inside = made["ci_low"] <= truth <= made["ci_high"]
                        held.setdefault(other, []).append((inside, made["ci_high"] - made["ci_low"]))
            cells = " | ".join(_told(held.get(other, []), samples) for other in ("pre_fake", "post"))
            print(f"| {name} | {rho} | {cells} |", flush=True)


def _told(held: list[tuple[bool, float]], samples: int) -> str:
    if not held:
        return "– | –"
    inside, width = np.array(held, dtype=float).T
    lost = samples - len(held)
    return f"{100 * inside.mean():.1f}{f' ({lost} without)' if lost else ''} | {np.median(width):.2f}"


def planted(seeds: int) -> None:
    """Print how often planted compliance is held, and which verdicts are given.

    A model that knows every value and refuses each that it takes for unknown gives 100% before; after it refuses, and
    lacks, as many percent as it complies with.
    """
    print("| compliance | refusals | given exactly | verdicts |\n|---|---|---|---|")
    for compliance in (0.0, 0.2, 0.5, 0.8, 1.0):
        inside: dict[str, list[bool]] = {"refusal_share": [], "exact_share_with_refusals": []}
        verdicts: Counter[str] = Counter()
        for seed in range(seeds):
            rows, said = _run(f"simulated/half-way,values=1,withholds=1,compliance={compliance},seed={seed}")
            for metric, sign in (("refusal_share", 1), ("exact_share_with_refusals", -1)):
                for found in rows:
                    if found["metric"] == f"{metric}_difference":
                        truth = sign * 100 * compliance
                        inside[metric].append(
                            found["ci_low"] <= truth + 1e-9 and truth - 1e-9 <= found["ci_high"]
                        )
            verdicts.update(said)
        shares = " | ".join(f"{100 * np.mean(held):.1f} of {len(held)}" for held in inside.values())
        told = ", ".join(f"{count} {name}" for name, count in sorted(verdicts.items()))
        print(f"| {compliance:.0%} | {shares} | {told} |", flush=True)


def _run(model: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows of a whole run of the three prompts, and the verdict on each."""
    with tempfile.TemporaryDirectory() as folder:
        run = neuter.benchmark("cutoff", models=model, out=Path(folder) / "run", report=False)
        rows = run.scores.filter((run.scores["split"] == "all") & (run.scores["attacker"] == "llm"))
        index = ScoreIndex(run.scores)
        said = [verdict_of(sides_of(index, model, "gdp_growth", name)) for name in ("both", "system", "user")]
        return rows.to_dicts(), said


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--blocks", action="store_true")
    parser.add_argument("--planted", type=int, default=0, metavar="SEEDS")
    told = parser.parse_args()
    if told.planted:
        planted(told.planted)
    elif told.blocks:
        coverage(told.samples, lambda sample: by_blocks(sample, 0.95, 0, 500))
    else:
        coverage(told.samples, lambda sample: over_time(sample, 0.95))


if __name__ == "__main__":
    main()
