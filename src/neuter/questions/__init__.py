"""Forecasting questions: their format, importers, the composed ones that ship, and a generator from series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.questions.checking import QuestionCheck as QuestionCheck
    from neuter.questions.checking import check_questions as check_questions
    from neuter.questions.crowd import crowd_at as crowd_at
    from neuter.questions.crowd import resolved_frame as resolved_frame
    from neuter.questions.crowd import with_crowd as with_crowd
    from neuter.questions.reading import QuestionSet as QuestionSet
    from neuter.questions.reading import read_questions as read_questions
    from neuter.questions.writing import write_questions as write_questions

_HOME = {
    "QuestionCheck": "checking",
    "check_questions": "checking",
    "crowd_at": "crowd",
    "resolved_frame": "crowd",
    "with_crowd": "crowd",
    "QuestionSet": "reading",
    "read_questions": "reading",
    "write_questions": "writing",
}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
