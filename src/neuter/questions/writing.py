"""Questions into a file of our own format: JSON Lines, CSV or Parquet, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from neuter.errors import UsageError
from neuter.questions.frames import see_questions
from neuter.whole_files import naming, replacing, writing

_LINES = (".jsonl", ".ndjson")
_SLICE = 2_000
_DATES = ("open", "close", "resolution_date")


def write_questions(frame: pl.DataFrame, path: str | Path) -> Path:
    """Write questions (QUESTION_SCHEMA); reading them back gives the same frame.

    Raises:
        UsageError: another ending than .jsonl, .csv or .parquet.
        DataError: the frame holds something else than resolved questions.
        RunError: the file cannot be written.
    """
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in (*_LINES, ".csv", ".parquet"):
        raise UsageError(
            f"no format for the ending {ending!r}", where=str(target), todo="Use .jsonl, .csv or .parquet"
        )
    told = see_questions(frame, "questions to write")
    if ending == ".parquet":
        with replacing(target) as temporary, naming(target):
            told.write_parquet(temporary, compression="zstd", statistics=False)
        return target
    with writing(target) as file:
        for piece in _lines(told) if ending in _LINES else _csv(told):
            file.write(piece)
    return target


def _lines(frame: pl.DataFrame) -> Iterator[str]:
    for part in frame.iter_slices(_SLICE):
        community = _pairs(part)
        rows = part.drop("community").iter_rows(named=True)
        yield "".join(f"{_line(row, pairs)}\n" for row, pairs in zip(rows, community, strict=True))


def _line(row: dict[str, Any], pairs: str) -> str:
    told = {name: str(value) if name in _DATES and value else value for name, value in row.items()}
    return f'{json.dumps(told, ensure_ascii=False)[:-1]}, "community": {pairs}}}'


def _csv(frame: pl.DataFrame) -> Iterator[str]:
    """With a header even where there is no row."""
    for number, part in enumerate(frame.iter_slices(_SLICE) if frame.height else [frame]):
        told = part.with_columns(pl.Series("community", _pairs(part), pl.String))
        yield told.write_csv(include_header=number == 0)


def _pairs(frame: pl.DataFrame) -> list[str]:
    """Each community as JSON; floats in the fewest digits that give the same number back."""
    one = pl.format(
        '["{}", {}]',
        pl.element().struct.field("date").dt.to_string("%Y-%m-%d"),
        pl.element().struct.field("probability").cast(pl.String),
    )
    joined = frame.select(pl.format("[{}]", pl.col("community").list.eval(one).list.join(", ").fill_null("")))
    return joined.to_series().to_list()
