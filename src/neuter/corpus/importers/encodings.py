"""From the bytes of an export to its text: byte order marks, declared encodings, and Windows files."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from neuter.corpus.lines import unreadable
from neuter.errors import CorpusError, UsageError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"""charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)

#: Where a page declares its encoding, if it does (the HTML standard looks at 1,024 bytes; saved pages are wordier).
_HEAD = 8192


def known_encoding(name: str) -> str:
    """The canonical name of an encoding, with Windows-1252 for Latin-1, as browsers read it.

    Raises:
        UsageError: Python knows no such encoding of text.
    """
    try:
        found = codecs.lookup(name).name
        "".encode(found)
    except (LookupError, ValueError) as error:
        raise UsageError(
            f"no encoding is called {name!r}", where="encoding", todo="As in utf-8, cp1252, utf-16, cp1250"
        ) from error
    return "cp1252" if found in ("iso8859-1", "ascii") else found


def read_export(path: Path, shown: str, *, encoding: str | None, most: int) -> str:
    """The text of a whole file of at most ``most`` bytes.

    The encoding is the one given, else what a byte order mark or the page itself says, else UTF-8, else Windows-1252.

    Raises:
        CorpusError: the file cannot be read, is empty or too large, or is not in the encoding that it should be in.
    """
    try:
        if path.stat().st_size > most:
            raise CorpusError(
                f"is larger than {most // 1_000_000} MB",
                where=shown,
                todo="Export fewer articles a file; a folder of files is read too",
            )
        data = path.read_bytes()
    except OSError as error:
        raise unreadable(error, shown) from error
    if not data.strip():
        raise CorpusError("is empty", where=shown, todo="Export the articles again")
    name = encoding or _told(data, shown)
    if name:
        return _decoded(data, name, shown)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _decoded(data, "cp1252", shown)


@contextmanager
def in_utf8(path: Path, shown: str, encoding: str | None) -> Iterator[Path]:
    """``path`` itself, or a temporary copy in UTF-8 where its encoding is given, with the same lines.

    Raises:
        CorpusError: the file cannot be read, or is not in that encoding.
    """
    if not encoding or encoding in ("utf-8", "utf-8-sig"):
        yield path
        return
    with TemporaryDirectory(prefix="neuter-") as folder:
        copy = Path(folder) / path.name
        try:
            with (
                path.open(encoding=encoding, newline="") as old,
                copy.open("w", encoding="utf-8", newline="") as new,
            ):
                while chunk := old.read(1 << 20):
                    new.write(chunk)
        except OSError as error:
            raise unreadable(error, shown) from error
        except UnicodeError as error:
            raise _not_in(encoding, shown, error) from error
        yield copy


def _told(data: bytes, shown: str) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    # An RTF file is ASCII with escapes; what looks like a declaration in it belongs to a text.
    found = None if data.startswith(b"{\\rtf") else _DECLARED.search(data[:_HEAD])
    if not found:
        return ""
    try:
        return known_encoding(found[1].decode("ascii"))
    except UsageError as error:
        raise CorpusError(
            f"says that its encoding is {found[1].decode('ascii')!r}, which is not known",
            where=shown,
            todo="Give the encoding, as in encoding='cp1252'",
        ) from error


def _decoded(data: bytes, name: str, shown: str) -> str:
    try:
        return data.decode(name)
    except UnicodeError as error:
        raise _not_in(name, shown, error) from error


def _not_in(name: str, shown: str, error: UnicodeError) -> CorpusError:
    place = f": byte at offset {error.start:,}" if isinstance(error, UnicodeDecodeError) else ""
    return CorpusError(
        f"is not text in {name}{place}", where=shown, todo="Give the file's encoding, as in encoding='cp1252'"
    )
