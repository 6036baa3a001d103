"""Do the intervals of the recall suites hold what was planted? The whole chain, from question to interval.

    python benchmarks/recall_recovery.py [--seeds 20] [--first 0] [--draws 2000] [--only NAME]

Each seed is a respondent that knows other values, in the same shares, and runs of its own of ``neuter.benchmark``. An
interval is held against what the respondent is expected to score on the very questions of its row
(``neuter.models.simulated.expected_recall``), which is known exactly. Planted are the share known exactly and the noise
of the rest, the cutoff's month, the share of refusals, the accuracy of directions, and a model that remembers
split-adjusted prices. Wanted: at least 93% of the intervals hold the truth, in all and for each quantity.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from neuter import api
from neuter.models.simulated import respondent_of
from neuter.models.simulated.expected_recall import expected_recall

WANTED = 0.93
KEYS = ["panel", "series", "condition", "split", "metric"]
#: Metrics by the quantity that they recover.
QUANTITIES = {
    "recall noise": (
        "mean_error",
        "mean_absolute_error",
        "mean_percent_error",
        "mean_absolute_percent_error",
        "exact_share",
        "within_1_percent",
    ),
    "direction": ("directional_accuracy", "directional_accuracy_change", "accuracy"),
    "refusals": ("refusal_share",),
    "dates": (
        "year_accuracy",
        "month_year_accuracy",
        "exact_date_accuracy",
        "mean_days_difference",
        "mean_absolute_days_difference",
    ),
    "cutoff month": ("effective_cutoff",),
}


@dataclass(frozen=True)
class Case:
    """A suite with its parameters, and the respondent that it asks."""

    suite: str
    settings: str
    parameters: Mapping[str, Any]


CASES = {
    "macro": Case("macro", "values=0.6,value_noise=0.08,refusals=0.05,cutoff=2023-10", {}),
    "macro, noisy after the cutoff": Case(
        "macro", "values=0.3,value_noise=0.02,late_noise=0.2,refusals=0.1,cutoff=2021-06", {}
    ),
    "indices": Case(
        "indices",
        "values=0.5,value_noise=0.05,refusals=0.03,cutoff=2023-10",
        {"every": "month", "panels": ["daily_levels", "monthly_directions", "yearly_pairs"]},
    ),
    "stocks, split-adjusted": Case(
        "stocks", "values=0.7,value_noise=0.1,refusals=0.05,cutoff=2023-10,prices=split_adjusted", {}
    ),
    "stocks, traded": Case("stocks", "values=0.7,value_noise=0.1,cutoff=2023-10", {"panels": ["all"]}),
    "headlines": Case(
        "headlines", "dates=0.4,years=0.5,values=0.5,value_noise=0.1,refusals=0.05,cutoff=2023-10", {}
    ),
    "portfolios": Case("portfolios", "values=0.4,value_noise=0.1,refusals=0.1,cutoff=2023-10", {}),
}


def recovered(case: Case, seed: int, draws: int, folder: Path) -> pl.DataFrame:
    """A row for each interval with a planted truth: the keys, value, ci_low, ci_high, n and ``truth``."""
    model = f"simulated/{case.settings},seed={seed}"
    result = api.benchmark(
        case.suite,
        models=[model],
        out=folder / "run",
        overwrite=True,
        store=folder / "store.sqlite",
        seed=seed,
        draws=draws,
        report=False,
        **case.parameters,
    )
    questions = pl.read_parquet(folder / "run" / "questions.parquet")
    truth = expected_recall(respondent_of(model), questions).rename({"value": "truth"})
    scores = result.scores.filter(attacker="llm").select(*KEYS, "value", "ci_low", "ci_high", "n")
    return scores.join(truth, on=KEYS, how="inner").with_columns(pl.lit(seed).alias("seed"))


def quantity(metric: str) -> str:
    """Which planted quantity a metric recovers."""
    return next((name for name, metrics in QUANTITIES.items() if metric in metrics), metric)


def report(found: pl.DataFrame, title: str) -> float:
    """Print the coverage by quantity and return the lowest."""
    held = (pl.col("ci_low") <= pl.col("truth") + 1e-9) & (pl.col("truth") - 1e-9 <= pl.col("ci_high"))
    known = found.with_columns(
        held.alias("held"),
        pl.col("metric").map_elements(quantity, return_dtype=pl.String).alias("quantity"),
        pl.col("ci_low").is_null().alias("none"),
    )
    table = known.group_by("quantity", maintain_order=True).agg(
        (~pl.col("none")).sum().alias("intervals"),
        pl.col("none").sum().alias("without"),
        pl.col("held").filter(~pl.col("none")).mean().alias("held"),
    )
    for row in table.iter_rows(named=True):
        share = "" if row["held"] is None else f"{row['held']:7.1%}"
        print(
            f"  {title:32} {row['quantity']:14} {row['intervals']:6,} intervals, {row['without']:3} without {share}"
        )
    return float(table["held"].drop_nulls().min())  # type: ignore[arg-type]


def run(names: list[str], seeds: range, draws: int) -> Iterator[tuple[str, pl.DataFrame]]:
    """Each case over all seeds."""
    for name in names:
        with tempfile.TemporaryDirectory() as scratch:
            parts = [recovered(CASES[name], seed, draws, Path(scratch)) for seed in seeds]
        yield name, pl.concat(parts)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--only", choices=CASES, action="append")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    begun, found = time.perf_counter(), []
    for name, rows in run(
        asked.only or list(CASES), range(asked.first, asked.first + asked.seeds), asked.draws
    ):
        report(rows, name)
        found.append(rows.with_columns(pl.lit(name).alias("case")))
    every = pl.concat(found)
    lowest = report(every, "ALL")
    if asked.out:
        every.write_parquet(asked.out)
    print(
        f"{asked.seeds} seeds in {time.perf_counter() - begun:.0f} s; lowest {lowest:.1%}, wanted {WANTED:.0%}"
    )
    return 0 if lowest >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
