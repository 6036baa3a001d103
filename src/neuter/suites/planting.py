"""Planting the truth of a corpus in the requests to a simulated model, on their way from attacker to model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from neuter.firms.sizes import SIZES
from neuter.models.simulated.names import is_simulated
from neuter.models.simulated.planted import Planted, plant
from neuter.models.simulated.respondent import respondent_of
from neuter.types import Ask, Request, Response

if TYPE_CHECKING:
    import polars as pl

#: The figures that are told of a simulated model.
_TOLD = {
    "firm_accuracy": "firm",
    "year_accuracy": "year",
    "quarter_year_accuracy": "quarter and year",
    "exact_date_accuracy": "date",
}
_CARRIED = ("id", "kind", "ticker", "firm", "label", "sector", "size", "fiscal_year")


def planting(ask: Ask, truths: Mapping[str, Planted]) -> Ask:
    """``ask``, with the truth of each request's document planted in it if the model is a simulated one.

    Requests are told apart by their id; one whose id is not in ``truths`` passes as it is. Of two documents with the
    same masked text, each is answered from its own truth. Any other model is returned as it came and sees no truth.
    """
    return _Planting(ask, truths) if is_simulated(ask.model) else ask


class _Planting:
    """A simulated model whose requests carry their truth."""

    def __init__(self, ask: Ask, truths: Mapping[str, Planted]) -> None:
        self._ask, self._truths = ask, truths

    @property
    def model(self) -> str:
        return self._ask.model

    def ask(self, requests: Iterable[Request]) -> Iterator[Response]:
        """The responses, in the order of ``requests``."""
        return self._ask.ask(map(self._planted, requests))

    def _planted(self, request: Request) -> Request:
        truth = self._truths.get(request.id)
        return request if truth is None else plant(request, truth)


def truths_of(metadata: pl.DataFrame) -> dict[str, Planted]:
    """The truth to plant for each document of a corpus' metadata (with sizes), by id.

    Labels, days and periods are those that the scorer takes, assumed ones among them.

    Raises:
        UsageError: two documents have one id.
    """
    import polars as pl

    from neuter.scoring.joining import joined
    from neuter.scoring.period_measures import calendar_reading
    from neuter.types import Outcome

    asked = metadata.select("id", pl.lit(Outcome.ANSWERED.value).alias("outcome"))
    frame = joined(metadata, asked)
    # The scorer's own reading: a second way to the same quarter would one day be another quarter.
    calendar = calendar_reading(frame)
    rows = zip(frame.iter_rows(named=True), calendar.year, calendar.quarter, strict=True)
    return {row["id"]: _truth(row, year, quarter) for row, year, quarter in rows}


def planted_note(model: str, metadata: pl.DataFrame, truths: Mapping[str, Planted]) -> str:
    """What a simulated model was made to know of these documents, in words, beside which its scores are to be held.

    The means, in percent, of ``Respondent.expected``: over all seeds, of answered documents.
    """
    expected = respondent_of(model).expected([truths[id_] for id_ in metadata["id"]])
    sizes = {"All": metadata["id"].to_list()}
    for size in SIZES:
        ids = metadata.filter(metadata["size"] == size)["id"].to_list()
        sizes |= {size: ids} if ids else {}
    parts = []
    for metric, name in _TOLD.items():
        known = expected.get(metric, {})
        means = {g: [known[id_] for id_ in ids if id_ in known] for g, ids in sizes.items()}
        shown = [f"{group} {100 * sum(m) / len(m):.2f}%" for group, m in means.items() if m]
        parts += [f"{name} {', '.join(shown)}"] if shown else []
    return f"{model} was made to know, on average over seeds: {'; '.join(parts)}" if parts else ""


def _truth(row: Mapping[str, Any], calendar_year: float, calendar_quarter: float) -> Planted:
    day: date | None = row["on"]
    return Planted(
        **{name: row[name] for name in _CARRIED if row[name] is not None},
        fiscal_quarter=row["fiscal_quarter"] if row["fiscal_quarter"] in range(1, 5) else None,
        calendar_year=_whole(calendar_year),
        calendar_quarter=_whole(calendar_quarter),
        call_year=day.year if day else None,
        call_quarter=(day.month + 2) // 3 if day else None,
        date=day,
    )


def _whole(number: float) -> int | None:
    return int(number) if math.isfinite(number) else None
