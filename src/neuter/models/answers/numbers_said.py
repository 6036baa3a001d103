"""The number, percentage or probability that a piece of an answer states, in the question's unit."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache

from neuter.models.answers.dates import dates_in
from neuter.models.answers.qualifiers import bounded_behind, denied_behind, multiplied, strange_unit
from neuter.models.answers.quantities import Quantity, quantities
from neuter.models.answers.questions import NOTHING, Question, Reading, unread
from neuter.models.answers.words import alternatives, pattern, words

#: A date without its year, or a year or quarter without a day: none of its numbers is an answer.
_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?"
)
_PERIODS = re.compile(
    rf"\b(?:{_MONTHS})\.?,?\s[0-9]{{1,4}}(?:st|nd|rd|th)?(?![0-9.,%]?[0-9])|\b[0-9]{{1,2}}(?:st|nd|rd|th)?\s(?:{_MONTHS})\b"
    r"|\b(?:[QH][1-4]|FY)\s?(?:of\s)?['’]?(?:[12][0-9]{3}|[0-9]{2})\b",
    re.IGNORECASE,
)
_CONFIDENCE = re.compile(
    r"(?:confiden\w+|certainty|certain|sure)[^\n0-9]{0,30}[0-9][0-9.,]*(?:\s?(?:%|percent|/\s?100?\b|out of 100?\b))?"
    r"|[0-9][0-9.]*(?:\s?(?:%|percent))?\s(?:\w+\s)?(?:confiden|certain|sure)\w*",
    re.IGNORECASE,
)
_SIMPLE = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_BARE_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_RATIO = re.compile(
    r"([0-9]+(?:\.[0-9]+)?)\s?(?:in|out of|/)\s?([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?![0-9.,/]*[0-9]|\s?%)"
)
_WORTH = {"percent": Decimal("0.01"), "basis points": Decimal("0.0001")}
_DOLLARS = {"", "$", "US$", "USD"}
_SIGNS = re.compile(r"[<>≤≥]|±")
_TAKEN_BACK = re.compile(r"[\s*_.]{0,4}(?:is|was|would be)\s(?:not|wrong|incorrect|too)\b", re.IGNORECASE)
#: "fell to 3.5" says a level, "fell by 3.5" a change.
_ARRIVED = re.compile(r"\b(?:to|at)\W{0,4}$", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:not|never|neither|nor|cannot|without)\b|n['’]t\b", re.IGNORECASE)


def number_stated(text: str, question: Question) -> Reading:
    """The number that ``text``, from a field or behind a label, begins with; else the one that its sentence states."""
    if _SIMPLE.fullmatch(text):  # as nearly all are; what follows reads it alike, and slower
        return _converted(Quantity(Decimal(text), "", "", False, False, 0, len(text)), text, question)
    if question.kind == "probability" and (ratio := _ratio(text)):
        return ratio
    found = quantities(text)
    if not found or not _lead().fullmatch(text, 0, found[0].start):
        return number_in_prose(text, question) if found else NOTHING
    lead, tail = text[: found[0].start], text[found[0].end :]
    problem = _problem(found[0], lead, tail) or _problem_behind(found[0], tail, question)
    if not problem and len(found) > 1 and pattern("number", "doubts").search(tail):
        problem = "a number and another instead of it"
    return unread(problem) if problem else _converted(found[0], text, question)


def number_alone(line: str, question: Question) -> Reading:
    """The number that is all there is on ``line``, its unit included."""
    found = quantities(line)
    ratio = _RATIO.search(line) if question.kind == "probability" else None
    if ratio:
        start, end = ratio.span()
    elif len(found) == 1:
        start, end = found[0].start, found[0].end
    else:
        return NOTHING
    alone = _lead().fullmatch(line, 0, start) and _unit_words().fullmatch(line, end)
    return number_stated(line, question) if alone else NOTHING


def number_in_prose(text: str, question: Question) -> Reading:
    """The only number that a sentence states: not one of a date, a name, a confidence or the prompt."""
    blanked = _blanked(text)
    found = [
        one for one in quantities(blanked) if not _is_year(blanked, one) and not _was_asked(one, question)
    ]
    if not found:
        return NOTHING
    if len({(one.value, one.mark) for one in found}) > 1:
        return unread("several numbers and no label")
    one = found[0]
    lead, tail = blanked[: one.start], blanked[one.end :]
    if _NEGATED.search(blanked) or pattern("number", "elsewhere").search(blanked):
        return unread("a sentence that may speak of another number")
    if problem := _problem(one, lead, tail) or _problem_behind(one, tail, question):
        return unread(problem)
    if not _said().search(lead[-60:]):
        return unread("a number in passing")
    return _converted(one, blanked, question)


def _problem(one: Quantity, lead: str, tail: str) -> str:
    """Why the number is no answer as it stands; empty where it is one."""
    if one.value is None:
        return "digits that make no number"
    if one.joined:
        return "a range or a list"
    if _SIGNS.search(lead[-3:]) or re.match(r"\s?(?:±|\+/-)", tail) or _bounds().search(lead):
        return "a bound or a range"
    if one.value > 0 and not one.bracketed and _fell(lead, tail):
        return "a sign in words"
    if _TAKEN_BACK.match(tail):
        return "a number that is taken back"
    return ""


def _problem_behind(one: Quantity, tail: str, question: Question) -> str:
    """Why what stands behind the number makes it none; empty where it does not."""
    if multiplied(tail):
        return "a product or a power"
    if unit := strange_unit(tail, one.scaled, question):
        return f"a unit that is not converted: {unit}"
    if bounded_behind(tail):
        return "a bound"
    if question.kind == "probability" and denied_behind(tail):
        return "a chance that is turned round"
    return ""


def _fell(lead: str, tail: str) -> bool:
    """ "a decline of 2.5", "2.5 lower", "524,000 jobs were lost"; not "fell to 2.5" nor "2.5 (down from 3)"."""
    if pattern("direction", "down").search(lead) and not _ARRIVED.search(lead):
        return True
    behind = _down_behind().match(tail)
    if not behind:
        return False
    return behind[0].lstrip() == behind[1] or not re.search("[0-9]", tail)


def _converted(one: Quantity, text: str, question: Question) -> Reading:
    """The quantity in the question's unit, if it is of its kind and within its bounds."""
    if one.value is None:
        return unread("digits that make no number")
    if problem := _other_kind(one, question):
        return unread(problem)
    value = -one.value if one.bracketed and one.value > 0 and question.kind != "probability" else one.value
    evidence = text[one.start - one.bracketed : one.end + one.bracketed]
    if question.kind == "number":
        large = question.ones_from is not None and abs(value) >= Decimal(str(question.ones_from))
        return within(value / question.worth if one.scaled or large else value, evidence, question)
    worth = _WORTH.get(one.mark, question.worth)
    return within(
        value * worth / (1 if question.kind == "probability" else question.worth), evidence, question
    )


def _other_kind(one: Quantity, question: Question) -> str:
    """Why the quantity is not of the question's kind; empty where it is."""
    if question.kind != "number":
        return f"an amount where a {question.kind} is asked" if one.scaled or one.currency else ""
    if one.mark:
        return "a percentage where a number is asked"
    return f"an amount in {one.currency}" if one.currency.upper() not in _DOLLARS else ""


def within(value: Decimal, evidence: str, question: Question) -> Reading:
    """``value`` as a reading, if it is within the question's bounds; probabilities are within 0 and 1."""
    number = float(value)
    low, high = question.low, question.high
    if question.kind == "probability":
        low, high = max(0.0, low or 0.0), min(1.0, 1.0 if high is None else high)
    if (low is not None and number < low) or (high is not None and number > high):
        return Reading(reason=f"out of bounds: {evidence[:40]}", evidence=evidence)
    if number == 0 and question.zero_is_refusal:
        return Reading(reason="0, which counts as a refusal", evidence=evidence, refusal=True)
    return Reading(number or 0.0, evidence)


def _ratio(text: str) -> Reading | None:
    """ "3 in 4" and "7/10" at the beginning. "50/50" is a way of speaking, and no 1."""
    start = len(text) - len(text.lstrip(" *_`(\"'~≈"))
    found = _RATIO.search(text)
    if not found or not (found.start() == start or _lead().fullmatch(text, 0, found.start())):
        return None
    part, whole = Decimal(found[1]), Decimal(found[2].replace(",", ""))
    if not whole or part >= whole:
        return unread(f"no ratio: {found[0]}")
    if denied_behind(text[found.end() :]) or bounded_behind(text[found.end() :]):
        return unread("a bound, or a chance that is turned round")
    return Reading(float(part / whole), found[0])


def _blanked(text: str) -> str:
    """``text`` with dates, names that hold a number and confidences blanked out, all else in its place."""
    spans = [(start, end) for start, end, _ in dates_in(text)]
    for form in (_PERIODS, _names(), _CONFIDENCE):
        spans += [match.span() for match in form.finditer(text)]
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _is_year(text: str, one: Quantity) -> bool:
    return bool(_BARE_YEAR.fullmatch(text[one.start : one.end]))


def _was_asked(one: Quantity, question: Question) -> bool:
    return one.value is not None and one.value in _asked(question.asked)


@cache
def _asked(prompt: str) -> frozenset[Decimal | None]:
    return frozenset(one.value for one in quantities(prompt[:4000]))


@cache
def _lead() -> re.Pattern[str]:
    """What may stand between a label and its number."""
    lead = alternatives([*words("number", "lead"), *words("number", "approximately")])
    return re.compile(rf"(?:[\s*_`\"'“”‘’\[\](){{}}:=~≈|#]|(?:{lead})(?![A-Za-z])\.?)*+", re.IGNORECASE)


@cache
def _said() -> re.Pattern[str]:
    """What stands right before the number that a sentence is about."""
    up = alternatives(words("direction", "up"))
    said, near = alternatives(words("number", "said")), alternatives(words("number", "approximately"))
    return re.compile(
        rf"(?<![A-Za-z])(?:(?:{up})(?:\sby)?|{said})(?:[\s*_`\"'“,~≈]{{1,4}}(?:{near})\.?){{0,3}}[\s*_`\"'“~≈]{{0,4}}$",
        re.IGNORECASE,
    )


@cache
def _down_behind() -> re.Pattern[str]:
    return re.compile(
        rf"[\s(]+(?:[a-z]+\s){{0,3}}({alternatives(words('direction', 'down'))})(?![A-Za-z])", re.IGNORECASE
    )


@cache
def _bounds() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![A-Za-z])(?:{alternatives(words('number', 'bounds'))})[\s*_`\"'$]{{0,4}}$", re.IGNORECASE
    )


@cache
def _names() -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z])(?:{alternatives(words('number', 'names'))})(?![0-9])", re.IGNORECASE)


@cache
def _unit_words() -> re.Pattern[str]:
    return re.compile(
        rf"[\s*_`\"'”’)\].!}}]*(?:(?:{alternatives(words('number', 'units'))})[\s*_`\"'”.!]*)*+",
        re.IGNORECASE,
    )
