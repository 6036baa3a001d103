"""Frames of a run as files: whole or absent, and found damaged before they are used."""

from __future__ import annotations

import hashlib
from io import BytesIO
from pathlib import Path

import polars as pl

from neuter.errors import RunError
from neuter.whole_files import write_whole


def write_frame(path: Path, frame: pl.DataFrame) -> None:
    """Write a frame as Parquet, whole or not at all; the same frame gives the same bytes.

    Raises:
        RunError: the file cannot be written.
    """
    held = BytesIO()
    frame.write_parquet(held, compression="zstd", statistics=False)
    write_whole(path, held.getvalue())


def frame_hash(frame: pl.DataFrame) -> str:
    """sha256 of what a frame says, however it is kept."""
    held = BytesIO()
    frame.write_csv(held)
    return hashlib.sha256(held.getvalue()).hexdigest()


def read_frame(path: Path) -> pl.DataFrame:
    """A frame of a run.

    Raises:
        RunError: the file is not there, or damaged.
    """
    try:
        return pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise RunError(
            f"cannot be read ({error})", where=str(path), todo="Delete it and run the same command again"
        ) from error
