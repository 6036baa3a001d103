"""Whose forecasts a row is of: models and groups of them, domains, and the sides that its means are over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from neuter.scoring.forecasts.averaged import OUTCOMES, Averaged, Bools, Floats
from neuter.scoring.forecasts.how import NON_REASONING, REASONING, ForecastScoring
from neuter.scoring.forecasts.intervals import Clusters, Side, averaged_sides
from neuter.scoring.forecasts.partition import day_of, splits


@dataclass(frozen=True, slots=True)
class Whose:
    """One group of a panel: models (places), questions (Q), and how the rows name them."""

    model: str
    places: tuple[int, ...]
    inside: Bools
    group_by: str = "all"
    group: str = "all"

    @property
    def names(self) -> dict[str, str]:
        """The columns of a row."""
        return {"model": self.model, "group_by": self.group_by, "group": self.group}


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """A partition of the questions, with all that rows of it are made of."""

    name: str
    a: Averaged
    how: ForecastScoring
    clusters: Clusters
    splits: dict[str, Bools]

    @classmethod
    def of(cls, name: str, a: Averaged, how: ForecastScoring, clusters: Clusters) -> Panel:
        return cls(name, a, how, clusters, dict(splits(a, how, name)))

    def side(self, values: Floats, split: str, whose: Whose) -> Side:
        """The mean of ``values`` (M, Q) over a split: of several models the mean of their means."""
        of_split = self.splits[split]
        return averaged_sides(
            [self.clusters.side(values[m], of_split[m] & whose.inside) for m in whose.places]
        )

    def questions(self, split: str, whose: Whose, asked: Bools) -> Bools:
        """The questions of a split that were asked of any of the models; ``asked`` is (M, Q)."""
        of_split = self.splits[split]
        found = np.zeros(whose.inside.size, dtype=np.bool_)
        for m in whose.places:
            found |= of_split[m] & whose.inside & asked[m]
        return found

    def counts(self, split: str | None, condition: int, whose: Whose) -> dict[str, Any]:
        """How many questions have a forecast, calls by outcome, and the first and last resolution."""
        calls, answered = np.zeros(len(OUTCOMES), dtype=np.int64), np.zeros(whose.inside.size, dtype=np.bool_)
        for m in whose.places:
            part = self._part(split, m) & whose.inside
            calls += self.a.outcomes[m, condition][part].sum(axis=0)
            answered |= part & np.isfinite(self.a.forecast[m, condition])
        days = self.a.resolved[answered]
        return {
            "n": int(answered.sum()),
            **dict(zip(OUTCOMES, map(int, calls), strict=True)),
            "first_date": day_of(days.min()) if days.size else None,
            "last_date": day_of(days.max()) if days.size else None,
        }

    def _part(self, split: str | None, m: int) -> Bools:
        """The questions of a split, or of all of them but ``between`` where none is named (gaps are of the others)."""
        if split is not None:
            return np.asarray(self.splits[split][m])
        return np.asarray(self.splits["pre"][m] | self.splits["post"][m])


def everybody(a: Averaged, how: ForecastScoring, panel: str) -> Iterator[Whose]:
    """Each model, the mean over models, the two groups (fixed partition alone), all of these by domain."""
    every = np.ones(a.ids.size, dtype=np.bool_)
    for model, places in models_of(a):
        yield Whose(model, places, every)
        for domain in np.unique(a.domain[a.domain != ""]):
            yield Whose(model, places, a.domain == domain, "domain", str(domain))
    if panel == "fixed":
        yield from groups_of(a, how)


def models_of(a: Averaged) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Each model, then the mean over all of them, where there are several."""
    for place, model in enumerate(a.models):
        yield model, (place,)
    if len(a.models) > 1:
        yield "", tuple(range(len(a.models)))


def groups_of(a: Averaged, how: ForecastScoring) -> Iterator[Whose]:
    """Models trained to reason, and those that are not, where there are any of both."""
    every = np.ones(a.ids.size, dtype=np.bool_)
    places = group_places(a, how)
    if all(places.values()):
        for group, some in places.items():
            yield Whose("", some, every, "model_group", group)


def group_places(a: Averaged, how: ForecastScoring) -> dict[str, tuple[int, ...]]:
    """The models of each group."""
    return {
        group: tuple(m for m, model in enumerate(a.models) if how.groups.get(model) == group)
        for group in (REASONING, NON_REASONING)
    }
