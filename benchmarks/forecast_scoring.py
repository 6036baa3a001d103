"""Scores a million forecasts with all tables of the suite ignorance: seconds and memory.

    python benchmarks/forecast_scoring.py [--questions 9260] [--repeats 3]

Nine models, four conditions, three runs: with 9,260 questions, 1,000,080 forecasts. Every question has a domain, a
crowd and a base rate, every fifth belongs to an event with others, one in fifty calls fails. Memory is this process's
peak, data included. Seconds are those of a clock; beside them CPU seconds, for a machine that does something else too.
The peer is the plain bootstrap that redraws the questions of one gap 2,000 times in numpy; it is timed on one and
multiplied up by the gaps of the table. How often the intervals hold the truth: forecast_coverage.py.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from datetime import date, timedelta

import numpy as np
import polars as pl

from neuter.questions.schema import DOMAINS
from neuter.scoring.forecasts import ForecastScoring, score_forecasts
from neuter.scoring.forecasts.schema import CONDITIONS

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
MOST_SECONDS, MOST_MEGABYTES = 30.0, 2000.0


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
            "cluster": np.where(rng.random(count) < 0.2, (np.arange(count) // 25).astype(str), ""),
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


def speed(count: int, repeats: int) -> bool:
    """Prints seconds and memory; whether both are within their bounds."""
    questions, forecasts = made(count)
    how = ForecastScoring(CUTOFFS, date(2023, 1, 1), GROUPS)
    clock, busy = [], []
    for _ in range(repeats):
        start, used = time.perf_counter(), time.process_time()
        scored = score_forecasts(questions, forecasts, how)
        clock.append(time.perf_counter() - start)
        busy.append(time.process_time() - used)
    seconds = statistics.median(clock)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{forecasts.height:,} forecasts into {scored.frame.height:,} rows and {scored.tests.height} tests: "
        f"{seconds:.1f} s (median of {repeats}; CPU {statistics.median(busy):.1f} s), peak {peak:,.0f} MB"
    )
    gaps = scored.frame.filter(pl.col("metric").str.starts_with("si_ti_gap")).height
    once = redrawn(count)
    print(f"peer: 2,000 redraws of one gap in numpy {once:.2f} s; of all {gaps:,} gaps {once * gaps:,.0f} s")
    fine = seconds < MOST_SECONDS and peak < MOST_MEGABYTES
    print(f"under {MOST_SECONDS:.0f} s and {MOST_MEGABYTES:,.0f} MB: {'PASS' if fine else 'FAILS'}")
    return fine


def redrawn(count: int) -> float:
    """Seconds for a plain bootstrap of one gap."""
    rng = np.random.default_rng(1)
    pre, post = rng.beta(1, 4, count // 3), rng.beta(2, 4, count // 2)
    start = time.perf_counter()
    drawn = [rng.choice(post, post.size).mean() - rng.choice(pre, pre.size).mean() for _ in range(2000)]
    np.quantile(drawn, [0.025, 0.975])
    return time.perf_counter() - start


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=9260)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args(arguments)
    return 0 if speed(asked.questions, asked.repeats) else 1


if __name__ == "__main__":
    sys.exit(main())
