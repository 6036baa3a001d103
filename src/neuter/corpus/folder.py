"""A folder of text files: one document a file, its id the path, its firm and date from the file's name."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from neuter.corpus.fields import MAX_TEXT_BYTES, Problem, Row
from neuter.corpus.lines import NOT_UTF8, Line, unreadable

_TICKER = r"(?P<ticker>[A-Za-z]{1,6}(?:[.-][A-Za-z0-9]{1,3})?)"
#: AAPL_q3_2019.txt and 20190730_AAPL.txt, the two forms in which transcript collections name their files.
_NAMES = (
    re.compile(rf"{_TICKER}_[qQ](?P<fiscal_quarter>[0-9])_(?P<fiscal_year>[0-9]{{4}})"),
    re.compile(rf"(?P<date>[0-9]{{8}})_{_TICKER}"),
)
_COLUMNS = ("id", "ticker", "date", "fiscal_year", "fiscal_quarter", "text")


@dataclass(frozen=True, slots=True)
class TextFiles:
    """``files`` below ``root``, in the order in which they are read."""

    root: Path
    files: tuple[Path, ...]
    shown: str

    def columns(self) -> list[str]:
        """id and text, and what the names of the files tell."""
        told = {key for file in self.files for key in told_by_name(file.stem)}
        return [name for name in _COLUMNS if name in told or name in ("id", "text")]

    def rows(self) -> Iterator[Row | Problem]:
        """One row a file."""
        return map(self._row, self.files, self.ids())

    def ids(self) -> Iterator[str]:
        """The id of each file: its path below ``root`` without the suffix."""
        return (file.relative_to(self.root).with_suffix("").as_posix() for file in self.files)

    def _row(self, file: Path, name: str) -> Row | Problem:
        shown = file.as_posix()
        try:
            if file.stat().st_size > MAX_TEXT_BYTES + 3:
                limit = MAX_TEXT_BYTES // 1_000_000
                return Problem(
                    shown, 0, "text", name, f"is over the limit of {limit} MB a document", todo="Split it"
                )
            data = file.read_bytes()
        except OSError as error:
            raise unreadable(error, shown) from error
        try:
            text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
        except UnicodeDecodeError as error:
            return _undecodable(shown, name, data.removeprefix(codecs.BOM_UTF8), error)
        return Row(shown, 0, {"id": name, "text": text, **told_by_name(file.stem)})


def told_by_name(stem: str) -> dict[str, str]:
    """What a file's name without its suffix tells: ticker with fiscal quarter and year, or with a date.

    >>> told_by_name("AAPL_q3_2019")
    {'ticker': 'AAPL', 'fiscal_quarter': '3', 'fiscal_year': '2019'}
    >>> told_by_name("20190730_AAPL")
    {'date': '2019-07-30', 'ticker': 'AAPL'}
    >>> told_by_name("minutes")
    {}
    """
    for pattern in _NAMES:
        if found := pattern.fullmatch(stem):
            told = found.groupdict()
            if day := told.get("date"):
                told["date"] = f"{day[:4]}-{day[4:6]}-{day[6:]}"
            return {**told, "ticker": told["ticker"].upper()}
    return {}


def _undecodable(shown: str, name: str, data: bytes, error: UnicodeDecodeError) -> Problem:
    number = data.count(b"\n", 0, error.start) + 1
    return Problem(shown, number, "text", name, Line(number, 0, data).bad_bytes(error), todo=NOT_UTF8)
