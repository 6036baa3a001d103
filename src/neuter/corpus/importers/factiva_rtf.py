"""Articles in RTF files saved from Factiva: with indexing (a table a piece), and as full articles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from neuter.corpus.fields import Problem
from neuter.corpus.importers.articles import FIELD_CODES, LEAD_PARAGRAPHS, TIME, Found, words_in
from neuter.corpus.importers.encodings import read_export
from neuter.corpus.importers.publication_dates import is_day
from neuter.errors import CorpusError

MOST_BYTES = 50_000_000

#: Characters for private use stand for a bar of the text (striprtf writes one for the end of a cell) and for the
#: beginning of bold text, which is how a full article marks its headline.
_BAR, _BOLD = "\ue000", "\ue001"

_END = re.compile(r"(?:AN\s*[|\t]\s*)?Document [A-Za-z0-9]{10,40}\s*\|?")
_FIELD = re.compile(r"\s*([A-Z]{2,3})\s*[|\t](.*)")
_BYLINE = re.compile(r"by\s", re.IGNORECASE)


def rtf_headlines(path: Path, shown: str, *, encoding: str | None) -> Iterator[Found | Problem]:
    """The articles of a file, in its order.

    Raises:
        CorpusError: the file cannot be read, is no RTF, or holds no article.
    """
    none = True
    for record, lines in enumerate(_articles(rtf_lines(path, shown, encoding=encoding)), start=1):
        none = False
        yield _article(lines, shown, record)
    if none:
        raise CorpusError(
            "holds no article that can be recognised",
            where=shown,
            todo="Save it from Factiva as Article Format, best with indexing",
        )


def rtf_lines(path: Path, shown: str, *, encoding: str | None) -> list[str]:
    """The text of an RTF file by lines, with bars and beginnings of bold text as private characters.

    Raises:
        CorpusError: the file cannot be read, is no RTF, or is cut off or damaged.
    """
    from striprtf.striprtf import rtf_to_text

    rtf = read_export(path, shown, encoding=encoding, most=MOST_BYTES).lstrip()
    if not rtf.startswith("{\\rtf"):
        raise CorpusError("is no RTF file", where=shown, todo="Export the articles again")
    if not rtf.rstrip("\0\t\r\n ").endswith("}"):
        raise CorpusError(
            "is cut off: its last brace is missing", where=shown, todo="Export the articles again"
        )
    rtf = rtf.replace("|", _BAR)
    rtf = re.sub(r"\\b(?![A-Za-z0-9-]) ?", lambda _: f"\\b {_BOLD}", rtf)
    # striprtf would write the address behind the text of a link, in time that grows with the cube of the links.
    rtf = re.sub(r"\\fldinst(?![a-z])", lambda _: "\\fldinst\n", rtf)
    try:
        text: str = rtf_to_text(rtf)  # type: ignore[no-untyped-call]
        return text.encode("utf-16", "surrogatepass").decode("utf-16").split("\n")
    except (ValueError, LookupError, TypeError, OverflowError) as error:
        raise CorpusError(
            f"is damaged RTF ({error})", where=shown, todo="Export the articles again"
        ) from error


def _articles(lines: Sequence[str]) -> Iterator[list[str]]:
    """The lines of each article: up to its document number, or to the next headline field."""
    held: list[str] = []
    for line in lines:
        if _code(line) == "HD" and any(_code(one) == "HD" for one in held):
            yield held
            held = []
        held.append(line)
        if _END.fullmatch(_marked(line)):
            yield held
            held = []
    # What follows the last article is a summary of the search, unless it has the head of an article.
    if any(_code(line) == "HD" or words_in(_plain(line)) is not None for line in held):
        yield held


def _code(line: str) -> str:
    found = _FIELD.fullmatch(_marked(line))
    return found[1] if found and found[1] in FIELD_CODES else ""


def _article(lines: list[str], shown: str, record: int) -> Found | Problem:
    fields = _fields(lines)
    if "HD" in fields or "PD" in fields:
        held = {code: _joined(told) for code, told in fields.items()}
        words = words_in(held.get("WC", ""))
        day, title = held.get("PD"), held.get("HD")
        return Found(shown, record, "article", day, title, held.get("LP", ""), held.get("SN", ""), words)
    return _displayed([line for line in lines if _plain(line)], shown, record)


def _fields(lines: list[str]) -> dict[str, list[str]]:
    """Field code → its lines; the first of a code counts."""
    fields: dict[str, list[str]] = {}
    into: list[str] = []
    for line in lines:
        if code := _code(line):
            into = [] if code in fields else fields.setdefault(code, [])
            into.append(re.split(r"[|\t]", _marked(line), maxsplit=1)[1])
        else:
            into.append(_marked(line))
    return fields


def _displayed(lines: list[str], shown: str, record: int) -> Found | Problem:
    """An article without indexing: section, headline, author, words, date, time, source ... and paragraphs."""
    counted = next((at for at, line in enumerate(lines) if words_in(_plain(line)) is not None), len(lines))
    dated = next((at for at, line in enumerate(lines) if at >= counted and is_day(_plain(line))), None)
    title = _title(lines[:counted])
    if title is None:
        return Problem(
            *(shown, record, "HD", "", "cannot be told from section and author", "article"),
            todo="Export the articles with indexing",
        )
    after = [] if dated is None else [one for line in lines[dated + 1 :] if (one := _plain(line))]
    after = [line for line in after if not TIME.fullmatch(line)]
    return Found(
        *(shown, record, "article", None if dated is None else _plain(lines[dated]), title),
        " ".join(_body(after)),
        after[0] if after else "",
        words_in(_plain(lines[counted])) if counted < len(lines) else None,
    )


def _title(head: list[str]) -> str | None:
    """The headline among the lines before the number of words: the bold one, or the only one that is no byline."""
    bold = [line for line in head if _BOLD in line]
    choice = bold if len(bold) == 1 else [line for line in head if not _BYLINE.match(_plain(line))]
    if not choice:
        return ""
    return _plain(choice[0]) if len(choice) == 1 else None


def _body(after: list[str]) -> list[str]:
    """The lead: what follows the line of copyright, which ends the head; without one it cannot be told."""
    start = next(
        (at for at, line in enumerate(after) if re.match(r"(\(c\)|©|copyright)", line, re.IGNORECASE)), None
    )
    if start is None:
        return []
    return [line for line in after[start + 1 :] if not _END.fullmatch(line)][:LEAD_PARAGRAPHS]


def _joined(lines: list[str]) -> str:
    return " ".join(" ".join(line.removesuffix("|").strip() for line in lines).split()).replace(_BAR, "|")


def _marked(line: str) -> str:
    """The line with its own bars still told from ends of cells."""
    return line.replace(_BOLD, "").strip()


def _plain(line: str) -> str:
    return _marked(line).replace(_BAR, "|")
