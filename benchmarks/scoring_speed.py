"""Scores a million guesses of 5,000 firms, with intervals, against resampling the rows in a loop.

    python benchmarks/scoring_speed.py [--guesses 1000000] [--firms 5000] [--draws 2000] [--repeats 3]

Ours is ``neuter.scoring.score_identification`` as it is called in a run: it matches the guesses with the firms, and
gives over ten metrics with intervals for all documents and three sizes, beside rows for each firm. The peer is the
plain way: for each metric and group, draw firms with replacement, gather the rows of the drawn firms, take their mean.
It is timed on a few draws of one metric and one group and multiplied up, since the whole of it would take hours; the
figures of its one cell are compared with ours. Memory is this process's peak above what it held before.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from itertools import pairwise

import numpy as np
import polars as pl

from neuter.firms.universe import universe
from neuter.scoring import score_identification


def corpus(n: int, n_firms: int, seed: int = 0) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Documents of firms of the universe, and guesses: right, another firm, unanswered; by ticker."""
    rng = np.random.default_rng(seed)
    firms = [f for f in universe().firms if f.ticker and f.cik][:n_firms]
    at = rng.integers(0, len(firms), n)
    year, quarter = rng.integers(2010, 2024, n), rng.integers(1, 5, n)
    tickers = np.array([f.ticker for f in firms])
    known = rng.random(len(firms)) < 0.5
    guessed = np.where(known[at] & (rng.random(n) < 0.9), at, rng.integers(0, len(firms), n))
    ids = np.arange(n).astype(str)
    truth = pl.DataFrame(
        {
            "id": ids,
            "kind": pl.Series(["transcript"]).new_from_index(0, n),
            "ticker": tickers[at],
            "cik": np.array([f.cik for f in firms])[at],
            "fiscal_year": year,
            "fiscal_quarter": quarter,
            "fiscal_year_end": np.full(n, 12),
            "size": np.array(["Large", "Mid", "Small"])[np.arange(len(firms)) % 3][at],
        }
    )
    outcome = rng.choice(["answered", "refused", "failed"], n, p=[0.95, 0.03, 0.02])
    guesses = pl.DataFrame(
        {
            "id": ids,
            "scheme": ["rules"] * n,
            "attacker": ["llm"] * n,
            "model": ["m"] * n,
            "outcome": outcome,
            "firm": tickers[guessed],
            "year": year + rng.integers(-2, 3, n),
            "quarter": rng.integers(1, 5, n),
        }
    )
    return truth, guesses


def rows_in_a_loop(right: np.ndarray, firm: np.ndarray, draws: int) -> tuple[float, float, float]:
    """Seconds a draw, and the interval: firms drawn with replacement, their rows gathered and averaged."""
    rng = np.random.default_rng(1)
    order = np.argsort(firm, kind="stable")
    starts = np.searchsorted(firm[order], np.arange(firm.max() + 2))
    rows = [order[a:b] for a, b in pairwise(starts)]
    began = time.perf_counter()
    means = []
    for _ in range(draws):
        drawn = np.concatenate([rows[i] for i in rng.integers(0, len(rows), len(rows))])
        means.append(right[drawn].mean())
    seconds = (time.perf_counter() - began) / draws
    low, high = np.quantile(means, [0.025, 0.975])
    return seconds, 100 * low, 100 * high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--guesses", type=int, default=1_000_000)
    parser.add_argument("--firms", type=int, default=5000)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    truth, guesses = corpus(options.guesses, options.firms)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = []
    for _ in range(options.repeats):
        began = time.perf_counter()
        scores = score_identification(truth, guesses, draws=options.draws)
        seconds.append(time.perf_counter() - began)
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    ours = statistics.median(seconds)
    main_rows = scores.filter(pl.col("group_by").is_in(["all", "size"]), pl.col("ci_low").is_not_null())
    cells = main_rows.height
    own = scores.filter(pl.col("metric") == "firm_accuracy", pl.col("group_by") == "all").row(0, named=True)

    answered = (guesses["outcome"] == "answered").to_numpy()
    right = (guesses["firm"] == truth["ticker"]).to_numpy()[answered].astype(float)
    firm = truth["ticker"].cast(pl.Categorical).to_physical().to_numpy()[answered].astype(np.int64)
    a_draw, low, high = rows_in_a_loop(right, firm, 20)
    peer = a_draw * options.draws * cells
    print(f"{options.guesses:,} guesses, {options.firms:,} firms, {options.draws:,} draws")
    print(
        f"metrics {main_rows['metric'].n_unique()}, cells with an interval {cells}, rows in all {scores.height:,}"
    )
    print(f"neuter: {ours:.2f} s (median of {options.repeats}), peak memory +{peak:,.0f} MB over the data's")
    print(
        f"rows in a loop: {a_draw * 1000:.1f} ms a draw and cell, so {peer:,.0f} s: {peer / ours:,.0f} times as long"
    )
    print(f"  for 10 metrics and 4 groups alone: {a_draw * options.draws * 40:,.0f} s")
    print(
        f"firm accuracy: {own['value']:.3f} [{own['ci_low']:.3f}, {own['ci_high']:.3f}]; "
        f"the loop's {100 * right.mean():.3f} [{low:.3f}, {high:.3f}] from 20 draws"
    )


if __name__ == "__main__":
    main()
