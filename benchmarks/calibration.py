"""Do the printed intervals hold what was planted? The whole chain, from prompt to interval, on simulated respondents.

    python benchmarks/calibration.py [--seeds 20] [--first 0] [--draws 2000] [--corpus FILE] [--only NAME]

Each seed is a respondent that knows other firms and years, in the same shares, and a run of its own of
``neuter.benchmark("masking")``. An interval is held against what the respondent is expected to score on the documents
of its row (``Respondent.expected``), which is known exactly. Wanted: at least 93% of the intervals hold it. Beside it
the peer: Wilson's interval over documents, as if those of a firm were independent.

Corpora: the sample of calls (24 firms) and of headlines (31 firms), and a composed one of 60 firms with 8 calls each.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl

import neuter
from neuter.firms.periods import period_end
from neuter.firms.universe import universe
from neuter.models.simulated import Planted, Respondent, respondent_of
from neuter.models.simulated.expected import answered_share
from neuter.scoring.statistics import wilson
from neuter.suites.panels import the_seven
from neuter.suites.planting import truths_of
from neuter.suites.run_folder import PANEL_A

WANTED = 0.93
#: Firms known by size, documents of a firm strongly alike, and answers that go wrong.
SPEC = (
    "large=0.8,mid=0.5,small=0.3,slips=0.05,lucky=0.05,years=0.6,correlation=0.7,quarters=0.6,dates=0.4,"
    "noise=2.5,early=0.7,refusals=0.04,truncated=0.03,malformed=0.12"
)
FIRMS, CALLS = 60, 8
#: The value of a failure in each of the bounded rows.
FAILURES = {"": None, "_all": 0.0, "_low": 0.0, "_high": 1.0}


@dataclass(frozen=True)
class Held:
    """One printed interval: its row, what was planted, and whether it (and the peer's, of a share) holds that."""

    corpus: str
    metric: str
    group: str
    firms: int
    planted: float
    low: float
    high: float
    peer: bool | None = None

    @property
    def holds(self) -> bool:
        # Scores are written with six digits.
        return self.low - 1e-5 <= self.planted <= self.high + 1e-5

    @property
    def counts_failures(self) -> bool:
        return self.metric.endswith(("_all", "_low", "_high"))


def composed(path: Path) -> Path:
    """A corpus of 60 firms of the universe with 8 calls each, a third of them of each size."""
    firms = [f for f in universe().firms if f.ticker and f.ticker.isalpha() and len(f.ticker) == 3][::7][
        :FIRMS
    ]
    rows = [
        _call(firm.ticker, firm.name, number, ("Large", "Mid", "Small")[place % 3])
        for place, firm in enumerate(firms)
        for number in range(CALLS)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _call(ticker: str, firm: str, number: int, size: str) -> dict[str, object]:
    year, quarter = 2018 + number // 4, number % 4 + 1
    held: date = period_end(year, quarter) + timedelta(days=28)
    return {
        "id": f"{ticker}-{year}Q{quarter}",
        "kind": "transcript",
        "ticker": ticker,
        "firm": firm,
        "date": held.isoformat(),
        "fiscal_year": year,
        "fiscal_quarter": quarter,
        "fiscal_year_end": 12,
        "size": size,
        "text": "Good morning. Our sales grew in the quarter, and we thank everyone for that.",
    }


def held(corpus: str, source: object, seed: int, draws: int, folder: Path) -> Iterator[Held]:
    """Every interval that one run of the suite prints about one respondent."""
    model, out = f"simulated/{SPEC},seed={seed}", folder / f"{corpus}-{seed}"
    result = neuter.benchmark(
        "masking",
        corpus=source,
        models=[model],
        schemes=["none"],
        draws=draws,
        seed=seed,
        out=out,
        store=folder / "store.sqlite",
    )
    panels, respondent = planted_in(out), respondent_of(model)
    expected = {panel: respondent.expected(truths) for panel, truths in panels.items()}
    printed = result.scores.filter(
        pl.col("attacker") == "llm", pl.col("ci_low").is_not_null(), pl.col("group_by") != "firm"
    )
    for row in printed.iter_rows(named=True):
        panel = "A" if row["panel"] == "A" else "B"
        found = _held(corpus, row, respondent, expected[panel], _members(row, panels[panel]))
        if found:
            yield found


def planted_in(out: Path) -> dict[str, list[Planted]]:
    """The truths of a run's documents: Panel A's, which may be borrowed from the sample, and all of the corpus."""
    inside = out / PANEL_A / "documents.parquet"
    whole = pl.read_parquet(out / "documents.parquet")
    seven = (
        pl.read_parquet(inside)
        if inside.exists()
        else whole.filter(pl.col("id").is_in(the_seven(whole)["id"].implode()))
    )
    return {"A": list(truths_of(seven).values()), "B": list(truths_of(whole).values())}


def _members(row: Mapping[str, object], truths: Sequence[Planted]) -> Sequence[Planted]:
    if row["group_by"] == "all":
        return truths
    return [truth for truth in truths if getattr(truth, str(row["group_by"])) == row["group"]]


def _held(
    corpus: str,
    row: Mapping[str, float | str],
    respondent: Respondent,
    expected: Mapping[str, Mapping[str, float]],
    members: Sequence[Planted],
) -> Held | None:
    """The row beside what was planted; None for a metric that is not planted (skill)."""
    metric = str(row["metric"])
    ending = next((e for e in ("_all", "_low", "_high") if metric.endswith(e)), "")
    by_id = expected.get(metric.removesuffix(ending))
    inside = [truth for truth in members if by_id and truth.id in by_id]
    if by_id is None or not inside:
        return None
    planted = sum(by_id[truth.id] for truth in inside) / len(inside)
    failure, answered = FAILURES[ending], answered_share(respondent)
    if failure is not None:
        planted = planted * answered + failure * (1 - answered)
    scale = 100.0 if row["unit"] == "percent" else 1.0
    group = f"{row['panel']} {row['group_by']}"
    firms = len({truth.cluster for truth in inside})
    peer = None
    if row["unit"] == "percent" and not ending:
        ends = wilson(round(float(row["value"]) * int(row["n"]) / 100), int(row["n"]))
        peer = (ends.low or 0.0) <= planted <= (ends.high or 1.0)
    low, high = float(row["ci_low"]), float(row["ci_high"])
    return Held(corpus, metric, group, firms, planted * scale, low, high, peer)


def table(title: str, rows: Iterable[Held], key: Callable[[Held], Any]) -> None:
    """Prints how many intervals there are of each key, and how many of them hold what was planted."""
    counted: dict[Any, list[Held]] = {}
    for row in rows:
        counted.setdefault(key(row), []).append(row)
    print(f"\n{title:<44}{'intervals':>10}{'hold':>8}{'peer':>8}")
    for name, of in sorted(counted.items()):
        shown = ", ".join(name) if isinstance(name, tuple) else name
        peers = [row.peer for row in of if row.peer is not None]
        peer = f"{100 * sum(peers) / len(peers):>7.1f}%" if peers else ""
        print(f"{shown:<44}{len(of):>10}{100 * sum(row.holds for row in of) / len(of):>7.1f}%{peer}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--corpus", help="one more corpus, of your own")
    parser.add_argument("--only", choices=("calls", "headlines", "composed", "given"))
    options = parser.parse_args()
    # A simulated model's long name leaves the report's figures no room; the figures are not looked at here.
    warnings.filterwarnings("ignore", message="constrained_layout not applied")
    started = time.perf_counter()
    rows: list[Held] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpora = {
            "calls": "corpora:sample",
            "headlines": "corpora:sample/headlines",
            "composed": composed(folder / "composed.jsonl"),
            **({"given": options.corpus} if options.corpus else {}),
        }
        for corpus, source in corpora.items():
            if options.only in (None, corpus):
                for seed in range(options.first, options.first + options.seeds):
                    rows += held(corpus, source, seed, options.draws, folder)
    report(rows, options.seeds, time.perf_counter() - started)
    return 0 if all(share >= WANTED for share in shares(rows).values()) else 1


def shares(rows: Sequence[Held]) -> dict[str, float]:
    """The share of intervals that hold what was planted, in all and by corpus."""
    named = {"all": list(rows)} | {
        corpus: [row for row in rows if row.corpus == corpus]
        for corpus in dict.fromkeys(r.corpus for r in rows)
    }
    return {name: sum(row.holds for row in of) / len(of) for name, of in named.items()}


def report(rows: Sequence[Held], seeds: int, seconds: float) -> None:
    """Prints everything that was counted."""
    plain = [row for row in rows if not row.counts_failures]
    table("metric (over answered documents)", plain, lambda row: row.metric)
    table("corpus, panel, group", plain, lambda row: (row.corpus, row.group))
    table("number of firms", plain, lambda row: row.firms)
    bounds = [row for row in rows if row.counts_failures]
    table("over all documents (METRIC_all, _low, _high)", bounds, lambda row: row.corpus)
    print(f"\n{len(rows)} intervals of {seeds} respondents in {seconds:.0f} s; wanted {100 * WANTED:.0f}%")
    for name, share in shares(rows).items():
        print(f"{name:<12}{100 * share:>7.1f}%  {'PASS' if share >= WANTED else 'FAILS'}")


if __name__ == "__main__":
    sys.exit(main())
