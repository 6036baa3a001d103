"""Which models there are, and whether they can be asked: what ``neuter models list`` and ``check`` show."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from neuter.models.catalog import ModelFacts, facts, known
from neuter.models.engines import find_engine
from neuter.models.local import is_installed
from neuter.models.prices import price_of
from neuter.models.providers import EMBEDDED, Provider, load_providers
from neuter.models.weights import is_pulled


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One line of the list. ``name`` ends in ``/*`` for a provider that serves any name.

    ``context`` and ``longest_answer`` are in tokens, ``input_price`` and ``output_price`` in US dollars a
    million tokens; ``abilities`` are in words. What is None or missing is not known.
    """

    name: str
    state: str
    ready: bool
    cutoff: date | None = None
    source: str = ""
    context: int | None = None
    note: str = ""
    longest_answer: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    price_as_of: date | None = None
    abilities: tuple[str, ...] = ()


def list_models(config: Path | None = None) -> list[ModelInfo]:
    """Embedded models, configured providers, and the models whose cutoff is known, each with its state."""
    providers = load_providers(config)
    servers = []
    for provider in providers.values():
        ready, state = _server_state(provider.api_key_env)
        note = f"{provider.base_url or 'the address in the openai client'} ({provider.where})"
        servers.append(ModelInfo(f"{provider.name}/*", state, ready, note=note))
    embedded, others = [], []
    for fact in known(config):
        if _provider(fact) in EMBEDDED:
            embedded.append(_info(fact, *_local_state(fact.name), config))
        else:
            others.append(_info(fact, *_remote_state(fact, providers), config))
    return [*embedded, *_simulated_models(), *servers, *others]


def _simulated_models() -> list[ModelInfo]:
    """The presets, and that settings of one's own can follow or stand alone."""
    from neuter.models.simulated.respondent import presets

    made = [
        replace(_info(fact, True, "ready", None), note=note)
        for name, note in presets().items()
        for fact in (facts(f"simulated/{name}"),)
    ]
    note = "planted knowledge of your own settings: simulated/firms=0.6,seed=3"
    return [*made, ModelInfo("simulated/*", "ready", True, note=note)]


def check(model: str, config: Path | None = None) -> ModelInfo:
    """Reach ``model`` without spending anything and say what is known of it.

    Raises:
        ModelError: it cannot be asked; the message says why and what to do.
        MissingExtra: the embedded model's package is not installed.
    """
    from neuter.models.dispatch import on_loop
    from neuter.models.reach import reach

    engine = find_engine(model, config)
    engine.check()
    on_loop(reach(model, engine, engine.provider.timeout))
    return _info(facts(model, config), True, f"ready, at {engine.base_url}", config)


def abilities(fact: ModelFacts) -> tuple[str, ...]:
    """What is known of the parameters that a model takes, in words.

    >>> abilities(ModelFacts("x/m", temperature="only 1", logprobs=False, reasoning_effort=("low", "high")))
    ('temperature only 1', 'no log probabilities', 'reasoning low, high')
    """
    said = [_taken("temperature", fact.temperature), _taken("seed", fact.seed)]
    most = f" (at most {fact.top_logprobs} a token)" if fact.top_logprobs else ""
    said.append(_taken("log probabilities", fact.logprobs, most))
    if fact.structured_output is not None:
        said.append(", ".join(fact.structured_output) or "no structured output")
    if fact.reasoning or fact.reasoning_effort:
        said.append(f"reasoning {', '.join(fact.reasoning_effort)}".strip())
    return tuple(filter(None, said))


def _taken(what: str, value: bool | str | None, more: str = "") -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return f"{what} {value}{more}"
    return f"{what}{more}" if value else f"no {what}"


def _provider(fact: ModelFacts) -> str:
    return fact.name.partition("/")[0]


def _info(fact: ModelFacts, ready: bool, state: str, config: Path | None) -> ModelInfo:
    price = price_of(fact.name, config)
    return ModelInfo(
        fact.name,
        state,
        ready,
        fact.cutoff,
        fact.source,
        fact.context,
        fact.note,
        fact.longest_answer,
        price.input if price else None,
        price.output if price else None,
        price.as_of if price else None,
        abilities(fact),
    )


def _local_state(model: str) -> tuple[bool, str]:
    if not is_installed():
        return False, 'pip install "neuter[local]"'
    if not is_pulled(model):
        return False, f"not pulled: neuter models pull {model}"
    return True, "ready"


def _remote_state(fact: ModelFacts, providers: Mapping[str, Provider]) -> tuple[bool, str]:
    if fact.open_weights:
        return False, "open weights"
    provider = providers.get(_provider(fact))
    if provider is None:
        return False, f"no provider {_provider(fact)}"
    return _server_state(provider.api_key_env)


def _server_state(variable: str | None) -> tuple[bool, str]:
    if variable and not os.environ.get(variable, "").strip():
        return False, f"set {variable}"
    return True, "configured"
