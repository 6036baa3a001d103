"""Reading questions: files of any known format into one frame, with a count of everything that is not in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from neuter.errors import DataError, UsageError
from neuter.questions.accepting import Accepted, accepted, scales_of, settled
from neuter.questions.domains import check_domain
from neuter.questions.found import Fault, Found, Source
from neuter.questions.frames import question_frame
from neuter.questions.json_files import first_value
from neuter.questions.once import Once

if TYPE_CHECKING:
    import pandas as pd

SHIPPED = "corpora:questions"
_BINARY = (".parquet", ".pq")
#: How many faults a :class:`QuestionSet` shows.
SHOWN = 20
#: Why predictions and questions are left out beside the reasons of their sources.
LATE = "predictions after their question's resolution"
EMPTY = "predictions without a probability"
INVALID = "that cannot be read"


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions that were read.

    Attributes:
        frame: QUESTION_SCHEMA, in the order of the file.
        set_aside: what is not in it, by reason: unresolved, annulled, ... and, with ``skip_invalid``, bad rows.
        faults: the first of the bad rows that were left out.
        files: what was read.
        format: as which format, a name of ``IMPORTERS``.
        scale: what plain numbers of its probabilities mean, ``share`` or ``percent``.
    """

    frame: pl.DataFrame
    set_aside: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    files: tuple[str, ...] = ()
    format: str = "neuter"
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
        from neuter.errors import MissingExtra

        try:
            return self.frame.to_pandas()
        except ModuleNotFoundError as error:
            raise MissingExtra(
                f"{error.name} is not installed", todo='python -m pip install "neuter[pandas]"'
            ) from error


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
        format: ``neuter``, ``metaculus``, ``forecastbench``, ``autocast``, ``halawi``, ``csv`` or ``parquet``; by
            default the file's content tells.
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
    if not isinstance(source, str | Path):
        raise UsageError(
            f"a {type(source).__name__} is no file of questions", todo=f"Give one path, or {SHIPPED}"
        )
    if str(source) == SHIPPED:
        from neuter.questions.shipped import shipped_questions

        return QuestionSet(shipped_questions(), files=(SHIPPED,))
    path = Path(source)
    kind = _kind_of(path)
    if kind != "file":
        what = "is a folder" if kind == "folder" else "there is no such file"
        raise UsageError(what, where=str(source), todo=f"Give a file of questions, or {SHIPPED}")
    start, lines = (None, False) if path.suffix.lower() in _BINARY else first_value(path)
    told = Source(path, start, lines, dict(columns or {}), Path(resolutions) if resolutions else None)
    return _read(told, format, day_first, skip_invalid, domain)


def _kind_of(path: Path) -> str:
    """``file``, ``folder`` or "": a name that no system takes is neither."""
    try:
        return "file" if path.is_file() else "folder" if path.is_dir() else ""
    except (OSError, ValueError):
        return ""


def _read(
    source: Source, name: str | None, day_first: bool | None, skip_invalid: bool, domain: str | None
) -> QuestionSet:
    from neuter.questions.importers import IMPORTERS

    chosen = _chosen(source, name)
    left_out, faults, rows = Counter[str](), list[Fault](), list[Accepted]()
    for item in IMPORTERS[chosen].questions(source):
        made = accepted(item, day_first, domain) if isinstance(item, Found) else item
        if isinstance(made, Accepted):
            rows.append(made)
        elif isinstance(made, Fault):
            faults.append(made)
        else:
            left_out[made.reason] += 1
    scales = scales_of(rows)
    once = Once()
    for row in rows:
        made = settled(row, scales)
        kept = once.see(made) if isinstance(made, Accepted) else made
        if isinstance(kept, Fault):
            faults.append(kept)
    if faults and not skip_invalid:
        raise _fault(faults)
    left_out.update(once.left_out)
    left_out[LATE] += sum(one.predictions.late for one in once.kept)
    left_out[EMPTY] += sum(one.predictions.empty for one in once.kept)
    left_out[INVALID] += len(faults)
    frame = question_frame([one.row for one in once.kept], [one.predictions for one in once.kept])
    return QuestionSet(
        frame, dict(+left_out), tuple(faults[:SHOWN]), (str(source.path),), chosen, scales.community
    )


def _chosen(source: Source, name: str | None) -> str:
    from neuter.questions.importers import IMPORTERS

    if name is not None and name not in IMPORTERS:
        raise UsageError(f"no format {name!r}", todo=f"Known: {', '.join(IMPORTERS)}")
    found = name or next((known for known, one in IMPORTERS.items() if one.matches(source)), None)
    if found is None:
        raise DataError(
            "is empty" if source.path.stat().st_size == 0 else "is of no known format",
            where=str(source.path),
            todo=f"Name its format: {', '.join(IMPORTERS)}",
        )
    return found


def _fault(faults: list[Fault]) -> DataError:
    first = faults[0]
    more = f" ({len(faults) - 1:,} more such rows)" if len(faults) > 1 else ""
    todo = ". ".join(part for part in (first.todo, "Or leave bad rows out with --skip-invalid") if part)
    return DataError(f"{first.what}{more}", where=first.where, todo=todo)
