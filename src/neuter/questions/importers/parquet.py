"""Tables in Parquet: a row a question, under our names or names that are usual."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from neuter.errors import DataError
from neuter.questions.found import Item, Source
from neuter.questions.importers.table import column_names, found_row, is_own

_SLICE = 10_000


class Parquet:
    """Parquet with columns as of a CSV file; ``community`` may be a list of structs or of pairs."""

    def matches(self, source: Source) -> bool:
        return source.path.suffix.lower() in (".parquet", ".pq")

    def questions(self, source: Source) -> Iterator[Item]:
        try:
            frame = pl.read_parquet(source.path)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise DataError(f"cannot be read ({error})", where=str(source.path)) from error
        names, own = column_names(frame.columns, source, required=True), is_own(frame.columns)
        told = frame.select(list(dict.fromkeys(names.values())))
        community = names.get("community")
        number = 0
        for part in told.iter_slices(_SLICE):
            series = _series(part, community)
            for row in part.drop(community or []).iter_rows(named=True):
                held = {field: row.get(name) for field, name in names.items()}
                if series is not None:
                    held["community"] = series[number % _SLICE]
                number += 1
                yield found_row(f"{source.path}, row {number}", held, verbatim=own)


def _series(frame: pl.DataFrame, name: str | None) -> list[Any] | None:
    """The community of each row; of lists of structs as pairs, since a dictionary for each would take long."""
    if name is None:
        return None
    kind = frame.schema[name]
    inner = kind.inner if isinstance(kind, pl.List) else None
    if not isinstance(inner, pl.Struct) or not {"date", "probability"} <= {one.name for one in inner.fields}:
        return frame[name].to_list()
    parts = (
        frame.select(pl.col(name).list.eval(pl.element().struct.field(one).cast(kind)))[name].to_list()
        for one, kind in (("date", pl.String), ("probability", pl.Float64))
    )
    return [
        None if days is None else list(zip(days, shares, strict=True))
        for days, shares in zip(*parts, strict=True)
    ]
