"""The command that made a run, written again from its record."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from neuter.reports.wording import one_line

#: Arguments that may hold several, by the option that is given once for each.
_SEVERAL = {"schemes": "scheme", "attackers": "attacker", "models": "model", "firms": "firms"}


def command_line(record: Mapping[str, Any]) -> str:
    """``neuter evaluate calls.csv --scheme rules``, as a shell takes it; in one line, whatever a name holds.

    Of a run that was made from Python only the function is known: its arguments are not kept.
    """
    command = one_line(str(record.get("command") or "unknown"))
    arguments = record.get("arguments")
    if not isinstance(arguments, Mapping) or not arguments:
        suite = f" {record['suite']}" if record.get("suite") else ""
        return one_line(f"neuter.{command}{suite} in Python (its arguments are not kept)")
    first = arguments.get("suite" if command == "benchmark" else "corpus")
    words = ["neuter", command, *([str(first)] if first is not None else [])]
    return one_line(shlex.join([*words, *_options(command, arguments)]))


def _options(command: str, arguments: Mapping[str, Any]) -> Iterator[str]:
    reading = arguments.get("reading")
    every = {**arguments, **(reading if isinstance(reading, Mapping) else {})}
    named = {"suite", "reading"} if command == "benchmark" else {"corpus", "reading"}
    for name, value in every.items():
        if name not in named and not (name == "seed" and not value):
            yield from _option(name, value)


def _option(name: str, value: Any) -> Iterator[str]:
    if name == "columns" and isinstance(value, Mapping):
        for column, header in value.items():
            yield from ("--column", f"{column}={header}")
        return
    option = f"--{_SEVERAL.get(name, name).replace('_', '-')}"
    for one in value if isinstance(value, list) else [value]:
        yield option
        if one is not True:
            yield str(one)
