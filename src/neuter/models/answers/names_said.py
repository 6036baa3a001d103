"""The direction, the choice or the date that a piece of an answer states."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from neuter.models.answers.dates import dates_in
from neuter.models.answers.extract import is_refusal
from neuter.models.answers.qualifiers import bounded_before, bounded_behind, denied, denied_before
from neuter.models.answers.questions import NOTHING, Question, Reading, unread
from neuter.models.answers.words import alternatives, pattern, words

_AROUND = " \t\r\n*_`\"'“”‘’.,;:!?()[]{}<>#|>~"
_LEADING = r"\s*(?:[):]|\.(?=\s|$)|—|–\s|-\s|$)"


def direction_stated(text: str, question: Question) -> Reading:
    """ "up" or "down" where ``text`` says one of them, and nothing that may turn it round."""
    alone = direction_alone(text, question)
    if alone.found:
        return alone
    text = pattern("direction", "idioms").sub(" ", text)
    if is_refusal(text):
        text = pattern("direction", "withheld").sub(" ", text)
    ups, downs = pattern("direction", "up").search(text), pattern("direction", "down").search(text)
    said = ups or downs
    if said is None:
        return NOTHING
    if ups and downs:
        return unread("both directions")
    if denied(text) or pattern("direction", "negations").search(text):
        return unread("a direction with a negation")
    return Reading("up" if ups else "down", said[0])


def direction_alone(line: str, _: Question) -> Reading:
    """The direction that is all there is on ``line``."""
    word = line.strip(_AROUND)
    value = _directions().get(word.lower())
    return Reading(value, word) if value else NOTHING


def choice_stated(text: str, question: Question) -> Reading:
    """The one of the question's choices that ``text`` is, begins with, or names alone."""
    alone = choice_alone(text, question)
    if alone.found:
        return alone
    names, form = _choices(question)
    leading = re.match(rf"[\s*_`\"'“(\[]*({form.pattern})[*_`\"'”]*{_LEADING}", text)
    if leading:
        return Reading(names[_folded(leading[1])], leading[1])
    found = [match[0] for match in form.finditer(text)]
    named = {names[_folded(name)] for name in found}
    if not named:
        return NOTHING
    if len(named) > 1:
        return unread("several of the choices")
    if denied(text) or pattern("choice", "negations").search(text):
        return unread("a choice with a negation")
    return Reading(named.pop(), found[0])


def choice_alone(line: str, question: Question) -> Reading:
    """The choice that is all there is on ``line``, in whatever case."""
    names, _ = _choices(question)
    for said in (line.strip(" \t\r\n*_`\"'“”‘’"), line.strip(_AROUND)):
        if _folded(said) in names:
            return Reading(names[_folded(said)], said)
    return NOTHING


def date_stated(text: str, _: Question) -> Reading:
    """The one date in ``text``: of several none is taken, as from a range."""
    found = dates_in(text)
    if not found:
        return NOTHING
    if len({day for _, _, day in found}) > 1:
        return unread("several dates")
    start, end, day = found[0]
    if denied_before(text[:start]) or bounded_before(text[:start]) or bounded_behind(text[end:]):
        return unread("a bound, or a date that is denied")
    return Reading(day, text[start:end])


def date_alone(line: str, question: Question) -> Reading:
    """The date that is all there is on ``line``."""
    found = dates_in(line)
    alone = len(found) == 1 and not re.search(r"[^\W_]", line[: found[0][0]] + line[found[0][1] :])
    return date_stated(line, question) if alone else NOTHING


@cache
def _directions() -> Mapping[str, str]:
    return {word: way for way in ("up", "down") for word in words("direction", way)}


@lru_cache(maxsize=64)
def _choices(question: Question) -> tuple[Mapping[str, str], re.Pattern[str]]:
    """What each name means, and a pattern for the names in a sentence.

    Up to five capitals are found in capitals only: the ticker IT is no pronoun, the option A no article.
    """
    pairs = [*((name, name) for name in question.choices), *question.aliases]
    # The longest first, so that "Dow" never stands for a part of "Dow Jones".
    names = sorted((name for name, _ in pairs), key=len, reverse=True)
    parts = [alternatives([name]) if _is_ticker(name) else f"(?i:{alternatives([name])})" for name in names]
    return {_folded(name): choice for name, choice in pairs}, re.compile(
        rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)"
    )


def _is_ticker(name: str) -> bool:
    return len(name) <= 5 and name.isalpha() and name.isupper()


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", " ", name.strip()).casefold()
