"""The words by which answers are read (``words.toml``), as patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from neuter.word_lists import word_list


def words(*path: str) -> Any:
    """What ``words.toml`` holds under ``path``: a list, or a table of them."""
    return word_list("neuter.models.answers", *path)


@cache
def pattern(*path: str) -> re.Pattern[str]:
    """Any of the words under ``path``, as words of their own, in any case."""
    return re.compile(rf"(?<!\w)(?:{alternatives(words(*path))})(?!\w)", re.IGNORECASE)


def alternatives(texts: Iterable[str]) -> str:
    """A pattern's inside that matches any of ``texts``, the longest first; a blank is any white space, or a hyphen
    or an underscore as in ``final_answer``, an apostrophe also the curly one.
    """
    ordered = sorted(set(texts), key=lambda text: (-len(text), text))
    return "|".join(
        r"[\s_-]{1,3}".join(map(re.escape, text.split())).replace("'", "['’]") for text in ordered
    )
