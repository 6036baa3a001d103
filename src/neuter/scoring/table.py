"""The tidy table that every suite's scores are written in: its columns, their checking and their files."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import polars as pl

from neuter.errors import RunError
from neuter.whole_files import write_whole

#: Columns in their order (design, "Scores"). A string that says nothing is empty, an unknown number null.
SCORES_SCHEMA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("suite", "panel", "series", "condition", "split"), pl.String),
    **dict.fromkeys(("scheme", "attacker", "model", "group_by", "group", "metric", "unit"), pl.String),
    **dict.fromkeys(("value", "ci_low", "ci_high", "baseline", "published"), pl.Float64),
    **dict.fromkeys(("n", "answered", "refused", "filtered", "truncated", "unparsed", "failed"), pl.Int64),
    **dict.fromkeys(("first_date", "last_date"), pl.Date),
}
#: A mean of a series in its own unit (index points, thousands) has none of these.
UNITS = frozenset({"percent", "percentage_points", "days", "years", "correlation", "brier", "share", "count"})
#: Floats are written with this many decimals, so that a file does not depend on the order of a sum.
DECIMALS = 6
_FLOATS = [name for name, kind in SCORES_SCHEMA.items() if kind == pl.Float64]


def empty_scores() -> pl.DataFrame:
    """A scores table without rows."""
    return pl.DataFrame(schema=SCORES_SCHEMA)


def validate(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with the table's columns in order, floats rounded, NaN and infinity as empty.

    Raises:
        RunError: a column is missing, unknown or of another type, or a unit is not one of the table's.
    """
    missing = [name for name in SCORES_SCHEMA if name not in frame.columns]
    extra = [name for name in frame.columns if name not in SCORES_SCHEMA]
    if missing or extra:
        raise RunError(f"scores with missing columns {missing} and unknown columns {extra}", where="scores")
    try:
        frame = frame.select(list(SCORES_SCHEMA)).cast(dict(SCORES_SCHEMA))  # type: ignore[arg-type]
    except pl.exceptions.PolarsError as error:
        raise RunError(f"scores with a column of another type ({error})", where="scores") from error
    strange = sorted(set(frame["unit"].drop_nulls()) - {*UNITS, ""})
    if strange:
        raise RunError(f"unknown unit {', '.join(strange)}", where="scores", todo=f"Known: {sorted(UNITS)}")
    strings = [name for name, kind in SCORES_SCHEMA.items() if kind == pl.String]
    floats = [
        pl.when(pl.col(name).is_finite()).then(pl.col(name).round(DECIMALS) + 0.0).alias(name)
        for name in _FLOATS
    ]
    return frame.with_columns(*floats, *(pl.col(name).fill_null("") for name in strings))


def write_scores(frame: pl.DataFrame, folder: Path) -> tuple[Path, Path]:
    """Writes ``scores.csv`` and ``scores.parquet`` whole or not at all; the same rows give the same bytes.

    Raises:
        RunError: the folder cannot be written, or the frame is no scores table.
    """
    checked = validate(frame)
    # An empty string as nothing at all, not as two quotation marks.
    blank = checked.with_columns(pl.col(pl.String).replace("", None))
    csv, parquet = folder / "scores.csv", folder / "scores.parquet"
    write_whole(csv, blank.write_csv(null_value=""))
    buffer = BytesIO()
    checked.write_parquet(buffer, compression="zstd", statistics=False)
    write_whole(parquet, buffer.getvalue())
    return csv, parquet


def read_scores(path: Path) -> pl.DataFrame:
    """Reads scores.parquet or scores.csv back.

    Raises:
        RunError: the file is not there or is no scores table.
    """
    try:
        csv = path.suffix == ".csv"
        frame = pl.read_csv(path, schema=SCORES_SCHEMA) if csv else pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise RunError(f"scores cannot be read ({error})", where=str(path)) from error
    return validate(frame)
