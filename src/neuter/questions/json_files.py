"""JSON and JSON Lines as question sets come in: read value by value, each with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from neuter.errors import DataError
from neuter.questions.found import Fault

_ENDINGS = (".jsonl", ".ndjson")


def json_lines(path: Path) -> Iterator[tuple[str, Any] | Fault]:
    """Each line's value with its place, or a fault; blank lines are passed over.

    Raises:
        DataError: the file cannot be read, or is no UTF-8.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                where = f"{path}, line {number}"
                try:
                    yield where, json.loads(line, parse_constant=_no_number)
                except (ValueError, RecursionError) as error:
                    yield Fault(where, f"is no JSON ({_reason(error)})")
    except UnicodeDecodeError as error:
        raise DataError(f"is no UTF-8 ({error.reason})", where=str(path)) from error
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", where=str(path)) from error


def json_value(path: Path) -> Any:
    """The one value of a JSON file.

    Raises:
        DataError: the file cannot be read, or is no JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise DataError(f"is no UTF-8 ({error.reason})", where=str(path)) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"is no JSON ({_reason(error)})", where=str(path)) from error
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", where=str(path)) from error


def first_value(path: Path) -> tuple[Any, bool]:
    """The first value of a file, and whether it is JSON Lines; (None, False) where it is no JSON at all.

    Raises:
        DataError: the file cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="\n") as file:
            first = next((line for line in file if line.strip()), "")
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", where=str(path)) from error
    if path.suffix.lower() not in _ENDINGS and first.strip()[:1] not in ("{", "["):
        return None, False
    try:
        value = json.loads(first, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return (None, True) if path.suffix.lower() in _ENDINGS else (json_value(path), False)
    single = not isinstance(value, dict) or path.suffix.lower() == ".json"
    return value, not single or path.suffix.lower() in _ENDINGS


def items_of(value: Any, path: Path, *names: str) -> Iterator[tuple[str, Any]]:
    """The objects of a list, or of the list that an object has under one of ``names``, each with its place.

    Raises:
        DataError: there is no such list.
    """
    found = value
    if isinstance(value, dict):
        found = next((value[name] for name in names if isinstance(value.get(name), list)), [value])
    if not isinstance(found, list):
        raise DataError(f"holds no list of {names[0]}", where=str(path))
    for number, one in enumerate(found, 1):
        yield f"{path}, {names[0]} {number}", one


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _reason(error: Exception) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)
