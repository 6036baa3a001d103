"""The words of a text that tell of past or future, each with its place (``words.toml`` says which they are)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from neuter.traces.mentions import words


class Kind(StrEnum):
    """What a word does to a date in its clause."""

    PAST = "past"
    ANNOUNCING = "announcing"
    FUTURE = "future"
    MODAL = "modal"
    SUPPOSITION = "supposition"


_OF_PAST = frozenset({Kind.PAST, Kind.ANNOUNCING})


class Cue(NamedTuple):
    """``text[start:end]`` tells of the past, of the future, or that all of it is supposed."""

    start: int
    end: int
    kind: Kind

    @property
    def past(self) -> bool:
        """Whether it tells of what has happened."""
        return self.kind in _OF_PAST


_WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
_CONTRACTED = ("'ll", "'d")
#: Before a verb these take the past from it: "will be held", "is scheduled", "to be sold".
_TAKES_PAST = re.compile(
    r"(?:\b(?:will|would|could|may|might|should|shall|can|cannot|must|be|being|is|are|not\s+yet|get|gets|to)\b"
    r"|n['’]t|['’]ll)"
    r"(?:\s+(?:have|be|been|not|also|then|likely|still|never|ever|already|only|soon|probably)){0,3}\s+$",
    re.IGNORECASE,
)
_SHORTEST_ED = 4


def cues_in(text: str) -> list[Cue]:
    """Every cue of a text, in order."""
    places = list(_WORD.finditer(text))
    said = [place[0].lower().replace("’", "'") for place in places]
    phrases, found = _phrases(), []
    for at, word in enumerate(said):
        cue = _phrase(text, places, said, at) if word in phrases else None
        if cue is None and word.endswith("ed"):
            cue = _regular_past(text, places[at], word)
        elif word.endswith(_CONTRACTED):
            cue = Cue(places[at].start(), places[at].end(), Kind.MODAL)
        if cue is not None:
            found.append(cue)
    return found


def _phrase(text: str, places: Sequence[re.Match[str]], said: Sequence[str], at: int) -> Cue | None:
    """The phrase that begins with a word."""
    start, word = places[at].start(), places[at][0]
    for rest, kind in _phrases()[said[at]]:
        last = at + len(rest)
        if rest and tuple(said[at + 1 : last + 1]) != rest:
            continue
        # The month is no modal.
        if word != "May" and (kind not in _OF_PAST or _is_past(text, start)):
            return Cue(start, places[last].end(), kind)
    return None


def _regular_past(text: str, place: re.Match[str], word: str) -> Cue | None:
    if len(word) < _SHORTEST_ED or word in _not_past() or not _is_past(text, place.start()):
        return None
    return Cue(place.start(), place.end(), Kind.ANNOUNCING if word in _announcing() else Kind.PAST)


def _is_past(text: str, start: int) -> bool:
    return not _TAKES_PAST.search(text[max(0, start - 40) : start])


@cache
def _phrases() -> Mapping[str, tuple[tuple[tuple[str, ...], Kind], ...]]:
    """By first word, the rest of each phrase and what it does; the longest first, a supposition before all else."""
    found: dict[str, list[tuple[tuple[str, ...], Kind]]] = {}
    for phrase, kind in _all_phrases():
        first, *rest = phrase.split()
        found.setdefault(first, []).append((tuple(rest), kind))
    return {first: tuple(sorted(some, key=_order)) for first, some in found.items()}


def _order(entry: tuple[tuple[str, ...], Kind]) -> tuple[bool, int]:
    rest, kind = entry
    return kind is not Kind.SUPPOSITION, -len(rest)


def _all_phrases() -> Iterable[tuple[str, Kind]]:
    modals = set(words("tense", "modals"))
    yield from ((phrase, Kind.SUPPOSITION) for phrase in words("tense", "suppositions"))
    yield from ((phrase, Kind.MODAL) for phrase in modals)
    yield from ((phrase, Kind.FUTURE) for phrase in words("tense", "future") if phrase not in modals)
    for phrase in words("tense", "past"):
        yield phrase, Kind.ANNOUNCING if phrase in _announcing() else Kind.PAST


@cache
def _not_past() -> frozenset[str]:
    known = {*words("tense", "not_past"), *words("tense", "future")}
    return frozenset(known)


@cache
def _announcing() -> frozenset[str]:
    return frozenset(words("tense", "announcing"))
