"""Numbers in a text as people write them: separators, signs, currencies, percent, scale words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from itertools import pairwise
from typing import Literal

from neuter.models.answers.words import alternatives, words

Mark = Literal["", "percent", "basis points"]
#: A longer run of digits is noise, and slow to convert.
_LONGEST = 40
_GAPS = "\u00a0\u2009\u202f"
_EXPONENT = r"(?:[eE][+-]?[0-9]{1,2}(?![0-9A-Za-z]))?"
#: As much as may be one number. What it is, is decided on the whole of it, so that no part of a malformed one is read.
_RUN = re.compile(
    rf"[0-9]+(?:[.,'’_{_GAPS}][0-9]+)*{_EXPONENT}|(?<![0-9.])\.[0-9]+(?![.,'’_][0-9]){_EXPONENT}"
)
_PLAIN = re.compile(rf"(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+){_EXPONENT}")
_GROUPED = tuple(
    re.compile(rf"[1-9][0-9]{{0,2}}(?:{gap}[0-9]{{3}})+(?:\.[0-9]+)?")
    for gap in (",", "['’]", "_", f"[{_GAPS}]")
)
#: 1.234,5 and 1.234.567. A single dot before three digits is a decimal point, as in the prompts' language.
_CONTINENTAL = tuple(
    re.compile(rf"[1-9][0-9]{{0,2}}{form}")
    for form in (r"(?:\.[0-9]{3})+,[0-9]+", r"(?:\.[0-9]{3}){2,}", rf"(?:[{_GAPS}][0-9]{{3}})+,[0-9]+")
)
_POWER = re.compile(r"\s?(?:[x×*]|\\times)\s?10(?:\^|\*\*)\{?([+-]?[0-9]{1,2})\}?(?![0-9.])")
#: Between the ends of a range, the members of a list, and the groups of "4 783".
_JOINED = re.compile(r"\s*(?:-|–|—|~|±|\+/-|\.\.+|…|to|and|or|through|vs\.?|/|\||,)?\s*", re.IGNORECASE)
_ORDINAL_OR_COMPOUND = re.compile(r"(?:st|nd|rd|th)(?![A-Za-z])|-[A-Za-z]", re.IGNORECASE)
_TIME_BEFORE, _TIME_AFTER = re.compile(r"[0-9]:$"), re.compile(r":[0-9]")
#: 42abc, 2,345.xx, 4,700+, 10², 4;783, "4.2 b"
_SPOILT = re.compile(r"[^\W\d_]|\.?[xX]|[+^⁰¹²³⁴-⁹]|[^\w\s()\[\]]{1,3}[0-9]|\s[KMBTkmbt](?![A-Za-z])")
_LONGEST_FRONT, _LONGEST_JOINT = 16, 12


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number at ``text[start:end]``, sign, currency and mark included.

    ``value`` is None where the digits make no number ("2,3xx", "1,23,456"). It has its scale word applied
    (``scaled``) but not its percent sign: that is for the question's unit to say. ``joined`` is True for an end
    of a range or a member of a list, ``bracketed`` for a number alone in round brackets.
    """

    value: Decimal | None
    mark: Mark
    currency: str
    scaled: bool
    bracketed: bool
    start: int
    end: int
    joined: bool = False


def quantities(text: str) -> list[Quantity]:
    """The numbers in ``text``, in order. Digits that belong to a word (Q3, GPT-4, 10-year, 2nd) are none.

    >>> [str(found.value) for found in quantities("it was -1,234.5; then $4.2bn; then not Q3 but 2,3xx")]
    ['-1234.5', '4.2E+9', 'None']
    """
    found: list[Quantity] = []
    end = 0
    for match in _RUN.finditer(text):
        quantity = _quantity(text, match) if match.start() >= end else None
        if quantity:
            found.append(quantity)
            end = quantity.end
    return list(_with_joints(text, found))


def _with_joints(text: str, found: list[Quantity]) -> Iterator[Quantity]:
    joints = [_is_joint(text, one, other) for one, other in pairwise(found)]
    for quantity, before, after in zip(found, [False, *joints], [*joints, False], strict=False):
        yield replace(quantity, joined=True) if before or after else quantity


def _is_joint(text: str, one: Quantity, other: Quantity) -> bool:
    if other.start - one.end > _LONGEST_JOINT:
        return False
    between = text[one.end : other.start]
    if not between.strip(" \t,.;:)"):  # "4 783", "3, 4" and "1. 42", but not "4783.45, 85% sure"
        return one.mark == other.mark
    return _JOINED.fullmatch(between) is not None


def _quantity(text: str, match: re.Match[str]) -> Quantity | None:
    front = _front(text, match.start())
    if front is None:
        return None
    start, sign, currency = front
    number, end = _magnitude(match[0]), match.end()
    if power := _POWER.match(text, end):
        number, end = number and number.scaleb(int(power[1])), power.end()
    exponent, end = _scale(text, end)
    mark, end = _mark(text, end)
    currency, end = _currency_behind(text, end, currency)
    if _ORDINAL_OR_COMPOUND.match(text, end) or _is_time(text, start, end):
        return None
    if number is not None:
        number = None if sign is None or _SPOILT.match(text, end) else sign * number.scaleb(exponent)
    bracketed = text[start - 1 : start] == "(" and text[end : end + 1] == ")"
    return Quantity(number, mark, currency, exponent > 0, bracketed, start, end)


def _magnitude(run: str) -> Decimal | None:
    """The number that ``run`` writes, or None where its separators make none."""
    if len(run) > _LONGEST:
        return None
    if _PLAIN.fullmatch(run):
        return Decimal(run)
    if any(form.fullmatch(run) for form in _GROUPED):
        return Decimal(re.sub(rf"[,'’_{_GAPS}]", "", run))
    if any(form.fullmatch(run) for form in _CONTINENTAL):
        return Decimal(re.sub(rf"[.{_GAPS}]", "", run).replace(",", "."))
    return None


def _front(text: str, start: int) -> tuple[int, int | None, str] | None:
    """Where the number begins with its sign and currency, its sign (None: unclear), its currency.

    None where the digits are part of a word.
    """
    found = _front_form().search(text[max(0, start - _LONGEST_FRONT) : start])
    word, outer, currency, inner = found.groups("") if found else ("", "", "", "")
    begin = start - (len(found[0]) if found else 0)
    previous = text[begin - 1 : begin] if begin else ""
    if not currency and (previous.isalpha() or (previous == "_" and text[begin - 2 : begin - 1].isalnum())):
        return None
    if outer and (previous.isdigit() or previous in {")", "%"}):
        return begin + len(outer), 1, currency  # a hyphen between two numbers
    if len(outer + inner) + bool(word) > 1 or previous.isalpha():
        return begin, None, currency
    return begin, 1 if (word or outer or inner or "+") == "+" else -1, currency


@cache
def _front_form() -> re.Pattern[str]:
    currency = alternatives(words("number", "currencies"))
    return re.compile(
        rf"(?:(?<![A-Za-z])(minus|negative)\s{{1,2}})?([-+–−]*)(?:({currency})\s?([-+–−]*))?$", re.IGNORECASE
    )


@cache
def _currency_form() -> re.Pattern[str]:
    return re.compile(rf"\s?({alternatives(words('number', 'currencies'))})(?![A-Za-z0-9])", re.IGNORECASE)


def _currency_behind(text: str, end: int, currency: str) -> tuple[str, int]:
    found = None if currency else _currency_form().match(text, end)
    return (found[1], found.end()) if found else (currency, end)


@cache
def _scale_form() -> re.Pattern[str]:
    names = [name for name in words("number", "scales") if len(name) > 3]
    letters = [name for name in words("number", "scales") if len(name) <= 3]
    spaced = alternatives([name.upper() for name in letters if len(name) == 1])
    return re.compile(
        rf"[*_]{{0,2}}[\s-]?(?i:({alternatives(names)}))(?![A-Za-z])|(?i:({alternatives(letters)}))(?![A-Za-z])"
        rf"|\s({spaced}|(?i:{alternatives([name for name in letters if len(name) > 1])}))(?![A-Za-z&'’-])"
    )


def _scale(text: str, end: int) -> tuple[int, int]:
    """The power of ten behind a number, and where it ends."""
    found = _scale_form().match(text, end)
    if not found:
        return 0, end
    power, end = _power_of(found), found.end()
    larger = _scale_form().match(text, end)  # "five hundred million"; "million million" is a slip
    if found[1] and larger and larger[1] and _power_of(larger) > power:
        return power + _power_of(larger), larger.end()
    return power, end


def _power_of(found: re.Match[str]) -> int:
    name = found[1] or found[2] or found[3]
    return int(words("number", "scales")[name.lower()])


@cache
def _mark_form() -> re.Pattern[str]:
    percent, points = words("number", "percent"), words("number", "basis_points")
    return re.compile(
        rf"[*_]{{0,2}}[\s-]?(?:({alternatives(percent)})|({alternatives(points)}))(?![A-Za-z])", re.IGNORECASE
    )


def _mark(text: str, end: int) -> tuple[Mark, int]:
    found = _mark_form().match(text, end)
    if not found:
        return "", end
    return ("percent" if found[1] else "basis points"), found.end()


def _is_time(text: str, start: int, end: int) -> bool:
    """Whether this is part of a time of day, or of odds."""
    return bool(_TIME_AFTER.match(text, end) or _TIME_BEFORE.search(text[max(0, start - 2) : start]))
