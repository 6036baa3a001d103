"""Small sets of questions and forecasts, made from what each question is to say."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest

from neuter.scoring.forecasts.how import ForecastScoring
from neuter.scoring.forecasts.schema import CONDITIONS, FORECAST_SCHEMA, RESOLVED_SCHEMA

PRE, BETWEEN, POST = date(2023, 6, 1), date(2024, 8, 1), date(2025, 6, 1)
EARLY, LATE = date(2024, 4, 1), date(2025, 1, 1)


class Maker:
    """Makes frames: questions by (day, outcome, more), forecasts by model, condition and question."""

    def questions(self, rows: list[tuple[Any, ...]]) -> pl.DataFrame:
        """Rows of (id, resolution date, outcome) or with a dict of further columns behind."""
        told = []
        for id_, day, outcome, *more in rows:
            told.append(
                {
                    **dict.fromkeys(RESOLVED_SCHEMA),
                    "id": id_,
                    "resolution_date": day,
                    "outcome": float(outcome),
                    "domain": "business",
                    "cluster": "",
                    "crowd_from": "",
                    **(more[0] if more else {}),
                }
            )
        return pl.DataFrame(told, schema=RESOLVED_SCHEMA)

    def forecasts(self, said: dict[tuple[str, str, str], Any]) -> pl.DataFrame:
        """By (id, model, condition): a probability, or several runs; None is a refusal, a word any other outcome."""
        rows = []
        for (id_, model, condition), runs in said.items():
            for run, one in enumerate(runs if isinstance(runs, list) else [runs]):
                outcome = "answered" if isinstance(one, int | float) else one or "refused"
                value = float(one) if outcome == "answered" else None
                rows.append((id_, model, condition, run, outcome, value, "", ""))
        return pl.DataFrame(rows, schema=FORECAST_SCHEMA, orient="row")

    def how(self, **given: Any) -> ForecastScoring:
        told = {"cutoffs": {"m": EARLY}, "simulated_cutoff": date(2023, 1, 1), "draws": 400, **given}
        return ForecastScoring(**told)

    def many(
        self, n: int, *, seed: int = 0, leak: float = 0.8, models: dict[str, date] | None = None
    ) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, date]]:
        """``n`` questions from 2023 to 2026, and models that know a share of those before their cutoffs."""
        rng, cutoffs = np.random.default_rng(seed), models or {"m": EARLY}
        days = [
            date.fromordinal(date(2023, 2, 1).toordinal() + int(d)) for d in np.sort(rng.integers(0, 1200, n))
        ]
        outcome = rng.integers(0, 2, n)
        crowd = np.clip(0.35 + 0.3 * outcome + rng.normal(0, 0.15, n), 0.01, 0.99)
        questions = self.questions(
            [(f"q{i}", days[i], outcome[i], {"crowd": crowd[i], "base_rate": 0.4}) for i in range(n)]
        )
        said = {}
        for model, cutoff in cutoffs.items():
            for condition in CONDITIONS:
                share = leak if condition in ("G1", "G2") else leak / 2
                for i in range(n):
                    knows = days[i] < cutoff and rng.random() < share
                    right = 0.95 if knows else float(np.clip(rng.beta(3, 2.5), 0.01, 0.99))
                    said[f"q{i}", model, condition] = right if outcome[i] else 1 - right
        return questions, self.forecasts(said), cutoffs


@pytest.fixture
def make() -> Maker:
    return Maker()
