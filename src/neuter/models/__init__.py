"""Language models: one runner for every call, one durable store, and the parsing of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.models.answers import Identification as Identification
    from neuter.models.answers import Parsed as Parsed
    from neuter.models.answers import Question as Question
    from neuter.models.answers import parse_answer as parse_answer
    from neuter.models.answers import parse_identification as parse_identification
    from neuter.models.catalog import ModelFacts as ModelFacts
    from neuter.models.catalog import facts as facts
    from neuter.models.listing import ModelInfo as ModelInfo
    from neuter.models.listing import check as check
    from neuter.models.listing import list_models as list_models
    from neuter.models.runner import Model as Model
    from neuter.models.runner import connect as connect
    from neuter.models.store import Store as Store
    from neuter.models.usage import Usage as Usage
    from neuter.models.weights import pull as pull

_HOME = {
    "connect": "runner",
    "Model": "runner",
    "Usage": "usage",
    "check": "listing",
    "list_models": "listing",
    "ModelInfo": "listing",
    "pull": "weights",
    "facts": "catalog",
    "ModelFacts": "catalog",
    "Store": "store",
    "parse_identification": "answers",
    "Identification": "answers",
    "parse_answer": "answers",
    "Question": "answers",
    "Parsed": "answers",
}

__all__ = [*_HOME]  # noqa: PLE0604

__getattr__, __dir__ = lazily(__name__, _HOME)
