"""One row becomes one document, or a problem that names file, line and field."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from datetime import date, datetime
from typing import Any

from neuter.corpus.columns import KINDS, ColumnMap
from neuter.corpus.unpaired import first_unpaired, storable, without_unpaired
from neuter.errors import CorpusError
from neuter.types import Document

#: A text longer than this (in bytes of UTF-8) is more likely a file gone wrong than a document.
MAX_TEXT_BYTES = 20_000_000

SIZES = ("Large", "Mid", "Small")

_ALL_ROWS = "`neuter corpus check` lists every bad row; --skip-invalid leaves them out and counts them"


@dataclass(frozen=True, slots=True)
class Row:
    """A row as a file has it. ``line`` is where it begins (1-based; of a frame or Parquet file the row)."""

    file: str
    line: int
    values: Mapping[str, Any]
    unit: str = "line"


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a row. ``field`` and ``id`` are empty where the row could not be read so far."""

    file: str
    line: int
    field: str
    id: str
    what: str
    unit: str = dataclass_field(default="line", compare=False)
    todo: str = dataclass_field(default="", compare=False)

    @property
    def where(self) -> str:
        """As in ``calls.csv: line 17, field 'date'``."""
        place = [f"{self.unit} {self.line}"] if self.line else []
        if self.field:
            place.append(f"field {self.field!r}")
        # The name of a file need not be UTF-8, and what is shown must be.
        file = without_unpaired(self.file)
        return f"{file}: {', '.join(place)}" if place else file

    def error(self) -> CorpusError:
        """The same as an exception, for a reading that stops at the first problem."""
        todo = ". ".join(filter(None, [self.todo, _ALL_ROWS]))
        return CorpusError(
            f"{self.what} (id {self.id!r})" if self.id else self.what, where=self.where, todo=todo
        )


class Invalid(ValueError):
    """A value that is not what its field takes; becomes a Problem where the row is known."""

    def __init__(self, what: str, todo: str = "") -> None:
        super().__init__(what)
        self.todo = todo


def document_of(row: Row, columns: ColumnMap, *, kind: str | None, default_kind: str) -> Document | Problem:
    """The document of ``row``; ``kind`` stands above the file's own, ``default_kind`` where there is none."""
    parsed: dict[str, Any] = {}
    for name, source in columns.fields.items():
        try:
            parsed[name] = _PARSERS[name](row.values.get(source))
            if parsed[name] is not None and (factor := columns.scale.get(name)):
                parsed[name] *= factor
        except Invalid as bad:
            known = str(parsed.get("id", ""))
            return Problem(row.file, row.line, source, known, str(bad), row.unit, bad.todo)
    parsed["kind"] = kind or parsed.get("kind") or default_kind
    parsed["date_assumed"] = bool(parsed.get("date_assumed"))
    extra: dict[str, Any] = {}
    for source, name in columns.carried.items():
        try:
            extra[name] = storable(row.values.get(source))
        except RecursionError as bad:
            return Problem(row.file, row.line, name, parsed["id"], str(bad), row.unit)
    return Document(**parsed, extra=extra)


def _blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _clean(value: str) -> str:
    """Refuse what no UTF-8 file can hold."""
    if "\0" in value:
        raise Invalid(
            f"holds a NUL byte at character {value.index(chr(0)) + 1}",
            "Such a file is often UTF-16 or binary: save it again as UTF-8 text",
        )
    if (at := first_unpaired(value)) is not None:
        raise Invalid(
            f"holds half a character (an unpaired surrogate) at character {at + 1}",
            "Write the character whole, or take it out",
        )
    return value


def _text(value: Any) -> str:
    if value is None:
        raise Invalid("has no text", "Every row needs its text")
    if not isinstance(value, str):
        raise Invalid(f"must be text, not {_shown(value)}")
    if not value.strip():
        raise Invalid("is blank" if value else "is empty", "Every row needs its text")
    if len(value) > MAX_TEXT_BYTES or len(value.encode("utf-8", "surrogatepass")) > MAX_TEXT_BYTES:
        raise Invalid(
            f"is {len(value):,} characters, over the limit of {MAX_TEXT_BYTES // 1_000_000} MB a document",
            "Split it, or check the quotes of the file",
        )
    return _clean(value)


def _id(value: Any) -> str:
    if _blank(value):
        raise Invalid("is empty", "Every document needs an id of its own")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Invalid(f"must be text or a whole number, not {_shown(value)}")
    if isinstance(value, float):
        if not value.is_integer():
            raise Invalid(f"must be text or a whole number, not {_shown(value)}")
        value = int(value)
    name = _clean(str(value)).strip()
    if not name.isprintable():
        raise Invalid(f"holds a line break or control character: {_shown(name)}")
    return name


def _name(value: Any) -> str | None:
    """A ticker, firm or sector: text without blanks around it; a number (some exchanges' tickers) as text."""
    if _blank(value):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Invalid(f"must be text, not {_shown(value)}")
    return _clean(str(value)).strip()


def _one_of(allowed: tuple[str, ...], todo: str) -> Callable[[Any], str | None]:
    by_lower = {name.lower(): name for name in allowed}

    def parse(value: Any) -> str | None:
        name = _name(value)
        if name is None:
            return None
        if name.lower() not in by_lower:
            near = difflib.get_close_matches(name.lower(), by_lower, n=1)
            hint = f"Did you mean {by_lower[near[0]]}? " if near else ""
            raise Invalid(f"must be one of {', '.join(allowed)}, not {_shown(name)}", hint + todo)
        return by_lower[name.lower()]

    return parse


def _whole(value: Any) -> int:
    """A whole number; also as text, and as 3.0, which is how tables with gaps write 3."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,18}(\.0{1,9})?", value.strip()):
        return int(value.strip().partition(".")[0])
    raise Invalid(f"must be a whole number, not {_shown(value)}")


def _between(low: int, high: int, prefix: str) -> Callable[[Any], int | None]:
    lead = re.compile(prefix, re.IGNORECASE)

    def parse(value: Any) -> int | None:
        if _blank(value):
            return None
        number = _whole(lead.sub("", value.strip()) if isinstance(value, str) else value)
        if not low <= number <= high:
            raise Invalid(f"must be from {low} to {high}, not {_shown(value)}")
        return number

    return parse


def _cik(value: Any) -> int | None:
    if _blank(value):
        return None
    number = _whole(re.sub(r"(?i)^cik\s*", "", value.strip()) if isinstance(value, str) else value)
    if not 0 < number < 10**10:
        raise Invalid(f"must be a CIK (a number of up to 10 digits), not {_shown(value)}")
    return number


def _date(value: Any) -> date | None:
    if _blank(value):
        return None
    if isinstance(value, datetime):
        return _in_range(value.date())
    if isinstance(value, date):
        return _in_range(value)
    return _in_range(_iso_date(value))


def _iso_date(value: Any) -> date:
    """The day of an ISO date or date and time, as written there (a time zone does not move it)."""
    todo = "Write dates as YYYY-MM-DD"
    # fromisoformat also takes week dates and 20240131, which are more often a mistake than meant.
    if not isinstance(value, str) or not re.match(r"\s*\d{4}-\d{2}-\d{2}(?![\d-])", value):
        raise Invalid(f"is no date: {_shown(value)}", todo)
    try:
        return datetime.fromisoformat(value.strip()).date()
    except ValueError as bad:
        raise Invalid(f"is no date: {_shown(value)} ({bad})", todo) from None


def _in_range(day: date) -> date:
    if not 1900 <= day.year <= 2100:
        raise Invalid(f"must lie between 1900 and 2100, not {day.isoformat()}")
    return day


def _market_cap(value: Any) -> float | None:
    if _blank(value):
        return None
    todo = "Give US dollars, as in 1250000000 or 1.25e9; leave it empty where it is not known"
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        raise Invalid(f"must be a number, not {_shown(value)}", todo) from None
    if not math.isfinite(number):
        raise Invalid(f"must be a finite number, not {_shown(value)}", todo)
    # Zero and less are a vendor's way to say that it has none: the document stays, without a size, and is counted.
    return number


def _flag(value: Any) -> bool | None:
    if _blank(value):
        return None
    if isinstance(value, bool):
        return value
    if str(value).strip().lower() in {"true", "1", "false", "0"}:
        return str(value).strip().lower() in {"true", "1"}
    raise Invalid(f"must be true or false, not {_shown(value)}")


_PARSERS: Mapping[str, Callable[[Any], Any]] = {
    "id": _id,
    "text": _text,
    "kind": _one_of(KINDS, "--kind NAME sets it for every document"),
    "ticker": _name,
    "firm": _name,
    "sector": _name,
    "cik": _cik,
    "date": _date,
    "date_assumed": _flag,
    "fiscal_year": _between(1900, 2100, r"^(fy|fiscal year)\s*"),
    "fiscal_quarter": _between(1, 4, r"^q\s*"),
    "fiscal_year_end": _between(1, 12, r"^month\s*"),
    "market_cap": _market_cap,
    "size": _one_of(SIZES, "A column of another meaning is set aside with --column size="),
}
