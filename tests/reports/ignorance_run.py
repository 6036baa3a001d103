"""A run folder in the shape that ``neuter benchmark ignorance`` writes, of invented questions, for the tests of reports."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

from neuter.questions.schema import DOMAINS, QUESTION_SCHEMA
from neuter.scoring.forecasts.row import Row, score_frame
from neuter.scoring.forecasts.schema import CONDITIONS, FORECAST_SCHEMA
from neuter.scoring.table import write_scores
from neuter.suites.ignorance.published import with_published

MODELS = ("openai/gpt-5.1", "deepseek/deepseek-v3.2-exp", "simulated/clockwork")
CUTOFFS = {MODELS[0]: date(2024, 9, 1), MODELS[1]: date(2024, 12, 1), MODELS[2]: date(2024, 4, 1)}
GROUPS = {MODELS[0]: "reasoning", MODELS[1]: "non_reasoning", MODELS[2]: "non_reasoning"}
#: How far a forecast is from the outcome before and after the cutoff, by condition.
ERRORS = {"G1": (0.2, 0.5), "G2": (0.25, 0.48), "G1′": (0.32, 0.5), "G2′": (0.33, 0.49)}
_SUBJECTS = ("harvest", "ferry strike", "film prize", "bridge tender", "telescope launch", "council vote")


def make_questions(count: int = 90, hostile: Sequence[str] = ()) -> pl.DataFrame:
    """Questions resolved evenly over 2023 and 2024 and half of 2025, in all six domains."""
    domains = list(DOMAINS)
    rows = []
    for k in range(count):
        row: dict[str, Any] = dict.fromkeys(QUESTION_SCHEMA, "")
        resolved = date(2023, 2, 1) + timedelta(days=k * 870 // count)
        subject = _SUBJECTS[k % 6]
        row |= {"id": f"q{k:03d}", "question": f"Will the {subject} of year {k // 6} end before {resolved}?"}
        row |= {"open": resolved - timedelta(days=60), "close": resolved, "resolution_date": resolved}
        row |= {"resolution": k % 3 % 2, "domain": domains[k % 6], "base_rate": 0.4, "community": []}
        rows.append(row)
    for row, text in zip(rows, hostile, strict=False):
        row["question"] = text
    frame = pl.DataFrame(rows, schema=QUESTION_SCHEMA)
    return frame.with_columns(crowd=pl.lit(0.45), crowd_from=pl.lit("first_two_weeks"))


def make_forecasts(
    questions: pl.DataFrame, models: Sequence[str], runs: int = 2, hostile: Sequence[str] = ()
) -> pl.DataFrame:
    draw, rows = random.Random(5), []
    for row in questions.iter_rows(named=True):
        for model in models:
            for condition in CONDITIONS:
                known = row["resolution_date"] < CUTOFFS.get(model, date(2024, 4, 1))
                away = ERRORS[condition][not known]
                for run in range(runs):
                    rows.append(_forecast(row, model, condition, run, away, draw))
    for row, text in zip((r for r in rows if r["condition"] == "G2′"), hostile, strict=False):
        row["answer"] = text
    return pl.DataFrame(rows, schema=FORECAST_SCHEMA)


def _forecast(
    row: Mapping[str, Any], model: str, condition: str, run: int, away: float, draw: random.Random
) -> dict[str, Any]:
    error = min(max(draw.gauss(away, 0.12), 0.0), 1.0)
    outcome = "answered" if draw.random() > 0.02 else "refused"
    said = abs(row["resolution"] - error)
    text = f"The {row['id']} is like others of its kind. Base rates say about {said:.2f}. " * 6
    return {
        "id": row["id"],
        "model": model,
        "condition": condition,
        "run": run,
        "outcome": outcome,
        "probability": round(said, 3) if outcome == "answered" else None,
        "answer": text if outcome == "answered" else "I would rather not.",
        "reason": "",
    }


class Figures:
    """Rows of the scores from the forecasts, by plain means; intervals are the value and a fixed width either side."""

    def __init__(self, questions: pl.DataFrame, forecasts: pl.DataFrame, models: Sequence[str]) -> None:
        self.models, self.questions = (
            tuple(models),
            {row["id"]: row for row in questions.iter_rows(named=True)},
        )
        self.first = min(CUTOFFS.get(model, date(2024, 4, 1)) for model in models)
        self.last = max(CUTOFFS.get(model, date(2024, 4, 1)) for model in models)
        said: dict[tuple[str, str], dict[str, list[float]]] = {}
        for row in forecasts.filter(pl.col("probability").is_not_null()).iter_rows(named=True):
            at = said.setdefault((row["model"], row["condition"]), {})
            at.setdefault(row["id"], []).append(row["probability"])
        self.brier = {
            whose: {key: (fmean(p) - self.questions[key]["resolution"]) ** 2 for key, p in of.items()}
            for whose, of in said.items()
        }

    def split(self, key: str) -> str:
        day = self.questions[key]["resolution_date"]
        return "pre" if day < self.first else "post" if day >= self.last else "between"

    def mean(
        self, model: str, condition: str, split: str, domain: str = "", models: Sequence[str] = ()
    ) -> Any:
        """The mean Brier score and how many questions; over models where ``model`` is empty."""
        if not model:
            parts = [self.mean(one, condition, split, domain) for one in models or self.models]
            return fmean(part[0] for part in parts), parts[0][1]
        chosen = [
            value
            for key, value in self.brier[model, condition].items()
            if self.split(key) == split and domain in ("", self.questions[key]["domain"])
        ]
        return fmean(chosen), len(chosen)

    def rows(self) -> Iterator[Row]:
        whose: list[tuple[str, str, str, tuple[str, ...]]] = [(m, "all", "all", ()) for m in self.models]
        if len(self.models) > 1:
            whose.append(("", "all", "all", ()))
        for group in ("reasoning", "non_reasoning"):
            inside = tuple(m for m in self.models if GROUPS.get(m) == group)
            whose += [("", "model_group", group, inside)] if inside else []
        for model, by, group, inside in whose:
            yield from self._fixed(model, by, group, inside)
        whole = self.models[0] if len(self.models) == 1 else ""
        for domain in DOMAINS:
            yield from self._fixed(whole, "domain", domain, (), domain)
        yield from self._others(whole)

    def _fixed(
        self, model: str, by: str, group: str, inside: tuple[str, ...], domain: str = ""
    ) -> Iterator[Row]:
        at: dict[str, Any] = {"model": model, "group_by": by, "group": group}
        means = {(c, s): self.mean(model, c, s, domain, inside) for c in CONDITIONS for s in ("pre", "post")}
        for (condition, split), (value, n) in means.items():
            for metric, more in (
                ("brier", 0.0),
                ("brier_all", 0.001),
                ("brier_low", -0.01),
                ("brier_high", 0.02),
            ):
                yield _row(
                    "fixed", metric, value + more, condition, split, n, answered=2 * n, refused=1, **at
                )
        for condition in CONDITIONS:
            gap = means[condition, "post"][0] - means[condition, "pre"][0]
            yield _row("fixed", "si_ti_gap", gap, condition, "all", 60, **at)
            yield _row("own", "si_ti_gap", gap + 0.01, condition, "all", 60, **at)
            yield _row("fixed", "si_ti_gap_adjusted", gap - 0.01, condition, "all", 60, series="crowd", **at)
            yield _row("fixed", "si_ti_gap_low", gap - 0.03, condition, "all", 60, **at)
            yield _row("fixed", "si_ti_gap_high", gap + 0.03, condition, "all", 60, **at)
        for told, plain in (("G1′", "G1"), ("G2′", "G2")):
            lost = means[told, "pre"][0] - means[plain, "pre"][0]
            whole = means[told, "post"][0] - means[plain, "pre"][0]
            yield _row("fixed", "gap_closed", lost / whole, told, "all", 60, "share", **at)
            yield _row("fixed", "gap_remaining", 1 - lost / whole, told, "all", 60, "share", **at)
            yield _row("fixed", "cutoff_penalty", lost, told, "pre", 30, **at)
        for reasoned, direct in (("G2", "G1"), ("G2′", "G1′")):
            for split in ("pre", "post"):
                effect = means[reasoned, split][0] - means[direct, split][0]
                yield _row("fixed", "cot_effect", effect, reasoned, split, 30, **at)

    def _others(self, whole: str) -> Iterator[Row]:
        for condition in CONDITIONS:
            yield (
                _row("human", "brier", 0.24, condition="", split="pre", n=30, attacker="crowd")
                if (condition == "G1")
                else _row("fixed", "si_ti_gap", 0.02, condition, group_by="model_group", group="difference")
            )
            for split, value in (("pre", 0.1), ("post", 0.25)):
                yield _row("human", "brier", value, condition, split, 30, model=whole)
                for place in range(5):
                    name = f"{place / 5:.1f}-{place / 5 + 0.2:.1f}"
                    at: dict[str, Any] = {"group_by": "forecast_bin", "group": name, "model": whole}
                    yield _row(
                        "calibration", "mean_forecast", place / 5 + 0.1, condition, split, 9, "share", **at
                    )
                    yield _row(
                        "calibration", "observed_share", place / 5 + 0.05, condition, split, 9, "share", **at
                    )
            yield _row("human", "si_ti_gap", 0.15, condition, "all", 60, model=whole)
            for model in self.models:
                yield from self._of_time(model, condition)
        yield _row("human", "brier", 0.25, split="post", n=30, attacker="crowd")
        yield _row("human", "si_ti_gap", 0.01, n=60, attacker="crowd")
        yield from self._traces()
        yield from self._pairs()

    def _of_time(self, model: str, condition: str) -> Iterator[Row]:
        quarters: dict[str, list[float]] = {}
        for key, value in self.brier[model, condition].items():
            day = self.questions[key]["resolution_date"]
            quarters.setdefault(f"{day.year}Q{(day.month + 2) // 3}", []).append(value)
        for quarter, values in sorted(quarters.items()):
            at: dict[str, Any] = {"group_by": "quarter", "group": quarter, "model": model}
            yield _row("quarters", "brier", fmean(values), condition, n=len(values), **at)
        yield _row("discontinuity", "jump", 0.14, condition, n=90, model=model)
        yield _row("discontinuity", "bandwidth", 180.0, condition, n=90, unit="days", model=model)
        yield _row("discontinuity", "placebo_p", 0.1, condition, n=9, unit="share", model=model)
        for k, day in enumerate(("2023-09-01", "2023-11-01", "2024-01-01", "2025-02-01")):
            at = {"group_by": "placebo", "group": day, "model": model}
            yield _row("discontinuity", "jump", 0.02 * k - 0.03, condition, n=90, **at)

    def _traces(self) -> Iterator[Row]:
        for condition, shift in (("G2", 0.0), ("G2′", 2.0)):
            for split in ("pre", "post"):
                for group in ("reasoning", "non_reasoning"):
                    at: dict[str, Any] = {"group_by": "model_group", "group": group, "unit": "percent"}
                    judged = {**at, "attacker": "judge"}
                    yield _row("traces", "logic_consistency", 95 + shift, condition, split, 60, **judged)
                    yield _row("traces", "cutoff_compliance", 94 + shift, condition, split, 60, **judged)
                    yield _row(
                        "traces", "cutoff_compliance", 93 + shift, condition, split, 60, attacker="rule", **at
                    )
        for series, kappa in (("logic_consistency", 0.7), ("cutoff_compliance", 0.8)):
            yield _row(
                "audit_validation", "kappa", kappa, n=36, unit="share", series=series, attacker="judge"
            )
            yield _row(
                "audit_validation", "agreement", 91.7, n=36, unit="percent", series=series, attacker="judge"
            )

    def _pairs(self) -> Iterator[Row]:
        if len(self.models) < 2:
            return
        first, second = MODELS[0], MODELS[1]
        at: dict[str, Any] = {"series": f"{first} and {second}", "group_by": "model"}
        for split, (one, two) in {"pre": (0.1, 0.11), "between": (0.21, 0.13), "post": (0.24, 0.25)}.items():
            yield _row("natural_experiment", "brier", one, "G2′", split, 12, group=first, **at)
            yield _row("natural_experiment", "brier", two, "G2′", split, 12, group=second, **at)
            yield _row(
                "natural_experiment",
                "brier_difference",
                one - two,
                "G2′",
                split,
                12,
                group="difference",
                **at,
            )


def _row(
    panel: str,
    metric: str,
    value: float,
    condition: str = "",
    split: str = "all",
    n: int = 60,
    unit: str = "brier",
    **more: Any,
) -> Row:
    half = {"brier": 0.03, "share": 0.1, "percent": 2.0}.get(unit, 10.0)
    return Row(
        panel, metric, unit, value, value - half, value + half, condition=condition, split=split, n=n, **more
    )


#: Figures of a verdict.
SEEN = {"gap": 0.17, "low": 0.13, "high": 0.21, "pre": 40, "post": 20, "smallest": 0.05, "needed": 375}
VERDICTS = ["SI cannot stand for TI here.", "The gap is 0.17 [0.13, 0.21] over 60 questions."]
VERDICT = " ".join(VERDICTS)


def make_run_record(models: Sequence[str] = MODELS, **more: Any) -> dict[str, Any]:
    run: dict[str, Any] = {
        "neuter": "0.1.0",
        "command": "benchmark",
        "name": "ignorance-by-hand",
        "suite": "ignorance",
    }
    run |= {"models": list(models), "cutoffs": {m: str(CUTOFFS.get(m, date(2024, 4, 1))) for m in models}}
    run |= {"cutoff_sources": dict.fromkeys(models, "the maker's page, checked 2026-10-01")}
    run |= {"groups": {m: GROUPS.get(m, "non_reasoning") for m in models}, "simulated_cutoff": "2023-01-01"}
    run |= {"conditions": list(CONDITIONS), "runs": 2, "status": "done", "caveats": [], "not_run": []}
    whose = ["", *models] if len(models) > 1 else list(models)
    run |= {"verdicts": [{"model": m, "condition": "G1′", "sentences": VERDICTS, **SEEN} for m in whose]}
    run |= {"notes": ["2 questions were annulled."], "set_aside": {"annulled": 2}, "seed": 0, "config": {}}
    run |= {"outcomes": {"answered": 2100, "refused": 40}, "config_hash": "feedbeef", "spent": {}}
    return run | {"versions": {"polars": "2.1"}} | more


def make_tests() -> pl.DataFrame:
    row = {
        "panel": "fixed",
        "split": "pre",
        "comparison": "G1 with G1′",
        "model": MODELS[0],
        "metric": "brier",
    }
    row |= {
        "condition": "G1′",
        "difference": 0.06,
        "ci_low": 0.04,
        "ci_high": 0.08,
        "p": 0.001,
        "p_holm": 0.004,
        "n": 30,
    }
    return pl.DataFrame(
        [{**row, "smallest": 0.03}, {**row, "comparison": "reasoning with non-reasoning", "model": ""}]
    )


def make_ignorance_run(
    folder: Path,
    models: Sequence[str] = MODELS,
    *,
    hostile: Sequence[str] = (),
    **more: Any,
) -> Path:
    """Write a run into ``folder``; ``hostile`` are texts of questions and answers."""
    questions = make_questions(hostile=hostile)
    forecasts = make_forecasts(questions, models, hostile=hostile)
    (folder / "answers").mkdir(parents=True, exist_ok=True)
    questions.write_parquet(folder / "questions.parquet")
    for (condition, model), part in forecasts.group_by("condition", "model", maintain_order=True):
        part.write_parquet(folder / "answers" / f"{condition}--{str(model).replace('/', '_')}.parquet")
    scores = score_frame(Figures(questions, forecasts, models).rows(), "ignorance")
    write_scores(with_published(scores), folder)
    make_tests().write_parquet(folder / "tests.parquet")
    (folder / "run.json").write_text(json.dumps(make_run_record(models, **more)), encoding="utf-8")
    return folder
