"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from neuter.errors import RunError


@dataclass(frozen=True, slots=True)
class TextOutput:
    """A text file under way, which will be ``path``. Line breaks stay as they are written."""

    path: Path
    file: IO[str]

    def write(self, text: str) -> int:
        """Write ``text``; returns its length, as the csv module expects."""
        with naming(self.path):
            return self.file.write(text)

    def finish(self) -> None:
        """Bring everything to the disk, so that nothing but the renaming is left to fail."""
        with naming(self.path):
            self.file.flush()
            os.fsync(self.file.fileno())


@contextmanager
def replacing(path: Path, *, mode: int = 0o666) -> Iterator[Path]:
    """A temporary file beside ``path`` that takes its place at the end; after an error ``path`` is as it was.

    It is made with O_EXCL and ``mode``, less the user's umask.

    Raises:
        RunError: the system cannot write, for example because the disk is full.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with naming(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        yield temporary
        with naming(path):
            sync(temporary)
            temporary.replace(path)
            _sync_folder(path.parent)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


@contextmanager
def writing(path: Path, *, mode: int = 0o666) -> Iterator[TextOutput]:
    """The same as an open text file in UTF-8."""
    with replacing(path, mode=mode) as temporary:
        file = temporary.open("w", encoding="utf-8", newline="")
        try:
            output = TextOutput(path, file)
            yield output
            output.finish()
        finally:
            # Closing flushes again, which fails again on a full disk.
            with contextlib.suppress(OSError):
                file.close()


def write_whole(path: Path, content: bytes | str) -> None:
    """Put ``content`` into ``path``; text is written as UTF-8.

    Raises:
        RunError: the system cannot write, for example because the disk is full.
    """
    with replacing(path) as temporary, naming(path):
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turns an error of the system in the block into one that names ``path``.

    Raises:
        RunError: in place of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise unwritable(path, error.strerror or str(error)) from error


def unwritable(path: Path, reason: str) -> RunError:
    """What to raise when ``path`` could not be written."""
    return RunError(
        f"could not be written ({reason}); nothing of it is left behind",
        where=str(path),
        todo="Make room on the disk, or choose another place",
    )


def sync(path: Path) -> None:
    """Wait until ``path`` is on the disk."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(path: Path) -> None:
    if os.name != "posix":  # Windows cannot open a folder; its file system keeps renames in a journal.
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
