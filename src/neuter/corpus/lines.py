"""Lines of a text file as bytes, with their numbers and offsets, so that a bad byte can be named exactly."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from neuter.errors import CorpusError

#: A JSON line may hold a text of 20 MB with every character written as \uXXXX, and more columns beside it.
MAX_LINE_BYTES = 160_000_000


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its break. ``offset`` is where it begins in the file; ``whole`` is False if it was cut."""

    number: int
    offset: int
    data: bytes
    whole: bool = True

    def decode(self) -> str:
        """The line as text.

        Raises:
            UnicodeDecodeError: it is not UTF-8; ``start`` counts from the line's beginning.
        """
        return self.data.decode("utf-8")

    def bad_bytes(self, error: UnicodeDecodeError) -> str:
        """What to say of bytes that are not UTF-8."""
        shown = " ".join(f"{byte:02X}" for byte in error.object[error.start : error.end])
        return f"is not UTF-8: byte {shown} at offset {self.offset + error.start:,} of the file"


NOT_UTF8 = "Save the file as UTF-8 (iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW, if it came from Windows)"


def numbered_lines(path: Path, shown: str, *, limited: bool = True) -> Iterator[Line]:
    """The lines of ``path``, without a byte order mark.

    A line beyond MAX_LINE_BYTES comes cut and so marked, unless ``limited`` is False.

    Raises:
        CorpusError: the file cannot be opened, or is UTF-16.
    """
    try:
        with path.open("rb") as file:
            offset = _skip_mark(file.read(3), shown)
            file.seek(offset)
            number = 0
            while data := file.readline(MAX_LINE_BYTES if limited else -1):
                number += 1
                start, offset = offset, offset + len(data)
                whole = data.endswith(b"\n") or len(data) < MAX_LINE_BYTES or not limited
                yield Line(number, start, data, whole)
                while not whole and (rest := file.readline(1_000_000)):
                    offset += len(rest)
                    whole = rest.endswith(b"\n")
    except OSError as error:
        raise unreadable(error, shown) from error


def unreadable(error: OSError, shown: str) -> CorpusError:
    """What to raise for a file that the system does not let us read."""
    return CorpusError(
        f"cannot be read: {error.strerror or error}", where=shown, todo="Check the path and its permissions"
    )


def _skip_mark(head: bytes, shown: str) -> int:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise CorpusError("is UTF-16 text", where=shown, todo="Save it as UTF-8")
    if head.startswith((b"\x1f\x8b", b"PK")):
        raise CorpusError("is a compressed file", where=shown, todo="Unpack it first")
    return len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
