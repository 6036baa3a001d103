"""Builds questions.jsonl: our words (facts/*.toml, series/*.toml) with dates, outcomes and crowds from the raw data.

python corpora/questions/build.py [--data ../shared/data] [--check]

With --check nothing is written: everything is worked out anew, and each difference from questions.jsonl is named.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
from facts import fact_rows
from measuring import series_rows
from shape import problems, table

from neuter.questions.frames import see_questions
from neuter.questions.schema import QUESTION_SCHEMA
from neuter.questions.writing import write_questions

HERE = Path(__file__).parent
SHIPPED = HERE / "questions.jsonl"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "shared/data")
    parser.add_argument("--check", action="store_true", help="compare with questions.jsonl; write nothing")
    told = parser.parse_args()
    frame = built(told.data)
    wrong = problems(frame)
    if told.check:
        wrong += differences(frame)
    print(table(frame))
    print("\n".join(wrong) or "nothing wrong")
    if wrong:
        sys.exit(1)
    if not told.check:
        write_questions(frame, SHIPPED)


def built(data: Path) -> pl.DataFrame:
    """All questions (QUESTION_SCHEMA), in the order of their resolution."""
    rows = [*fact_rows(data), *series_rows(data)]
    frame = pl.DataFrame([ordered(row) for row in rows], schema=QUESTION_SCHEMA, orient="row")
    return see_questions(frame, "corpora/questions").sort("resolution_date", "id")


def ordered(row: dict[str, Any]) -> tuple[Any, ...]:
    assert set(row) == set(QUESTION_SCHEMA), (row["id"], set(row) ^ set(QUESTION_SCHEMA))
    return tuple(row[name] for name in QUESTION_SCHEMA)


def differences(frame: pl.DataFrame) -> list[str]:
    """Each line of questions.jsonl that is not what the raw data gives."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_questions(frame, Path(folder) / "questions.jsonl")
        ours = path.read_text(encoding="utf-8").splitlines()
    theirs = SHIPPED.read_text(encoding="utf-8").splitlines()
    return [f"not in questions.jsonl: {line[:90]}" for line in ours if line not in set(theirs)] + [
        f"only in questions.jsonl: {line[:90]}" for line in theirs if line not in set(ours)
    ]


if __name__ == "__main__":
    main()
