"""What the user named as a source and nothing came to ask: told, for a file that is passed over looks like one used."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from neuter.data.sources.known import Known, known
from neuter.data.sources.sources import Sources, named_file


def unused(sources: Sources, asked: Collection[str], *, panel: bool = False) -> list[str]:
    """A sentence for each source that had no part in the series that were looked for.

    Told is what follows from the names and the order of sources: a file of the user's own for a series that nobody
    looked for; a file of the Philadelphia Fed of such a variable; a CRSP file without any of the stocks; a service that
    has none of the series, or comes after a source that stands alone for each. A service that was asked and whose
    values are all behind those of another is not told: each point's ``source`` shows that.

    Args:
        asked: names of the series that were looked for (``find_series``).
        panel: whether the panel of firms was looked for (``find_panel``), which takes every CRSP file.

    Raises:
        DataError: a file cannot be read.
        UsageError: there is no such series.
    """
    rows = [known(name) for name in dict.fromkeys(asked)]
    return [
        *_own_files(sources, asked),
        *([] if panel else _crsp(sources, rows)),
        *_philadelphia(sources, rows),
        *_services(sources, rows),
    ]


def _own_files(sources: Sources, asked: Collection[str]) -> Iterator[str]:
    for name, path in map(named_file, sources.data):
        if name not in asked:
            yield f"--data {name}={path}: {name} was not looked for, so nothing came from this file."


def _crsp(sources: Sources, rows: list[Known]) -> Iterator[str]:
    used = set(_crsp_of(sources, rows).values())
    stocks = ", ".join(row.name for row in _open(sources, rows) if row.is_stock)
    for path in dict.fromkeys(sources.crsp):
        if path not in used:
            why = f"it adds none of {stocks}" if stocks else "no stock was looked for in it"
            yield f"--crsp {path}: {why}, so nothing came from this file."


def _philadelphia(sources: Sources, rows: list[Known]) -> Iterator[str]:
    from neuter.data.sources.philadelphia_fed import real_time_file

    names = {row.name for row in _open(sources, rows)}
    for path in dict.fromkeys(sources.philadelphia_fed):
        held = real_time_file(path).known.name
        if held not in names:
            why = f"{held}, which it holds, was not looked for in it"
            yield f"--philadelphia-fed {path}: {why}, so nothing came from this file."


def _services(sources: Sources, rows: list[Known]) -> Iterator[str]:
    crsp = _crsp_of(sources, rows)
    left = [row for row in _open(sources, rows) if row.name not in crsp]
    for service in sources.services:
        if not any(_has(service, row) for row in left):
            yield f"--{service}: no series was looked for there, so nothing was asked of it."


def _open(sources: Sources, rows: list[Known]) -> list[Known]:
    """The series for which no file of the user's own stands."""
    own = {named_file(entry)[0] for entry in sources.data}
    return [row for row in rows if row.name not in own]


def _crsp_of(sources: Sources, rows: list[Known]) -> dict[str, str]:
    """The file that each stock comes from, of those that a CRSP file has."""
    if not sources.crsp:
        return {}
    from neuter.data.sources.crsp import permno_of

    stocks = [row.name for row in _open(sources, rows) if row.is_stock]
    first = {
        name: next((path for path in sources.crsp if permno_of(path, name) is not None), None)
        for name in stocks
    }
    return {name: path for name, path in first.items() if path is not None}


def _has(service: str, row: Known) -> bool:
    """Whether a service is asked for a series at all."""
    if service == "yahoo":
        return bool(row.yahoo)
    first_prints = "first" in row.readings and not row.unrevised
    return bool(row.fred) and (service == "fred" or first_prints)
