"""The composed questions that ship, as a frame."""

from __future__ import annotations

from functools import cache

import polars as pl

from neuter.errors import CorpusError
from neuter.questions.reading import read_questions
from neuter.shipped import shipped_path


@cache
def shipped_questions() -> pl.DataFrame:
    """The composed questions (QUESTION_SCHEMA; docs/questions-shipped.md), in the order of their resolution.

    Raises:
        CorpusError: they are missing from the shipped data.
        DataError: a row of them is damaged.
    """
    path = shipped_path("questions", "questions.jsonl")
    if not path.is_file():
        raise CorpusError("the shipped questions are missing", where=str(path), todo="Install neuter again")
    return read_questions(path, format="neuter").frame
