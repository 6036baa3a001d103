"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from neuter.errors import RunError, UsageError

if sys.platform != "win32":
    import fcntl


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

    It is made with O_EXCL and ``mode``, less the user's umask, and locked for as long as it is there. Temporary
    files of ``path`` that nobody holds a lock on are those of a process that was killed, and are removed first.

    Raises:
        UsageError: ``path`` is a folder.
        RunError: the system cannot write, for example because the disk is full.
    """
    refuse_folder(path)
    with naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(path)
        temporary, descriptor = _locked(path, mode)
    try:
        yield temporary
        with naming(path):
            sync(temporary)
            temporary.replace(path)
            _sync_folder(path.parent)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if descriptor is not None:
            os.close(descriptor)


def pieces_beside(temporary: Path) -> Path:
    """Where the pieces of a temporary file may lie in a folder: removed with it, if it is abandoned."""
    return temporary.with_suffix(".pieces")


def refuse_folder(path: Path) -> None:
    """Refuse a folder where a file is to be written.

    Raises:
        UsageError: ``path`` is one.
    """
    if path.is_dir():
        raise UsageError(
            "is a folder, not a file", where=str(path), todo="Name a file in it, or another place"
        )


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


def _locked(path: Path, mode: int) -> tuple[Path, int | None]:
    """A new temporary file of ``path``, and the descriptor whose lock says that it is in use."""
    while True:
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
        if sys.platform == "win32":  # No such locks; and an open file cannot be renamed there.
            os.close(descriptor)
            return temporary, None
        with contextlib.suppress(OSError):  # A file system without locks.
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        # Another process may have taken it for abandoned between the two calls.
        if os.fstat(descriptor).st_nlink:
            return temporary, descriptor
        os.close(descriptor)


def _remove_abandoned(path: Path) -> None:
    """Remove the temporary files of ``path`` that a killed process left: a key's hold originals.

    The system gives up a lock when its process ends, however it ends. A file whose lock cannot be had, or that is
    on a file system without locks, stays.
    """
    if sys.platform == "win32":
        return
    ours = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}\.tmp")
    with os.scandir(path.parent) as entries:
        found = [Path(entry) for entry in entries if ours.fullmatch(entry.name) and entry.is_file()]
    for temporary in found:
        with contextlib.suppress(OSError), _unused(temporary):
            shutil.rmtree(pieces_beside(temporary), ignore_errors=True)
            temporary.unlink()


@contextmanager
def _unused(temporary: Path) -> Iterator[None]:
    descriptor = os.open(temporary, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
