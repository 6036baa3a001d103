"""What is wrong with a CSV file of CRSP's that cannot be read: the line, and what stands there."""

from __future__ import annotations

import csv
from pathlib import Path

from neuter.data.sources.texts import place
from neuter.errors import DataError

_DOWNLOAD = "Download the file again"
#: A row that no download has: so much of a file without an end of line is no CSV.
_LONGEST = 1_000_000


def csv_fault(path: str) -> DataError | None:
    """The first line that is no UTF-8 or has more fields than the header; None where there is no such line.

    It is looked for only once the file could not be read: files have millions of rows.
    """
    try:
        with Path(path).expanduser().open("rb") as held:
            width = 0
            for line, raw in enumerate(iter(lambda: held.readline(_LONGEST), b""), 1):
                try:
                    text = raw.decode("utf-8-sig")
                except UnicodeDecodeError:
                    return DataError("is not UTF-8", where=place(path, line), todo="Save the file as UTF-8")
                found = _fields(text)
                width = width or found
                if found > width:
                    what = f"has {found} fields where the header has {width}"
                    return DataError(what, where=place(path, line), todo=f"Quote commas. {_DOWNLOAD}")
    except OSError:
        return None
    return None


def column_twice(path: str, present: list[str]) -> DataError | None:
    """Two columns of one name, in whatever case: one of them would be read for the other.

    Args:
        present: the columns as polars names them; of a CSV file the header itself is read, for polars renames.
    """
    names = [name.strip().lower() for name in (_header(path) or present)]
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if not twice:
        return None
    return DataError(
        f"has more than one column {twice[0]!r}", where=path, todo="Leave out or rename one of them"
    )


def _header(path: str) -> list[str]:
    """The header of a CSV file; empty for a Parquet file."""
    if Path(path).suffix.lower() in {".parquet", ".pq"}:
        return []
    with Path(path).expanduser().open(encoding="utf-8-sig", errors="replace", newline="") as held:
        return next(csv.reader([held.readline(_LONGEST)]), [])


def _fields(text: str) -> int:
    try:
        return len(next(csv.reader([text]), []))
    except csv.Error:
        return 0
