"""Which source a series comes from: the user's first, then what ships."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from neuter.data.series import DataSeries
from neuter.data.sources.known import Known, known
from neuter.data.sources.sources import Sources, named_file

if TYPE_CHECKING:
    import polars as pl

_NOTHING = Sources()


def find_series(
    name: str, sources: Sources = _NOTHING, *, first: date | None = None, last: date | None = None
) -> DataSeries:
    """The actual values of a series, from the first source that gives them.

    The order is: the user's own file, CRSP, the Philadelphia Fed, ALFRED, FRED, Yahoo, and what ships. A file of the
    user's own stands alone, and so does whatever gives a stock: shares of two days are not mixed. The others give what
    they can: a reading that one does not have, and dates before its first value or after its last, come from the next;
    each point's ``source`` says which. A gap within what a source covers stays a gap.

    Args:
        name: as in ``series.toml``, or a ticker.
        first, last: the days between which points are kept, both included.

    Raises:
        DataError: a source cannot be read or reached, or none has the series.
        UsageError: there is no such series.
        MissingExtra: a source needs a package that is not installed.
    """
    row = known(name)
    found: DataSeries | None = None
    for given in _own(row, sources):
        found = _joined(row, found, given)
        if row.is_stock or name in _names_of_files(sources):
            return between(found, first, last)
    return between(_with_shipped(row, found), first, last)


def find_panel(sources: Sources = _NOTHING) -> pl.DataFrame:
    """The month-end panel of firms with sizes: from CRSP's files if there are some, else the one that ships.

    The columns are those of ``neuter.data.panel``. Of several files the first that has a month wins it.

    Raises:
        DataError: a file cannot be read, or lacks a column that a panel needs.
    """
    from neuter.data.panel import firm_panel, panel_from

    if not sources.crsp:
        return firm_panel()
    import polars as pl

    from neuter.data.sources.crsp_panel import crsp_months

    held = crsp_months(sources.crsp[0])
    for path in sources.crsp[1:]:
        further = crsp_months(path)
        held = pl.concat([held, further.filter(~pl.col("date").is_in(held["date"].unique().implode()))])
    return panel_from(held.sort("date", "symbol", "permno"))


def check_sources(sources: Sources) -> None:
    """See that what the user named can be used, before anything is asked of a model: files are there and of a known
    form, keys are set, packages are installed. No service is asked.

    Raises:
        DataError, MissingExtra: the first that cannot.
    """
    for entry in sources.data:
        name, path = named_file(entry)
        from neuter.data.sources.own_file import own_series

        own_series(known(name), path)
    for path in sources.philadelphia_fed:
        from neuter.data.sources.philadelphia_fed import real_time_file

        real_time_file(path)
    for path in sources.crsp:
        from neuter.data.sources.crsp_file import crsp_file

        crsp_file(path)
    if sources.fred or sources.alfred:
        from neuter.data.sources.fred_client import fred_key

        fred_key()
    if sources.yahoo:
        from neuter.data.sources.yahoo import loaded_yfinance

        loaded_yfinance()


def between(series: DataSeries, first: date | None, last: date | None) -> DataSeries:
    """The series with the points and gaps of the days from ``first`` to ``last``, both included."""
    import polars as pl

    since, until = first or date.min, last or date.max
    points = series.points.filter(pl.col("date").is_between(since, until))
    return replace(series, points=points, gaps=tuple(day for day in series.gaps if since <= day <= until))


def _own(row: Known, sources: Sources) -> Iterator[DataSeries]:
    """What the user's sources give of a series, in their order, each only when it is asked for."""
    for entry in sources.data:
        name, path = named_file(entry)
        if name == row.name:
            from neuter.data.sources.own_file import own_series

            yield own_series(row, path)
    for path in sources.crsp if row.is_stock else ():
        from neuter.data.sources.crsp import crsp_series

        if closes := crsp_series(row, path):
            yield closes
    for path in sources.philadelphia_fed if row.philadelphia_fed else ():
        from neuter.data.sources.philadelphia_fed import philadelphia_series

        if held := philadelphia_series(row, path):
            yield held
    for service in sources.services:
        if told := _SERVICES[service](row):
            yield told


def _from_alfred(row: Known) -> DataSeries | None:
    from neuter.data.sources.fred import alfred_series

    return alfred_series(row)


def _from_fred(row: Known) -> DataSeries | None:
    from neuter.data.sources.fred import fred_series

    return fred_series(row)


def _from_yahoo(row: Known) -> DataSeries | None:
    from neuter.data.sources.yahoo import yahoo_series

    return yahoo_series(row)


#: In the order of ``Sources.services``.
_SERVICES: dict[str, Callable[[Known], DataSeries | None]] = {
    "alfred": _from_alfred,
    "fred": _from_fred,
    "yahoo": _from_yahoo,
}


def _names_of_files(sources: Sources) -> set[str]:
    return {named_file(entry)[0] for entry in sources.data}


def _with_shipped(row: Known, found: DataSeries | None) -> DataSeries:
    from neuter.data.shipped_series import shipped_series

    if found is None:
        return shipped_series(row.name)
    return _joined(row, found, shipped_series(row.name))


def _joined(row: Known, found: DataSeries | None, given: DataSeries) -> DataSeries:
    from neuter.data.sources.filling import filled

    return given if found is None else filled(row, found, given)
