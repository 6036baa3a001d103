"""Probabilities as files write them: 0.85, 85, ``85%``, ``1 in 4``; one column has one scale."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from neuter.errors import DataError

_RATIO = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*(?:in|out of|/|:)\s*(\d{1,9}(?:\.\d{1,9})?)", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(?:\d{1,15}(?:\.\d{0,20})?|\.\d{1,20})(?:e[+-]?\d{1,3})?", re.IGNORECASE)
SHARE, PERCENT = "share", "percent"
_HUGE = 1e15
#: A column whose numbers stay below this, and above 1, may be of shares that somebody mistyped.
CLEARLY_PERCENT = 2.0


@dataclass(frozen=True, slots=True)
class Said:
    """A probability as it stands: ``plain`` numbers mean what their column's scale says."""

    value: float
    plain: bool
    where: str
    as_written: str


def said(given: Any, where: str) -> Said | None:
    """What is written; None where it is no number at all.

    >>> said("85%", "").value, said("1 in 4", "").value, said(0.3, "").plain, said("maybe", "")
    (0.85, 0.25, True, None)
    """
    if isinstance(given, bool) or given is None:
        return None
    if isinstance(given, int | float):
        return Said(float(given), True, where, str(given)) if abs(given) < _HUGE else None
    text = str(given).strip()
    if ratio := _RATIO.fullmatch(text):
        part, whole = float(ratio[1]), float(ratio[2])
        return Said(part / whole, False, where, text) if whole else None
    percent = text.endswith("%")
    number = _NUMBER.fullmatch(text.removesuffix("%").strip())
    if number is None:
        return None
    value = float(number[0])
    return Said(value / 100 if percent else value, not percent, where, text)


def scale_of(small: Said | None, large: Said | None, largest: float) -> str:
    """What the plain numbers of a column mean, from the first between 0 and 1 and the first between 1 and 100.

    All within 0 and 1: shares. Some above 1: percent, where none of the others is between 0 and 1, since 0.5 in one
    row and 85 in the next may be either, and the ``largest`` (up to 100) is clearly no share: 1.01 may be a slip of
    one. (0 and 1 alone are shares; what is below 0 or above 100 is neither, and a fault of its own.)

    Raises:
        DataError: they are mixed, both places are named; or the largest is between 1 and :data:`CLEARLY_PERCENT`.
    """
    if small and large:
        raise DataError(
            f"a probability of {large.as_written} here, and of {small.as_written} in {small.where}: nobody can say "
            "which are percent",
            where=large.where,
            todo="Write all as shares (0.85), or all with a percent sign",
        )
    if large and largest < CLEARLY_PERCENT:
        raise DataError(
            f"a probability of {large.as_written}, and none above {largest:g}: nobody can say whether these are "
            "percent",
            where=large.where,
            todo="Write shares up to 1 (0.85), or a percent sign (1.5%)",
        )
    return PERCENT if large else SHARE


def share_of(one: Said, scale: str) -> float | None:
    """The probability within 0 and 1; None where it is outside."""
    value = one.value / 100 if one.plain and scale == PERCENT else one.value
    return value if 0 <= value <= 1 else None
