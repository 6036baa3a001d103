"""What sessions of a run left behind that may have been billed, without what is still under way."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from neuter.models.store import Store


@dataclass(frozen=True, slots=True)
class Doubt:
    """``attempts`` that brought no answer and may have been billed, and the US dollars that they were estimated at.

    ``unpriced`` of them have no estimate: the price of their model is not known.
    """

    attempts: int = 0
    dollars: float = 0.0
    unpriced: int = 0


def doubt_of(store: Store, run: str, free: Collection[str] = ()) -> Doubt:
    """Of a run so far; attempts of models that cost nothing (``free``: the first parts of their names) do not count.

    A batch under way is not among them: it will be answered, and is told then.
    """
    rows = store.read(
        lambda connection: connection.execute(
            "SELECT model, count(*), coalesce(sum(estimated_cost), 0.0), coalesce(sum(estimated_cost IS NULL), 0) "
            "FROM attempts WHERE run = ? AND kind IN ('ambiguous', 'abandoned') GROUP BY 1",
            (run,),
        ).fetchall()
    )
    paid = [sums for model, *sums in rows if str(model or "").partition("/")[0] not in free]
    return Doubt(*(sum(column) for column in zip(*paid, strict=True))) if paid else Doubt()
