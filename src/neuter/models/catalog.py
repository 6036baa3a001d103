"""What is known of each model: its training cutoff with the source, its abilities, its weights."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from neuter.errors import UsageError
from neuter.models.own_facts import own_facts
from neuter.models.providers import load_providers
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

    ``cutoff`` is the first day of the month in which the training data ends, ``context`` and
    ``longest_answer`` are in tokens, ``token_limit`` is the name of the parameter that limits an answer.
    ``temperature``, ``seed`` and ``logprobs`` say whether the model takes the parameter of that name; a
    temperature may be taken only at 1, and either only while the model does not reason. ``structured_output``
    holds ``json_schema``, ``json_object`` and ``grammar``, whichever there are; ``reasoning_effort`` the
    efforts to choose from. ``extra_body`` goes into every request, below the request's own parameters;
    ``deployment`` is the name under which Azure serves the model, where the user gave it one of its own.
    """

    name: str
    cutoff: date | None = None
    source: str = ""
    checked: date | None = None
    context: int | None = None
    longest_answer: int | None = None
    token_limit: str = "max_tokens"  # noqa: S105
    temperature: bool | Literal["only 1", "without reasoning"] | None = None
    seed: bool | None = None
    logprobs: bool | Literal["without reasoning"] | None = None
    top_logprobs: int | None = None
    structured_output: tuple[str, ...] | None = None
    reasoning: bool = False
    reasoning_effort: tuple[str, ...] = ()
    default_effort: str | None = None
    system_role: str = "system"
    open_weights: bool = False
    note: str = ""
    weights: Weights | None = None
    abilities_source: str = ""
    abilities_checked: date | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    deployment: str | None = None


def facts(model: str, config: Path | None = None) -> ModelFacts:
    """What is known of ``PROVIDER/NAME``: the catalog, and the user's ``[models."PROVIDER/NAME"]`` on top.

    A model served by another provider (``myserver/gpt-oss-20b``) has the cutoff of the one model in the
    catalog with that last name, and the parameters of its own provider. A model that nobody entered has
    facts without a cutoff.

    >>> facts("openai/gpt-4o-2024-08-06").cutoff
    datetime.date(2023, 10, 1)
    >>> facts("myserver/unheard-of").cutoff is None
    True

    Raises:
        UsageError: ``config`` does not exist, or a ``neuter.toml`` is wrong; file and table are named.
    """
    if is_simulated(model):
        return _simulated(model)
    name, _, last = model.partition("/")
    provider = load_providers(config).get(name)
    own = own_facts(config).get(model, {})
    extra = {**(provider.extra_body if provider else {}), **own.get("extra_body", {})}
    deployment = provider.deployments.get(last) if provider else None
    return _facts(model, {**_catalogued(model), **own, "extra_body": extra, "deployment": deployment})


def known(config: Path | None = None) -> list[ModelFacts]:
    """Every model of the catalog, in its order, then those that only the user's files have."""
    names = dict.fromkeys([*_models(), *own_facts(config)])
    return [facts(name, config) for name in names]


def estimate_tokens(text: str) -> int:
    """A count of tokens that ``text`` surely reaches: one for each word.

    Tokenizers do not join words, so a text whose estimate passes the context cannot fit; one that is
    only a little too long is told so by the server, which counts exactly.

    >>> estimate_tokens("revenue grew 12 percent")
    4
    """
    return len(text.split())


def _simulated(model: str) -> ModelFacts:
    """A simulated model's cutoff is a setting; a name that says nothing (of an old run, say) has no facts."""
    from neuter.models.simulated.respondent import respondent_of

    try:
        cutoff = respondent_of(model).cutoff
    except UsageError:
        cutoff = None
    source = "planted: a setting of the simulated model" if cutoff else ""
    return ModelFacts(model, cutoff, source, note="planted knowledge, to calibrate the instrument")


@cache
def _raw() -> dict[str, Any]:
    return tomllib.loads((files("neuter.models") / "catalog.toml").read_text(encoding="utf-8"))


def _models() -> dict[str, dict[str, Any]]:
    models: dict[str, dict[str, Any]] = _raw()["models"]
    return models


def _catalogued(model: str) -> dict[str, Any]:
    """From the most general to the most special: the provider's table, the family's, the model's."""
    provider = _raw()["providers"].get(_provider_of(model), {})
    return {**provider, **_family(_last_name(model)), **(_models().get(model) or _same_last_name(model))}


def _family(last_name: str) -> Mapping[str, Any]:
    for table in _raw()["families"].values():
        if any(fnmatchcase(last_name, pattern) for pattern in table["match"]):
            return {key: value for key, value in table.items() if key != "match"}
    return {}


def _same_last_name(model: str) -> Mapping[str, Any]:
    found = [entry for name, entry in _models().items() if _last_name(name) == _last_name(model)]
    # Weights belong to the embedded model alone, whoever else serves one of that name.
    return {k: v for k, v in found[0].items() if k != "weights"} if len(found) == 1 else {}


def _provider_of(model: str) -> str:
    return model.partition("/")[0]


def _last_name(model: str) -> str:
    return model.rpartition("/")[2].lower()


def _facts(name: str, raw: Mapping[str, Any]) -> ModelFacts:
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()
    }
    if "cutoff" in raw:
        values["cutoff"] = date.fromisoformat(f"{raw['cutoff']}-01")
    if "weights" in raw:
        values["weights"] = Weights(**raw["weights"])
    return ModelFacts(name=name, **values)
