"""Parsing what models answer: numbers, percentages, probabilities, dates, directions, choices, identifications."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.models.answers.identification import Identification as Identification
    from neuter.models.answers.identification import parse_identification as parse_identification
    from neuter.models.answers.questions import Parsed as Parsed
    from neuter.models.answers.questions import Question as Question
    from neuter.models.answers.reading import is_whole as is_whole
    from neuter.models.answers.reading import parse_answer as parse_answer

_HOME = {
    "parse_answer": "reading",
    "is_whole": "reading",
    "Question": "questions",
    "Parsed": "questions",
    "parse_identification": "identification",
    "Identification": "identification",
}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
