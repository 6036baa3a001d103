"""The files of a run folder, read for a report; what is missing or damaged is named."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.errors import RunError
from neuter.types import Document

if TYPE_CHECKING:
    import polars as pl

_AGAIN = "Give the folder that neuter evaluate wrote, or make it again with the same command"
_TRUTH = (
    *("id", "kind", "ticker", "firm", "cik", "date", "date_assumed"),
    *("fiscal_year", "fiscal_quarter", "market_cap", "size", "sector"),
)
_GUESS = ("id", "scheme", "attacker", "model", "outcome", "firm")


def read_manifest(folder: Path) -> dict[str, Any]:
    """``run.json`` of ``folder``.

    Raises:
        RunError: there is none, or it is not the JSON object that neuter writes.
    """
    path = Path(folder) / "run.json"
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunError(
            "there is no run.json, so this is no run folder", where=str(folder), todo=_AGAIN
        ) from None
    except (ValueError, OSError) as error:
        raise RunError(f"cannot be read ({error})", where=str(path), todo=_AGAIN) from error
    if not isinstance(run, dict) or "command" not in run:
        raise RunError("is not the run.json of neuter: it has no 'command'", where=str(path), todo=_AGAIN)
    return run


def read_scores(folder: Path) -> pl.DataFrame:
    """``scores.parquet`` of ``folder``, checked for its columns.

    Raises:
        RunError: it is missing, damaged, or lacks columns of the tidy scores table.
    """
    from neuter.reports.score_blocks import check_columns

    path = Path(folder) / "scores.parquet"
    if not path.is_file():
        raise RunError("there is no scores.parquet: the run has not finished", where=str(folder), todo=_AGAIN)
    scores = read_frame(path)
    check_columns(scores)
    return scores


def read_frame(path: Path, columns: Sequence[str] | None = None, todo: str = _AGAIN) -> pl.DataFrame:
    """A Parquet file of a run, or some of its columns; ``todo`` is what to do where that cannot be.

    Raises:
        RunError: it is damaged, or lacks a column.
    """
    import polars as pl

    try:
        return pl.read_parquet(path, columns=list(columns) if columns else None)
    except pl.exceptions.ColumnNotFoundError as error:
        raise RunError(f"lacks a column ({error})", where=str(path), todo=todo) from error
    except (pl.exceptions.PolarsError, OSError) as error:
        raise RunError(f"cannot be read, it may be damaged ({error})", where=str(path), todo=todo) from error


def masked_files(folder: Path, names: Sequence[str]) -> dict[str, Path]:
    """The masked corpora by scheme, in the order of run.json. The scheme stands in the file: names are slugs."""
    places = {name: place for place, name in enumerate(names)}
    found = {}
    for path in sorted(folder.glob("*.parquet")):
        schemes = read_frame(path, ["scheme"])["scheme"].unique().to_list()
        found.update(dict.fromkeys(schemes, path))
    return dict(sorted(found.items(), key=lambda item: places.get(item[0], len(places))))


def read_truths(paths: Iterable[Path]) -> dict[str, Document]:
    """What is known of each document, in corpus order, without reading any text; the first file that has it."""
    import polars as pl

    truths: dict[str, Document] = {}
    for path in paths:
        if not path.is_file():
            continue
        try:
            present = [name for name in _TRUTH if name in pl.read_parquet_schema(path)]
        except (pl.exceptions.PolarsError, OSError) as error:
            raise RunError(
                f"cannot be read, it may be damaged ({error})", where=str(path), todo=_AGAIN
            ) from error
        for row in read_frame(path, present).iter_rows(named=True):
            known = {name: value for name, value in row.items() if value is not None}
            truths.setdefault(row["id"], Document(text="", **known))
    return truths


def read_rows(path: Path, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The chosen rows of a masked corpus by id; the others are never in memory."""
    import polars as pl

    columns = ["id", "text", "scheme", "replacements", "outcome", "reason"]
    try:
        frame = pl.scan_parquet(path).filter(pl.col("id").is_in(list(ids))).select(columns).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise RunError(
            f"cannot be read, it may be damaged ({error})", where=str(path), todo=_AGAIN
        ) from error
    return {row["id"]: row for row in frame.iter_rows(named=True)}


def read_guesses(folder: Path) -> pl.DataFrame | None:
    import polars as pl

    frames = []
    for path in sorted(folder.glob("*.parquet")):
        frame = read_frame(path)
        if missing := [name for name in _GUESS if name not in frame.columns]:
            raise RunError(f"lacks the columns {', '.join(missing)}", where=str(path), todo=_AGAIN)
        frames.append(frame)
    return pl.concat(frames, how="diagonal_relaxed") if frames else None
