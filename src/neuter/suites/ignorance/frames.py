"""The suite's own frames as files, and the hashes of what decides a run."""

from __future__ import annotations

import polars as pl

from neuter.suites.frames import frame_hash

#: A condition as part of a file's name.
FILE_NAMES = {"G1": "g1", "G2": "g2", "G1′": "g1-cutoff", "G2′": "g2-cutoff"}


def questions_hash(questions: pl.DataFrame) -> str:
    """sha256 of what questions (QUESTION_SCHEMA) say, the crowd's predictions among it."""
    said = pl.col("community").list.eval(
        pl.element().struct.field("date").cast(pl.String)
        + " "
        + pl.element().struct.field("probability").cast(pl.String)
    )
    return frame_hash(questions.with_columns(said.list.join(";").alias("community")))
