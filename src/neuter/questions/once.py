"""Each question once: what makes two rows of a file the same question, and what happens then."""

from __future__ import annotations

from collections import Counter
from typing import Any

from neuter.questions.accepting import Accepted
from neuter.questions.found import Fault

TWICE = "there twice, word for word"
UNDER_ANOTHER_ID = "the same question under another id"
#: Two questions with the same texts and dates are one.
_SAME = ("question", "background", "resolution_criteria", "open", "close", "resolution_date")


class Once:
    """Questions as they come, each once.

    * The same id and the same in everything: left out and counted.
    * The same id and anything else: a fault.
    * The same texts and dates under another id, and the same outcome: the first stays; with another outcome a fault.

    Attributes:
        kept: the questions that stay.
        left_out: how many did not, by reason.
    """

    def __init__(self) -> None:
        self.kept: list[Accepted] = []
        self.left_out: Counter[str] = Counter()
        self._by_id: dict[str, Accepted] = {}
        self._by_text: dict[int, Accepted] = {}

    def see(self, one: Accepted) -> Accepted | Fault | None:
        """The question if it stays, None if it is left out, or what is wrong with it."""
        known = self._by_id.get(one.row["id"])
        if known is not None:
            return self._twice(known, one)
        alike = self._by_text.setdefault(_key(one.row), one)
        if alike is not one and _texts(alike.row) == _texts(one.row):
            return self._alike(alike, one)
        self._by_id[one.row["id"]] = one
        self.kept.append(one)
        return one

    def _twice(self, known: Accepted, one: Accepted) -> Fault | None:
        if known.row == one.row and known.predictions == one.predictions:
            self.left_out[TWICE] += 1
            return None
        return Fault(
            one.where,
            f"field id: another question has the id {one.row['id'][:60]!r} ({known.where})",
            "Give each its own",
        )

    def _alike(self, alike: Accepted, one: Accepted) -> Fault | None:
        if alike.row["resolution"] == one.row["resolution"]:
            self.left_out[UNDER_ANOTHER_ID] += 1
            return None
        return Fault(
            one.where,
            f"field resolution of {one.row['id'][:60]!r}: the same question has another outcome in {alike.where}",
            "Correct one of them",
        )


def _key(row: dict[str, Any]) -> int:
    return hash(_texts(row))


def _texts(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        " ".join(row[name].split()).casefold() if isinstance(row[name], str) else row[name] for name in _SAME
    )
