"""Reading what a judge wrote: two answers in yes and no, a reason and a quotation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from neuter.models.answers import Question, parse_answer
from neuter.models.answers.extract import find_objects, strip_reasoning
from neuter.types import Outcome

_SAME = (("true", "yes"), ("false", "no"))
_LOGIC = Question(
    "choice", choices=("yes", "no"), aliases=_SAME, fields=("logically consistent", "consistent")
)
_AFTER = Question(
    "choice",
    choices=("yes", "no"),
    aliases=_SAME,
    fields=("references after cutoff", "references after the cutoff", "after cutoff"),
)
#: A judge may shorten what it quotes by these.
_GAP = re.compile(r"\s*(?:\.\.\.|…|\[\.\.\.\]|\[…\])\s*")
_LONGEST_REASON = 2000
#: Less than this of a quotation proves nothing.
_SHORTEST_QUOTE = 4


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of one trace.

    Attributes:
        logic, clean: None unless answered. ``clean`` is that it names nothing after the cutoff.
        reason: of the logic, or why there is no verdict.
        quote: what it quotes as a reference after the cutoff; None without.
        quote_found: whether the trace holds all of it; None without a quote, False where one is owed and missing.
    """

    outcome: Outcome
    logic: bool | None = None
    clean: bool | None = None
    reason: str = ""
    quote: str | None = None
    quote_found: bool | None = None


def verdict_of(outcome: Outcome, text: str | None, reason: str, trace: str) -> Verdict:
    """What a response came to; a truncated one counts only where its object is whole."""
    if text is None or outcome not in {Outcome.ANSWERED, Outcome.TRUNCATED}:
        return Verdict(outcome, reason=reason)
    if outcome is Outcome.TRUNCATED and not find_objects(strip_reasoning(text)):
        return Verdict(outcome, reason=reason)
    return read_verdict(text, trace)


def read_verdict(text: str, trace: str) -> Verdict:
    """What a judge's answer says of ``trace``: answered only where both questions are.

    >>> read_verdict('{"reason": "It holds.", "logically_consistent": "yes", "quote": "", '
    ...              '"references_after_cutoff": "no"}', "Rare so far.").clean
    True
    """
    logic, after = parse_answer(text, _LOGIC), parse_answer(text, _AFTER)
    outcomes = {logic.outcome, after.outcome}
    said = _texts(text)
    if outcomes != {Outcome.ANSWERED}:
        refused = Outcome.REFUSED in outcomes and Outcome.ANSWERED not in outcomes
        why = "; ".join(dict.fromkeys(one.reason for one in (logic, after) if one.reason))
        return Verdict(Outcome.REFUSED if refused else Outcome.UNPARSED, reason=why)
    clean = after.value == "no"
    quote = None if clean else said.get("quote", "")
    return Verdict(
        Outcome.ANSWERED,
        logic=logic.value == "yes",
        clean=clean,
        reason=said.get("reason", "")[:_LONGEST_REASON],
        quote=quote or None,
        quote_found=None if clean else _holds(trace, quote or ""),
    )


def _texts(text: str) -> dict[str, str]:
    """The strings of the answer's object by name."""
    found: dict[str, str] = {}
    for one in find_objects(strip_reasoning(text)):
        found |= {
            str(name).strip().lower(): value.strip() for name, value in one.items() if isinstance(value, str)
        }
    return found


def _holds(trace: str, quote: str) -> bool:
    """Whether a trace holds a quotation, whatever its case, marks and white space; every part of a shortened one."""
    parts = [part for part in map(_plain, _GAP.split(quote)) if part]
    return bool(parts) and sum(map(len, parts)) >= _SHORTEST_QUOTE and _in_order(_plain(trace), parts)


def _in_order(text: str, parts: Iterable[str]) -> bool:
    position = 0
    for part in parts:
        found = text.find(part, position)
        if found < 0:
            return False
        position = found + len(part)
    return True


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w%$€£]+", " ", text.lower()).split())
