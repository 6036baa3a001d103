"""Key files: what a masked corpus had in place of its placeholders. Readable by their owner alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from neuter._version import __version__
from neuter.corpus.restoring import restore
from neuter.corpus.unpaired import without_unpaired
from neuter.errors import MaskingError
from neuter.types import Document, MaskedDocument
from neuter.whole_files import TextOutput, writing

#: The version of the format, in the first line of a key file.
FORMAT = 1


@dataclass(frozen=True, slots=True)
class KeyWriter:
    """Takes each document with its masked form, in order."""

    output: TextOutput

    def add(self, document: Document, masked: MaskedDocument) -> None:
        """Write what ``masked`` (usable and proven) replaced; one that could not be masked has no entry.

        Raises:
            MaskingError: the scheme rewrites.
        """
        if masked.text is None:
            return
        if masked.replacements is None:
            raise MaskingError(
                f"scheme {masked.scheme!r} rewrites texts, so that there is nothing to restore them from",
                where=f"--key (document {document.id!r})",
                todo="Leave --key out, or choose a scheme that replaces spans",
            )
        originals = [document.text[one.start : one.end] for one in masked.replacements]
        entry = {
            "id": document.id,
            "scheme": masked.scheme,
            "sha256": fingerprint(document.text),
            "originals": originals,
        }
        self.output.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def finish(self) -> None:
        """Bring everything to the disk."""
        self.output.finish()


@contextmanager
def writing_key(path: Path, corpus_name: str) -> Iterator[KeyWriter]:
    """A key file, mode 0600, that appears whole at the end."""
    with writing(path, mode=0o600) as output:
        head = {"neuter_key": FORMAT, "neuter": __version__, "corpus": without_unpaired(corpus_name)}
        output.write(json.dumps(head, ensure_ascii=False) + "\n")
        yield KeyWriter(output)


class KeyFile:
    """A key file to look documents up in. Only ids and places are in memory, so the order does not matter."""

    def __init__(self, path: Path) -> None:
        """Read the index of ``path``.

        Raises:
            MaskingError: it does not exist, or is no key file that this version can read.
        """
        self.path = path
        self._places: dict[str, int] = {}
        try:
            with path.open("rb") as file:
                self._check_head(file.readline())
                at = file.tell()
                for number, line in enumerate(file, 2):
                    self._places[str(self._entry(line, number)["id"])] = at
                    at += len(line)
        except OSError as error:
            raise MaskingError(f"cannot be read: {error.strerror}", where=str(path)) from error

    def __len__(self) -> int:
        return len(self._places)

    @contextmanager
    def reading(self) -> Iterator[KeyReader]:
        """The file opened for looking up."""
        with self.path.open("rb") as file:
            yield KeyReader(file, self._places, str(self.path))

    def _check_head(self, line: bytes) -> None:
        try:
            version = json.loads(line)["neuter_key"]
        except (ValueError, KeyError, TypeError, RecursionError):
            todo = "Give the file that `neuter mask --key FILE` wrote"
            raise MaskingError("is no key file of neuter", where=str(self.path), todo=todo) from None
        if version != FORMAT:
            raise MaskingError(
                f"is a key of format {version}, this neuter reads {FORMAT}",
                where=str(self.path),
                todo="Upgrade neuter",
            )

    def _entry(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            entry = json.loads(line)
            strings = [entry["id"], entry["sha256"], *entry["originals"]]
            if isinstance(entry["originals"], list) and all(isinstance(one, str) for one in strings):
                return dict(entry)
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        where = f"{self.path}: line {number}"
        raise MaskingError("is damaged", where=where, todo="Take the key from a copy") from None


@dataclass(frozen=True, slots=True)
class KeyReader:
    """An open key file."""

    file: IO[bytes]
    places: Mapping[str, int]
    shown: str

    def original(self, masked: MaskedDocument) -> str:
        """The text that ``masked`` was made of, proven by its sha256.

        Raises:
            MaskingError: naming the id: the key has none, or the masked text was changed.
        """
        where = f"document {masked.id!r}"
        if masked.id not in self.places:
            todo = "It belongs to another masked corpus"
            raise MaskingError(f"{self.shown} has no entry for it", where=where, todo=todo)
        self.file.seek(self.places[masked.id])
        entry = json.loads(self.file.readline())
        if masked.text is None or masked.replacements is None:
            raise MaskingError(
                f"scheme {masked.scheme!r} rewrites texts; they cannot be restored", where=where
            )
        todo = "The masked corpus was changed since it was written, or the key belongs to another one"
        try:
            text = restore(masked.text, masked.replacements, entry["originals"])
        except MaskingError as error:
            raise MaskingError(error.what, where=where, todo=todo) from error
        if fingerprint(text) != entry["sha256"]:
            raise MaskingError("the restored text is not the original", where=where, todo=todo)
        return text


def fingerprint(text: str) -> str:
    """sha256 of a text in UTF-8, hexadecimal."""
    # A damaged key can make a text that no file holds; it gets another fingerprint than the original.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
