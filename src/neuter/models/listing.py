"""Which models there are, and whether they can be asked: what ``neuter models list`` and ``check`` show."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from neuter.models.catalog import ModelFacts, facts, known
from neuter.models.engines import find_engine
from neuter.models.local import is_installed
from neuter.models.providers import EMBEDDED, Provider, load_providers
from neuter.models.weights import is_pulled


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One line of the list. ``name`` ends in ``/*`` for a provider that serves any name."""

    name: str
    state: str
    ready: bool
    cutoff: date | None = None
    source: str = ""
    context: int | None = None
    note: str = ""


def list_models(config: Path | None = None) -> list[ModelInfo]:
    """Embedded models, configured providers, and the models whose cutoff is known, each with its state."""
    providers = load_providers(config)
    servers = []
    for provider in providers.values():
        ready, state = _server_state(provider.api_key_env)
        note = f"{provider.base_url or 'the address in the openai client'} ({provider.where})"
        servers.append(ModelInfo(f"{provider.name}/*", state, ready, note=note))
    embedded = [_info(fact, *_local_state(fact.name)) for fact in known() if _provider(fact) in EMBEDDED]
    others = []
    for fact in known():
        if _provider(fact) in EMBEDDED:
            continue
        others.append(_info(fact, *_remote_state(fact, providers)))
    return [*embedded, *_simulated_models(), *servers, *others]


def _simulated_models() -> list[ModelInfo]:
    """The presets, and that settings of one's own can follow or stand alone."""
    from neuter.models.simulated.respondent import presets

    made = [
        ModelInfo(fact.name, "ready", True, fact.cutoff, fact.source, note=note)
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
    return _info(facts(model), True, f"ready, at {engine.base_url}")


def _provider(fact: ModelFacts) -> str:
    return fact.name.partition("/")[0]


def _info(fact: ModelFacts, ready: bool, state: str) -> ModelInfo:
    return ModelInfo(fact.name, state, ready, fact.cutoff, fact.source, fact.context, fact.note)


def _local_state(model: str) -> tuple[bool, str]:
    if not is_installed():
        return False, 'needs neuter[local]: python -m pip install "neuter[local]"'
    if not is_pulled(model):
        return False, f"not pulled: neuter models pull {model}"
    return True, "ready"


def _remote_state(fact: ModelFacts, providers: Mapping[str, Provider]) -> tuple[bool, str]:
    if fact.open_weights:
        return False, f"open weights: on a server of yours, MYSERVER/{fact.name.rpartition('/')[2]}"
    provider = providers.get(_provider(fact))
    if provider is None:
        return False, "no provider of that name is configured"
    return _server_state(provider.api_key_env)


def _server_state(variable: str | None) -> tuple[bool, str]:
    if variable and not os.environ.get(variable, "").strip():
        return False, f"needs the environment variable {variable}"
    return True, "configured"
