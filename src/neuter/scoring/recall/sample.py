"""What an interval is asked for: the values behind a figure, in the order of their dates."""

from __future__ import annotations

from dataclasses import dataclass

from neuter.scoring.recall.figure import Kind
from neuter.scoring.recall.points import Floats, Ints


@dataclass(frozen=True, slots=True)
class Sample:
    """The points of one figure and split.

    Args:
        values, beside: as in ``Figure``, without what takes no part; ``firm`` are the places of their firms.
        positive: values cannot be below 0.
    """

    kind: Kind
    values: Floats
    beside: Floats | None
    firm: Ints
    positive: bool = False
