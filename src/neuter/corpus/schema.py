"""Documents as rows and frames: the types of the canonical columns and of those carried along."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

import polars as pl

from neuter.corpus.columns import METADATA
from neuter.corpus.csvfile import CsvTable
from neuter.corpus.fields import Row
from neuter.types import Document

if TYPE_CHECKING:
    from neuter.corpus.passes import Mapped

Schema = dict[str, pl.DataType]

TYPES: Mapping[str, pl.DataType] = {
    "id": pl.String(),
    "kind": pl.String(),
    "ticker": pl.String(),
    "firm": pl.String(),
    "cik": pl.Int64(),
    "date": pl.Date(),
    "date_assumed": pl.Boolean(),
    "fiscal_year": pl.Int64(),
    "fiscal_quarter": pl.Int64(),
    "fiscal_year_end": pl.Int64(),
    "market_cap": pl.Float64(),
    "size": pl.String(),
    "sector": pl.String(),
    "text": pl.String(),
}

_ROWS = 1024


def metadata_frame(documents: Iterable[Document]) -> pl.DataFrame:
    """A row for each document with every column of ``METADATA``, without text."""
    columns: dict[str, list[Any]] = {name: [] for name in METADATA}
    for document in documents:
        for name, values in columns.items():
            values.append(getattr(document, name))
    return pl.DataFrame(columns, schema={name: TYPES[name] for name in METADATA})


def corpus_row(document: Document, columns: Iterable[str], extra: Iterable[str]) -> dict[str, Any]:
    """The document's canonical ``columns``, then the ``extra`` ones that are carried along."""
    row = {name: getattr(document, name) for name in columns}
    return {**row, **{name: document.extra.get(name) for name in extra}}


def corpus_schema(columns: Iterable[str], tables: Sequence[Mapped]) -> Schema:
    """The types of those columns. Those carried along keep a frame's or Parquet file's type, are text from a
    CSV, and elsewhere what all values have in common (which reads the corpus once); else JSON as text."""
    return {**{name: TYPES[name] for name in columns}, **carried_types(tables)}


def frame_of(rows: Iterable[Mapping[str, Any]], schema: Schema) -> pl.DataFrame:
    """A frame of rows, with values that do not fit a text column written as JSON."""
    texts = [name for name, kind in schema.items() if kind == pl.String]
    fitting = [{**row, **{name: _as_text(row.get(name)) for name in texts}} for row in rows]
    return pl.DataFrame(fitting, schema=schema, orient="row", strict=True)


def frames_of(rows: Iterator[Mapping[str, Any]], schema: Schema) -> Iterator[pl.DataFrame]:
    """The same in pieces of bounded size."""
    while piece := list(islice(rows, _ROWS)):
        yield frame_of(piece, schema)


def to_json(value: Any) -> str:
    """``value`` as JSON that every reader takes: null for NaN and infinity, which JSON has not."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, default=str)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


def _as_text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else to_json(value)


def carried_types(tables: Sequence[Mapped]) -> Schema:
    """The types of the columns that are carried along, by the names that they have there."""
    merged: Schema = {}
    for mapped in tables:
        types = _declared(mapped)
        for name, kind in (_observed(mapped) if types is None else types).items():
            merged[name] = _common(merged.get(name, kind), kind)
    return merged


def _declared(mapped: Mapped) -> Schema | None:
    """Types that the table itself states, or None."""
    if not mapped.columns.carried or isinstance(mapped.table, CsvTable):
        return {name: pl.String() for name in mapped.columns.carried.values()}
    schema = getattr(mapped.table, "schema", None)
    if schema is None:
        return None
    types = schema()
    return {name: _writable(types[source]) for source, name in mapped.columns.carried.items()}


def _writable(kind: pl.DataType) -> pl.DataType:
    return pl.String() if kind in (pl.Object, pl.Null, pl.Unknown) else kind


def _observed(mapped: Mapped) -> Schema:
    """Types that all values of a column have in common, by reading the table."""
    seen: dict[str, set[type]] = {name: set() for name in mapped.columns.carried.values()}
    for row in mapped.table.rows():
        if isinstance(row, Row):
            for source, name in mapped.columns.carried.items():
                seen[name].add(_kind(row.values.get(source)))
    return {name: _type_of(kinds - {type(None)}) for name, kinds in seen.items()}


def _kind(value: Any) -> type:
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
        return object
    # pandas' timestamps are datetimes of a class of their own.
    return datetime if isinstance(value, datetime) and value.tzinfo is None else type(value)


def _type_of(kinds: set[type]) -> pl.DataType:
    single: dict[type, pl.DataType] = {
        bool: pl.Boolean(),
        int: pl.Int64(),
        float: pl.Float64(),
        date: pl.Date(),
        datetime: pl.Datetime("us"),
    }
    if kinds == {int, float}:
        return pl.Float64()
    return single.get(next(iter(kinds)), pl.String()) if len(kinds) == 1 else pl.String()


def _common(one: pl.DataType, other: pl.DataType) -> pl.DataType:
    return one if one == other else pl.String()
