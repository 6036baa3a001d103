"""JSON and JSON Lines as question sets come in: read value by value, each with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from neuter.errors import DataError
from neuter.questions.found import Fault, Source

_ENDINGS = (".jsonl", ".ndjson")


def first_value(path: Path) -> tuple[Any, bool]:
    """The first value of a file, and whether it is JSON Lines; (None, False) where it is no JSON at all.

    A file is JSON Lines by its ending, or because more follows after a first line that is a value of its own.

    Raises:
        DataError: the file cannot be read, or begins as JSON and is none.
    """
    lines = path.suffix.lower() in _ENDINGS
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="\n") as file:
            first, second = (*islice((line for line in file if line.strip()), 2), "", "")[:2]
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", where=str(path)) from error
    if not lines and first.lstrip()[:1] not in ("{", "["):
        return None, False
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return (None, True) if lines else (json_value(path), False)
    return value, lines or bool(second)


def json_value(path: Path) -> Any:
    """The one value of a JSON file.

    Raises:
        DataError: the file cannot be read, or is no JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_once_each)
    except UnicodeDecodeError as error:
        raise DataError(f"is no UTF-8 ({error.reason})", where=str(path)) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"is no JSON ({_reason(error)})", where=str(path)) from error
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", where=str(path)) from error


def objects(source: Source, *names: str) -> Iterator[tuple[str, Mapping[str, Any]] | Fault]:
    """The objects of a file, each with its place: lines, a list, or the list that an object has under one of ``names``.

    A list of answers of an API, page by page, is one list. Whatever else is in the list is a fault.

    Raises:
        DataError: the file cannot be read, or is no JSON.
    """
    for item in _lines(source.path) if source.lines else _listed(source.path, names):
        if isinstance(item, Fault) or isinstance(item[1], Mapping):
            yield item
        else:
            yield Fault(item[0], "is no object", "A question is an object with fields")


def listed(path: Path, *names: str) -> Iterator[tuple[str, Any]]:
    """Each value of the list in a JSON file, with its place.

    Raises:
        DataError: the file cannot be read, is no JSON, or has no list.
    """
    return _listed(path, names)


def first_object(source: Source, *names: str) -> Mapping[str, Any]:
    """The first object of a file, as far as its start tells; empty where there is none."""
    value = source.start
    for _ in range(3):
        if isinstance(value, Mapping):
            within = next((value[name] for name in names if isinstance(value.get(name), list)), None)
            if within is None:
                return value
            value = within
        if isinstance(value, list):
            value = next(iter(value), None)
    return {}


def as_object(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> Sequence[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def as_objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a list."""
    return [one for one in as_list(value) if isinstance(one, Mapping)]


def _lines(path: Path) -> Iterator[tuple[str, Any] | Fault]:
    """Each line's value; blank lines are passed over."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                where = f"{path}, line {number}"
                try:
                    yield where, json.loads(line, object_pairs_hook=_once_each)
                except (ValueError, RecursionError) as error:
                    yield Fault(where, f"is no JSON ({_reason(error)})")
    except UnicodeDecodeError as error:
        raise DataError(f"is no UTF-8 ({error.reason})", where=str(path)) from error
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", where=str(path)) from error


def _listed(path: Path, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    value = json_value(path)
    found = _within(value, names)
    if not isinstance(found, list):
        raise DataError(f"holds no list of {names[0]}", where=str(path))
    number = 0
    for page in found:
        inner = _within(page, names) if isinstance(page, Mapping) else page
        for one in inner if inner is not page and isinstance(inner, list) else [page]:
            number += 1
            yield f"{path}, {names[0].removesuffix('s')} {number}", one


def _within(value: Any, names: Sequence[str]) -> Any:
    """The list that an object has under a name, or the object alone in a list; of anything else the value itself."""
    if not isinstance(value, Mapping):
        return value
    return next((value[name] for name in names if isinstance(value.get(name), list)), [value])


def _reason(error: Exception) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are there once each: of two values under one name nobody can say which is meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice[:40]!r} is there twice")
    return found
