"""Resolutions as sources write them: yes or no, or why a question is set aside."""

from __future__ import annotations

import math
from typing import Any

#: Why questions are set aside.
UNRESOLVED, ANNULLED, AMBIGUOUS, NOT_BINARY, PARTIAL = (
    "unresolved",
    "annulled",
    "ambiguous",
    "not yes-or-no questions",
    "resolved to a share",
)
#: Words, in lower case.
_WORDS: dict[str, int | str] = {
    **dict.fromkeys(("yes", "true", "y"), 1),
    **dict.fromkeys(("no", "false", "n"), 0),
    **dict.fromkeys(("annulled", "n/a", "na", "cancelled", "canceled", "cancel", "void"), ANNULLED),
    "ambiguous": AMBIGUOUS,
    "mkt": PARTIAL,
    **dict.fromkeys(
        ("", "open", "active", "unresolved", "pending", "none", "null", "nan", "closed", "not resolved"),
        UNRESOLVED,
    ),
}
#: What Metaculus' older API wrote for what came out neither way.
_CODES = {-1.0: AMBIGUOUS, -2.0: ANNULLED}


def outcome_of(given: Any) -> int | str | None:
    """1 or 0, the reason why there is none, or None where nobody can say what is meant.

    A number between 0 and 1, or a percentage between 0 and 100, is a share: a market may be settled so.

    >>> outcome_of("Yes"), outcome_of(0.0), outcome_of(-1), outcome_of("40%"), outcome_of("perhaps")
    (1, 0, 'ambiguous', 'resolved to a share', None)
    """
    if given is None:
        return UNRESOLVED
    if isinstance(given, bool | int | float):
        return _of_number(float(given)) if not isinstance(given, int) or abs(given) < 1e9 else None
    if not isinstance(given, str):
        return None
    said = given.strip().lower()
    if said in _WORDS:
        return _WORDS[said]
    try:
        number = float(said.removesuffix("%"))
    except ValueError:
        return None
    return _of_number(number / 100 if said.endswith("%") else number)


def _of_number(number: float) -> int | str | None:
    if math.isnan(number):
        return UNRESOLVED
    if number in (0.0, 1.0):
        return int(number)
    return PARTIAL if 0 < number < 1 else _CODES.get(number)
