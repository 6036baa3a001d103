"""What a run would ask of models, before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neuter.api import asking
from neuter.suites.estimating import requests_of
from neuter.suites.plan import Plan


def estimate(arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Requests and tokens sent for each scheme and attacker that asks a model; answers in the store come off that.

    Args:
        arguments: those of ``neuter evaluate``: corpus, reading, schemes, attackers, models, masker, model_sample.
    """
    from neuter.api.evaluating import DEFAULT_SCHEMES, choose

    models, attackers, _ = choose(arguments.get("attackers"), arguments.get("models") or ())
    plan = Plan(
        corpus=asking.a_corpus(arguments["corpus"], **arguments.get("reading", {})),
        schemes=asking.schemes(arguments.get("schemes") or DEFAULT_SCHEMES),
        attackers=asking.attackers(attackers),
        models=models,
        masker=arguments.get("masker") or next(iter(models), None),
        model_sample=arguments.get("model_sample"),
    )
    return requests_of(plan)
