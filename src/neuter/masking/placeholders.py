"""The papers' placeholders: one for each entity of a document, never two entities under one.

Numbers run ``number_a`` to ``number_z``, then ``number_aa``; companies ``Company_1, Company_2``; every
other kind ``name_x, name_y, name_z, name_4`` and on (The Memorization Problem, appendix B.6 and Figure 2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from string import ascii_lowercase

#: Kinds that a scheme of spans may use, in the words of the paper's anonymization prompt.
KINDS = (
    "company",
    "ticker",
    "name",
    "location",
    "industry",
    "sector",
    "market",
    "product",
    "product_type",
    "service",
    "event",
    "time",
    "year",
    "quarter",
    "date",
    "number",
    "link",
)

_PLACEHOLDER = re.compile(
    r"\b(?:Company_\d+|number_[a-z]+|(?:ticker|name|location|industry|sector|market|product_type|product_line"
    r"|product|service|event|time|year|quarter|date|link|slogan|term)_(?:[xyz]|\d+))\b"
)


def find_placeholders(text: str) -> list[re.Match[str]]:
    """Every placeholder that stands in ``text``, whichever scheme wrote it."""
    return list(_PLACEHOLDER.finditer(text))


def placeholder(kind: str, rank: int) -> str:
    """The placeholder of the ``rank``-th entity (from 1) of a kind.

    >>> [placeholder("name", n) for n in (1, 3, 4)], placeholder("company", 2)
    (['name_x', 'name_z', 'name_4'], 'Company_2')
    >>> placeholder("number", 26), placeholder("number", 27), placeholder("number", 703)
    ('number_z', 'number_aa', 'number_aaa')
    """
    if kind == "company":
        return f"Company_{rank}"
    if kind == "number":
        return f"number_{_letters(rank)}"
    return f"{kind}_{'xyz'[rank - 1] if rank <= 3 else rank}"


def _letters(rank: int) -> str:
    letters = ""
    while rank:
        rank, place = divmod(rank - 1, 26)
        letters = ascii_lowercase[place] + letters
    return letters


class Placeholders:
    """Gives each entity of ONE document its placeholder, in the order of first mention.

    ``taken`` are placeholders that name something else in the document already; they are passed over.

    >>> given = Placeholders()
    >>> given.of("name", "tim cook"), given.of("name", "luca maestri"), given.of("name", "tim cook")
    ('name_x', 'name_y', 'name_x')
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = frozenset(taken)
        self._given: dict[tuple[str, str], str] = {}
        self._ranks: dict[str, int] = {}

    def of(self, kind: str, entity: str) -> str:
        """The placeholder of ``entity`` (a normalised string) as a ``kind``."""
        key = (kind, entity)
        if key not in self._given:
            self._given[key] = self._next(kind)
        return self._given[key]

    def _next(self, kind: str) -> str:
        while True:
            self._ranks[kind] = self._ranks.get(kind, 0) + 1
            made = placeholder(kind, self._ranks[kind])
            if made not in self._taken:
                return made
