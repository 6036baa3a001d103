"""Guesses as a table, and as a Parquet file that is written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from neuter.errors import RunError
from neuter.types import Guess, Outcome
from neuter.whole_files import write_whole

#: The columns of a guesses file, in order.
GUESSES_SCHEMA: dict[str, Any] = {
    "id": pl.String(),
    "scheme": pl.String(),
    "attacker": pl.String(),
    "model": pl.String(),
    "outcome": pl.String(),
    "firm": pl.String(),
    "industry": pl.String(),
    "quarter": pl.Int64(),
    "year": pl.Int64(),
    "date": pl.Date(),
    "confidence": pl.Float64(),
    "candidates": pl.List(pl.String()),
    "scores": pl.List(pl.Float64()),
    "answer": pl.String(),
    "reason": pl.String(),
}


def frame_of_guesses(guesses: Iterable[Guess]) -> pl.DataFrame:
    """A row for each guess, in order, with the columns of ``GUESSES_SCHEMA`` (also when there is none)."""
    rows = [_row(guess) for guess in guesses]
    return pl.DataFrame(rows, schema=GUESSES_SCHEMA, orient="row")


def guesses_of_frame(frame: pl.DataFrame) -> Iterator[Guess]:
    """The guesses of a frame made by ``frame_of_guesses``, in order."""
    for row in frame.iter_rows(named=True):
        yield Guess(
            **{
                **row,
                "outcome": Outcome(row["outcome"]),
                "candidates": tuple(row["candidates"]),
                "scores": tuple(row["scores"]),
            }
        )


def write_guesses(path: str | os.PathLike[str], guesses: Iterable[Guess]) -> None:
    """Write ``guesses`` as Parquet; ``path`` appears only when all of them are on the disk.

    Raises:
        RunError: the file cannot be written (no such folder, no right, a full disk).
    """
    target = Path(path)
    buffer = BytesIO()
    frame_of_guesses(guesses).write_parquet(buffer)
    # Polars has errors of its own for a full disk; writing the bytes ourselves leaves one kind.
    write_whole(target, buffer.getvalue())


def read_guesses(path: str | os.PathLike[str]) -> list[Guess]:
    """The guesses of a file that ``write_guesses`` made, in order.

    Raises:
        RunError: no such file, or it is damaged or not a guesses file.
    """
    try:
        return list(guesses_of_frame(read_guess_frame(path)))
    except (ValueError, TypeError) as error:
        raise RunError(
            f"not a readable guesses file ({error})",
            where=str(path),
            todo="Delete it and run the attack again",
        ) from error


def read_guess_frame(path: str | os.PathLike[str]) -> pl.DataFrame:
    """The same as a table with the columns of ``GUESSES_SCHEMA``.

    Raises:
        RunError: no such file, or it is damaged or not a guesses file.
    """
    where = str(path)
    try:
        frame = pl.read_parquet(Path(path), columns=list(GUESSES_SCHEMA))
        return frame.cast(pl.Schema(GUESSES_SCHEMA))
    except FileNotFoundError as error:
        raise RunError("no such guesses file", where=where, todo="Run the attack first") from error
    except (pl.exceptions.PolarsError, OSError, ValueError, TypeError) as error:
        raise RunError(
            f"not a readable guesses file ({error})", where=where, todo="Delete it and run the attack again"
        ) from error


def _row(guess: Guess) -> tuple[Any, ...]:
    return tuple(_cell(value) for value in asdict(guess).values())


def _cell(value: object) -> object:
    """A value as Parquet can hold it; half a surrogate pair, which some models return, is no UTF-8."""
    if isinstance(value, str):
        return str(value).encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, tuple):
        return [_cell(each) for each in value]
    return value
