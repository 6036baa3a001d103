"""Reading questions: files of any known format into one frame, with a count of everything that is not in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from neuter.errors import DataError, UsageError
from neuter.questions.accepting import Accepted, accepted, scales_of
from neuter.questions.domains import check_domain
from neuter.questions.found import Aside, Fault, Found, Item, Source
from neuter.questions.json_files import first_value
from neuter.questions.schema import QUESTION_SCHEMA

if TYPE_CHECKING:
    import pandas as pd

SHIPPED = "corpora:questions"
_SHOWN = 5
#: Why predictions and questions are left out beside the reasons of their sources.
LATE = "predictions after their question's resolution"
TWICE = "there twice, word for word"
INVALID = "that cannot be read"


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions that were read.

    Attributes:
        frame: QUESTION_SCHEMA, in the order of the file.
        set_aside: what is not in it, by reason: unresolved, annulled, ... and, with ``skip_invalid``, bad rows.
        faults: the first of the bad rows that were left out.
        files: what was read.
        scale: what plain numbers of its probabilities mean, ``share`` or ``percent``.
    """

    frame: pl.DataFrame
    set_aside: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    files: tuple[str, ...] = ()
    scale: str = "share"

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        aside = ", ".join(f"{count:,} {reason}" for reason, count in self.set_aside.items())
        return f"QuestionSet({len(self):,} questions{f'; set aside: {aside}' if aside else ''})"

    def to_polars(self) -> pl.DataFrame:
        """The frame."""
        return self.frame

    def to_pandas(self) -> pd.DataFrame:
        """The frame for pandas (``neuter[pandas]``)."""
        return self.frame.to_pandas()


def read_questions(
    source: str | Path,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    resolutions: str | Path | None = None,
    day_first: bool | None = None,
    skip_invalid: bool = False,
    domain: str | None = None,
) -> QuestionSet:
    """Resolved yes-or-no questions (docs/questions.md).

    Args:
        source: a file, or ``corpora:questions``, the composed ones that ship.
        format: ``neuter``, ``metaculus``, ``forecastbench``, ``autocast``, ``halawi`` or ``csv``; by default the file's
            content tells.
        columns: of a table (and of our own format), field → its column.
        resolutions: the resolution set that belongs to a question set of ForecastBench.
        day_first: whether 03/04/2024 is in April; without it such a date is an error.
        skip_invalid: leaves bad rows out and counts them, in place of stopping.
        domain: for all of them, in place of what the source says.

    Raises:
        UsageError: no such file or format.
        DataError: the file, or a row of it, cannot be read; file, row and field are named.
    """
    check_domain(domain)
    if str(source) == SHIPPED:
        from neuter.questions.shipped import shipped_questions

        return QuestionSet(shipped_questions(), files=(SHIPPED,))
    path = Path(source)
    if not path.is_file():
        raise UsageError(
            "there is no such file", where=str(source), todo=f"Give a file of questions, or {SHIPPED}"
        )
    if path.suffix.lower() == ".parquet":
        return QuestionSet(_parquet(path), files=(str(path),))
    told = Source(path, *first_value(path), dict(columns or {}), Path(resolutions) if resolutions else None)
    return _read(told, format, day_first, skip_invalid, domain)


def _read(
    source: Source, name: str | None, day_first: bool | None, skip_invalid: bool, domain: str | None
) -> QuestionSet:
    from neuter.questions.importers import IMPORTERS

    chosen = _chosen(source, name)
    aside, faults, found = Counter[str](), list[Fault](), list[Found]()
    for item in IMPORTERS[chosen].questions(source):
        _sort(item, found, aside, faults)
    scales = scales_of(found)
    rows, late = _accepted(found, faults, lambda one: accepted(one, scales, day_first, domain))
    aside.update(late)
    if faults and not skip_invalid:
        raise _fault(faults)
    if faults:
        aside[INVALID] = len(faults)
    return QuestionSet(
        _frame(rows), dict(aside), tuple(faults[:_SHOWN]), (str(source.path),), scales.community
    )


def _chosen(source: Source, name: str | None) -> str:
    from neuter.questions.importers import IMPORTERS

    if name is not None and name not in IMPORTERS:
        raise UsageError(f"no format {name!r}", todo=f"Known: {', '.join(IMPORTERS)}")
    found = name or next((known for known, one in IMPORTERS.items() if one.matches(source)), None)
    if found is None:
        raise DataError(
            "is of no known format",
            where=str(source.path),
            todo=f"Name it (--question-format): {', '.join(IMPORTERS)}",
        )
    return found


def _sort(item: Item, found: list[Found], aside: Counter[str], faults: list[Fault]) -> None:
    if isinstance(item, Found):
        found.append(item)
    elif isinstance(item, Aside):
        aside[item.reason] += 1
    else:
        faults.append(item)


def _accepted(
    found: Iterable[Found], faults: list[Fault], read: Callable[[Found], Accepted | Fault]
) -> tuple[list[dict[str, Any]], Counter[str]]:
    """The rows, and what was left out of them; two questions of one id are a fault unless they are the same in all."""
    rows: dict[str, dict[str, Any]] = {}
    left_out = Counter[str]()
    for one in found:
        made = read(one)
        if isinstance(made, Fault):
            faults.append(made)
            continue
        left_out[LATE] += made.late
        known = rows.setdefault(made.row["id"], made.row)
        if known is made.row:
            continue
        if known == made.row:
            left_out[TWICE] += 1
        else:
            faults.append(
                Fault(one.where, f"another question has the id {made.row['id']!r}", "Give each its own")
            )
    return list(rows.values()), +left_out


def _fault(faults: list[Fault]) -> DataError:
    first = faults[0]
    more = f" ({len(faults) - 1:,} more such rows)" if len(faults) > 1 else ""
    todo = " ".join(part for part in (first.todo, "Or leave bad rows out with --skip-invalid") if part)
    return DataError(f"{first.what}{more}", where=first.where, todo=todo)


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Column by column: a frame of rows with 100 predictions each is slow to look through."""
    columns = {name: [row[name] for row in rows] for name in QUESTION_SCHEMA if name != "community"}
    frame = pl.DataFrame(
        columns, schema={name: kind for name, kind in QUESTION_SCHEMA.items() if name in columns}
    )
    return frame.with_columns(_series(rows)).select(list(QUESTION_SCHEMA))


def _series(rows: list[dict[str, Any]]) -> pl.Series:
    flat = [one for row in rows for one in row["community"]]
    lengths = [len(row["community"]) for row in rows]
    structs = pl.DataFrame(
        {
            "row": [place for place, length in enumerate(lengths) for _ in range(length)],
            "date": [one["date"] for one in flat],
            "probability": [one["probability"] for one in flat],
        },
        schema={"row": pl.Int64, "date": pl.Date, "probability": pl.Float64},
    )
    grouped = structs.group_by("row", maintain_order=True).agg(
        pl.struct("date", "probability").alias("community")
    )
    every = pl.DataFrame({"row": range(len(rows))}, schema={"row": pl.Int64})
    joined = every.join(grouped, on="row", how="left", maintain_order="left")
    return joined["community"].fill_null([]).cast(QUESTION_SCHEMA["community"])


def _parquet(path: Path) -> pl.DataFrame:
    try:
        frame = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"cannot be read ({error})", where=str(path)) from error
    if missing := [name for name in QUESTION_SCHEMA if name not in frame.columns]:
        raise DataError(f"no column {missing[0]}", where=str(path), todo="Import it from another format")
    try:
        frame = frame.select(list(QUESTION_SCHEMA)).cast(dict(QUESTION_SCHEMA))  # type: ignore[arg-type]
    except pl.exceptions.PolarsError as error:
        raise DataError(f"a column of another type ({error})", where=str(path)) from error
    if frame["id"].is_duplicated().any():
        twice = frame.filter(frame["id"].is_duplicated())["id"][0]
        raise DataError(f"two questions have the id {twice!r}", where=str(path))
    strange = frame.filter(
        ~pl.col("resolution").is_in([0, 1]).fill_null(False) | pl.col("resolution_date").is_null()
    )
    if strange.height:
        raise DataError("resolved neither yes nor no, or on no day", where=f"{path}, {strange['id'][0]}")
    return frame
