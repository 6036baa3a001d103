"""From a model's response to a guess: what was answered, and what became of it where it was not."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from neuter.errors import ModelError
from neuter.models.answers import Identification, parse_identification
from neuter.types import Ask, Guess, MaskedDocument, Outcome, Response

#: The reason of a guess that was read from a truncated answer.
CUT_OFF = "cut off after a complete answer"


def connected(model: Ask | None, attacker: str) -> Ask:
    """The model that an attacker asks.

    Raises:
        ModelError: there is none.
    """
    if model is None:
        raise ModelError(f"the attacker {attacker!r} has no model", todo="Give --model PROVIDER/NAME")
    return model


def prompt_of(kind: str) -> str:
    """Which prompt asks about a text of this kind: a headline is of a day, everything else of a quarter."""
    return "identification_headline" if kind == "headline" else "identification"


def sent_parameters(
    model: Ask, prompt: str = "identification", **parameters: float | None
) -> Mapping[str, Any]:
    """The parameters that are set; what is None is not sent.

    A model inside the process (``local/``) is held to the prompt's answer format by a grammar, because a model that
    small does not keep to it by itself.
    """
    settings: dict[str, Any] = {name: value for name, value in parameters.items() if value is not None}
    return {**settings, "grammar": _answer_grammar(prompt)} if model.model.startswith("local/") else settings


@cache
def _answer_grammar(prompt: str) -> str:
    return (files("neuter.attacks") / f"{prompt}.gbnf").read_text(encoding="utf-8")


def outcome_of(text: str) -> Outcome:
    """What an attacker makes of a text that a model answered, for :attr:`neuter.types.Request.outcome_of`."""
    return parse_identification(text).outcome


def guess_of_response(document: MaskedDocument, response: Response, attacker: str, model: str) -> Guess:
    """The guess about ``document``; ``answer`` keeps what the model wrote, whatever the outcome.

    Only an answered guess has a firm, industry, quarter and year, or date. A truncated answer counts as answered
    where all of them are there and the year's four digits too, so that only talk after the line was cut off;
    otherwise nothing of it is used, since the cut may have gone through any part.
    """
    parsed = _parsed(response)
    outcome, reason = response.outcome, response.reason
    if parsed is not None and outcome is Outcome.TRUNCATED:
        outcome, reason = Outcome.ANSWERED, CUT_OFF
    elif parsed is not None:
        outcome = parsed.outcome
    usable = parsed if outcome is Outcome.ANSWERED else None
    return Guess(
        id=document.id,
        scheme=document.scheme,
        attacker=attacker,
        model=model,
        outcome=outcome,
        firm=usable.firm if usable else None,
        industry=usable.industry if usable else None,
        quarter=usable.quarter if usable else None,
        year=usable.year if usable else None,
        date=usable.date if usable else None,
        candidates=(usable.firm,) if usable and usable.firm else (),
        answer=response.text,
        reason=reason,
    )


def _parsed(response: Response) -> Identification | None:
    """What can be read from the response; None where its outcome leaves nothing to read."""
    if response.outcome is Outcome.ANSWERED:
        return parse_identification(response.text or "")
    if response.outcome is Outcome.TRUNCATED and response.text:
        parsed = parse_identification(response.text)
        return parsed if _is_complete(parsed, response.text) else None
    return None


def _is_complete(parsed: Identification, text: str) -> bool:
    dated = None if parsed.date is None else (parsed.date.year,)
    period = dated or (parsed.year, parsed.quarter)
    return None not in (parsed.firm, parsed.industry, *period) and str(period[0]) in text
