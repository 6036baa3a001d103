"""From a model's response to a guess: what was answered, and what became of it where it was not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neuter.errors import ModelError
from neuter.models.answers import Identification, parse_identification
from neuter.types import Ask, Guess, MaskedDocument, Outcome, Response


def connected(model: Ask | None, attacker: str) -> Ask:
    """The model that an attacker asks.

    Raises:
        ModelError: there is none.
    """
    if model is None:
        raise ModelError(f"the attacker {attacker!r} has no model", todo="Give --model PROVIDER/NAME")
    return model


def sent_parameters(**parameters: float | None) -> Mapping[str, Any]:
    """The parameters that are set; what is None is not sent."""
    return {name: value for name, value in parameters.items() if value is not None}


def guess_of_response(
    document: MaskedDocument, response: Response, *, attacker: str, model: str
) -> Guess:
    """The guess about ``document``, with the response's outcome; ``answer`` keeps what the model wrote.

    A truncated answer counts as answered where all four parts of the line are there, so that only talk
    after the line was cut off. Otherwise its parts are not used: the cut may have gone through one.
    """
    text = response.text
    outcome, reason = response.outcome, response.reason
    parsed: Identification | None = None
    if text is not None and outcome in (Outcome.ANSWERED, Outcome.TRUNCATED):
        parsed = parse_identification(text)
        if outcome is Outcome.ANSWERED:
            outcome = parsed.outcome
        elif is_complete(parsed):
            outcome, reason = Outcome.ANSWERED, "cut off after a complete answer"
    ...
