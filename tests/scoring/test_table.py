"""The scores table and its files."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neuter.errors import RunError
from neuter.scoring import SCORES_SCHEMA, empty_scores, validate, write_scores
from neuter.scoring.table import read_scores

DESIGN = (
    "suite, panel, series, condition, split, scheme, attacker, model, group_by, group, metric, unit, value, ci_low, ci_high, baseline, "
    "published, n, answered, refused, filtered, truncated, unparsed, failed, first_date, last_date"
)


def row(**cells: object) -> pl.DataFrame:
    base: dict[str, object] = dict.fromkeys(SCORES_SCHEMA)
    base |= {
        "suite": "evaluate",
        "metric": "firm_accuracy",
        "unit": "percent",
        "value": 1 / 3,
        "n": 3,
        "first_date": date(2020, 1, 1),
    }
    return pl.DataFrame([base | cells], schema=SCORES_SCHEMA)


def test_columns_are_the_designs_in_order() -> None:
    assert list(SCORES_SCHEMA) == DESIGN.split(", ")
    assert empty_scores().columns == list(SCORES_SCHEMA)


def test_files_hold_rounded_numbers_and_empty_cells(tmp_path: Path) -> None:
    csv, _ = write_scores(
        row(value=1 / 3, ci_low=float("nan"), ci_high=float("inf"), baseline=-1e-9), tmp_path
    )
    lines = csv.read_text().splitlines()
    assert lines[0] == DESIGN.replace(", ", ",")
    assert lines[1] == "evaluate,,,,,,,,,,firm_accuracy,percent,0.333333,,,0.0,,3,,,,,,,2020-01-01,"


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = (
        write_scores(row(), tmp_path / "a"),
        write_scores(row(value=1 / 3 + 1e-12), tmp_path / "b"),
    )
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == ["scores.csv", "scores.parquet"]


def test_both_files_read_back_alike(tmp_path: Path) -> None:
    csv, parquet = write_scores(row(panel="B", ci_low=0.1), tmp_path)
    assert read_scores(csv).equals(read_scores(parquet))


def test_what_is_no_scores_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="missing columns"):
        validate(pl.DataFrame({"suite": ["x"]}))
    with pytest.raises(RunError, match="unknown unit"):
        validate(row(unit="furlongs"))
    with pytest.raises(RunError, match="cannot be read"):
        read_scores(tmp_path / "none.csv")
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(RunError, match="could not be written"):
        write_scores(row(), blocked)
