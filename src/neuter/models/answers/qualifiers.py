"""What stands around a value and makes it none: a denial, a bound, a unit that is not converted."""

from __future__ import annotations

import re
from functools import cache

from neuter.models.answers.questions import Question
from neuter.models.answers.words import alternatives, pattern, words

#: A clause ends here: "I'm not sure, but 60%" denies nothing of the number.
_CLAUSE = re.compile(r"[.,;:!?\n]|\b(?:but|because|since|as)\b", re.IGNORECASE)
_TIMES = re.compile(r"\s?(?:[x×·÷^]|\*(?!\*)|times)\s?[0-9]|\sto\sthe\spower\b", re.IGNORECASE)
#: Who is unsure denies nothing.
_UNSURE = re.compile(
    r"\bnot\s(?:\w+\s)?(?:sure|certain|confident|known)\b|n['’]t\s(?:be\s)?sure\b", re.IGNORECASE
)
_GAP = r"[\s,*_(\[]*"


def denied(text: str) -> bool:
    """Whether ``text`` says no somewhere.

    >>> denied("it won’t"), denied("it will")
    (True, False)
    """
    return pattern("denials").search(_UNSURE.sub(" ", text)) is not None


def denied_before(lead: str) -> bool:
    """Whether the clause at the end of ``lead`` denies what follows it."""
    return denied(_CLAUSE.split(lead)[-1])


def denied_behind(tail: str) -> bool:
    """Whether the clause that ``tail`` begins with turns a chance round: "70% that it will not", "70% against"."""
    clause = _CLAUSE.split(tail)[0]
    return denied(clause) or pattern("number", "against").search(clause) is not None


def bounded_before(lead: str) -> bool:
    """Whether ``lead`` ends with what makes a date a bound: "before", "no later than the"."""
    return _date_bound().search(lead) is not None


def bounded_behind(tail: str) -> bool:
    """Whether ``tail`` makes the value before it a bound: " or less", " points at most".

    >>> bounded_behind(" or less"), bounded_behind(" in all")
    (True, False)
    """
    return _bound_behind().match(tail) is not None


def multiplied(tail: str) -> bool:
    """Whether the number before ``tail`` is the first part of a product or a power."""
    return _TIMES.match(tail) is not None


def strange_unit(tail: str, scaled: bool, question: Question) -> str:
    """The scale, currency or share behind a number that is not converted; empty where there is none.

    The scale in which the question is put is none: "-524 (in thousands)" where thousands are asked for. ``scaled``
    says that the number has a scale of its own already.
    """
    found = _strange().match(tail)
    if not found:
        return ""
    power = words("number", "scales").get(found[1].lower())
    asked = power is not None and not scaled and question.kind == "number" and question.worth == 10**power
    return "" if asked else found[1]


@cache
def _strange() -> re.Pattern[str]:
    spelt = [name for name in words("number", "scales") if len(name) > 1]
    known = alternatives([*spelt, *words("number", "unconverted")])
    return re.compile(rf"{_GAP}-?(?:(?:expressed\s)?in\s)?({known})(?![A-Za-z])", re.IGNORECASE)


@cache
def _bound_behind() -> re.Pattern[str]:
    units, bounds = alternatives(words("number", "units")), alternatives(words("number", "bounds_behind"))
    return re.compile(rf"{_GAP}(?:(?:{units})(?!\w){_GAP})*(?:{bounds})(?!\w)", re.IGNORECASE)


@cache
def _date_bound() -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\w)(?:{alternatives(words('dates', 'bounds'))})[\s*_`\"'(]*(?:(?:the|on|about|around)\s)*$",
        re.IGNORECASE,
    )
