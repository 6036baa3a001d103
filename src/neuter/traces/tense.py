"""Whether a date in a text is told as something that happened, or as something to come: by the words around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from neuter.traces.mentions import Mention, alternatives, words


class Told(StrEnum):
    """How a date is spoken of. ``BARE`` is without a word that says either."""

    PAST = "past"
    FUTURE = "future"
    BARE = "bare"


class _Cue(NamedTuple):
    start: int
    end: int
    past: bool
    modal: bool = False


_MODALS = frozenset({"will", "would", "could", "may", "might", "should", "'ll"})
#: A sentence is looked at so far to either side of a date, in characters; a longer one is cut there.
_REACH = 240
_SENTENCE_END = re.compile(
    r"(?<!\b[A-Z])(?<!\bU\.S)(?<!\bvs)(?<!\bInc)(?<!\bNo)(?<!\bMr)(?<!\bDr)(?<!\bSt)(?<!\bCorp)[.!?][\"'”’)\]]{0,2}\s+(?=[\"'“‘(*]?[A-Z])"
    r"|\n"
)
_CLAUSE_END = re.compile(
    r";|,?\s(?:but|although|though|while|whereas|because|yet|however|even though)\s"
    r"|,\s(?:and|so|which|who|with|where)\s|\s[–—]\s"
    r"|\sand\s(?=(?:is|are|was|were|will|would|could|may|might|has|have|had|can|should)\s)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(?:(?P<by>by|come)|(?P<until>until|till|through|to|into)"
    r"|(?P<before>before|prior\s+to|ahead\s+of|up\s+to|on\s+or\s+after|not\s+later\s+than|no\s+later\s+than)"
    r"|(?P<as_of>as\s+of|since))"
    r"(?:\s(?:the|about|around|at\s+least|end|close|start|beginning|day|year|month|of|on|11:59\s?pm|midnight))*\s*$",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"(?:\b(?:will|would|could|may|might|should|shall|can|cannot|must|be|being|is|are|not\s+yet|get|gets|to)\b|n['’]t|['’]ll)"
    r"(?:\s+(?:have|be|been|not|also|then|likely|still|never|ever|already|only|soon|probably))*\s+$",
    re.IGNORECASE,
)
#: "2024Q1: $1.19", "Jan 2023 3.4", "CPI (June 2023: 3.0%)": a figure of that time.
_FIGURE = re.compile(
    r"\)?(?:\s?[:=]\s?[-+−]?[$€£]?[0-9]|\s[-+−]?(?:[$€£][0-9]|[0-9][0-9,]{0,12}(?:\.[0-9]|\s?%)))", re.ASCII
)
_PRESENT_PASSIVE = re.compile(r"\b(?:is|are|gets?)\s+(?:only\s|usually\s|then\s)?[a-z]{2,}ed\b")
#: "the 2026 World Cup was awarded in 2018": the date behind the verb is when; the one before it is a name.
_ADVERBIAL = re.compile(r"\b(?:in|on|at|during|since|by|until|from|through)\s(?:the\s)?$", re.IGNORECASE)
_BEFORE_WHEN = re.compile(r"(?:(?!\bthat\b|\bhow\b)[^.;:]){0,60}\b(?:in|on|during)\s(?:the\s)?")
#: Behind an event: "an SVB collapse could".
_POSSIBLE = re.compile(r"\s(?:would|could|might|may|cannot|is\s(?:possible|unlikely|likely|conceivable))\b")
_FIGURE_BEFORE = re.compile(r"[0-9][0-9.,]*\s?[%a-zA-Z]{0,8}\s\($")
_HEADS_LINE = re.compile(r"(?:^|\n)[\s*•#>–-]{0,8}(?:In|On)?\s?\**$")
_HEADED = re.compile(r"\**\s?[:–—]|\**\s-\s")
_LIST = re.compile(r"(?:[0-9]{4}|and|or|in|early|late|mid|Q[1-4]|[\s,&/–-])*$", re.IGNORECASE)
_DIRECT = re.compile(
    r"\s*(?:it\s|this\s|that\s|so\s)?(?:back\s)?(?:in|on|at|during)?\s?(?:the\s)?$", re.IGNORECASE
)


def told_as(text: str, place: Mention, others: Sequence[Mention], *, today: bool = False) -> Told:
    """How ``text`` speaks of ``place``: the nearest word in its clause that tells of past or future decides.

    Args:
        others: the other dates of the text; a verb that stands nearer to one of them tells of that one.
        today: the place holds the day that the model takes for today: "as of" it tells nothing of the past.
    """
    start, end = _clause(text, place)
    before, behind = text[start : place.start], text[place.end : end]
    if _suppositions().search(before):
        return Told.FUTURE
    cues = [cue for cue in _cues(text, start, end, place) if not _is_of_another(text, cue, place, others)]
    closing = _CLOSING.search(before)
    if closing and (said := _after_preposition(closing, cues, place, today=today)):
        return said
    if cues:
        nearest = min(cues, key=lambda cue: _distance(cue, place))
        return Told.PAST if nearest.past else Told.FUTURE
    return (
        Told.PAST
        if _is_reported(text[max(0, place.start - _REACH) : place.start], before, behind)
        else Told.BARE
    )


def event_told_as(text: str, place: Mention) -> Told:
    """How ``text`` speaks of an event: naming it is telling it, unless it is supposed or said to be possible."""
    start, _ = _clause(text, place)
    before = text[start : place.start]
    if _suppositions().search(before) or _POSSIBLE.match(text, place.end):
        return Told.FUTURE
    words_before = list(_cue_words().finditer(text, max(start, place.start - 30), place.start))
    if words_before and words_before[-1]["future"] and words_before[-1]["future"] != "May":
        return Told.FUTURE
    return Told.PAST


def _after_preposition(
    closing: re.Match[str], cues: list[_Cue], place: Mention, *, today: bool
) -> Told | None:
    """What "by", "until", "before", "as of" and "since" make of a date."""
    nearest = min(cues, key=lambda cue: _distance(cue, place), default=None)
    past = nearest is not None and nearest.past
    if closing["before"]:
        return Told.FUTURE
    if closing["as_of"]:
        return Told.FUTURE if today or (nearest and nearest.modal) else Told.PAST
    if closing["by"]:
        return Told.PAST if past else Told.FUTURE
    return None if past else Told.FUTURE


def _is_reported(line: str, before: str, behind: str) -> bool:
    """Whether a date without a verb stands with a figure or an outcome of that time, or heads a line of a chronicle."""
    if _PRESENT_PASSIVE.search(behind):
        return False
    if _FIGURE.match(behind) or _FIGURE_BEFORE.search(before) or _outcomes().match(behind):
        return True
    return bool(_outcome_before().search(before) or (_HEADS_LINE.search(line) and _HEADED.match(behind)))


def _clause(text: str, place: Mention) -> tuple[int, int]:
    low, high = max(0, place.start - _REACH), min(len(text), place.end + _REACH)
    start, end = low, high
    for match in _SENTENCE_END.finditer(text, low, place.start):
        start = match.end()
    if found := _SENTENCE_END.search(text, place.end, high):
        end = found.start() + 1
    for match in _CLAUSE_END.finditer(text, start, place.start):
        start = match.end()
    if found := _CLAUSE_END.search(text, place.end, end):
        end = found.start()
    return start, end


def _cues(text: str, start: int, end: int, place: Mention) -> list[_Cue]:
    found = []
    for match in _cue_words().finditer(text, start, end):
        if place.start <= match.start() < place.end:
            continue
        if match["future"]:
            if match["future"] != "May":
                modal = match["future"].lower() in _MODALS
                found.append(_Cue(match.start(), match.end(), past=False, modal=modal))
        elif cue := _past_cue(text, match, start, place):
            found.append(cue)
    return found


def _past_cue(text: str, match: re.Match[str], start: int, place: Mention) -> _Cue | None:
    word = match[0].lower()
    if word in _not_past() or _MODAL.search(text[max(start, match.start() - 40) : match.start()]):
        return None
    early = place.start >= match.end()
    if word in _announcing() and early and not _DIRECT.match(text[match.end() : place.start]):
        return None
    return _Cue(match.start(), match.end(), past=True)


def _is_of_another(text: str, cue: _Cue, place: Mention, others: Sequence[Mention]) -> bool:
    """Whether a verb in the past stands nearer to another date, which is not in a list with this one."""
    if not cue.past:
        return False
    own = _distance(cue, place)
    named = not _ADVERBIAL.search(text[max(0, place.start - 20) : place.start])
    for other in others:
        if other.start == place.start or abs(other.start - place.start) > 2 * _REACH:
            continue
        if (
            named
            and place.end <= cue.start < other.start
            and _BEFORE_WHEN.fullmatch(text[cue.end : other.start])
        ):
            return True
        if _distance(cue, other) < own and (other.start < place.start) == (cue.end <= place.start):
            between = text[min(other.end, place.end) : max(other.start, place.start)]
            if not _LIST.match(between[:60]) or len(between) > 60:
                return True
    return False


def _distance(cue: _Cue, place: Mention) -> int:
    if cue.start >= place.end:
        return cue.start - place.end
    return max(0, place.start - cue.end)


@cache
def _cue_words() -> re.Pattern[str]:
    future, past = alternatives(words("tense", "future")), alternatives(words("tense", "past"))
    return re.compile(
        rf"(?<![\w-])(?:(?P<future>{future})|(?P<past>{past}|[a-z]{{2,}}ed))(?![\w-])", re.IGNORECASE
    )


@cache
def _suppositions() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives(words('tense', 'suppositions'))})(?!\w)", re.IGNORECASE)


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


@cache
def _not_past() -> frozenset[str]:
    return frozenset(words("tense", "not_past"))


@cache
def _announcing() -> frozenset[str]:
    return frozenset(words("tense", "announcing"))
