"""The user's configuration, ``neuter.toml``: which files hold it, and the tables in them."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from neuter.errors import UsageError

FILE = "neuter.toml"
#: Tables of ``neuter.toml``. A part of neuter that reads another table adds its name here.
TABLES = ("providers", "models", "prices", "schemes", "attackers")


def tables(name: str, config: Path | None = None) -> Iterator[tuple[Path, str, Mapping[str, Any]]]:
    """File, name and content of each table ``[name.NAME]``, from the weakest file to the strongest: the user's,
    the working folder's, ``config``.

    Raises:
        UsageError: ``config`` does not exist, or a file is not TOML, has an unknown table, or something else there.
    """
    for file in _files(config):
        found = _read(file).get(name, {})
        if not isinstance(found, dict) or not all(isinstance(table, dict) for table in found.values()):
            raise UsageError(
                f"{name} is not a set of tables",
                where=str(file),
                todo=f"Write [{name}.NAME] and keys below it",
            )
        for key, table in found.items():
            yield file, key, table


def user_file() -> Path:
    """The user's own ``neuter.toml``, whether it exists or not."""
    import platformdirs

    return Path(platformdirs.user_config_dir("neuter", appauthor=False)) / FILE


def unknown_key(key: str, known: Iterable[str], where: str) -> NoReturn:
    """Say that there is no such key, and which is near.

    Raises:
        UsageError: always.
    """
    near = difflib.get_close_matches(key, list(known), n=1, cutoff=0.5)
    todo = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(known)}"
    raise UsageError(f"unknown key {key!r}", where=where, todo=todo)


def _files(config: Path | None) -> Iterable[Path]:
    """From the weakest to the strongest."""
    if config is not None and not config.is_file():
        raise UsageError("no such file", where=str(config), todo=f"Give the path of a {FILE}")
    candidates = [user_file(), Path(FILE)]
    return [*(file for file in candidates if file.is_file()), *([config] if config else [])]


def _read(file: Path) -> dict[str, Any]:
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot be read as TOML: {error}", where=str(file)) from error
    for key in raw:
        if key not in TABLES:
            unknown_key(key, TABLES, str(file))
    return raw
