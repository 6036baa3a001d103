"""The header of a sheet of vintages: which variable it is of, and the day of each column (``HSTARTS68M2``)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from neuter.errors import DataError

_VINTAGE = re.compile(r"([A-Z]+)(\d{2})([MQ])(\d{1,2})")
_PERIODS = {"M": 12, "Q": 4}
_TODO = "Give the file as it comes"

Taken = Literal["M", "Q"]


def is_vintage(cell: str) -> bool:
    """Whether a cell looks like the name of a vintage; its number may still be that of no month."""
    return _VINTAGE.fullmatch(cell.upper()) is not None


def vintages_of(header: Sequence[str], where: str) -> tuple[str, Taken, list[str]]:
    """The variable, whether its vintages are of months or quarters, and the first day of each (``2009-01-01``).

    Args:
        header: the cells beside ``DATE``.
        where: the file, for messages.

    Raises:
        DataError: a column is no vintage, of another variable or frequency than the first one, or of a vintage that
            an earlier column has; the column is named.
    """
    read = [_read(cell, f"{where}: column {at}") for at, cell in enumerate(header, 2)]
    variable, taken, _ = read[0]
    places: dict[str, int] = {}
    for at, ((named, kind, day), cell) in enumerate(zip(read, header, strict=True), 2):
        if (named, kind) != (variable, taken):
            what = f"{cell!r} is of another variable or frequency than {header[0]!r}"
            raise DataError(what, where=f"{where}: column {at}", todo=_TODO)
        if day in places:
            what = f"{cell!r} is there a second time (first in column {places[day]})"
            raise DataError(what, where=f"{where}: column {at}", todo="Leave one of them out")
        places[day] = at
    return variable, taken, list(places)


def _read(cell: str, where: str) -> tuple[str, Taken, str]:
    mark = _VINTAGE.fullmatch(cell.upper())
    kind: Taken = "Q" if mark and mark[3] == "Q" else "M"
    if mark is None or not 1 <= int(mark[4]) <= _PERIODS[kind]:
        raise DataError(f"{cell[:30]!r} is no vintage", where=where, todo=_TODO)
    month = int(mark[4]) if kind == "M" else int(mark[4]) * 3 - 2
    return mark[1], kind, f"{_year(int(mark[2]))}-{month:02d}-01"


def _year(two_digits: int) -> int:
    """Years from 40 on are of the 20th century."""
    return two_digits + (1900 if two_digits >= 40 else 2000)
