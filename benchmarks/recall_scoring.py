"""Scores 500,000 answers into all rows of the recall suites, with intervals: time and memory.

    python benchmarks/recall_scoring.py [--series 60] [--days 8300] [--repeats 3]
    python benchmarks/recall_scoring.py --coverage [--seeds 1000]
    python benchmarks/recall_scoring.py --cutoffs [--seeds 400]

The answers are of daily closes with a second reading, confidences, refusals and histories, so that every figure of
numbers is there, in four splits. Memory is this process's peak above what it held before. The peer is the plain way to
an interval that respects dependence: a circular block bootstrap that draws 2,000 times from the series; it is timed
on one figure and multiplied up. ``--coverage`` says how often the intervals hold the truth, beside block bootstraps;
``--cutoffs`` does the same for the month at which recall breaks.
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
from scipy.special import ndtr

from neuter.scoring.recall import RecallScoring, score_recall
from neuter.scoring.recall.block_bootstrap import block_interval
from neuter.scoring.recall.change_point import bayes_factor, evidence, posterior
from neuter.scoring.recall.effective_cutoff import LEAST_FACTOR
from neuter.scoring.recall.intervals import over_time
from neuter.scoring.recall.sample import Sample
from neuter.scoring.recall.schema import ANSWERS_SCHEMA, QUESTIONS_SCHEMA

Floats = NDArray[np.float64]
CUTOFF = date(2023, 10, 1)


def days(n: int) -> list[date]:
    """The last n weekdays before June 2026."""
    found, day = [], date(2026, 6, 1)
    while len(found) < n:
        day -= timedelta(days=1)
        if day.weekday() < 5:
            found.append(day)
    return found[::-1]


def one_series(name: str, on: list[date], seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Questions with answers of a series whose closes are known until the cutoff, and its history."""
    rng, n = np.random.default_rng(seed), len(on)
    close = np.round(100 * np.exp(np.cumsum(rng.normal(0.0003, 0.01, n))), 2)
    factor = np.where(np.arange(n) < n // 2, 0.25, 1.0)
    known = (rng.random(n) < 0.8) & np.array([day < CUTOFF for day in on])
    said = np.round(np.where(known, close, close * (1 + 0.1 * rng.standard_normal(n))), 2)
    refused = rng.random(n) < 0.02

    def before(values: Floats, by: int) -> Floats:
        return np.concatenate([np.full(by, np.nan), values[:-by]])

    adjusted = np.round(close * factor, 4)
    told = {
        "id": [f"{name} {day}" for day in on],
        "suite": "indices",
        "panel": "daily_levels",
        "series": name,
        "task": "level",
        "condition": "none",
        "date": on,
        "cluster": "",
        "truth": close,
        "other": adjusted,
        "other_reading": "split_adjusted",
        "previous": before(close, 1),
        "previous_other": before(adjusted, 1),
        "year_ago": before(close, 252),
        "threshold": 100.0,
        "digits": 2,
        "prompt": "",
        "model": "m",
        "outcome": np.where(refused, "refused", "answered"),
        "number": np.where(refused, np.nan, said),
        "confidence": np.where(refused, np.nan, rng.choice([70.0, 80.0, 90.0, 95.0], n)),
    }
    frame = pl.DataFrame(told).with_columns(pl.col(pl.Float64).fill_nan(None))
    schema = QUESTIONS_SCHEMA | ANSWERS_SCHEMA
    absent = [pl.lit(None, dtype=kind).alias(key) for key, kind in schema.items() if key not in told]
    frame = frame.with_columns(absent).cast(dict(schema)).select(list(schema))
    return frame, pl.DataFrame({"date": on, "value": close, "other": adjusted})


def speed(series: int, n: int, repeats: int) -> None:
    on = days(n)
    made = [one_series(f"S{number:02d}", on, number) for number in range(series)]
    asked = pl.concat([frame for frame, _ in made])
    actual = {f"S{number:02d}": history for number, (_, history) in enumerate(made)}
    how = RecallScoring("indices", "m", CUTOFF, date(2014, 1, 1))
    score_recall(one_series("warm", on[-300:], 0)[0], how, {})
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        scored = score_recall(asked, how, actual)
        seconds.append(time.perf_counter() - began)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with_interval = scored.frame["ci_low"].is_not_null().sum()
    print(f"{asked.height} answers, {scored.frame.height} rows, {with_interval} of them with an interval")
    print(
        f"ours: {statistics.median(seconds):.1f} s (median of {repeats}: {min(seconds):.1f} to {max(seconds):.1f})"
    )
    print(f"memory: {(peak - held) / 1024:.0f} MB above {held / 1024:.0f} MB, {peak / 1024:.0f} MB in all")
    errors = np.abs(np.random.default_rng(0).standard_normal(n))
    began = time.perf_counter()
    block_interval(errors, seed=0, draws=2000)
    once = time.perf_counter() - began
    print(
        f"block bootstrap: {once * 1000:.0f} ms a figure of {n} answers, some {once * with_interval:.0f} s for as many"
    )


def autoregressive(n: int, rho: float, seeds: int, rng: np.random.Generator) -> Floats:
    """Rows of AR(1) series with a variance of 1."""
    drawn = rng.standard_normal((seeds, n + 100))
    for at in range(1, n + 100):
        drawn[:, at] = rho * drawn[:, at - 1] + np.sqrt(1 - rho**2) * drawn[:, at]
    return drawn[:, 100:]


def coverage(seeds: int) -> None:
    """How often intervals hold the truth; a cell has coverage and median width, ours then the block bootstrap's."""
    rng = np.random.default_rng(1)
    print("| kind | n | rho | ours | block bootstrap |\n|---|---|---|---|---|")
    for n in (17, 60, 134, 400):
        for rho in (0.0, 0.3, 0.6):
            latent, second = (autoregressive(n, rho, seeds, rng) for _ in range(2))
            wrong = np.abs(second) * (ndtr(latent) > 0.8)
            mean = float(np.sqrt(2 / np.pi))
            cells = {
                "mean error": ("mean", latent, 0.0, False),
                "mean absolute error": ("mean", np.abs(latent), mean, True),
                "the same, 80% known": ("mean", wrong, 0.2 * mean, True),
                "share of 50%": ("share", (latent > 0).astype(float), 0.5, True),
                "share of 80%": ("share", (ndtr(latent) < 0.8).astype(float), 0.8, True),
                "share of 95%": ("share", (ndtr(latent) < 0.95).astype(float), 0.95, True),
            }
            for name, (kind, rows, truth, positive) in cells.items():
                none = np.zeros(n, dtype=np.int64)
                ours = [over_time(Sample(kind, row, None, none, positive), 0.95) for row in rows]
                theirs = [
                    block_interval(row, seed=at, draws=500) for at, row in enumerate(rows[: min(seeds, 500)])
                ]
                told = " | ".join(_held([(i.low, i.high) for i in some], truth) for some in (ours, theirs))
                print(f"| {name} | {n} | {rho} | {told} |", flush=True)
            stated = np.round(2 * second) / 2
            pairs = [Sample("correlation", s, np.abs(e), none) for s, e in zip(stated, latent, strict=True)]
            found = [over_time(sample, 0.95) for sample in pairs]
            print(f"| correlation of 0 | {n} | {rho} | {_held([(i.low, i.high) for i in found], 0.0)} | |")
            pairs = [Sample("skill", abs(a) / 2, abs(b), none) for a, b in zip(latent, second, strict=True)]
            found = [over_time(sample, 0.95) for sample in pairs]
            print(
                f"| skill of 0.5 | {n} | {rho} | {_held([(i.low, i.high) for i in found], 0.5)} | |",
                flush=True,
            )


def _held(ends: list[tuple[float | None, float | None]], truth: float) -> str:
    there = np.array([pair for pair in ends if pair[0] is not None], dtype=float)
    held = ((there[:, 0] <= truth) & (truth <= there[:, 1])).mean()
    return f"{100 * held:.1f}; {np.median(there[:, 1] - there[:, 0]):.2f}"


def cutoffs(seeds: int) -> None:
    """How often a break is found, and how often its interval holds the planted month; then without any break."""
    rng, cut = np.random.default_rng(3), (2023 - 1970) * 12 + 9
    months = np.arange(240, 674)
    kinds = {"monthly": months, "quarterly": months[::3], "daily": np.repeat(months, 21), "60 months": None}
    print("| questions | known | noise | found | holds | width (months) |\n|---|---|---|---|---|---|")
    for breaks in (True, False):
        for kind, grid in kinds.items():
            for share, noise in ((0.3, 0.05), (0.3, 0.2), (0.6, 0.1), (0.9, 0.1), (1.0, 0.1)):
                if not breaks and share == 1:
                    continue
                found, held, width = 0, 0, []
                for _ in range(seeds):
                    month = np.sort(rng.choice(months, 60, replace=False)) if grid is None else grid
                    known = (rng.random(month.size) < share) & ((month < cut) | (not breaks))
                    errors = np.where(known, 0, np.abs(noise * rng.standard_normal(month.size)))
                    told = evidence(month, errors, np.zeros(month.size, dtype=bool))
                    if bayes_factor(told) >= LEAST_FACTOR:
                        ends = posterior(told, 0.95)
                        found, held = found + 1, held + (ends.low <= cut <= ends.high)
                        width.append(ends.high - ends.low)
                holds = f"{100 * held / found:.1f}" if found and breaks else "-"
                wide = f"{np.median(width):.0f}" if found and breaks else "-"
                known = f"{100 * share:.0f}%" + ("" if breaks else ", no break")
                print(
                    f"| {kind} | {known} | {100 * noise:.0f}% | {100 * found / seeds:.1f} | {holds} | {wide} |",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--series", type=int, default=60)
    parser.add_argument("--days", type=int, default=8300)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--cutoffs", action="store_true")
    parser.add_argument("--seeds", type=int, default=1000)
    told = parser.parse_args()
    if told.coverage:
        coverage(told.seeds)
    elif told.cutoffs:
        cutoffs(told.seeds)
    else:
        speed(told.series, told.days, told.repeats)


if __name__ == "__main__":
    main()
