"""What is known of each model: its training cutoff with the source, its abilities, its weights."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

from neuter.errors import UsageError
from neuter.models.simulated.names import is_simulated


@dataclass(frozen=True, slots=True)
class Weights:
    """A file of weights: the package that carries it, its size in bytes and its pinned SHA-256."""

    package: str
    version: str
    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Facts of one model. What is None is not known; nothing here is a guess.

    ``cutoff`` is the first day of the month in which the training data ends, ``context`` is in tokens,
    ``token_limit`` is the name of the parameter that limits an answer.
    """

    name: str
    cutoff: date | None = None
    source: str = ""
    checked: date | None = None
    context: int | None = None
    token_limit: str = "max_tokens"  # noqa: S105
    temperature: bool = True
    reasoning: bool = False
    open_weights: bool = False
    note: str = ""
    weights: Weights | None = None


def facts(model: str) -> ModelFacts:
    """What is known of ``PROVIDER/NAME``; facts without a cutoff for a model that nobody entered.

    A model served by another provider (``myserver/gpt-oss-20b``) has the cutoff of the one model in the
    catalog with that last name, and the parameters of its own provider.

    >>> facts("openai/gpt-4o-2024-08-06").cutoff
    datetime.date(2023, 10, 1)
    >>> facts("myserver/unheard-of").cutoff is None
    True
    """
    if is_simulated(model):
        return _simulated(model)
    entry = _models().get(model) or _same_last_name(model)
    provider = _raw()["providers"].get(model.partition("/")[0], {})
    return _facts(model, {**provider, **entry})


def _simulated(model: str) -> ModelFacts:
    """A simulated model's cutoff is a setting; a name that says nothing (of an old run, say) has no facts."""
    from neuter.models.simulated.respondent import respondent_of

    try:
        cutoff = respondent_of(model).cutoff
    except UsageError:
        cutoff = None
    source = "planted: a setting of the simulated model" if cutoff else ""
    return ModelFacts(model, cutoff, source, note="planted knowledge, to calibrate the instrument")


def known() -> list[ModelFacts]:
    """Every model of the catalog, in its order."""
    return [facts(name) for name in _models()]


def estimate_tokens(text: str) -> int:
    """A count of tokens that ``text`` surely reaches: one for each word.

    Tokenizers do not join words, so a text whose estimate passes the context cannot fit; one that is
    only a little too long is told so by the server, which counts exactly.

    >>> estimate_tokens("revenue grew 12 percent")
    4
    """
    return len(text.split())


@cache
def _raw() -> dict[str, Any]:
    return tomllib.loads((files("neuter.models") / "catalog.toml").read_text(encoding="utf-8"))


def _models() -> dict[str, dict[str, Any]]:
    models: dict[str, dict[str, Any]] = _raw()["models"]
    return models


def _same_last_name(model: str) -> Mapping[str, Any]:
    last = model.rpartition("/")[2].lower()
    found = [entry for name, entry in _models().items() if name.rpartition("/")[2] == last]
    # Weights belong to the embedded model alone, whoever else serves one of that name.
    return {k: v for k, v in found[0].items() if k != "weights"} if len(found) == 1 else {}


def _facts(name: str, raw: Mapping[str, Any]) -> ModelFacts:
    known_fields = {key: value for key, value in raw.items() if key not in {"cutoff", "weights"}}
    cutoff = date.fromisoformat(f"{raw['cutoff']}-01") if "cutoff" in raw else None
    weights = Weights(**raw["weights"]) if "weights" in raw else None
    return ModelFacts(name=name, cutoff=cutoff, weights=weights, **known_fields)
