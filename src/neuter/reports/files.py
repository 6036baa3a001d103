"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from neuter.errors import RunError


def write_whole(path: Path, content: str | bytes) -> None:
    """Put ``content`` into ``path``: beside it first, then renamed, so that nobody ever reads half a file.

    Raises:
        RunError: the folder cannot be made or the file not written (full disk, no permission).
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    partial = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        Path(partial).chmod(0o666 & ~_umask())
        Path(partial).replace(path)
    except OSError as error:
        if partial:
            Path(partial).unlink(missing_ok=True)
        todo = "Make room or choose another place; what is already in the run stays"
        raise RunError(
            f"cannot be written ({error.strerror or error})", where=str(path), todo=todo
        ) from error


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
