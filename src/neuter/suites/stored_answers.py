"""The answers that a run of questions holds: whether they stay, and what reading them anew changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from neuter.errors import RunError
from neuter.suites.frames import read_frame
from neuter.types import Outcome

if TYPE_CHECKING:
    from neuter.suites.rescoring import Rescoring


def all_stay(answers: pl.DataFrame, retry: frozenset[Outcome]) -> bool:
    """Whether no call of a file of answers is to be made again: none that failed, none with an outcome of ``retry``."""
    return {str(Outcome.FAILED), *map(str, retry)}.isdisjoint(answers["outcome"].unique().to_list())


def asked_models(record: Mapping[str, Any]) -> list[str]:
    """The models of a run, but for those that could not be asked."""
    left_out = {entry["model"] for entry in record.get("not_run") or ()}
    return [model for model in record.get("models") or () if model not in left_out]


def lacking(path: Path, files: Iterable[Path]) -> list[str]:
    """Those files of the run in ``path`` that are missing or damaged."""
    return [file.relative_to(path).as_posix() for file in files if not _is_readable(file)]


def refuse_lacking(path: Path, files: Sequence[str]) -> None:
    """Raises RunError where a run lacks files (as :func:`lacking` names them)."""
    if files:
        raise RunError(
            f"{files[0]} is missing or damaged",
            where=str(path),
            todo=f"Make it again: neuter runs resume {path}",
        )


def refuse_unscored(path: Path, record: Mapping[str, Any]) -> None:
    """Raises RunError where a run's record does not say how the run was scored."""
    if "scoring" not in record:
        raise RunError("does not say how it was scored", where=str(path), todo="Make it anew")


def refuse_other(path: Path, kept: Mapping[str, str | None], now: Mapping[str, str]) -> None:
    """Raises RunError where a frame of the run is not the one that it wrote: what was right then is not any more.

    Both are hashes by the name of the frame; one that was not kept is not compared.
    """
    for name, hashed in now.items():
        if kept.get(name) not in (None, hashed):
            raise RunError(
                f"{name}.parquet is not the one that the run wrote",
                where=str(path),
                todo="Make the run anew",
            )


def count_changes(before: pl.DataFrame, after: pl.DataFrame, fields: Iterable[str], told: Rescoring) -> int:
    """How many answers read otherwise in one of ``fields``; counted in ``told`` by field and by outcome."""
    told.guesses += before.height
    differs = {name: ~before[name].eq_missing(after[name]) for name in fields}
    any_ = pl.DataFrame(differs).select(pl.any_horizontal(pl.all()).alias("any"))["any"]
    changed = int(any_.sum())
    told.changed += changed
    for name, different in differs.items():
        if count := int(different.sum()):
            told.by_field[name] += count
    for was, now in zip(before["outcome"].filter(any_), after["outcome"].filter(any_), strict=True):
        told.by_outcome[was if was == now else f"{was} to {now}"] += 1
    return changed


def bytes_of(path: Path) -> bytes | None:
    """What a file holds; None where there is none."""
    return path.read_bytes() if path.is_file() else None


def _is_readable(file: Path) -> bool:
    try:
        read_frame(file)
    except RunError:
        return False
    return True
