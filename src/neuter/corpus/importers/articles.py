"""An article or row as an importer finds it, and the headline that becomes of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from neuter.corpus.fields import MAX_TEXT_BYTES, Invalid, Problem
from neuter.corpus.importers.publication_dates import published_day
from neuter.corpus.unpaired import first_unpaired

#: The field codes of a Factiva article with indexing, as its help lists them; any other two or three capitals at the
#: start of a line belong to the text.
FIELD_CODES = frozenset(
    [
        *("AN", "ART", "BY", "CLM", "CO", "CR", "CT", "CX", "CY", "DE", "ED", "ET", "HD", "IN", "IPC", "IPD"),
        *("LA", "LP", "NS", "PD", "PG", "PUB", "RE", "RF", "RST", "SC", "SE", "SN", "TD", "VOL", "WC"),
    ]
)

#: LP holds the first two paragraphs of a story; where an export does not mark them, as many are taken.
LEAD_PARAGRAPHS = 2

#: The hour at which an article came, which stands between its date and its source.
TIME = re.compile(r"\d{1,2}[:.]\d{2}(\s*[AaPp]\.?[Mm]\.?)?(\s+[A-Z]{2,4})?")

_WORDS = re.compile(r"([\d.,\s]*\d)\s+words", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """What was found, as text or as the file has it. ``record`` counts from 1: lines of a table, else articles."""

    file: str
    record: int
    unit: str
    date: Any
    title: Any
    content: Any = ""
    source: Any = ""
    words: int | None = None


@dataclass(frozen=True, slots=True)
class Headline:
    """A headline that was read; ``content`` and ``source`` are "" and ``words`` None where there is none."""

    date: date
    title: str
    content: str
    source: str
    words: int | None
    source_file: str
    record: int


#: In articles of Factiva.
FACTIVA = {"date": "PD", "title": "HD", "content": "LP", "source": "SN"}


def headline_of(found: Found, names: Mapping[str, str], *, day_first: bool | None) -> Headline | Problem:
    """The headline, or what is wrong with it; ``names`` says what its fields are called in the file."""
    field = "title"
    try:
        title = _text(found.title)
        if not title.strip():
            raise Invalid("has no headline")
        field = "date"
        day = published_day(found.date, day_first=day_first)
        field = "content"
        content = _text(found.content)
        field = "source"
        source = _text(found.source).strip()
    except Invalid as bad:
        shown = names.get(field, field)
        return Problem(found.file, found.record, shown, "", str(bad), found.unit, bad.todo)
    return Headline(day, title, content, source, found.words, found.file, found.record)


def words_in(line: str) -> int | None:
    """The number in a line such as ``1,234 words``, or None where it is another line."""
    found = _WORDS.fullmatch(line.strip())
    return int(re.sub(r"\D", "", found[1])) if found else None


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Invalid(f"must be text, not {value!r:.60}")
    if (at := first_unpaired(value)) is not None:
        raise Invalid(f"holds half a character (an unpaired surrogate) at character {at + 1}")
    if "\0" in value:
        raise Invalid("holds a NUL byte", "Such a file is often UTF-16: give its encoding")
    if len(value) > MAX_TEXT_BYTES:
        raise Invalid(
            f"is over the limit of {MAX_TEXT_BYTES // 1_000_000} MB", "Check the quotes of the file"
        )
    return value
