"""Headlines by day: the sets whose date a model is asked for, and the news that may stand before a question."""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING

from neuter.errors import DataError

if TYPE_CHECKING:
    import polars as pl

#: A title and its content ("" where there is none), each on one line.
Headline = tuple[str, str]

#: A Friday's paper is four days old on the Tuesday after a Monday without one. Older news is no news of the day.
WITHIN_DAYS = 4

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class HeadlineSets:
    """Sets of headlines, one a day.

    Attributes:
        sets: the headlines of each day, in the order in which they were read, none empty.
        duplicates: headlines whose title stands on the same day already.
        source: in words, for people.
    """

    sets: Mapping[date, tuple[Headline, ...]]
    duplicates: int = 0
    source: str = ""
    days: tuple[date, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "days", tuple(sorted(self.sets)))

    def of(self, day: date) -> tuple[Headline, ...]:
        """The headlines of ``day``: empty where there are none."""
        return self.sets.get(day, ())

    def day_before(self, day: date, within: int = WITHIN_DAYS) -> date | None:
        """The latest day with a set that is before ``day`` (never ``day`` itself), at most ``within`` days."""
        place = bisect_left(self.days, day)
        if not place or self.days[place - 1] < day - timedelta(days=within):
            return None
        return self.days[place - 1]

    def before(self, day: date, within: int = WITHIN_DAYS) -> tuple[Headline, ...]:
        """The set of ``day_before``: empty where there is none. What ``--context news`` shows."""
        found = self.day_before(day, within)
        return self.sets[found] if found else ()

    def days_without(self) -> tuple[date, ...]:
        """Trading days of the exchange from the first to the last set that have none themselves.

        The calendar begins in 1985 and ends in 2030; days beyond it are not counted.
        """
        from neuter.data.calendar import FIRST_DAY, LAST_DAY, trading_days

        if not self.days or self.days[-1] < FIRST_DAY or self.days[0] > LAST_DAY:
            return ()
        traded = trading_days(max(self.days[0], FIRST_DAY), min(self.days[-1], LAST_DAY))
        return tuple(day for day in traded if day not in self.sets)

    def counts(self) -> dict[str, int]:
        """How many there are, for the run's notes.

        ``headlines`` and ``sets`` as they are asked; ``duplicates`` (same day, same title), ``repeated_titles`` (a
        title on several days, kept), ``headlines_without_content``, ``sets_without_content`` (no headline of the day
        has any), ``trading_days_without_set``.
        """
        contents = [[content for _, content in held] for held in self.sets.values()]
        return {
            "headlines": sum(map(len, contents)),
            "sets": len(self.sets),
            "duplicates": self.duplicates,
            "repeated_titles": self._repeated(),
            "headlines_without_content": sum(not content for held in contents for content in held),
            "sets_without_content": sum(not any(held) for held in contents),
            "trading_days_without_set": len(self.days_without()),
        }

    def notes(self) -> list[str]:
        """The source and the counts in sentences, for people."""
        told = self.counts()
        span = f", {self.days[0]} to {self.days[-1]}" if self.days else ""
        notes = [f"{told['headlines']:,} headlines in {told['sets']:,} sets{span}"]
        if self.source:
            notes[0] += f": {self.source}"
        if told["duplicates"]:
            notes.append(f"{told['duplicates']:,} headlines stand twice on the same day")
        if told["repeated_titles"]:
            notes.append(f"{told['repeated_titles']:,} titles stand on several days, and are asked on each")
        if told["sets_without_content"] or told["headlines_without_content"]:
            notes.append(
                f"{told['headlines_without_content']:,} headlines have no content; in "
                f"{told['sets_without_content']:,} sets none has any"
            )
        if told["trading_days_without_set"]:
            notes.append(f"{told['trading_days_without_set']:,} trading days between them have no set")
        return notes

    def _repeated(self) -> int:
        on = Counter(title for held in self.sets.values() for title in {_same(title) for title, _ in held})
        return sum(times > 1 for times in on.values())

    @property
    def hash(self) -> str:
        """sha256 of days, titles and contents: equal hashes mean the same questions."""
        digest = hashlib.sha256()
        for day in self.days:
            digest.update(json.dumps([day.isoformat(), self.sets[day]]).encode())
        return digest.hexdigest()


def sets_of(frame: pl.DataFrame, *, deduplicate: bool = True, source: str = "") -> HeadlineSets:
    """The sets of a frame with ``date``, ``title`` and ``content`` (``neuter.corpus.importers`` reads such frames).

    Titles and contents become one line each; nothing else in them changes, whatever it looks like. Two titles are the
    same if they differ in nothing but case and blanks. With ``deduplicate`` the first of the same day stays, and takes
    the content of a later one where it has none itself; without it all stay. Duplicates are counted either way.

    Raises:
        DataError: a column is missing, or a row has no date or no title.
    """
    check_columns(frame)
    days: dict[date, list[Headline]] = defaultdict(list)
    at: dict[tuple[date, str], int] = {}
    duplicates = 0
    for day, title, content in _rows(frame):
        place = at.setdefault((day, _same(title)), len(days[day]))
        again = place < len(days[day])
        duplicates += again
        if again and deduplicate:
            days[day][place] = (days[day][place][0], days[day][place][1] or content)
        else:
            days[day].append((title, content))
    return HeadlineSets({day: tuple(held) for day, held in sorted(days.items())}, duplicates, source)


def check_columns(frame: pl.DataFrame) -> None:
    """See that a frame can be made into sets.

    Raises:
        DataError: naming the column that is missing or of another type, or the row that lacks a value.
    """
    import polars as pl

    for name, kind in {"date": pl.Date, "title": pl.String, "content": pl.String}.items():
        if frame.schema.get(name) != kind:
            raise DataError(
                f"has no column {name!r} of {kind.__name__}",
                where="headlines",
                todo="read_headlines makes such a frame of a file",
            )
    for name in ("date", "title"):
        if frame[name].null_count():
            row = frame[name].is_null().arg_true()[0] + 1
            raise DataError(f"has no {name}", where=f"headlines: row {row}")


def shipped_headlines() -> HeadlineSets:
    """The sample that ships (``corpora/headlines``): well-known days from 1990 on, in our own words.

    Raises:
        DataError: the sample is not where it belongs.
    """
    import polars as pl

    from neuter.shipped import shipped_path

    path = shipped_path("headlines", "headlines.jsonl")
    if not path.is_file():
        raise DataError("the sample of headlines is missing", where=str(path), todo="Install neuter again")
    frame = pl.read_ndjson(path, schema_overrides={"date": pl.String, "content": pl.String})
    read = frame.select(pl.col("date").str.to_date(), "title", pl.col("content").fill_null(""))
    return sets_of(read, source="sample of headlines composed for neuter (corpora/headlines)")


def one_line(text: str) -> str:
    r"""``text`` with every run of blanks, line breaks and control characters as one space.

    >>> one_line("  Rates\n rise:\t{data_name}\x00 stays ")
    'Rates rise: {data_name} stays'
    """
    return " ".join(_CONTROL.sub(" ", text).split())


def _same(title: str) -> str:
    return title.casefold()


def _rows(frame: pl.DataFrame) -> Iterable[tuple[date, str, str]]:
    rows = frame.select("date", "title", "content").iter_rows()
    for number, (day, title, content) in enumerate(rows, start=1):
        told = one_line(title)
        if not told:
            raise DataError("has a blank title", where=f"headlines: row {number}")
        yield day, told, one_line(content or "")
