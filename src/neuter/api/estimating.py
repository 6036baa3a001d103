"""What a run would ask of models, before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neuter import prompts
from neuter.api import asking
from neuter.suites.plan import needs_model, sample_of

#: A rough rule for English text; stated as an estimate wherever it is shown.
CHARACTERS_A_TOKEN = 4


def estimate(arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Requests and tokens sent for each scheme and attacker that asks a model; answers in the store come off that.

    Args:
        arguments: those of ``neuter evaluate``: corpus, reading, schemes, attackers, models, masker, model_sample.
    """
    from neuter.api.evaluating import DEFAULT_SCHEMES, choose

    models, attackers, _ = choose(arguments.get("attackers"), arguments.get("models") or ())
    schemes = asking.schemes(arguments.get("schemes") or DEFAULT_SCHEMES)
    corpus = asking.a_corpus(arguments["corpus"], **arguments.get("reading", {}))
    lengths = [len(document.text) for document in corpus.documents()]
    rows = []
    masker = arguments.get("masker") or next(iter(models), None)
    for scheme in schemes:
        if needs_model(scheme):
            rows.append(_row(f"scheme {scheme.name}", masker, len(lengths), sum(lengths), "anonymization"))
    for attacker in asking.attackers(attackers):
        for model in models if needs_model(attacker) else ():
            asked = sample_of(model, arguments.get("model_sample"))
            share = min(1.0, asked / len(lengths)) if asked else 1.0
            if attacker.name == "prior":
                rows.append(_row("attacker prior", model, 1, 0, "identification"))
                continue
            requests = round(share * len(lengths)) * len(schemes)
            rows.append(
                _row(
                    f"attacker {attacker.name}",
                    model,
                    requests,
                    int(share * sum(lengths)) * len(schemes),
                    "identification",
                )
            )
    return rows


def _row(what: str, model: str | None, requests: int, characters: int, prompt: str) -> dict[str, Any]:
    fixed = len(prompts.load(prompt).fill("")) * requests
    return {
        "what": what,
        "model": model,
        "requests": requests,
        "tokens": (fixed + characters) // CHARACTERS_A_TOKEN,
    }
