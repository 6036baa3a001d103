"""Which models count as trained to reason: the user's word, the paper's table, or the catalog."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from neuter.errors import UsageError
from neuter.models.simulated.names import is_simulated
from neuter.scoring.forecasts.how import NON_REASONING, REASONING


def groups_of(
    models: Sequence[str], reasoning: Collection[str] = (), config: Path | None = None
) -> dict[str, str]:
    """``reasoning`` or ``non_reasoning`` for each model.

    Args:
        reasoning: the models that the user calls trained to reason; where any is named, all others are not.

    Raises:
        UsageError: one of ``reasoning`` is not asked.
    """
    if strange := sorted(set(reasoning) - set(models)):
        raise UsageError(
            f"{strange[0]} is not asked", where="--reasoning", todo=f"Asked: {', '.join(models)}"
        )
    if reasoning:
        return {model: REASONING if model in reasoning else NON_REASONING for model in models}
    return {model: _group(model, config) for model in models}


@cache
def _papers() -> dict[str, str]:
    raw = tomllib.loads((files(__package__) / "groups.toml").read_text(encoding="utf-8"))
    return dict(raw["groups"])


def _last_name(model: str) -> str:
    """What a model is called whoever serves it: ``openrouter/google/gemini-2.5-flash`` is ``gemini-2.5-flash``."""
    return model.rpartition("/")[2].lower()


def _group(model: str, config: Path | None) -> str:
    last = _last_name(model)
    by_last = {_last_name(name): group for name, group in _papers().items()}
    if model in _papers():
        return _papers()[model]
    if is_simulated(model):
        from neuter.models.simulated.respondent import respondent_of

        reasons = bool(getattr(respondent_of(model), "reasoning", False))
    elif last in by_last:
        return by_last[last]
    else:
        from neuter.models.catalog import facts

        reasons = facts(model, config).reasoning
    return REASONING if reasons else NON_REASONING
