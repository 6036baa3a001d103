"""What a run would ask of models, before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neuter.api import asking
from neuter.api.asked_models import check_names, masker_of
from neuter.suites.estimating import requests_of
from neuter.suites.plan import Plan


def estimate(arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Requests and tokens sent for each scheme and attacker that asks a model; answers in the store come off that.

    Args:
        arguments: those of ``neuter evaluate``: corpus, reading, schemes, attackers, models, masker, model_sample,
            config.

    Raises:
        UsageError, ModelError: a name that means no model, or a simulated model that is to mask.
    """
    from neuter.api.evaluating import DEFAULT_SCHEMES, choose

    named = (*asking.several(arguments.get("models")), *asking.several(arguments.get("masker")))
    check_names(named, asking.path(arguments.get("config")))
    models, attackers, _ = choose(arguments.get("attackers"), arguments.get("models") or ())
    schemes = asking.schemes(arguments.get("schemes") or DEFAULT_SCHEMES)
    plan = Plan(
        corpus=asking.a_corpus(arguments["corpus"], **arguments.get("reading", {})),
        schemes=schemes,
        attackers=asking.attackers(attackers),
        models=models,
        masker=masker_of(schemes, arguments.get("masker"), models),
        model_sample=arguments.get("model_sample"),
    )
    return requests_of(plan)
