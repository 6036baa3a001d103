"""A series of actual values: dates, truths by reading, how many digits the source prints, and where each is from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from io import BytesIO
from typing import TYPE_CHECKING, Literal

from neuter.errors import DataError

if TYPE_CHECKING:
    import polars as pl

Frequency = Literal["daily", "monthly", "quarterly"]


@dataclass(frozen=True, slots=True)
class DataSeries:
    """Actual values of one series, in the order of their dates.

    Attributes:
        name: ``sp500``, ``gdp_growth``, ``AAPL``.
        frequency: of the points. Month ends are ``monthly``.
        readings: the columns that hold a truth, the default one first: ``("first", "latest")`` for macro series,
            ``("traded", "split_adjusted")`` for stocks, ``("close",)`` for indices.
        points: ``date`` (Date, rising, none twice), a Float64 column for each reading (null where it is unknown),
            ``digits`` (Int8: decimals that the source prints of the default reading; null where no source prints it
            to its last digit), ``source`` (String).
        gaps: dates at which a value is due and no source has one.
        source: in words, for people.

    Raises:
        DataError: the points are not as said above; the message names the date.
    """

    name: str
    frequency: Frequency
    readings: tuple[str, ...]
    points: pl.DataFrame
    gaps: tuple[date, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        check_points(self.points, self.readings, self.name)

    @property
    def hash(self) -> str:
        """sha256 of name, readings, dates and values: equal hashes mean the same truth."""
        held = BytesIO()
        self.points.select("date", *self.readings, "digits").write_csv(held)
        told = f"{self.name} {self.frequency} {self.readings}\n".encode()
        return hashlib.sha256(told + held.getvalue()).hexdigest()

    def values(self, reading: str | None = None) -> pl.DataFrame:
        """``date`` and ``value`` of one reading (the default one), without what is unknown."""
        import polars as pl

        name = reading or self.readings[0]
        return self.points.select("date", pl.col(name).alias("value")).drop_nulls()


def check_points(points: pl.DataFrame, readings: Sequence[str], name: str) -> None:
    """See that points have their columns, and dates that rise.

    Raises:
        DataError: a column is missing or of another type, a date is missing or twice, a value is infinite.
    """
    import polars as pl

    wanted = {"date": pl.Date, **dict.fromkeys(readings, pl.Float64), "digits": pl.Int8, "source": pl.String}
    wrong = [column for column, kind in wanted.items() if points.schema.get(column) != kind]
    if wrong:
        raise DataError(f"points without {', '.join(wrong)} as {wanted[wrong[0]]}", where=name)
    if points["date"].null_count():
        raise DataError("a point without a date", where=name)
    falls = points.filter(pl.col("date").diff().dt.total_days() <= 0)
    if falls.height:
        raise DataError(f"{falls['date'][0]} is there twice, or out of order", where=name)
    for reading in readings:
        strange = points.filter(~pl.col(reading).is_finite())
        if strange.height:
            raise DataError(f"{reading} of {strange['date'][0]} is no finite number", where=name)
