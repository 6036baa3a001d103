"""What a crowd said of one question, packed into arrays: millions of predictions would not fit as objects."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neuter.errors import DataError
from neuter.questions.days import day_number
from neuter.questions.found import Found
from neuter.questions.probabilities import PERCENT, Said, said

_DATED = (str, int, float)


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Predictions of one question in the order of their days, those of one day in the order of the file.

    Attributes:
        days: since 1970.
        values: probabilities; where ``plain``, what the column's scale says.
        plain: which values have no unit of their own; None where all are shares.
        left_out: how many came after the resolution, and how many had no probability.
    """

    days: NDArray[np.int32]
    values: NDArray[np.float64]
    plain: NDArray[np.bool_] | None
    late: int = 0
    empty: int = 0

    def small_and_large(self) -> tuple[float | None, float | None, float]:
        """The first plain value between 0 and 1, the first above 1 up to 100 (None: there is none), and the largest."""
        if self.plain is None:
            return None, None, 0.0
        small = self.values[self.plain & (self.values > 0) & (self.values < 1)]
        large = self.values[self.plain & (self.values > 1) & (self.values <= 100)]
        first, above = (float(some[0]) if some.size else None for some in (small, large))
        return first, above, float(large.max(initial=0.0))

    def shares(self, scale: str) -> NDArray[np.float64]:
        """The probabilities, as the column's scale reads them; they may be outside of 0 and 1."""
        if self.plain is None or scale != PERCENT:
            return self.values
        return np.where(self.plain, self.values / 100, self.values)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Predictions)
            and np.array_equal(self.days, other.days)
            and np.array_equal(self.values, other.values)
            and np.array_equal(_mask(self), _mask(other))
        )

    __hash__ = None  # type: ignore[assignment]


def packed(found: Found, resolved: int, day_first: bool | None) -> Predictions:
    """The community's predictions up to the day of resolution (in days since 1970).

    Those after it are left out and counted. So are those without a probability, where the source is one that leaves
    days empty on purpose (``shares``); in a file of the user's own they are a fault.

    Raises:
        DataError: one has no date, or no probability.
    """
    days, values, plain, empty = array("i"), array("d"), bytearray(), 0
    for given, value in found.community:
        if type(value) is float:
            number, bare = value, True
        elif value is None and found.shares:
            empty += 1
            continue
        else:
            known = _said(value, given)
            number, bare = known.value, known.plain
        days.append(_day(given, day_first))
        values.append(number)
        plain.append(bare)
    return _sorted(days, values, None if found.shares else plain, resolved, empty)


def _said(value: Any, given: Any) -> Said:
    known = None if value == "" else said(value, "")
    if known is None:
        what = "no probability" if value in (None, "") else f"{str(value)[:40]!r} is no probability"
        raise DataError(f"{what} (dated {str(given)[:40]})", todo="Write 0.85, 85%, or 1 in 4")
    return known


def _day(given: Any, day_first: bool | None) -> int:
    if given is None or given == "":
        raise DataError("a prediction without a date", todo="Give [date, probability] pairs")
    day = day_number(given, day_first) if isinstance(given, _DATED) or hasattr(given, "toordinal") else None
    if day is None:
        raise DataError(f"{str(given)[:40]!r} is no date", todo="Write YYYY-MM-DD")
    return day


def _sorted(
    days: array[int], values: array[float], plain: bytearray | None, resolved: int, empty: int
) -> Predictions:
    when = np.frombuffer(days, dtype=np.int32) if days else np.empty(0, np.int32)
    what = np.frombuffer(values, dtype=np.float64) if values else np.empty(0)
    order = np.argsort(when, kind="stable")
    order = order[when[order] <= resolved]
    mask = None if plain is None else np.frombuffer(bytes(plain), dtype=np.bool_)[order]
    return Predictions(when[order], what[order], mask, len(days) - order.size, empty)


def _mask(one: Predictions) -> NDArray[np.bool_]:
    return np.zeros(one.values.size, np.bool_) if one.plain is None else one.plain
