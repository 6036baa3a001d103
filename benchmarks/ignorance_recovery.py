"""Do the figures of the suite ignorance hold what was planted? The whole chain, from question to interval and verdict.

    python benchmarks/ignorance_recovery.py [--seeds 20] [--first 0] [--draws 2000] [--failures | --direct] [--out FILE]
    python benchmarks/ignorance_recovery.py --read FILE [FILE ...]

Each seed is four respondents (one that forgets when told, one that does not, one half-way, one that reasons and leaks
with clean traces), composed questions of its own, and one run of ``neuter.benchmark("ignorance")``. An interval is held
against what the respondents are expected to score over all seeds (``neuter.models.simulated.expected_forecasts``),
which is known exactly: intervals are over questions. A break is held against the planted cutoff's month. Wanted: at
least 93% of the intervals hold the truth, for each quantity, and the right verdict in at least 90%.

``--failures`` adds refusals, malformed and truncated answers. ``--direct`` scores the same forecasts without asking,
for many seeds: models of one seed share their draws, so 20 seeds tell less than the number of intervals says.
``--read`` adds up what ``--out`` kept of several parts.

What a chain of thought changes (``cot_effect``) falls short under the default settings: it turns 5% of the ignorant
forecasts to the other side, which of the models that leak is one or two questions in 200, and a sample that happens to
hold none of them shows no effect. It is printed, and not among what is wanted. ``--settings disrupts=0.2,thinks=0.6``
plants one that more questions carry.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import polars as pl

from ignorance_planted import CUTOFF, FAILURES, KEYS, SETTINGS, composed_questions, models_of, planted_truths
from neuter import api
from neuter.models.simulated import Planted, Respondent, respondent_of
from neuter.models.simulated.asked_for import AskedFor
from neuter.models.simulated.forecasting import forecast
from neuter.questions import resolved_frame, write_questions
from neuter.scoring.forecasts import ForecastScoring, score_forecasts
from neuter.scoring.forecasts.schema import CONDITIONS, FORECAST_SCHEMA, WITHOUT_CUTOFF, WITHOUT_REASONING

WANTED, RIGHT_VERDICTS = 0.93, 0.9
#: What too few questions carry to be recovered (see above).
_SPARSE = "cot_effect"


# A run, and what it recovered


@dataclass(frozen=True)
class Study:
    """What is asked of whom, how often, and the seed and draws of the bootstrap."""

    questions: pl.DataFrame
    models: list[str]
    seed: int
    draws: int
    runs: int


def recovered(
    seed: int, folder: Path, *, draws: int, more: str, direct: bool, runs: int = 3
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A row for each figure with a planted truth (KEYS, value, ends, truth, seed); and the verdicts."""
    questions, models = composed_questions(seed), models_of(seed, more)
    study = Study(questions, models, seed, draws, runs)
    scores, verdicts = scored_directly(study) if direct else through_the_chain(study, folder)
    truths = planted_truths(models, questions, runs)
    told = scores.filter(pl.col("series") == "").select(*KEYS, "value", "ci_low", "ci_high")
    found = told.join(truths, on=KEYS, how="inner").with_columns(short_model(), seed=pl.lit(seed))
    kinds = pl.DataFrame(verdicts, schema=["model", "condition", "kind"], orient="row")
    return found, kinds.with_columns(short_model(), seed=pl.lit(seed))


def through_the_chain(study: Study, folder: Path) -> tuple[pl.DataFrame, list[tuple[str, str, str]]]:
    """Scores and verdicts of ``neuter.benchmark``."""
    file, out = folder / "questions.parquet", folder / "run"
    write_questions(study.questions, file)
    result = api.benchmark(
        "ignorance",
        questions=file,
        models=study.models,
        runs=study.runs,
        out=out,
        overwrite=True,
        store=folder / "store.sqlite",
        seed=study.seed,
        draws=study.draws,
        report=False,
    )
    verdicts = json.loads((out / "run.json").read_text(encoding="utf-8"))["verdicts"]
    return result.scores, [(one["model"], one["condition"], one["kind"]) for one in verdicts]


def scored_directly(study: Study) -> tuple[pl.DataFrame, list[tuple[str, str, str]]]:
    """The same of forecasts that nobody was asked for: no prompt, runner, store, parser or trace."""
    made = {model: respondent_of(model) for model in study.models}
    rows = [
        (id_, model, condition, run, "answered", forecast_of(one, condition, f"{id_}#{run}", day, outcome))
        for condition in CONDITIONS
        for model, one in made.items()
        for id_, day, outcome in study.questions.select("id", "resolution_date", "resolution").iter_rows()
        for run in range(study.runs)
    ]
    schema = {name: kind for name, kind in FORECAST_SCHEMA.items() if name not in ("answer", "reason")}
    how = ForecastScoring(
        cutoffs={model: one.cutoff for model, one in made.items() if one.cutoff},
        simulated_cutoff=CUTOFF,
        groups={model: "reasoning" if one.reasoning else "non_reasoning" for model, one in made.items()},
        seed=study.seed,
        draws=study.draws,
    )
    forecasts = pl.DataFrame(rows, schema=schema, orient="row")
    scored = score_forecasts(resolved_frame(study.questions), forecasts, how)
    return scored.frame, [(one.model, one.condition, one.kind) for one in scored.verdicts]


def forecast_of(respondent: Respondent, condition: str, id_: str, day: date, outcome: int) -> float:
    """One run's probability."""
    told = condition in WITHOUT_CUTOFF
    asked = AskedFor(
        "forecast",
        thinks=condition in WITHOUT_REASONING,
        forget_from=CUTOFF if told else None,
        told_by="user" if told else "",
    )
    planted = Planted(id_, kind="forecast", date=day, value="yes" if outcome else "no")
    made = forecast(respondent, planted, asked)
    assert made is not None
    return made.probability


def short_model() -> pl.Expr:
    """A respondent's preset, in place of its whole name."""
    return pl.col("model").str.extract(r"^simulated/([a-z-]+)").fill_null("mean").alias("model")


def quantities(found: pl.DataFrame) -> pl.DataFrame:
    """By quantity: intervals, figures without one, and the share of the intervals that hold the truth."""
    low, truth, high = (pl.col(name) for name in ("ci_low", "truth", "ci_high"))
    planted = found.filter(truth.is_not_null()).with_columns(
        quantity=pl.col("metric")
        + pl.when(pl.col("panel") == "own").then(pl.lit(", own cutoffs")).otherwise(pl.lit(""))
        + pl.when(pl.col("group_by") == "domain").then(pl.lit(", by domain")).otherwise(pl.lit("")),
        held=(low <= truth + 1e-9) & (truth - 1e-9 <= high),
    )
    return (
        planted.group_by("quantity")
        .agg(
            pl.col("held").count().alias("intervals"),
            pl.col("held").null_count().alias("without"),
            pl.col("held").mean(),
        )
        .sort("quantity")
    )


def report(found: pl.DataFrame, verdicts: pl.DataFrame) -> bool:
    """Print what was recovered; whether all of it is as wanted."""
    table = quantities(found)
    for name, intervals, without, held in table.iter_rows():
        print(f"  {name:38} {intervals:7,} intervals, {without:4} without {held:8.1%}")
    wanted = table.filter((pl.col("intervals") > 0) & ~pl.col("quantity").str.contains(_SPARSE))
    lowest = wanted.sort("held").row(0, named=True)
    unplanted = found.filter((pl.col("metric") == "break_date_error") & pl.col("truth").is_null())
    print(
        f"\nBreaks found where none was planted: {unplanted['value'].count()} of {unplanted.height}\n\nVerdicts"
    )
    counts = verdicts.group_by("model", "condition", "kind").len().sort("model", "condition", "kind")
    for model, condition, kind, count in counts.iter_rows():
        print(f"  {model:16} {condition:4} {kind:14} {count:4}")
    forgets = _share(verdicts, "forgets", ("no_evidence", "can_stand"))
    leaks = _share(verdicts, "leaks", ("cannot_stand",))
    print(
        f"\nforgets: no evidence of leakage in {forgets:.0%}; leaks: cannot stand in {leaks:.0%} "
        f"(wanted {RIGHT_VERDICTS:.0%})\nlowest: {lowest['quantity']} {lowest['held']:.1%}, wanted {WANTED:.0%}"
    )
    return lowest["held"] >= WANTED and min(forgets, leaks) >= RIGHT_VERDICTS


def _share(verdicts: pl.DataFrame, model: str, kinds: tuple[str, ...]) -> float:
    of_model = verdicts.filter(pl.col("model") == model)
    return float(of_model["kind"].is_in(kinds).mean() or 0.0)  # type: ignore[arg-type]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--settings", default=SETTINGS, help=f"of all four (default {SETTINGS})")
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--direct", action="store_true")
    parser.add_argument("--out", type=Path, help="a .parquet file; the verdicts go beside it")
    parser.add_argument("--read", type=Path, nargs="+")
    asked = parser.parse_args()
    if asked.read:
        parts = [(pl.read_parquet(file), pl.read_parquet(_beside(file))) for file in asked.read]
        found, verdicts = (pl.concat(some) for some in zip(*parts, strict=True))
        return 0 if report(found, verdicts) else 1
    more = f"{asked.settings},{FAILURES}" if asked.failures else asked.settings
    begun, parts = time.perf_counter(), []
    for seed in range(asked.first, asked.first + asked.seeds):
        with tempfile.TemporaryDirectory() as scratch:
            parts.append(recovered(seed, Path(scratch), draws=asked.draws, more=more, direct=asked.direct))
    found, verdicts = (pl.concat(some) for some in zip(*parts, strict=True))
    if asked.out:
        found.write_parquet(asked.out)
        verdicts.write_parquet(_beside(asked.out))
    fine = report(found, verdicts)
    print(f"{asked.seeds} seeds in {time.perf_counter() - begun:.0f} s")
    return 0 if fine else 1


def _beside(file: Path) -> Path:
    return file.with_name(f"{file.stem}-verdicts.parquet")


if __name__ == "__main__":
    sys.exit(main())
