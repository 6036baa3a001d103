"""Scores a million forecasts with all tables of the suite ignorance: time and memory; and how often intervals hold.

    python benchmarks/forecast_scoring.py [--questions 9260] [--repeats 3]
    python benchmarks/forecast_scoring.py --coverage [--sets 1000]

Nine models, four conditions, three runs: with 9,260 questions, 1,000,080 forecasts. Every question has a domain, a
crowd and a base rate, one in fifty calls fails. Memory is this process's peak. The peer is the plain bootstrap that
redraws the questions of one gap 2,000 times in numpy; it is timed on one and multiplied up by the gaps of the table.
``--coverage`` draws sets of skewed Brier scores and says how often the intervals of the gap, the share closed and the
penalty hold the truth.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from datetime import date, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from neuter.questions.schema import DOMAINS
from neuter.scoring.forecasts import ForecastScoring, score_forecasts
from neuter.scoring.forecasts.intervals import Clusters
from neuter.scoring.forecasts.schema import CONDITIONS

Floats = NDArray[np.float64]
#: Cutoffs of Table 1 of Simulated Ignorance Fails.
CUTOFFS = {
    "openai/gpt-5.1": date(2024, 9, 1),
    "google/gemini-2.5-pro": date(2025, 1, 1),
    "deepseek/deepseek-r1": date(2025, 1, 1),
    "anthropic/claude-3.5-sonnet": date(2024, 4, 1),
    "google/gemini-2.5-flash": date(2025, 1, 1),
    "meta-llama/llama-4-maverick": date(2024, 8, 1),
    "deepseek/deepseek-v3.2-exp": date(2024, 12, 1),
    "openai/gpt-oss-120b": date(2024, 6, 1),
    "openai/gpt-oss-20b": date(2024, 6, 1),
}
GROUPS = {model: "reasoning" if place < 3 else "non_reasoning" for place, model in enumerate(CUTOFFS)}
RUNS = 3


def made(count: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Questions, and forecasts of models that know four in five outcomes before their cutoffs, half of it when told."""
    rng = np.random.default_rng(0)
    days = [date(2023, 2, 1) + timedelta(days=int(d)) for d in np.sort(rng.integers(0, 1200, count))]
    outcome = rng.integers(0, 2, count).astype(float)
    questions = pl.DataFrame(
        {
            "id": [f"q{i}" for i in range(count)],
            "open": [day - timedelta(days=60) for day in days],
            "resolution_date": days,
            "outcome": outcome,
            "domain": rng.choice(list(DOMAINS), count),
            "cluster": [""] * count,
            "crowd": np.clip(0.35 + 0.3 * outcome + rng.normal(0, 0.15, count), 0.01, 0.99),
            "crowd_from": ["first_two_weeks"] * count,
            "base_rate": [0.4] * count,
        }
    )
    on = np.array([np.datetime64(day) for day in days])
    parts = []
    for model, cutoff in CUTOFFS.items():
        for condition in CONDITIONS:
            share = 0.8 if condition in ("G1", "G2") else 0.4
            knows = (on < np.datetime64(cutoff)) & (rng.random(count) < share)
            centre = np.where(knows, 0.95, np.clip(rng.beta(3, 2.5, count), 0.01, 0.99))
            for run in range(RUNS):
                right = np.clip(centre + rng.normal(0, 0.02, count), 0.01, 0.99)
                said = np.where(outcome == 1, right, 1 - right)
                failed = rng.random(count) < 0.02
                parts.append(
                    pl.DataFrame(
                        {
                            "id": questions["id"],
                            "model": [model] * count,
                            "condition": [condition] * count,
                            "run": pl.Series([run] * count, dtype=pl.Int16),
                            "outcome": np.where(failed, "failed", "answered"),
                            "probability": pl.Series(np.where(failed, np.nan, said)).fill_nan(None),
                        }
                    )
                )
    return questions, pl.concat(parts)


def speed(count: int, repeats: int) -> None:
    questions, forecasts = made(count)
    how = ForecastScoring(CUTOFFS, date(2023, 1, 1), GROUPS)
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        scored = score_forecasts(questions, forecasts, how)
        seconds.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{forecasts.height:,} forecasts into {scored.frame.height:,} rows and {scored.tests.height} tests: "
        f"{statistics.median(seconds):.1f} s (median of {repeats}), peak {peak:,.0f} MB"
    )
    gaps = scored.frame.filter(pl.col("metric").str.starts_with("si_ti_gap")).height
    once = redrawn(count)
    print(f"peer: 2,000 redraws of one gap in numpy {once:.2f} s; of all {gaps:,} gaps {once * gaps:,.0f} s")


def redrawn(count: int) -> float:
    """Seconds for a plain bootstrap of one gap."""
    rng = np.random.default_rng(1)
    pre, post = rng.beta(1, 4, count // 3), rng.beta(2, 4, count // 2)
    start = time.perf_counter()
    drawn = [rng.choice(post, post.size).mean() - rng.choice(pre, pre.size).mean() for _ in range(2000)]
    np.quantile(drawn, [0.025, 0.975])
    return time.perf_counter() - start


# How often intervals hold the truth

#: Questions before and after, and how many make a cluster.
DESIGNS = ((30, 30, 1), (60, 40, 1), (150, 150, 1), (201, 276, 1), (60, 40, 5), (200, 275, 5))
KNOWN, KNOWN_UNTOLD = 0.6, 0.9
#: The mean of the beta distribution of a Brier score where the outcome is not known.
IGNORANT = 1.2 / (1.2 + 2.5)


def drawn_scores(rng: np.random.Generator, count: int, size: int) -> tuple[Floats, Floats, Floats]:
    """Brier scores of the same questions, before the cutoff without and with the instruction, and after it.

    Those of a cluster are alike; what is known is nearly without error.
    """
    groups = count // size
    draw, near = rng.random(groups), 0.01 * rng.random(groups)
    far = rng.beta(1.2, 2.5, groups)
    scores = [np.where(draw < share, near, far) for share in (KNOWN_UNTOLD, KNOWN, 0.0)]
    return tuple(np.repeat(one, size) for one in scores)  # type: ignore[return-value]


def mean_of(share: float) -> float:
    return share * 0.005 + (1 - share) * IGNORANT


def coverage(sets: int) -> None:
    how = ForecastScoring({"m": date(2024, 1, 1)}, date(2023, 1, 1), draws=1000)
    untold, told, after = (mean_of(share) for share in (KNOWN_UNTOLD, KNOWN, 0.0))
    truths = {
        "gap": after - told,
        "share closed": (told - untold) / (after - untold),
        "penalty": told - untold,
    }
    for before_n, after_n, size in DESIGNS:
        held, given = dict.fromkeys(truths, 0), dict.fromkeys(truths, 0)
        rng = np.random.default_rng(before_n + size)
        for _ in range(sets):
            plain, cut, _ = drawn_scores(rng, before_n, size)
            _, _, post = drawn_scores(rng, after_n, size)
            total = before_n + after_n
            clusters = Clusters(np.arange(total) // size, [str(i) for i in range(total // size + 1)], how)
            before = np.arange(total) < before_n
            sides = [clusters.side(np.concatenate([values, post]), before) for values in (plain, cut)]
            ignorant = clusters.side(np.concatenate([cut, post]), ~before)
            penalty = clusters.side(np.concatenate([cut - plain, post]), before)
            found = {
                "gap": clusters.difference(ignorant, sides[1]),
                "share closed": clusters.ratio((sides[1], sides[0]), (ignorant, sides[0])),
                "penalty": clusters.mean(penalty),
            }
            for name, one in found.items():
                if one.low is not None and one.high is not None:
                    given[name] += 1
                    held[name] += one.low <= truths[name] <= one.high
        told_ = ", ".join(
            f"{name} {100 * held[name] / given[name]:.1f}%" if given[name] else f"{name}: none given"
            for name in truths
        )
        print(f"{before_n} before, {after_n} after, clusters of {size}: {told_} (of {sets} sets)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=9260)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--sets", type=int, default=1000)
    given = parser.parse_args()
    if given.coverage:
        coverage(given.sets)
    else:
        speed(given.questions, given.repeats)
