"""Unpaired surrogates: halves of characters that JSON and file names can hold, but no UTF-8 file."""

from __future__ import annotations

import re
from typing import Any

_UNPAIRED = re.compile("[\ud800-\udfff]")

#: Deeper values than this come from no data set, and JSON could not be relied on to write them.
MAX_DEPTH = 100


def first_unpaired(text: str) -> int | None:
    """Where the first half of a character stands in ``text``, or None."""
    found = None if text.isascii() else _UNPAIRED.search(text)
    return found.start() if found else None


def without_unpaired(text: str) -> str:
    """``text`` with U+FFFD, the replacement character, in place of each half of a character."""
    return text if text.isascii() else _UNPAIRED.sub("\ufffd", text)


def storable(value: Any, depth: int = MAX_DEPTH) -> Any:
    """The same for every text inside a value of lists and mappings.

    Raises:
        RecursionError: more than ``depth`` lists and mappings inside one another.
    """
    if isinstance(value, str):
        return without_unpaired(value)
    if not isinstance(value, dict | list):
        return value
    if not depth:
        raise RecursionError(f"holds more than {MAX_DEPTH} lists or objects inside one another")
    if isinstance(value, list):
        return [storable(one, depth - 1) for one in value]
    return {storable(key, 0): storable(one, depth - 1) for key, one in value.items()}
