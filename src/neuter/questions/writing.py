"""Questions into a file of our own format: JSON Lines, CSV or Parquet, whole or not at all."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from neuter.errors import UsageError
from neuter.questions.schema import QUESTION_SCHEMA
from neuter.whole_files import write_whole


def write_questions(frame: pl.DataFrame, path: str | Path) -> Path:
    """Write questions (QUESTION_SCHEMA); reading them back gives the same frame.

    Raises:
        UsageError: another ending than .jsonl, .csv or .parquet, or a column is missing.
        RunError: the file cannot be written.
    """
    target = Path(path)
    if missing := [name for name in QUESTION_SCHEMA if name not in frame.columns]:
        raise UsageError(f"questions without {missing[0]}", where=str(target))
    told = frame.select(list(QUESTION_SCHEMA))
    ending = target.suffix.lower()
    if ending == ".parquet":
        held = BytesIO()
        told.write_parquet(held, compression="zstd", statistics=False)
        write_whole(target, held.getvalue())
    elif ending in (".jsonl", ".ndjson"):
        write_whole(target, "".join(f"{_line(row)}\n" for row in told.iter_rows(named=True)))
    elif ending == ".csv":
        series = [json.dumps(_pairs(row["community"])) for row in told.iter_rows(named=True)]
        write_whole(target, told.with_columns(pl.Series("community", series, pl.String)).write_csv())
    else:
        raise UsageError(
            f"no format for the ending {ending!r}", where=str(target), todo="Use .jsonl, .csv or .parquet"
        )
    return target


def _line(row: dict[str, Any]) -> str:
    told = {
        name: str(value) if name in ("open", "close", "resolution_date") and value else value
        for name, value in row.items()
    }
    return json.dumps({**told, "community": _pairs(row["community"])}, ensure_ascii=False)


def _pairs(community: Any) -> list[list[Any]]:
    return [[str(one["date"]), one["probability"]] for one in community or ()]
