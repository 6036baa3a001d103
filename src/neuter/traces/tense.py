"""Whether a date in a text is told as something that happened, or as something to come: by the words around it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache

from neuter.traces.cues import Cue, Kind, cues_in
from neuter.traces.mentions import Mention, alternatives, words


class Told(StrEnum):
    """How a date is spoken of. ``BARE`` is without a word that says either."""

    PAST = "past"
    FUTURE = "future"
    BARE = "bare"


#: A clause is looked at so far to either side of a date, in characters; a longer one is cut there.
_REACH = 240
_CLAUSE_END = re.compile(
    r"[.!?](?<!\b[A-Z]\.)(?<!\bU\.S\.)(?<!\bvs\.)(?<!\bInc\.)(?<!\bNo\.)(?<!\bMr\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bCorp\.)"
    r"[\"'”’)\]]{0,2}\s{1,9}(?=[\"'“‘(*]?[A-Z])|[;\n]"
    r"|\s(?:(?:but|although|though|while|whereas|because|yet|however|even though|[–—])\s"
    r"|and\s(?=(?:is|are|was|were|will|would|could|may|might|has|have|had|can|should)\s))"
    r"|,\s(?:and|so|which|who|with|where)\s"
)
_CLOSING = re.compile(
    r"\b(?:(?P<by>by|come)|(?P<until>until|till|through|to|into)"
    r"|(?P<before>before|prior\s+to|ahead\s+of|up\s+to|on\s+or\s+after|not\s+later\s+than|no\s+later\s+than)"
    r"|(?P<as_of>as\s+of|since))"
    r"(?:\s(?:the|about|around|at\s+least|end|close|start|beginning|day|year|month|of|on|11:59\s?pm|midnight)){0,6}\s?$",
    re.IGNORECASE,
)
#: "2024Q1: $1.19", "Jan 2023 3.4", "CPI (June 2023: 3.0%)": a figure of that time.
_FIGURE = re.compile(
    r"\)?(?:\s?[:=]\s?[-+−]?[$€£]?[0-9]|\s[-+−]?(?:[$€£][0-9]|[0-9][0-9,]{0,12}(?:\.[0-9]|\s?%)))", re.ASCII
)
_FIGURE_BEFORE = re.compile(r"[0-9][0-9.,]{0,12}\s?[%a-zA-Z]{0,8}\s\($")
_HEADS_LINE = re.compile(r"(?:^|\n)[\s*•#>–-]{0,8}(?:In|On)?\s?\**$")
_HEADED = re.compile(r"\*{0,2}\s?[:–—]|\*{0,2}\s-\s")
_PRESENT_PASSIVE = re.compile(r"\b(?:is|are|gets?)\s+(?:only\s|usually\s|then\s)?[a-z]{2,}ed\b")
#: Years and months in a list are told by one verb: "rose in 2021, 2022 and 2023".
_LIST = re.compile(r"(?:[0-9]{4}|and|or|in|early|late|mid|Q[1-4]|[\s,&/–-])*$", re.IGNORECASE)
_LONGEST_LIST = 60
#: "announced in March", and not "announced a launch in March".
_DIRECT = re.compile(
    r"\s{0,3}(?:it\s|this\s|that\s|so\s)?(?:back\s)?(?:in|on|at|during)?\s?(?:the\s)?$", re.IGNORECASE
)
#: "the 2026 World Cup was awarded in 2018": the date behind the verb is when; the one before it is a name.
_ADVERBIAL = re.compile(r"\b(?:in|on|at|during|since|by|until|from|through)\s(?:the\s)?$", re.IGNORECASE)
_BEFORE_WHEN = re.compile(r"(?:(?!\bthat\b|\bhow\b)[^.;:]){0,60}\b(?:in|on|during)\s(?:the\s)?")
#: Behind an event: "an SVB collapse could".
_POSSIBLE = re.compile(r"\s(?:would|could|might|may|cannot|is\s(?:possible|unlikely|likely|conceivable))\b")
#: A word so near before an event takes it into the future: "a possible".
_NEAR_EVENT = 30


class Speech:
    """How one text speaks of its dates and events."""

    def __init__(self, text: str, mentions: Sequence[Mention]) -> None:
        self._text, self._mentions = text, mentions
        self._starts = [one.start for one in mentions]
        self._cues = cues_in(text)
        self._cue_starts = [cue.start for cue in self._cues]
        ends = [(match.start(), match.end()) for match in _CLAUSE_END.finditer(text)]
        self._stops, self._begins = [start for start, _ in ends], [end for _, end in ends]

    def of_date(self, place: Mention, *, today: bool = False) -> Told:
        """How the text speaks of a date: the nearest word in its clause that tells of past or future decides.

        Args:
            today: the place holds the day that the model takes for today: "as of" it tells nothing of the past.
        """
        start, end = self._clause(place)
        cues = [cue for cue in self._between(start, end) if not place.start <= cue.start < place.end]
        if any(cue.kind is Kind.SUPPOSITION and cue.end <= place.start for cue in cues):
            return Told.FUTURE
        telling = [cue for cue in cues if self._tells(cue, place)]
        nearest = min(telling, key=lambda cue: _distance(cue, place), default=None)
        before, behind = self._text[start : place.start], self._text[place.end : end]
        closing = _CLOSING.search(before[-_LONGEST_LIST:])
        promised = any(cue.kind is Kind.MODAL and cue.end <= place.start for cue in cues)
        if closing and (said := _after_preposition(closing, nearest, promised=promised, today=today)):
            return said
        if nearest is not None:
            return Told.PAST if nearest.past else Told.FUTURE
        line = self._text[max(0, place.start - _LONGEST_LIST) : place.start]
        return Told.PAST if _is_reported(line, before[-_LONGEST_LIST - 40 :], behind) else Told.BARE

    def of_event(self, place: Mention) -> Told:
        """How the text speaks of an event: naming it is telling it, unless it is supposed or said to be possible."""
        start, _ = self._clause(place)
        before = [cue for cue in self._between(start, place.start) if cue.end <= place.start]
        if any(cue.kind is Kind.SUPPOSITION for cue in before) or _POSSIBLE.match(self._text, place.end):
            return Told.FUTURE
        near = before and before[-1].end >= place.start - _NEAR_EVENT and not before[-1].past
        return Told.FUTURE if near else Told.PAST

    def _clause(self, place: Mention) -> tuple[int, int]:
        first = bisect_right(self._begins, place.start) - 1
        after = bisect_left(self._stops, place.end)
        start = self._begins[first] if first >= 0 else 0
        end = self._stops[after] if after < len(self._stops) else len(self._text)
        return max(start, place.start - _REACH), min(end, place.end + _REACH)

    def _between(self, start: int, end: int) -> list[Cue]:
        return self._cues[bisect_left(self._cue_starts, start) : bisect_left(self._cue_starts, end)]

    def _tells(self, cue: Cue, place: Mention) -> bool:
        """Whether a cue tells of this date: not a supposition behind it, nor a verb that is of something else."""
        if cue.kind is Kind.SUPPOSITION:
            return False
        early = cue.end <= place.start
        if cue.kind is Kind.ANNOUNCING and early and not _DIRECT.match(self._text[cue.end : place.start]):
            return False
        return not (cue.past and self._is_of_another(cue, place))

    def _is_of_another(self, cue: Cue, place: Mention) -> bool:
        """Whether a verb in the past stands nearer to another date, which is not in a list with this one."""
        named = not _ADVERBIAL.search(self._text[max(0, place.start - 20) : place.start])
        return any(self._has_it(other, cue, place, named=named) for other in self._near(cue))

    def _has_it(self, other: Mention, cue: Cue, place: Mention, *, named: bool) -> bool:
        if other.start == place.start:
            return False
        if named and place.end <= cue.start < other.start:
            return bool(_BEFORE_WHEN.fullmatch(self._text[cue.end : other.start]))
        same_side = (other.start < place.start) == (cue.end <= place.start)
        if not same_side or _distance(cue, other) >= _distance(cue, place):
            return False
        between = self._text[min(other.end, place.end) : max(other.start, place.start)]
        return len(between) > _LONGEST_LIST or not _LIST.match(between)

    def _near(self, cue: Cue) -> Iterator[Mention]:
        """The dates next to a cue, two to either side: one that is farther has others between."""
        at = bisect_left(self._starts, cue.start)
        yield from self._mentions[max(0, at - 2) : at + 2]


def _after_preposition(
    closing: re.Match[str], nearest: Cue | None, *, promised: bool, today: bool
) -> Told | None:
    """What "by", "until", "before", "as of" and "since" make of a date; what "will have happened by" it is to come."""
    past = nearest is not None and nearest.past
    if closing["before"]:
        return Told.FUTURE
    if closing["as_of"]:
        modal = nearest is not None and nearest.kind is Kind.MODAL
        return Told.FUTURE if today or modal else Told.PAST
    if closing["by"]:
        return Told.PAST if past and not promised else Told.FUTURE
    return None if past else Told.FUTURE


def _is_reported(line: str, before: str, behind: str) -> bool:
    """Whether a date without a verb stands with a figure or an outcome of that time, or heads a line of a chronicle."""
    if _PRESENT_PASSIVE.search(behind):
        return False
    if _FIGURE.match(behind) or _FIGURE_BEFORE.search(before[-30:]) or _outcomes().match(behind):
        return True
    if _ADVERBIAL.search(before) and _outcome_before().search(before):
        return True
    return bool(_HEADED.match(behind) and _HEADS_LINE.search(line))


def _distance(cue: Cue, place: Mention) -> int:
    if cue.start >= place.end:
        return cue.start - place.end
    return max(0, place.start - cue.end)


@cache
def _outcomes() -> re.Pattern[str]:
    said = alternatives(words("tense", "outcomes"))
    return re.compile(rf"(?:['’]s)?\s(?:[A-Za-z-]{{1,20}}\s)?(?:{said})(?!\w)", re.IGNORECASE)


@cache
def _outcome_before() -> re.Pattern[str]:
    """ "the murder of a candidate on", "a drop in prices in": an outcome, and when it was."""
    said = alternatives(words("tense", "outcomes_before"))
    return re.compile(
        rf"(?<!\w)(?:{said})(?!\w)[^.;:?]{{0,60}}\b(?:on|in|during|of)\s(?:the\s)?$", re.IGNORECASE
    )
