"""What files of questions hold, counted, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from neuter.errors import DataError
from neuter.questions.crowd import FIRST_TWO_WEEKS, FREEZE, resolved_frame
from neuter.questions.domains import UNKNOWN
from neuter.questions.found import Fault
from neuter.questions.reading import INVALID, SHOWN, QuestionSet, read_questions
from neuter.questions.schema import DOMAINS


@dataclass(frozen=True, slots=True)
class QuestionCheck:
    """What a check found.

    Attributes:
        files: each with its format.
        questions: how many can be asked.
        yes: how many of them came out yes.
        opened, resolved: the first and last day on which they did; None where none is known.
        domains: questions by domain, ``unknown`` last.
        sources, scales: questions by source; what plain numbers of each file's probabilities mean.
        clusters: how many groups of dependent questions there are.
        crowd: questions by what their crowd's forecast is of: ``first_two_weeks``, ``freeze``, ``none``.
        crowd_brier: the crowd's Brier score on the questions that have one.
        base_rates: how many questions have a base rate.
        set_aside: what is no question to ask, by reason.
        invalid: rows that cannot be read.
        shared: ids that two files have; the first file's question counts.
        problems: the first of either.
    """

    files: Mapping[str, str]
    questions: int
    yes: int
    opened: tuple[date | None, date | None]
    resolved: tuple[date | None, date | None]
    domains: Mapping[str, int]
    sources: Mapping[str, int]
    scales: Mapping[str, str]
    clusters: int
    crowd: Mapping[str, int]
    crowd_brier: float | None
    base_rates: int
    set_aside: Mapping[str, int]
    invalid: int
    shared: int = 0
    problems: tuple[Fault, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For JSON; dates as text."""
        told = asdict(self)
        days = {name: [day and str(day) for day in told[name]] for name in ("opened", "resolved")}
        return {**told, **days, "problems": [asdict(one) for one in self.problems]}


def check_questions(sources: str | Path | Sequence[str | Path], **reading: Any) -> QuestionCheck:
    """Read files of questions, bad rows and all, and say what they hold.

    Args:
        sources: one or several files, or ``corpora:questions``.
        reading: of :func:`neuter.questions.read_questions`; ``skip_invalid`` is always on.

    Raises:
        UsageError, DataError: a file is not there, or cannot be read at all.
    """
    several = (sources,) if isinstance(sources, str | Path) else sources
    sets = [read_questions(source, **{**reading, "skip_invalid": True}) for source in several]
    every = pl.concat([one.frame for one in sets]).unique("id", keep="first", maintain_order=True)
    return _checked(sets, every, _shared(sets))


def together(sets: Iterable[QuestionSet]) -> pl.DataFrame:
    """The questions of several files in one frame.

    Raises:
        DataError: two files have a question of one id.
    """
    every = list(sets)
    if shared := _shared(every):
        raise DataError(shared[0].what, where=shared[0].where, todo=shared[0].todo)
    return pl.concat([one.frame for one in every])


def _checked(sets: Sequence[QuestionSet], frame: pl.DataFrame, shared: list[Fault]) -> QuestionCheck:
    resolved = resolved_frame(frame)
    aside = _added(one.set_aside for one in sets)
    invalid = aside.pop(INVALID, 0)
    brier = ((resolved["crowd"] - resolved["outcome"]) ** 2).mean()
    return QuestionCheck(
        files={file: one.format for one in sets for file in one.files},
        questions=frame.height,
        yes=int(frame["resolution"].sum()),
        opened=_ends(frame["open"]),
        resolved=_ends(frame["resolution_date"]),
        domains=_domains(frame["domain"]),
        sources=_counts(frame["source"]),
        scales={file: one.scale for one in sets for file in one.files},
        clusters=frame.select(pl.when(pl.col("cluster") == "").then("id").otherwise("cluster")).n_unique(),
        crowd=_crowd(resolved["crowd_from"]),
        crowd_brier=brier if isinstance(brier, float) else None,
        base_rates=frame["base_rate"].count(),
        set_aside=aside,
        invalid=invalid,
        shared=len(shared),
        problems=(*shared[:SHOWN], *(fault for one in sets for fault in one.faults)),
    )


def _shared(sets: Sequence[QuestionSet]) -> list[Fault]:
    """Ids that two files have."""
    first: dict[str, str] = {}
    found = []
    for one in sets:
        file = one.files[0] if one.files else ""
        for id_ in one.frame["id"].to_list():
            known = first.setdefault(id_, file)
            if known != file:
                found.append(
                    Fault(file, f"has the question {id_[:60]!r}, as {known} has", "Take it out of one")
                )
    return found


def _added(counted: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for counts in counted:
        for reason, count in counts.items():
            total[reason] = total.get(reason, 0) + count
    return total


def _ends(days: pl.Series) -> tuple[date | None, date | None]:
    first, last = days.min(), days.max()
    return first if isinstance(first, date) else None, last if isinstance(last, date) else None


def _counts(values: pl.Series) -> dict[str, int]:
    counted = values.value_counts(sort=True)
    return dict(zip(*(counted[name].to_list() for name in counted.columns), strict=True))


def _domains(values: pl.Series) -> dict[str, int]:
    counted = _counts(values)
    return {name or UNKNOWN: counted[name] for name in (*DOMAINS, "") if name in counted}


def _crowd(values: pl.Series) -> dict[str, int]:
    counted = _counts(values)
    return {name or "none": counted[name] for name in (FIRST_TWO_WEEKS, FREEZE, "") if name in counted}
