"""Questions without end: made from series, resolved by them, and equally hard before and after a cutoff."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.questions.generating.matching import matched_questions as matched_questions
    from neuter.questions.generating.questions import generate_questions as generate_questions

_HOME = {"generate_questions": "questions", "matched_questions": "matching"}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
