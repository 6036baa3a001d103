"""What the user named as sources of actual values."""

from __future__ import annotations

from dataclasses import dataclass

from neuter.data.sources.known import known_name
from neuter.errors import UsageError


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources in the place of what ships; an empty one stands for all that ships.

    Attributes:
        data: ``NAME=FILE``, a CSV or Parquet file of one series.
        fred: ask FRED for the latest values; its key is in FRED_API_KEY.
        alfred: ask ALFRED for first prints and the latest values, with the same key.
        philadelphia_fed: files of the Real-Time Data Set as they come (xlsx, or CSV of the same layout).
        yahoo: ask Yahoo Finance, by ``yfinance`` (the extra ``neuter[yahoo]``).
        crsp: monthly or daily stock files in WRDS' column names, CSV or Parquet.

    Raises:
        UsageError: a ``data`` entry is not ``NAME=FILE``, names no series, or names one twice.
    """

    data: tuple[str, ...] = ()
    fred: bool = False
    alfred: bool = False
    philadelphia_fed: tuple[str, ...] = ()
    yahoo: bool = False
    crsp: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [named_file(entry)[0] for entry in self.data]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise UsageError(f"two files for {twice[0]}", where="--data", todo="Name one of them")

    @property
    def files(self) -> tuple[str, ...]:
        """Every file named, once."""
        named = (*(named_file(entry)[1] for entry in self.data), *self.philadelphia_fed, *self.crsp)
        return tuple(dict.fromkeys(named))

    @property
    def services(self) -> tuple[str, ...]:
        """Names of the services that are asked."""
        asked = {"alfred": self.alfred, "fred": self.fred, "yahoo": self.yahoo}
        return tuple(name for name, on in asked.items() if on)


def named_file(entry: str) -> tuple[str, str]:
    """The series and the file of ``NAME=FILE``.

    >>> named_file("sp500=closes/mine.csv")
    ('sp500', 'closes/mine.csv')

    Raises:
        UsageError: there is no ``=``, no file, or the name is no series.
    """
    name, equals, path = entry.partition("=")
    if not equals or not name.strip() or not path.strip():
        raise UsageError(f"{entry!r} is not NAME=FILE", where="--data", todo="As in --data sp500=mine.csv")
    return known_name(name.strip()), path.strip()
