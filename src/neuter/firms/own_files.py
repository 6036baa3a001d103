"""Reading a user's own list of firms: CSV, Parquet or JSON Lines, each bad row named by file, line and field."""

from __future__ import annotations

import csv
import difflib
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neuter.errors import CorpusError
from neuter.firms.index import EVER, ticker_key
from neuter.firms.names import Words, full_form, names_nobody

#: The columns that a file may have; ``name`` it must have.
COLUMNS = (
    *("name", "ticker", "cik", "aliases", "former_names", "exchange", "sector", "first", "last"),
    *("fiscal_year_end", "parent"),
)
#: No name is longer, and no list of firms has more rows: such a file is something else.
LONGEST, MOST_ROWS = 300, 1_000_000
_SEPARATOR = "|"
_TICKER = re.compile(r"[A-Za-z0-9]{1,10}(?:[./\- ][A-Za-z0-9]{1,4})?")
_MONTH = re.compile(r"(1[89]|20|21)\d\d-(0[1-9]|1[0-2])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class OwnFirm:
    """A row of a user's file. ``first`` and ``last``: months of the ticker, as ``year * 12 + month - 1``."""

    name: str
    ticker: str = ""
    cik: int | None = None
    aliases: tuple[str, ...] = ()
    former_names: tuple[str, ...] = ()
    exchange: str = ""
    sector: str = ""
    first: int = EVER[0]
    last: int = EVER[1]
    fiscal_year_end: int | None = None
    parent: str = ""
    where: str = ""


def read_firms_file(path: str | Path) -> list[OwnFirm]:
    """The firms of a file, in its order.

    Args:
        path: .csv, .parquet, .jsonl or .ndjson with a column ``name`` and any of ticker, cik, aliases and
            former_names (both separated by "|"), exchange, sector, first and last (YYYY-MM, the months in
            which the firm held the ticker), fiscal_year_end (a month, 1 to 12) and parent.

    Raises:
        CorpusError: no such file, another format, an unknown column, a row that says something impossible (the
            message names file, line and field), two rows of one firm, or no row at all.
    """
    path = Path(path)
    firms: list[OwnFirm] = []
    seen: dict[object, str] = {}
    for line, row in _rows(path):
        if len(firms) >= MOST_ROWS:
            raise CorpusError(f"more than {MOST_ROWS:,} rows", where=str(path), todo="Give a list of firms")
        firm = _firm(path, line, row)
        key: tuple[object, ...] | int = firm.cik or (firm.ticker, full_form(firm.name))
        if key in seen:
            raise CorpusError(
                f"the firm of {seen[key]} again", where=firm.where, todo="Join the rows, or give each its cik"
            )
        seen[key] = f"line {line}"
        firms.append(firm)
    if not firms:
        raise CorpusError("no firms in it", where=str(path), todo="Give at least one row")
    return firms


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(line, row) of a file; a row of a Parquet file counts as a line."""
    readers = {".csv": _csv, ".jsonl": _jsonl, ".ndjson": _jsonl, ".parquet": _parquet}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise CorpusError(
            f"unknown format {path.suffix or 'without an ending'!r}",
            where=str(path),
            todo=f"Give one of {', '.join(readers)}",
        )
    try:
        yield from reader(path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CorpusError(f"cannot be read ({error})", where=str(path)) from error


def _csv(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        header = [name.strip() for name in next(reader, [])]
        check_columns(path, header)
        before = reader.line_num
        for values in reader:
            line, before = before + 1, reader.line_num
            if not any(value.strip() for value in values):
                continue
            if len(values) != len(header):
                raise CorpusError(f"{len(values)} fields, not {len(header)}", where=f"{path}, line {line}")
            yield line, dict(zip(header, values, strict=True))


def _jsonl(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with path.open(encoding="utf-8-sig") as file:
        for line, text in enumerate(file, 1):
            if not text.strip():
                continue
            try:
                row = json.loads(text)
            except (ValueError, RecursionError) as error:
                raise CorpusError(f"no JSON ({error})", where=f"{path}, line {line}") from error
            if not isinstance(row, dict):
                raise CorpusError("no JSON object", where=f"{path}, line {line}")
            check_columns(path, list(row), line)
            yield line, row


def _parquet(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    import polars as pl

    try:
        frame = pl.read_parquet(path)
    except pl.exceptions.PolarsError as error:
        raise CorpusError(f"cannot be read ({error})", where=str(path)) from error
    check_columns(path, frame.columns)
    yield from enumerate(frame.iter_rows(named=True), 1)


def check_columns(path: Path, names: list[str], line: int = 1) -> None:
    """Refuses a header with an unknown column, one twice, or no name."""
    where = f"{path}, line {line}"
    for name in names:
        if name not in COLUMNS:
            near = difflib.get_close_matches(name.lower(), COLUMNS, n=1, cutoff=0.5)
            todo = f"Did you mean {near[0]!r}?" if near else f"Known are {', '.join(COLUMNS)}"
            raise CorpusError(f"unknown column {name[:60]!r}", where=where, todo=todo)
        if names.count(name) > 1:
            raise CorpusError(f"the column {name!r} twice", where=where)
    if "name" not in names:
        raise CorpusError("no column 'name'", where=where, todo="Give each firm its name")


def _firm(path: Path, line: int, row: Mapping[str, Any]) -> OwnFirm:
    where = f"{path}, line {line}"
    said = {field: _text(row.get(field), field, where) for field in COLUMNS}
    if not full_form(said["name"]) or names_nobody(said["name"]):
        raise _bad(where, "name", f"{said['name'][:60]!r} names no firm")
    first, last = _month(said["first"], "first", where), _month(said["last"], "last", where)
    if first is not None and last is not None and last < first:
        raise _bad(where, "last", "before first")
    return OwnFirm(
        name=said["name"],
        ticker=_ticker(said["ticker"], where),
        cik=_whole(said["cik"], "cik", where, 10**10 - 1),
        aliases=_names(said["aliases"], "aliases", where),
        former_names=_names(said["former_names"], "former_names", where),
        exchange=said["exchange"].lower(),
        sector=said["sector"],
        first=EVER[0] if first is None else first,
        last=EVER[1] if last is None else last,
        fiscal_year_end=_whole(said["fiscal_year_end"], "fiscal_year_end", where, 12),
        parent=said["parent"],
        where=where,
    )


def _bad(where: str, field: str, what: str) -> CorpusError:
    return CorpusError(what, where=f"{where}, {field}")


def _text(value: Any, field: str, where: str) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, list) and field in ("aliases", "former_names"):
        value = _SEPARATOR.join(map(str, value))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise _bad(where, field, f"{str(value)[:60]!r} is no text")
    text = str(value).strip()
    longest = LONGEST * (20 if field in ("aliases", "former_names") else 1)
    if len(text) > longest:
        raise _bad(where, field, f"longer than {longest} characters")
    if _CONTROL.search(text):
        raise _bad(where, field, "a control character in it")
    return text


def _names(text: str, field: str, where: str) -> tuple[str, ...]:
    names = [part.strip() for part in text.split(_SEPARATOR) if part.strip()]
    for name in names:
        if len(name) > LONGEST or not _says_something(full_form(name)) or names_nobody(name):
            raise _bad(where, field, f"{name[:60]!r} names no firm")
    return tuple(dict.fromkeys(names))


def _says_something(words: Words) -> bool:
    return len("".join(words)) > 1


def _ticker(text: str, where: str) -> str:
    if text and not _TICKER.fullmatch(text):
        raise _bad(where, "ticker", f"{text[:60]!r} is no ticker")
    return ticker_key(text) if text else ""


def _whole(text: str, field: str, where: str, highest: int) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and 1 <= int(text) <= highest):
        raise _bad(where, field, f"{text[:60]!r} is no whole number from 1 to {highest}")
    return int(text)


def _month(text: str, field: str, where: str) -> int | None:
    if not text:
        return None
    if not _MONTH.fullmatch(text):
        raise _bad(where, field, f"{text[:60]!r} is no month (YYYY-MM)")
    return int(text[:4]) * 12 + int(text[5:]) - 1
