"""What a plan would ask of models, before anything is spent."""

from __future__ import annotations

from typing import Any

from neuter import prompts
from neuter.suites.plan import Plan, needs_model

#: A rough rule for English text; stated as an estimate wherever it is shown.
CHARACTERS_A_TOKEN = 4


def requests_of(plan: Plan, label: str = "") -> list[dict[str, Any]]:
    """Requests and tokens sent for each scheme and attacker that asks a model; answers in the store come off that.

    Returns:
        dicts with what (``label`` before it), model, requests and tokens.
    """
    from neuter.attacks.answered import prompt_of

    texts = [(len(document.text), prompt_of(document.kind)) for document in plan.corpus.documents()]
    characters, asking = sum(length for length, _ in texts), sorted({prompt for _, prompt in texts})
    rows = [
        _row(f"{label}scheme {scheme.name}", plan.masker, len(texts), characters, "anonymization")
        for scheme in plan.schemes
        if needs_model(scheme)
    ]
    for attacker in plan.attackers:
        for model in plan.models if needs_model(attacker) else ():
            what = f"{label}attacker {attacker.name}"
            if attacker.name == "prior":
                rows.append(_row(what, model, len(asking), 0, *asking))
                continue
            asked = plan.sample_of(model)
            share = min(1.0, asked / len(texts)) if asked and texts else 1.0
            requests = round(share * len(texts)) * len(plan.schemes)
            rows.append(_row(what, model, requests, int(share * characters) * len(plan.schemes), *asking))
    return rows


def _row(what: str, model: str | None, requests: int, characters: int, *asking: str) -> dict[str, Any]:
    fixed = max((len(prompts.load(prompt).fill("")) for prompt in asking), default=0) * requests
    tokens = (fixed + characters) // CHARACTERS_A_TOKEN
    return {"what": what, "model": model, "requests": requests, "tokens": tokens}
