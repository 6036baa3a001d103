"""The documents behind a row: those with the truth in question, by group, what became of them, and their dates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from neuter.scoring.groups import Grouping
from neuter.scoring.judging import Judged
from neuter.scoring.measures import Ints, Measure
from neuter.types import Outcome

OUTCOMES = [outcome.value for outcome in Outcome]
_UNDATED = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class Known:
    """``at`` are the places of the documents; ``present`` the groups that have one; ``shared`` what rows share."""

    at: Ints
    present: Ints
    shared: dict[str, Any]


class KnownDocuments:
    """The documents of a measure and grouping; measures that know the same documents are answered once."""

    def __init__(self, judged: Judged) -> None:
        self._judged = judged
        self._found: dict[tuple[str, bytes], Known] = {}

    def of(self, grouping: Grouping, measure: Measure) -> Known:
        """The documents that have the truth of ``measure`` and are in a group."""
        if measure.unparsed is not None:
            return self._known(grouping, measure)
        key = (grouping.by, measure.known.tobytes())
        if key not in self._found:
            self._found[key] = self._known(grouping, measure)
        return self._found[key]

    def _known(self, grouping: Grouping, measure: Measure) -> Known:
        at = np.flatnonzero(measure.known & (grouping.codes >= 0))
        codes, groups = grouping.codes[at], len(grouping.names)
        present = np.flatnonzero(np.bincount(codes, minlength=groups))
        shared = self._counts(at, codes, measure, groups) | self._dates(at, codes, groups)
        return Known(at, present, {name: values[present] for name, values in shared.items()})

    def _counts(self, at: Ints, codes: Ints, measure: Measure, groups: int) -> dict[str, Any]:
        """By outcome, the documents of each group; an answer to this question that cannot be read is unparsed."""
        outcomes = self._judged.outcomes[at]
        if measure.unparsed is not None:
            places = {outcome: place for place, outcome in enumerate(Outcome)}
            lost = measure.unparsed[at] & (outcomes == places[Outcome.ANSWERED])
            outcomes = np.where(lost, places[Outcome.UNPARSED], outcomes)
        cells = codes * len(Outcome) + outcomes
        table = np.bincount(cells, minlength=groups * len(Outcome)).reshape(-1, len(Outcome))
        return {name: table[:, place] for place, name in enumerate(OUTCOMES)}

    def _dates(self, at: Ints, codes: Ints, groups: int) -> dict[str, Any]:
        days = self._judged.days[at].astype(np.int64)
        dated = days != _UNDATED
        if not dated.all():
            codes, days = codes[dated], days[dated]
        first = np.full(groups, np.iinfo(np.int64).max)
        last = np.full(groups, _UNDATED)
        np.minimum.at(first, codes, days)
        np.maximum.at(last, codes, days)
        first[last == _UNDATED] = _UNDATED
        return {"first_date": first.astype("datetime64[D]"), "last_date": last.astype("datetime64[D]")}
