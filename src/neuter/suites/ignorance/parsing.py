"""From what models wrote to the probability that they gave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from neuter.attacks.answered import CUT_OFF
from neuter.models.answers import Parsed, Question, is_whole, parse_answer
from neuter.types import Outcome

_SHARE = Question("probability", "share", fields=("probability",))
_PERCENT = replace(_SHARE, unit="percent")


def read_probability(text: str, prompt: str = "") -> Parsed:
    """The probability that an answer gives, within 0 and 1.

    The prompt asks for a number between 0 and 1. ``85%`` and ``1 in 4`` say themselves what they mean; a whole number
    from 2 to 100 can only be a percentage and is read as one; 1 is certain, and 1.4 or 120 is no probability.

    >>> [read_probability(text).value for text in ('{"probability": 0.85}', "85", "85%", "1 in 4", "1.4")]
    [0.85, 0.85, 0.85, 0.25, None]
    """
    parsed = parse_answer(text, replace(_SHARE, asked=prompt))
    if parsed.outcome is Outcome.UNPARSED and _is_percentage(parsed.evidence):
        return parse_answer(text, replace(_PERCENT, asked=prompt))
    return parsed


def read_forecast(outcome: str, text: str | None, prompt: str = "") -> Parsed:
    """What a call came to: an answered text is read, a truncated one counts where only talk behind it was cut off."""
    if outcome not in {Outcome.ANSWERED, Outcome.TRUNCATED} or text is None:
        return Parsed(Outcome(outcome))
    parsed = read_probability(text, prompt)
    if outcome == Outcome.ANSWERED:
        return parsed
    if not is_whole(text, parsed, partial(read_probability, prompt=prompt)):
        return Parsed(Outcome.TRUNCATED)
    return replace(parsed, reason="; ".join(filter(None, (parsed.reason, CUT_OFF))))


def outcome_reader(prompt: str) -> Callable[[str], Outcome]:
    """Tells the outcome of a text that answers this prompt."""
    return partial(_outcome_of, prompt)


def _outcome_of(prompt: str, text: str) -> Outcome:
    return read_probability(text, prompt).outcome


def _is_percentage(evidence: str) -> bool:
    said = evidence.strip()
    return said.isascii() and said.isdigit() and 2 <= int(said[:4]) <= 100 and len(said) <= 3
