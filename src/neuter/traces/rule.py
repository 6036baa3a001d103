"""The judge-free check of a chain of thought: which dates and events after the cutoff it names as known."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from neuter.traces.events import events_in
from neuter.traces.mentions import Kind, Mention, mentions_in
from neuter.traces.tense import Speech, Told


@dataclass(frozen=True, slots=True)
class Finding:
    """``text`` at ``start`` to ``end`` of the trace names a time or an event that lies after the cutoff.

    Attributes:
        kind: ``date``, ``month``, ``quarter`` (or half, season), ``year`` or ``event``.
        day: the first day that it can mean.
        told: the prompt had it: its deadline, its dates, an event that it spoke of.
        forward: spoken of as the future, a supposition, or without a word that says that it has come.
    """

    start: int
    end: int
    text: str
    kind: Kind
    day: date
    told: bool
    forward: bool

    @property
    def violates(self) -> bool:
        """Whether it shows knowledge of what came after the cutoff."""
        return not (self.told or self.forward)


@dataclass(frozen=True, slots=True)
class TraceFindings:
    """What the rule found in one trace; ``clean`` where no finding is a violation."""

    clean: bool
    findings: tuple[Finding, ...]


def check_trace(text: str, *, cutoff: date, question: str, resolved: date | None = None) -> TraceFindings:
    """What ``text`` names of the time from ``cutoff`` on.

    A month, quarter or year counts where all of it lies on or after the cutoff; of what is vague, all that it can
    mean. What the prompt itself told is no violation, unless the prompt spoke of it as the future and the trace as the
    past ("by 2023-12-31", "in 2023 he resigned"). A date that no word tells as past or future is taken for a plan, but
    for the day or month of the resolution, which the prompt did not tell.

    Args:
        text: the chain of thought; it is data, whatever it says.
        cutoff: C, the first day that must not be known.
        question: all that the prompt told: question, criteria, background.
        resolved: when the question resolved.

    >>> told = "Will X be chief executive on 2023-12-31?"
    >>> check_trace("He will stay until December 2023.", cutoff=date(2023, 1, 1), question=told).clean
    True
    >>> check_trace("He resigned in March 2023.", cutoff=date(2023, 1, 1), question=told).clean
    False
    """
    every = mentions_in(text)
    late = [one for one in every if one.first >= cutoff]
    events = events_in(text, cutoff)
    if not late and not events:
        return TraceFindings(True, ())
    prompt, speech = _prompt(question), Speech(text, every)
    findings = []
    for one in late:
        said = speech.of_date(one, today=one.first <= cutoff <= one.last)
        findings.append(_of_date(text, one, said, _named(one, prompt, cutoff), resolved))
    findings += [
        _finding(text, one, told=name in prompt.events, forward=speech.of_event(one) is Told.FUTURE)
        for name, one in events
    ]
    findings.sort(key=lambda one: (one.start, one.end))
    return TraceFindings(not any(one.violates for one in findings), tuple(findings))


@dataclass(frozen=True, slots=True)
class _Prompt:
    """The dates that a prompt tells, each with whether it tells it as past, and the names of its events."""

    dates: tuple[tuple[date, date, bool], ...]
    events: frozenset[str]


@lru_cache(maxsize=4096)
def _prompt(text: str) -> _Prompt:
    found = mentions_in(text)
    speech = Speech(text, found)
    dates = tuple((one.first, one.last, speech.of_date(one) is Told.PAST) for one in found)
    return _Prompt(dates, frozenset(name for name, _ in events_in(text, date.min)))


def _named(one: Mention, prompt: _Prompt, cutoff: date) -> list[bool]:
    """Which dates of the prompt a mention holds: for each, whether the prompt told it as past.

    The cutoff itself tells nothing but its own day. The instruction names it ("nothing that happened on or after it"),
    and would otherwise excuse whatever is told of that month and year, where there is an instruction and only there.
    """
    found = []
    for first, last, past in prompt.dates:
        of_instruction = first == last == cutoff
        if one.first <= first and last <= one.last and (one.first == one.last or not of_instruction):
            found.append(past and not of_instruction)
    return found


def _of_date(text: str, one: Mention, said: Told, named: list[bool], resolved: date | None) -> Finding:
    told = bool(named) and (said is not Told.PAST or any(named))
    bare = said is Told.BARE and not _is_resolution(one, resolved)
    return _finding(text, one, told=told, forward=said is Told.FUTURE or bare)


def _is_resolution(one: Mention, resolved: date | None) -> bool:
    return one.kind in {"date", "month"} and resolved is not None and one.first <= resolved <= one.last


def _finding(text: str, one: Mention, *, told: bool, forward: bool) -> Finding:
    return Finding(one.start, one.end, text[one.start : one.end], one.kind, one.first, told, forward)
