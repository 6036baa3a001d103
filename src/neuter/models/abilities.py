"""Fitting a request's parameters to what a model takes: renamed, left out, or refused before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neuter.errors import UsageError
from neuter.models.catalog import ModelFacts


def fitted(parameters: Mapping[str, Any], facts: ModelFacts) -> dict[str, Any]:
    """``parameters`` as they are sent to the model, with the defaults of ``extra_body`` below them.

    ``max_tokens`` goes out under the name that the model takes. A temperature or seed that the model is
    known to refuse is left out (see ``left_out``). What is not known is sent as it is: the server's word counts.

    Raises:
        UsageError: the answer would depend on something that the model is known to refuse (log
            probabilities, an effort of reasoning, a structured answer).
    """
    wanted = {**facts.extra_body, **parameters}
    _check_logprobs(wanted, facts)
    _check_effort(wanted, facts)
    _check_structure(wanted, facts)
    dropped = left_out(parameters, facts)
    return {
        facts.token_limit if name == "max_tokens" else name: value
        for name, value in wanted.items()
        if name not in dropped
    }


def left_out(parameters: Mapping[str, Any], facts: ModelFacts) -> tuple[str, ...]:
    """Which of ``parameters`` are not sent because the model is known to refuse them: temperature, seed.

    >>> left_out({"temperature": 0, "seed": 1}, ModelFacts("x/m", temperature="only 1"))
    ('temperature',)
    """
    wanted = {**facts.extra_body, **parameters}
    takes = {"temperature": _takes_temperature(wanted, facts), "seed": facts.seed is not False}
    return tuple(name for name in takes if name in wanted and not takes[name])


def _takes_temperature(wanted: Mapping[str, Any], facts: ModelFacts) -> bool:
    if facts.temperature == "only 1":
        return bool(wanted.get("temperature") == 1)
    if facts.temperature == "without reasoning":
        return _reasons_not(wanted, facts)
    return facts.temperature is not False


def _reasons_not(wanted: Mapping[str, Any], facts: ModelFacts) -> bool:
    return bool(wanted.get("reasoning_effort", facts.default_effort) == "none")


def _check_logprobs(wanted: Mapping[str, Any], facts: ModelFacts) -> None:
    most = wanted.get("top_logprobs")
    if not wanted.get("logprobs") and most is None:
        return
    if facts.logprobs is False:
        raise _refuses(facts, "gives no log probabilities", "logprobs")
    if facts.logprobs == "without reasoning" and not _reasons_not(wanted, facts):
        raise _refuses(facts, 'gives log probabilities only with reasoning_effort "none"', "logprobs")
    if facts.top_logprobs is not None and isinstance(most, int) and most > facts.top_logprobs:
        raise _refuses(
            facts, f"gives at most {facts.top_logprobs} log probabilities a token, not {most}", "top_logprobs"
        )


def _check_effort(wanted: Mapping[str, Any], facts: ModelFacts) -> None:
    effort = wanted.get("reasoning_effort")
    if effort is not None and facts.reasoning_effort and effort not in facts.reasoning_effort:
        known = ", ".join(facts.reasoning_effort)
        raise _refuses(facts, f"has no reasoning_effort {effort!r} (it has {known})", "reasoning_effort")


def _check_structure(wanted: Mapping[str, Any], facts: ModelFacts) -> None:
    form = wanted.get("response_format")
    asked = form.get("type") if isinstance(form, Mapping) else None
    for kind in (asked, "grammar" if wanted.get("grammar") else None):
        if kind in {None, "text"} or facts.structured_output is None or kind in facts.structured_output:
            continue
        known = ", ".join(facts.structured_output) or "none"
        raise _refuses(
            facts, f"gives no structured answer of the kind {kind} (known: {known})", "structured_output"
        )


def _refuses(facts: ModelFacts, what: str, key: str) -> UsageError:
    return UsageError(
        f"the model {what}",
        where=facts.name,
        todo=f'Ask without, choose another model, or correct {key} in [models."{facts.name}"] of neuter.toml',
    )
