"""Recall runs made by hand, in the shape that ``neuter benchmark`` writes: scores row by row, or a whole run folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from neuter.reports.recall.table_values import RecallCell, RecallRow, RecallTable
from neuter.scoring.recall.schema import ANSWERS_SCHEMA, QUESTIONS_SCHEMA
from neuter.scoring.table import SCORES_SCHEMA, write_scores

MODEL = "openai/gpt-4o-2024-08-06"
CUTOFF = date(2023, 10, 1)
_OUTCOMES = ("answered", "refused", "filtered", "truncated", "unparsed", "failed")


@dataclass(frozen=True)
class Making:
    """Makes rows, frames and folders."""

    root: Path
    model: str = MODEL

    def row(self, metric: str, value: float | None, **more: Any) -> dict[str, Any]:
        """A row of the scores, of the S&P 500's daily levels before the cutoff unless it says else."""
        row: dict[str, Any] = dict.fromkeys(SCORES_SCHEMA)
        row |= {
            "suite": "indices",
            "panel": "daily_levels",
            "series": "sp500",
            "condition": "none",
            "split": "pre",
        }
        row |= {"scheme": "", "attacker": "llm", "model": self.model, "group_by": "all", "group": "all"}
        row |= {"unit": "percent", "n": 100, "metric": metric, "value": value}
        row |= dict.fromkeys(_OUTCOMES, 0) | {"answered": 100}
        return row | more

    def scores(self, rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
        return pl.DataFrame(list(rows), schema=SCORES_SCHEMA)

    def run(self, suite: str = "indices", **more: Any) -> dict[str, Any]:
        """A run.json."""
        run = {"neuter": "0.1.0", "command": "benchmark", "name": f"{suite}-by-hand", "suite": suite}
        run |= {"models": [self.model], "cutoffs": {self.model: str(CUTOFF)}, "config": {}, "status": "done"}
        run |= {"cutoff_sources": {self.model: "the maker's page, checked 2026-10-01"}}
        run |= {"notes": ["A note of the run."], "caveats": [], "not_run": [], "outcomes": {"answered": 100}}
        run |= {"seed": 0, "config_hash": "feedbeef", "versions": {"polars": "1.34"}, "spent": {}}
        run |= {"data": {"sp500": {"source": "closes that ship", "hash": "0123abcd"}}}
        return run | more

    def question(self, day: date, truth: float | None, **more: Any) -> dict[str, Any]:
        row: dict[str, Any] = dict.fromkeys(QUESTIONS_SCHEMA)
        row |= {
            "suite": "indices",
            "panel": "daily_levels",
            "series": "sp500",
            "task": "level",
            "condition": "none",
        }
        row |= {"date": day, "truth": truth, "cluster": "", "prompt": f"What was it on {day}?"} | more
        return row | {
            "id": ":".join(str(row[k]) for k in ("panel", "series", "cluster", "condition", "date"))
        }

    def answer(self, question: Mapping[str, Any], number: float | None, **more: Any) -> dict[str, Any]:
        row: dict[str, Any] = dict.fromkeys(ANSWERS_SCHEMA)
        outcome = "refused" if number is None else "answered"
        row |= {"id": question["id"], "model": self.model, "outcome": outcome, "number": number}
        return row | {"answer": json.dumps({"answer": number}), "reason": ""} | more

    def estimates(self, pairs: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> pl.DataFrame:
        """What figures are drawn from, of questions with their answers."""
        rows = [
            {key: asked[key] for key in ("panel", "series", "condition", "date", "cluster")}
            | {"actual": asked["truth"], "model": said["model"], "outcome": said["outcome"]}
            | {"estimated": said["number"]}
            for asked, said in pairs
        ]
        schema: dict[str, Any] = {
            "panel": pl.String,
            "series": pl.String,
            "condition": pl.String,
            "date": pl.Date,
        }
        schema |= {"cluster": pl.String, "actual": pl.Float64, "model": pl.String, "outcome": pl.String}
        return pl.DataFrame(rows, schema=schema | {"estimated": pl.Float64})

    def table(self, tables: Iterable[RecallTable], name: str) -> RecallTable:
        """The first table of this name."""
        return next(table for table in tables if table.name == name)

    def find(self, table: RecallTable, title: str, block: str | None = None) -> RecallRow:
        """The first row of this title, in any block or in the one named."""
        blocks = [one for panel in table.panels for one in panel.blocks if block in (None, one.title)]
        return next(row for one in blocks for row in one.rows if row.title == title)

    def cells(self, table: RecallTable, row: RecallRow) -> dict[str, RecallCell]:
        """The row's cells by the titles of their columns."""
        panel = next(one for one in table.panels if row in list(one.rows))
        return {column.title: cell for column, cell in zip(panel.columns, row.cells, strict=True)}

    def folder(
        self,
        rows: Iterable[Mapping[str, Any]],
        pairs: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]] = (),
        run: Mapping[str, Any] | None = None,
    ) -> Path:
        """A run folder of these scores, questions and answers."""
        folder = self.root / "run"
        (folder / "answers").mkdir(parents=True, exist_ok=True)
        write_scores(self.scores(rows), folder)
        both = list(pairs)
        if both:
            asked = pl.DataFrame([one for one, _ in both], schema=QUESTIONS_SCHEMA).unique(
                "id", maintain_order=True
            )
            asked.write_parquet(folder / "questions.parquet")
            said = pl.DataFrame([one for _, one in both], schema=ANSWERS_SCHEMA)
            for (model,), part in said.group_by("model", maintain_order=True):
                part.write_parquet(folder / "answers" / f"sp500--{str(model).replace('/', '_')}.parquet")
        (folder / "run.json").write_text(json.dumps(dict(run or self.run())), encoding="utf-8")
        return folder


@pytest.fixture
def make(tmp_path: Path) -> Making:
    return Making(tmp_path)


@pytest.fixture
def month_ends() -> list[date]:
    """Twelve of 2023: nine before the cutoff, three after it."""
    return [date(2023, month, 28) for month in range(1, 13)]
